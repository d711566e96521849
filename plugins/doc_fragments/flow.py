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
      - The evidence for the gates before the first use of a certificate of a new CA, before a CA leaves, and for the
        proof that no node trusts the CA any more.
      - V(handshake) makes a handshake with every TLS listener of every node, through the API server, to see which
        certificate it presents and which CAs it trusts. The call stops if an answer is missing or contradicts the
        stored certificates.
      - V(annotations) relies on annotations, stored certificates and the UIDs of pods alone.
      - V(auto) is V(handshake), or V(annotations) if the API server refuses to forward ports to any node. Forwarding
        needs the permission to create C(pods/portforward), until Kubernetes 1.34 the permission to get it. RV(evidence)
        says which of the two the call has used.
      - The call waits for nodes that do not answer, O(pod_timeout) seconds each, and then stops and names them, also
        if none of them has answered yet. It restarts no pod because an answer is missing.
    type: str
    choices: [auto, handshake, annotations]
    default: auto
  pod_access:
    description:
      - How the call reaches ports of nodes, for handshakes and reloads.
      - V(port_forward) goes through the API server. V(direct) goes to the addresses of the pods, if there is a route
        to them from the machine that runs the module; it needs no permission for C(pods/portforward) and spares the API
        server.
    type: str
    choices: [port_forward, direct]
    default: port_forward
  node_answers:
    description:
      - The answers of the nodes that M(trustops.strimzi.strimzi_ca_info) has returned as
        RV(trustops.strimzi.strimzi_ca_info#module:node_answers) in the task before, so that both tasks ask the nodes
        once. They count for the processes that have answered, as long as these run, for ten minutes.
      - Without check mode the call asks the nodes all the same before each decision that needs answers of that moment.
        Give this option to the first task after M(trustops.strimzi.strimzi_ca_info) only. In check mode, in which
        nothing changes, give it to any task of the play.
      - M(trustops.strimzi.strimzi_ca_info) itself asks the nodes each time.
    type: str
  restart_count:
    description:
      - The count of restarts that the task before has returned as
        RV(trustops.strimzi.strimzi_ca_info#module:restart_count), so that the lines about restarts run to the number of
        the plan that M(trustops.strimzi.strimzi_ca_info) has made for the play. Restarts between two tasks are counted
        too.
      - Without it the lines run to the number of the plan of this call.
    type: dict
  spread:
    description:
      - Whether running nodes reload or restart for a change that their listeners can reload - new certificates under
        the same CA, the switch of the operator to another CA, and a CA that has left the trust.
      - V(auto) has each node reload its certificates by a Kafka admin request through the API server, with the
        operator's own certificate, and checks the result by handshakes. It restarts the nodes instead if handshakes
        are not possible (O(evidence)), the Python library C(kafka-python) or a permission is missing, a node refuses,
        or the operator would restart them anyway. A warning says so, and why.
      - The module asks the API server beforehand for its permissions (C(SelfSubjectAccessReview)) - to list and patch
        C(strimzipodsets), patch C(pods), get C(configmaps). Without an answer a permission counts as missing.
      - V(reload) stops if V(auto) would restart. V(restart) always restarts.
      - Raft clients and agents of nodes that have reloaded know a removed CA until their next restart; RV(removed)
        names them.
    type: str
    choices: [auto, reload, restart]
    default: auto
  strategy:
    description:
      - The party that restarts the Kafka nodes.
      - With V(operator) the module asks the Cluster Operator to restart them, pod by pod. It needs no access to Kafka.
      - V(direct) deletes the pods itself, under the rules that the operator has for it. Controllers go before brokers,
        nodes that are not ready first, the active controller last. A node goes only while the other controllers are a
        majority that is caught up, and while each partition on it has C(min.insync.replicas) without it. The next node
        goes when the last is ready, registered and back in sync.
      - V(direct) stops, and says why, when another roll is under way, when a node does not come back, or when for
        O(pod_timeout) seconds no node may restart. Run again it goes on where it stopped.
      - V(direct) needs the Python library C(kafka-python) where the module runs, on Linux, and a route to the port 9091
        of all brokers. The operator's network policy admits pods with the label C(strimzi.io/kind=cluster-operator).
        The module logs in as the Cluster Operator, with the certificate of the Secret
        C(<cluster>-cluster-operator-certs).
      - If nodes are to restart with other leaves, V(direct) pauses the operator before it stores them, because the
        operator would restart the nodes at the same time. The pause lasts until the last node is back. After it the
        operator finds no node to restart. If the module may not patch C(strimzipodsets) and C(pods), it makes no such
        pause, and the operator restarts the nodes.
      - With either value, the operator also restarts pods by itself if leaves have changed outside of such a pause.
    type: str
    choices: [operator, direct]
    default: operator
  batch:
    description:
      - With O(strategy=direct), how many Kafka nodes restart at a time. A number such as V(10), a share of the nodes of
        the same role such as V(25%), rounded down to at least one, or V(rack), which is any number of nodes of one
        rack. By default one node after the other restarts.
      - The value is a limit. Before each batch the module asks Kafka which nodes can leave together. Each partition
        that can keep C(min.insync.replicas) keeps it, and a majority of the controllers stays. A partition that cannot
        keep it, because it has too few replicas, or that is being reassigned gives up one replica at a time.
      - Nodes of one rack are tried together first. Where brokers have no racks, or replicas are not spread over racks,
        partitions decide alone, and batches are small.
      - The next batch goes when all nodes of the last are ready, registered and back in sync, and each of their
        partitions has a leader. The roll stops at the first node that does not come back.
      - Before the next batch it also waits until Kafka has the brokers of the last lead again, five minutes at most.
        It asks Kafka to elect these brokers, unless C(auto.leader.rebalance.enable) of the C(Kafka) resource is
        C(false).
      - It has no effect on restarts that the operator begins by itself.
    type: str
  kafka_bootstrap:
    description:
      - Brokers to connect to first with O(strategy=direct), each as C(host:port). The module has to reach the addresses
        that they advertise for all brokers as well.
      - By default the Service C(<cluster>-kafka-bootstrap) on port 9091.
    type: list
    elements: str
  retire:
    description:
      - When nodes give up a CA whose key is replaced.
      - With V(now) each node restarts once, and the old CA leaves.
      - With V(when_restarted) nodes reload certificates of the new CA, and none restarts. The new CA is in use at once;
        the old CA stays trusted until each node has restarted for another reason, and then leaves in the next run of
        any flow, such as a scheduled C(reconcile). The flow stops if nodes cannot reload.
      - With V(when_needed) the flow does the same as with V(when_restarted) if nodes can reload, and restarts them
        if they cannot.
      - With a time in ISO 8601, such as V(2026-12-24T18:00:00Z), the flow does the same as with V(when_restarted), and
        restarts nodes that still trust the old CA at that time. UTC if no offset is given; a time that is over
        restarts them at once.
      - In any case the flow restarts them seven days before the old CA or a certificate of it ends, and before the
        operator renews a certificate - the operator would sign it with the old CA, or could not sign if the cluster
        has no key of that CA.
      - Without it, a flow in flight goes on as it was begun, and a new flow takes V(now); a flow that begins because
        the CA is in its time for renewal (C(ca_renewal)) takes V(when_needed).
    type: str
  client_grace:
    description:
      - Seconds that clients get to read a new CA after it was published in Secret C(<cluster>-cluster-ca-cert), before
        they need it. By default 120, which a mounted Secret takes.
      - They need it from its first use on, if a client that knows only the old CA could refuse the new certificates;
        else from the switch on, when the link certificate goes out of use. The plan says which. The next run after a
        killed run waits for the rest of the time only.
      - If the CA in use allows no CA below it (path length 0), such as a CA that the operator makes, clients of OpenSSL
        and Go that know only that CA would refuse the next CA. So the flow renews it before it replaces the key, under
        its name and key, with path length 1, which restarts no node that can reload. Clients get this time from the
        moment at which no Secret contains the earlier certificate. With V(0) they get no time, and the flow does not
        renew the CA first, for an emergency.
    type: int
  link_until:
    description:
      - Until when nodes serve clients that know only the old CA after the switch, in ISO 8601; UTC if no offset is
        given. By default until one of the two CAs ends. Give it to the call that prepares the new CA, in a replacement
        of the key of the cluster CA; that call refuses a time that is over.
      - The first call of any flow after that time stores the chains of nodes without the link certificates. A node
        presents these chains from its next restart or reload on; from then on those clients refuse it until they read
        the new CA.
      - It has no effect if nodes do not serve such clients after the switch at all; the plan says so.
    type: str
  user_batch:
    description:
      - Of the clients CA, how many users get a certificate of the next CA at a time, after a first user. Before the
        switch the flow pauses every C(KafkaUser) with the authentication C(tls), and the User Operator confirms each
        pause; afterwards the pauses end one batch after the other, each when all users of the batch before have their
        certificates. Rights and quotas of a paused user stay as they are.
      - By default the flow pauses no user, and the User Operator issues all certificates at once. A batch has at most
        500 users.
      - If the key of the next CA is not in the cluster, the flow pauses users in any case, and writes their
        certificates itself.
    type: int
  client_bundle:
    description:
      - Whether to publish all trusted CAs to clients in Secret C(<cluster>-cluster-ca-bundle), as C(ca.crt) (PEM),
        C(ca.p12) (PKCS#12) and C(ca.jks) (JKS), the last two with the password in C(ca.password), which never changes.
      - It contains a new CA before any broker presents a certificate of it. Once the Secret exists every flow keeps it
        up to date, also without this option.
      - A flow on the clients CA publishes the CAs by which brokers verify users in the same form, in Secret
        C(<cluster>-clients-ca-bundle).
    type: bool
    default: false
  trusting_secrets:
    description:
      - Secrets that clients outside the cluster read its CAs from, as C(name), C(namespace/name) or
        C(namespace/name:entry).
      - The gates wait until each contains the CAs that its readers need. A Secret counts as read as soon as it is
        stored, so restart its readers when you change it. All entries with certificates in PEM form count unless you
        name an entry.
      - The gates also check C(KafkaConnect), C(KafkaMirrorMaker2) and C(KafkaBridge) resources in the cluster's
        namespace, with the copies that the operator makes for them.
      - A flow on the clients CA ignores this option.
      - Without this option a flow in flight goes on with the Secrets of the last run that named Secrets; an empty list
        takes them back.
    type: list
    elements: str
  waivers:
    description:
      - Clients outside the cluster for which the gates do not wait, although they would refuse brokers, or the
        collection cannot see their trust.
      - In the same way C(KafkaRebalance <namespace>/<name>) is a rebalance for which the restarts of a flow do not
        wait, and C(the clock) is that of the machine where the module runs, if no answer of the API server tells the
        time. O(key_policy) says how a CA is waived.
      - A waiver that has ended, or names a part of the cluster, is an error; a waiver for an unknown client is a
        warning. RV(waivers) shows the waivers that count.
    type: list
    elements: dict
    suboptions:
      client:
        description: Its exact name as in RV(outside) or in the refusal, such as C(KafkaConnect kafka/connect).
        type: str
        required: true
      until:
        description: When the waiver ends, in ISO 8601; UTC if no offset is given. At most 30 days from now.
        type: str
        required: true
      reason:
        description: The name of the person who decided it, and why.
        type: str
        required: true
  issuer:
    description:
      - The issuer of certificates of a CA whose key is not in the cluster. A CA whose key is in the cluster needs no
        issuer.
      - An issuer of O(issuer.type=vault) also signs link certificates. If it keeps the key of the CA in use, it
        certifies the next CA; if it keeps the key of the next CA, it certifies the CA in use, so that after the switch
        nodes still serve clients that know only this CA. If it signs none, a warning names the clients that nodes
        stop serving.
      - The call refuses options of another type than O(issuer.type).
      - The call makes requests before any process depends on them, records them in Secrets
        C(<cluster>-issuing-<component>), and uses the certificates when all have come and have passed every check. A
        run with open requests ends without an error, and the next run goes on. RV(waiting) names the open requests,
        with the words of the issuer.
      - The call fails, at its end, if five requests in a row for a certificate have failed, or if the first of
        them was ten days ago, until a certificate is accepted.
    type: dict
    suboptions:
      type:
        description:
          - V(external) leaves the requests in the Secrets for a person or a tool, which puts each certificate with its
            chain back there.
          - V(cert_manager) makes an object of O(issuer.resource) for each request in the cluster's namespace.
          - V(vault) has a PKI mount of Vault or OpenBao sign each request.
        type: str
        choices: [external, cert_manager, vault]
        default: external
      name:
        description: Name of the issuer; of an issuer in Vault also its id. Not C(default), which an administrator of
          Vault may give to another issuer.
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
          - With V(CertificateRequest) the collection makes the key of each leaf, which never leaves the Secrets of the
            cluster, and renews a leaf when a playbook runs.
          - With V(Certificate) cert-manager makes the keys and renews each leaf by itself, O(issuer.renew_before_days)
            before its end. The next C(reconcile) copies renewed leaves, and corrects changes of other clients. It is
            for teams that manage and watch every certificate as a Certificate.
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
        description: With O(issuer.type=vault), name or id of the issuer of the CA in use, on the same mount. It
          certifies the CA of O(issuer.name), whose key the mount keeps too, so that a replacement by that CA takes one
          restart of each node less; and the other way round, the issuer O(issuer.name) certifies the CA in use.
        type: str
      ca_certificate:
        description: With O(issuer.type=vault), CAs in PEM form that the server's own certificate is verified by; by
          default the CAs of the system.
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
            description: Path of the auth method, without C(auth/); its usual one if it is not given.
            type: str
          token:
            description: With O(issuer.login.type=token), a token that may sign. It is not renewed.
            type: str
          token_from:
            description:
              - A Secret with the token, which another program may renew. The call reads it when it needs the token, and
                once more if Vault does not accept the token, which is in no option, variable or file.
            type: dict
            suboptions:
              secret:
                description: Name of the Secret.
                type: str
                required: true
              namespace:
                description: Its namespace; that of the cluster if it is not given.
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
      - Whether a certificate that is issued again gets a new key. With V(never) it keeps the key that lies beside it,
        which then is of the kind and size that its owner has chosen; a key that is there and cannot be used is not
        replaced, and the task fails before it asks the issuer.
      - The call makes an open request again if its key is not the key that this option asks for.
      - With O(issuer.resource=Certificate) cert-manager makes the keys, a new key each time, and this option changes
        nothing.
    type: str
    choices: [always, never]
    default: always
  leaf_key_size:
    description:
      - Bits of the RSA keys of certificates that are issued or requested from now on. Certificates with another key
        stay until they are due, also certificates that have come and wait for their use. The operator and the agent in
        each Kafka node read keys of RSA only.
      - Give it to every call - the call makes an open request again if its key has another size. It does not change a
        key that O(rotation_policy=never) keeps, or a key that the operator makes.
      - With O(issuer.resource=Certificate) the Certificates get this size, and cert-manager issues a Certificate again
        whose key has another size.
    type: int
    choices: [2048, 3072, 4096]
    default: 2048
  ca_source:
    description:
      - A Secret or ConfigMap that contains the CAs to trust in PEM form, in any order, such as a C(Bundle) of
        trust-manager writes. Give it instead of a certificate; C(reconcile) then follows when the CA changes. It must
        not contain a private key.
      - The flow selects the CA of the cluster's certificates from the source. That is the CA with which the issuer has
        signed, if it has signed already; else the CA in use, or its latest renewal, if that or a CA above it is in
        the source; else the only CA that has certified no other CA there. If that leaves several CAs, the flow
        trusts all of them and requests one certificate, and selects the CA that has signed it; before the first CA it
        begins nothing. Processes trust all other CAs beside the selected CA, for which they restart.
      - If the selected CA is not in use, C(reconcile) renews or replaces the CA in use. It renews if the name and
        the key are the same and every certificate that is valid under the old CA is valid under the new CA.
      - A CA that has left the source stays trusted until it has been replaced or removed
        (M(trustops.strimzi.strimzi_ca) with C(state=absent)). The flow does not trust again a CA that an earlier flow
        has replaced, although it still lies in the source. The ledger remembers the last 100 of these CAs; after it was
        lost and made again, the flow reads the CAs in backups (O(backup)).
      - RV(ca_source) shows the CAs in the source, and what the next C(reconcile) would begin.
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
        description: Its namespace; that of the cluster if it is not given.
        type: str
      key:
        description: The entry with the certificates.
        type: str
        default: ca.crt
  trust_new_roots:
    description:
      - What the call does about a CA of O(ca_source) that the ledger does not know. A renewal of a CA that is trusted,
        with its name and key, counts as known.
      - V(ask) waits for a confirmation, and shows in RV(waiting) the subject, validity and SHA-256 of the CA. The run
        ends without an error, after it has done everything else. Run it again with O(confirm_roots) to trust the CA.
      - V(never) begins nothing and fails.
    type: str
    choices: [ask, never]
    default: ask
  confirm_roots:
    description:
      - SHA-256 fingerprints of CAs in O(ca_source) to trust, with or without colons. Compare each with the intended CA,
        from another source than the cluster. Once a CA is in the ledger you need not give its fingerprint any more.
    type: list
    elements: str
  retry_failed:
    description:
      - Whether to repeat requests at once that an issuer had refused before this task. Otherwise the flow repeats them
        after an hour, then after twice as long each time, up to 32 hours; at once if the leaf needs other names or
        another key by then.
    type: bool
    default: false
  issue_timeout:
    description:
      - Seconds to wait for the answers of an issuer. The run ends without an error when they are over.
    type: int
    default: 0
  spare_leaves:
    description:
      - How many certificates the collection keeps for the next nodes of each node pool, if the key of the CA is not
        in the cluster, so that you can scale a pool without waiting for the issuer. If the key is in the cluster it
        keeps none, because the operator issues.
      - They wait in Secret C(<cluster>-issuing-kafka); flows renew them before they end, and never wait for them.
        RV(node_pools) says for which nodes they are there. At most 100.
    type: int
    default: 1
  dns_domain:
    description:
      - DNS domain of the Services in this Kubernetes cluster, if the key of the CA is not in the cluster. The
        Cluster Operator knows it as C(KUBERNETES_SERVICE_DNS_DOMAIN), and wants it among the names of nodes and of
        Cruise Control.
      - Without it the call reads the domain from the certificates of this Kafka cluster, as long as the operator
        accepts these, else from the environment of the Cluster Operator if its pod is in this namespace, else from
        certificates of other Kafka clusters there, else it takes C(cluster.local). The plan says which. With a wrong
        domain the operator uses no certificate of a node, and each has to be issued a second time.
    type: str
  until_phase:
    description:
      - The last phase to enter. V(prepare) makes the new CA and publishes it, V(trust) makes every node and client
        accept its certificates, V(use) uses them, V(retire) removes the old CA. The flow switches the operator to the
        new CA in V(use) if no process may use its certificates before the switch - in a renewal, without a link
        certificate, and for the clients CA - and in V(retire) elsewhere.
      - With an earlier phase than V(retire) the flow stops after that phase, and C(journal) remembers the stop, from
        the first write on. The module that began the flow continues it, with the same state and a later phase or none.
        Every other task goes no further than that phase, does its work outside the flow, and says so in C(waiting). It
        may set an earlier phase.
    type: str
    choices: [prepare, trust, use, retire]
    default: retire
  continue_stopped:
    description:
      - Continue a flow of another state than this task that O(until_phase) has stopped, up to O(until_phase) of this
        task.
    type: bool
    default: false
  ignore_maintenance_windows:
    description:
      - Whether pods may restart outside C(spec.maintenanceTimeWindows) of the Kafka resource. By default a call stops
        before it would restart a pod outside them, and says when the next window opens; run the same task again then.
        Nodes reload certificates at any time.
      - A roll that has begun in a window goes on to its end, and so does a pause of the operator.
    type: bool
    default: false
  backup:
    description:
      - Whether the call backs up the CA Secrets and the ledger of an adopted CA before its first write and after each
        change. The backups lie beside them, in the Secrets C(<cluster>-<ca>-ca-backup-1) to C(-3), one for each of the
        last three CAs that were in use, with their private keys. A call that hands the CA back, also with C(keep_ca),
        deletes them.
      - The state V(recovered) of M(trustops.strimzi.strimzi_ca) restores deleted or damaged Secrets from a backup that
        fits the cluster.
    type: bool
    default: true
  operator_timeout:
    description:
      - Seconds to wait for one reaction of the Cluster Operator.
    type: int
    default: 300
  pod_timeout:
    description:
      - Seconds to wait in a roll for the next pod, and for an answer of a node that does not answer.
    type: int
    default: 600
  progress_file:
    description:
      - File to which the module appends a line for each step that it shows while it runs. The action plugin sets it.
    type: path
"""

    #: The rules that certificates have to meet.
    POLICY = r"""
options:
  key_policy:
    description:
      - Rules about keys, signatures and the life of certificates. A call stops before its first write if a CA that
        it would make, take or have trusted, or the certificates that it would issue, break a rule, and refuses an
        answer of an issuer that breaks a rule. It names the object, the value, the rule and the remedy.
      - A CA that comes from elsewhere and has to be taken all the same is waived by the option C(waivers) of a flow, as
        C(CA <sha256>).
      - If the CA in use breaks a rule, only its renewal stops, because a renewal would keep its key. The operators
        choose the keys of certificates that they issue by themselves.
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
        description: The curves that EC keys may be on, as OpenSSL names them, such as V(secp384r1). Empty allows every
          curve.
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
"""

    #: The options for presenters of the clients CA beside the users of the cluster's User Operator and the programs in
    #: their namespace.
    PRESENTING = r"""
options:
  presenting_secrets:
    description:
      - Of the clients CA, Secrets with certificates by which users log in and that the User Operator has not written,
        as C(name), C(namespace/name) or C(namespace/name:entry) - copies of a user's certificate, and certificates of
        users with the authentication C(tls-external) and of superusers by name.
      - A CA stays trusted until each Secret contains a certificate of another CA, and until all pods in its namespace
        that mount it, or have it in their environment, were created since. Without an entry, all certificates in PEM
        form count that are no CA's.
      - A user or superuser whose subject is that of a certificate in such a Secret needs no waiver.
      - Without this option a flow in flight goes on with the Secrets of the last run that named Secrets; an empty list
        takes them back. So does M(trustops.strimzi.strimzi_user_info).
    type: list
    elements: str
  user_namespaces:
    description:
      - Of the clients CA, further namespaces with users of the cluster and a User Operator of their own, or with
        programs that log in as users of the cluster, such as by a C(KafkaAccess). The call looks at the namespace that
        the cluster's User Operator watches in any case.
      - Without this option a flow in flight goes on with the namespaces of the last run that named namespaces; an empty
        list takes them back. So does M(trustops.strimzi.strimzi_user_info). A namespace that the ledger remembers
        counts in any case, as long as users of the cluster or their Secrets are left there.
    type: list
    elements: dict
    suboptions:
      namespace:
        description: The namespace.
        type: str
        required: true
      secret_prefix:
        description: The prefix of the names of users' Secrets there, which is C(STRIMZI_SECRET_PREFIX) of its User
          Operator.
        type: str
        default: ''
"""
