# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """Options of a flow, whatever its goal is."""

    #: The options of every module that takes part in a flow, so that all of them decide the same.
    DOCUMENTATION = r"""
options:
  evidence:
    description:
      - What the gates rest on before a certificate of a new CA is used, before a CA leaves, and for the proof that no
        node trusts it any more.
      - V(handshake) asks every TLS listener of every node, by handshakes through the API server, what it presents and which
        CAs it trusts, and holds where an answer is missing or contradicts what is stored.
      - V(annotations) rests on annotations, stored certificates and the UIDs of pods alone.
      - V(auto) is V(handshake), and V(annotations) where no node can answer, because the API server refuses to forward ports to all of
        them. That needs the permission to create C(pods/portforward), until Kubernetes 1.34 the permission to get it. RV(evidence) says what it
        came to.
      - Nodes that do not answer are waited for, O(pod_timeout) seconds each, and then hold the call with their names, also where none of
        them has answered yet. No pod restarts because an answer is missing.
    type: str
    choices: [auto, handshake, annotations]
    default: auto
  pod_access:
    description:
      - How ports of nodes are reached, to ask what they present and trust and to have them read it again.
      - V(port_forward) goes through the API server. V(direct) goes to the addresses of the pods, where there is a route to them from the
        machine that runs the module; it needs no permission for C(pods/portforward) and spares the API server.
    type: str
    choices: [port_forward, direct]
    default: port_forward
  spread:
    description:
      - How running nodes take up a change that their listeners can read again without a restart - new certificates under the same
        CA, the switch of the operator to another CA, and that a CA has left the trust.
      - V(auto) tells each node by a Kafka admin request through the API server, with the operator's own certificate, to read its
        certificates again, and asks its listeners what came of it. It restarts the nodes instead where they cannot answer
        (O(evidence)), the Python library C(kafka-python) or a permission is missing, a node refuses, or the operator would restart
        them anyway. It warns that it does and why.
      - The module asks the API server beforehand what is permitted (C(SelfSubjectAccessReview)) - to list and patch C(strimzipodsets), patch C(pods),
        get C(configmaps). Where it does not say, a permission counts as missing.
      - V(reload) holds where V(auto) would restart. V(restart) always restarts.
      - Raft clients and agents of nodes that have read again know a removed CA until their next restart; RV(removed) names them.
    type: str
    choices: [auto, reload, restart]
    default: auto
  strategy:
    description:
      - The party that restarts the Kafka nodes.
      - V(operator) asks the Cluster Operator for it, pod by pod. It needs no access to Kafka.
      - V(direct) deletes the pods itself, under the rules that the operator has for it. Controllers go before brokers, nodes that are
        not ready first, the active controller last. A node goes only while the other controllers are a majority that is caught up, and
        while each partition on it has C(min.insync.replicas) without it. The next node goes when the last is ready, registered and
        back in sync.
      - V(direct) stops, and says why, when another roll is under way, when a node does not come back, or when for O(pod_timeout)
        seconds no node may restart. Run again it goes on where it stopped.
      - V(direct) needs the Python library C(kafka-python) where the module runs, on Linux, and a way to the port 9091 of all brokers.
        The operator's network policy lets pods in that carry the label C(strimzi.io/kind=cluster-operator). It logs in as the
        Cluster Operator, with the certificate of the Secret C(<cluster>-cluster-operator-certs).
      - Rolls that the operator starts by itself, because leaves have changed, are its own with either value.
    type: str
    choices: [operator, direct]
    default: operator
  kafka_bootstrap:
    description:
      - Brokers to ask first with O(strategy=direct), each as C(host:port). What they name as the addresses of all brokers must be within
        reach as well.
      - By default the Service C(<cluster>-kafka-bootstrap) on port 9091.
    type: list
    elements: str
  retire:
    description:
      - When nodes give up a CA whose key is replaced.
      - With V(now) each node restarts once, and the old CA leaves.
      - With V(when_restarted) nodes read their certificates of the new CA again and are not restarted. The new CA is in use at once; the
        old CA stays trusted until each node has restarted for any reason, and then leaves in the next run of any flow, such as a
        scheduled C(reconcile). It holds where nodes cannot reload.
      - With a time in ISO 8601, such as V(2026-12-24T18:00:00Z), nodes are treated as with V(when_restarted), and the flow restarts nodes that
        still hold the old CA at that time. UTC where no offset is given; a time that is over restarts them at once.
      - In any case the flow restarts them seven days before the old CA or a certificate of it ends, and before the operator renews a
        certificate - the operator would sign it with the old CA, or stand still where the cluster does not hold that CA's key.
      - Without it, a flow in flight goes on as it was begun, and a new flow takes V(now).
    type: str
  client_grace:
    description:
      - Seconds that clients get to read a new CA after it was published in Secret C(<cluster>-cluster-ca-cert), before they need it. By
        default 120, which a mounted Secret takes.
      - They need it from its first use on where a client that knows only the old CA could refuse the new certificates; else from the
        switch on, when the link certificate goes out of use. The plan says which. A run that is killed meanwhile waits for the rest only.
      - Where the CA in use allows no CA below it (path length 0), as with a CA that the operator makes, clients of OpenSSL and Go that know only that CA
        could not be led on to the next CA. So it is renewed before its key is replaced, under its name and key, with path length 1, which restarts
        no node that can reload. Clients get this time from the moment at which the earlier certificate is nowhere to be read. With
        V(0) they get none, and it is not renewed first, for an emergency.
    type: int
  link_until:
    description:
      - Until when nodes lead clients that know only the old CA on to the new CA after the switch, in ISO 8601; UTC where no offset is given. By
        default until one of the two CAs ends. It counts when the key of the cluster CA is replaced, in the call that prepares the new CA, and a time
        that is over is refused there.
      - The first call of any flow after that time stores the chains of nodes without the link certificates. A node presents them so from its next
        restart on, or when its listeners read again; from then on those clients refuse it until they read the new CA.
      - It has no effect where nodes do not lead them on after the switch at all; the plan says so.
    type: str
  user_batch:
    description:
      - Of the clients CA, how many users get a certificate of the next CA at a time, after a first user. Before the switch every C(KafkaUser)
        with the authentication C(tls) is paused, and the User Operator confirms it; afterwards the pauses end one batch after the other, each
        when all users of the batch before have their certificates. Rights and quotas of a paused user stay as they are.
      - By default no user is paused, and the User Operator issues all certificates as fast as it likes. Users are served 500 at a time at most.
      - Where the key of the next CA is not in the cluster, users are paused in any case, and this collection writes their certificates.
    type: int
  client_bundle:
    description:
      - Whether to publish all trusted CAs to clients in Secret C(<cluster>-cluster-ca-bundle), as C(ca.crt) (PEM), C(ca.p12)
        (PKCS#12) and C(ca.jks) (JKS), the last two under C(ca.password), which stays the same for good.
      - It holds a new CA before any broker presents a certificate of it. Once the Secret exists it is kept up to date whatever
        this says.
      - A flow on the clients CA publishes the CAs by which users are verified in the same form, in Secret C(<cluster>-clients-ca-bundle).
    type: bool
    default: false
  trusting_secrets:
    description:
      - Secrets that clients outside the cluster read its CAs from, as C(name), C(namespace/name) or C(namespace/name:entry).
      - The gates wait until each holds the CAs that its readers need. It counts as read by them as soon as it is stored, so restart
        them when you change it. All entries with certificates in PEM form count unless one is named.
      - C(KafkaConnect), C(KafkaMirrorMaker2) and C(KafkaBridge) resources in the cluster's namespace are looked at anyway, with the
        copies that the operator makes for them.
      - A flow on the clients CA does not look at them.
      - Without this option a flow in flight goes on with the Secrets of the last run that named some; an empty list takes them back.
    type: list
    elements: str
  waivers:
    description:
      - Clients outside the cluster that the gates let pass although they refuse a CA, or cannot be seen.
      - A waiver that has ended, or names a part of the cluster, is an error; a waiver for a client that is not seen is a warning. RV(outside)
        shows the waivers in use.
    type: list
    elements: dict
    suboptions:
      client:
        description: Its exact name as in RV(outside) or in the refusal, such as C(KafkaConnect kafka/connect).
        type: str
        required: true
      until:
        description: When the waiver ends, in ISO 8601; UTC where no offset is given. At most 30 days from now.
        type: str
        required: true
      reason:
        description: The name of the person who decided it, and why.
        type: str
        required: true
  issuer:
    description:
      - The issuer of certificates of a CA whose key is not in the cluster. Certificates of a CA whose key is there need none.
      - An issuer of O(issuer.type=vault) also signs link certificates. Where it keeps the key of the CA in use, it certifies the next CA; where it keeps
        the key of the next CA, it certifies the CA in use, so that nodes serve clients after the switch that know only the CA in use. Where it signs
        none, a warning names the clients that nodes stop serving.
      - Options of another type than O(issuer.type) says are refused.
      - Requests are made before anything depends on them, recorded in Secrets C(<cluster>-issuing-<component>), and used when every certificate
        has come back and has passed every check. A run that finds some still open ends without an error, and the next run goes on.
        RV(waiting) says which, and what the issuer says of them.
    type: dict
    suboptions:
      type:
        description:
          - V(external) leaves the requests in the Secrets for a person or a tool, which puts each certificate with its chain back there.
          - V(cert_manager) makes an object of O(issuer.resource) for each in the cluster's namespace.
          - V(vault) has a PKI mount of Vault or OpenBao sign each.
        type: str
        choices: [external, cert_manager, vault]
        default: external
      name:
        description: Name of the issuer; of an issuer in Vault also its id. Not C(default), which may be another issuer tomorrow.
        type: str
      kind:
        description: With O(issuer.type=cert_manager), kind of the issuer, such as C(ClusterIssuer).
        type: str
        default: Issuer
      group:
        description: With O(issuer.type=cert_manager), API group of the issuer.
        type: str
        default: cert-manager.io
      resource:
        description:
          - With O(issuer.type=cert_manager), the kind of object that carries a request.
          - With V(CertificateRequest) the key of each leaf is made here and never leaves the Secrets of the cluster; a leaf is renewed when
            a playbook runs.
          - With V(Certificate) cert-manager makes the keys and renews each leaf by itself, O(issuer.renew_before_days) before its end. The
            next C(reconcile) takes up what it has renewed, and corrects what other clients have changed. For teams that manage every certificate
            as a Certificate, and watch Certificates.
        type: str
        choices: [CertificateRequest, Certificate]
        default: CertificateRequest
      validity_days:
        description: With O(issuer.resource=Certificate), validity of each leaf in days, whichever playbook runs.
        type: int
        default: 365
      renew_before_days:
        description: With O(issuer.resource=Certificate), how many days before its end cert-manager renews a leaf.
        type: int
        default: 45
      url:
        description: With O(issuer.type=vault), URL of the server, without C(/v1).
        type: str
      mount:
        description: With O(issuer.type=vault), path of the PKI mount.
        type: str
        default: pki
      role:
        description: With O(issuer.type=vault), role of the PKI mount.
        type: str
      vault_namespace:
        description: With O(issuer.type=vault), namespace of the server that the mount is in.
        type: str
      linked_by:
        description: With O(issuer.type=vault), name or id of the issuer of the CA in use, on the same mount. It certifies the CA of O(issuer.name),
          whose key the mount keeps too, so that a replacement by that CA takes one restart of each node less; and the other way round.
        type: str
      ca_certificate:
        description: With O(issuer.type=vault), CAs in PEM form that the server's own certificate is verified by; by default the CAs of the
          system.
        type: str
      login:
        description: With O(issuer.type=vault), how to log in.
        type: dict
        suboptions:
          type:
            description: The auth method.
            type: str
            choices: [token, approle, kubernetes, cert]
            default: token
          mount:
            description: Path of the auth method, without C(auth/); its usual one where it is not given.
            type: str
          token:
            description: With O(issuer.login.type=token), a token that may sign. It is not renewed.
            type: str
          token_from:
            description:
              - The same from a Secret, where another program keeps a token and renews it. It is read when it is needed, and once more where Vault does
                not accept it, so it is in no option, variable or file.
            type: dict
            suboptions:
              secret:
                description: Name of the Secret.
                type: str
                required: true
              namespace:
                description: Its namespace; that of the cluster where it is not given.
                type: str
              key:
                description: The entry with the token.
                type: str
                default: token
          role_id:
            description: With O(issuer.login.type=approle), id of the role.
            type: str
          secret_id:
            description: With O(issuer.login.type=approle), secret id of the role.
            type: str
          role:
            description: With O(issuer.login.type=kubernetes) or O(issuer.login.type=cert), role of the auth method.
            type: str
          jwt:
            description: With O(issuer.login.type=kubernetes), token of a service account.
            type: str
          certificate:
            description: With O(issuer.login.type=cert), client certificate in PEM form, with its chain after it.
            type: str
          private_key:
            description: With O(issuer.login.type=cert), its key, unencrypted, in PEM form.
            type: str
  rotation_policy:
    description:
      - Whether a certificate that is issued again gets a new key. With V(never) it keeps the key that lies beside it, which then is of the kind and
        size that its owner has chosen; a key that is there and cannot be used is not replaced, and the task fails before it asks the issuer.
      - With O(issuer.resource=Certificate) cert-manager makes the keys, a new key each time, and this option changes nothing.
    type: str
    choices: [always, never]
    default: always
  leaf_key_size:
    description:
      - Bits of the RSA keys of certificates that are issued or requested from now on. It gives no reason to issue one again. The operator and the agent in
        each Kafka node read keys of RSA only.
      - Give it to every call - a request that waits for an answer is made again with a key of this size where its key has another. It changes nothing
        with O(rotation_policy=never) about a key that is kept, and nothing about keys that the operator makes.
      - With O(issuer.resource=Certificate) the Certificates get this size, and cert-manager issues a Certificate again whose key has another size.
    type: int
    choices: [2048, 3072, 4096]
    default: 2048
  key_policy:
    description:
      - Rules about keys, signatures and the life of certificates. A call holds before its first write where the CA that it would make or take, or the
        certificates that it would issue, break a rule, and uses no answer of an issuer that breaks one. It names the object, the value, the rule
        and what helps.
      - It is about what a flow brings in. A CA in use that breaks a rule holds a renewal, which would keep its key, and nothing else. Certificates
        that the operators issue by themselves have the keys that they choose.
    type: dict
    suboptions:
      name:
        description: The name of the policy in messages.
        type: str
        default: key_policy
      rsa_bits:
        description: The fewest bits of an RSA key.
        type: int
      curves:
        description: The curves that EC keys may be on, as OpenSSL names them, such as V(secp384r1). Empty allows every curve.
        type: list
        elements: str
      hashes:
        description: The hashes that signatures may be made with, such as V(sha256). Empty allows every hash.
        type: list
        elements: str
      ca_days:
        description: The longest life of a CA.
        type: int
      leaf_days:
        description: The longest life of an end-entity certificate.
        type: int
  ca_source:
    description:
      - A Secret or ConfigMap that holds the CAs to trust in PEM form, in any order, such as a C(Bundle) of trust-manager writes. With it no certificate
        is given as an option, and C(reconcile) follows when the CA changes. It must not hold a private key.
      - Certificates of the cluster are to be of the CA that the issuer signs with, as far as it has signed already; else of the CA in
        use, or its latest renewal, where that or a CA above it is in the source; else of the only CA that has certified no other CA there. Where that
        leaves several, the flow trusts all of them and asks for one certificate, and its issuer is the CA to use; before the first CA nothing is begun.
        All others are trusted beside it, for which processes restart.
      - Where that CA is not in use, C(reconcile) renews or replaces the CA in use. It is a renewal where the name and the key are the same and
        every certificate that is valid under the old CA is valid under the new CA.
      - A CA that is not in the source any more stays trusted until it has been replaced or taken out (M(trustops.strimzi.strimzi_ca) with
        C(state=absent)). A CA that a flow has replaced is not trusted again because it still lies there.
      - RV(ca_source) says what it holds and what would be begun.
    type: dict
    suboptions:
      kind:
        description: Kind of the object.
        type: str
        choices: [Secret, ConfigMap]
        default: Secret
      name:
        description: Name of the object.
        type: str
        required: true
      namespace:
        description: Its namespace; that of the cluster where it is not given.
        type: str
      key:
        description: The entry with the certificates.
        type: str
        default: ca.crt
  trust_new_roots:
    description:
      - What is done about a CA of O(ca_source) that the ledger does not know. A renewal of a CA that is trusted, with its name and key, is known.
      - V(ask) does nothing about it, and says in RV(waiting) its subject, validity and SHA-256. The run ends without an error, and goes on with it
        when it is run again with O(confirm_roots). Everything else is done meanwhile.
      - V(never) begins nothing and fails.
    type: str
    choices: [ask, never]
    default: ask
  confirm_roots:
    description:
      - SHA-256 fingerprints of CAs in O(ca_source) that may be trusted, with or without colons. Compare each with the CA that is meant, by another way
        than the cluster. Once a CA is in the ledger it need not be given any more.
    type: list
    elements: str
  retry_failed:
    description:
      - Whether requests that an issuer had refused before this task are made again at once. Otherwise they are made again after an hour, then after twice as
        long each time, up to 32 hours; at once where something else is wanted by then.
    type: bool
    default: false
  issue_timeout:
    description:
      - Seconds to wait for the answers of an issuer. The run ends without an error when they are over.
    type: int
    default: 0
  spare_leaves:
    description:
      - Certificates that are kept at hand for the next nodes of each node pool, where the key of the CA is not in the cluster, so that a pool
        can be scaled without waiting for the issuer. Where the key is in the cluster there are none, because the operator issues.
      - They wait in Secret C(<cluster>-issuing-kafka), are renewed before they come to their end, and hold no flow up. RV(node_pools) says for
        which nodes they are there. At most 100.
    type: int
    default: 1
  dns_domain:
    description:
      - DNS domain of the Services in this Kubernetes cluster, where the key of the CA is not in the cluster. The Cluster Operator knows it as
        C(KUBERNETES_SERVICE_DNS_DOMAIN), and wants it among the names of nodes and of Cruise Control.
      - Without it the domain is read from the certificates of this Kafka cluster, else from certificates of other Kafka clusters in its namespace, else it is
        C(cluster.local).
    type: str
  until_phase:
    description:
      - The last phase to enter. V(prepare) makes the new CA and publishes it, V(trust) makes every node and client accept its certificates, V(use)
        puts them to use, V(retire) removes the old CA. The operator is switched to the new CA in V(use) where its certificates cannot be used before
        that - in a renewal, without a link certificate, and for the clients CA - and in V(retire) elsewhere.
      - Where it ends before V(retire) the flow stops there, and C(journal) remembers it, from its first write on. The module that began the flow leads it
        on, with the same state and a later phase or none; every other task goes no further than that phase, does what is independent of the
        flow, and says so in C(waiting). It may bring the stop forward by an earlier phase.
    type: str
    choices: [prepare, trust, use, retire]
    default: retire
  continue_stopped:
    description:
      - Lead a flow on that was stopped by O(until_phase) and is of another state than this task, as far as O(until_phase) of this task says.
    type: bool
    default: false
  ignore_maintenance_windows:
    description:
      - Whether pods may restart outside C(spec.maintenanceTimeWindows) of the Kafka resource. By default a call goes as far as no pod restarts, and says
        when the next window opens; the same call goes on then. Nodes read certificates again at any time.
      - A roll that has begun in a window goes on to its end, and so does a pause of the operator.
    type: bool
    default: false
  backup:
    description:
      - Whether the call backs up the CA Secrets and the ledger of an adopted CA before its first write and after each change. The backups lie beside them, in
        the Secrets C(<cluster>-<ca>-ca-backup-1) to C(-3), one for each of the last three CAs that were in use, with their private keys. They go when the CA
        goes back to the operator, or stays with its user alone.
      - The state V(recovered) of M(trustops.strimzi.strimzi_ca) puts back from them what was deleted or damaged, where a backup fits the cluster.
    type: bool
    default: true
  operator_timeout:
    description:
      - Seconds to wait for one reaction of the Cluster Operator.
    type: int
    default: 300
  pod_timeout:
    description:
      - Seconds to wait, in a roll, until the next pod has moved, and for a node that does not answer until it does.
    type: int
    default: 600
  progress_file:
    description:
      - File to which a line is appended for everything that a person who watches wants to know. Set by the action plugin.
    type: path
"""

    #: The options for presenters of the clients CA beside the users of the cluster's User Operator and the programs in their namespace.
    PRESENTING = r"""
options:
  presenting_secrets:
    description:
      - Of the clients CA, Secrets with certificates by which users log in and that the User Operator has not written, as C(name),
        C(namespace/name) or C(namespace/name:entry) - copies of a user's certificate, and certificates of users with the authentication
        C(tls-external) and of superusers by name.
      - A CA stays trusted until each Secret holds a certificate of another CA, and until all pods in its namespace that mount it, or have it in
        their environment, were created since. Without an entry, all certificates in PEM form count that are no CA's.
      - A user or superuser whose subject is that of a certificate in such a Secret needs no waiver.
      - Without this option a flow in flight goes on with the Secrets of the last run that named some; an empty list takes them back.
        M(trustops.strimzi.strimzi_user_info) and M(trustops.strimzi.strimzi_user) read only what the task itself gives.
    type: list
    elements: str
  user_namespaces:
    description:
      - Of the clients CA, namespaces beside the namespace that the cluster's User Operator watches in which users of the cluster are, served by a User
        Operator of their own, or programs that log in as its users, such as by a C(KafkaAccess).
      - Without this option a flow in flight goes on with the namespaces of the last run that named some; an empty list takes them back.
        M(trustops.strimzi.strimzi_user_info) and M(trustops.strimzi.strimzi_user) read only what the task itself gives.
    type: list
    elements: dict
    suboptions:
      namespace:
        description: The namespace.
        type: str
        required: true
      secret_prefix:
        description: What the names of users' Secrets begin with there, as its User Operator has it in C(STRIMZI_SECRET_PREFIX).
        type: str
        default: ''
"""
