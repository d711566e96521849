# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: kafka
short_description: Kafka clusters run by Strimzi as hosts
version_added: 1.0.0
description:
  - Each Kafka resource of Strimzi becomes a host on which the playbooks and modules of this collection run, on the
    controller. Give the playbooks C(strimzi_hosts=kafka_clusters), or any other group or pattern.
  - A host is named C(<cluster>.<namespace>), and C(<cluster>.<namespace>.<context>) if O(contexts) are given.
    Characters of a context that a pattern of hosts could not contain become a hyphen.
  - The name of the file ends in C(strimzi.yml), C(strimzi.yaml), C(kafka.yml) or C(kafka.yaml).
  - The plugin reads the list of Kafka resources, and of each cluster the certificate Secret and the ledger of both CAs,
    by their names. It reads no Secret that is made for a key, so it sees neither the ends of the certificates of
    nodes nor the issuer that keeps a key; M(trustops.strimzi.strimzi_ca_info) shows both.
  - The plugin takes the same credentials as the modules, also the variables C(K8S_AUTH_*) of the environment. They need
    C(list) for C(kafkas) and C(get) for C(secrets), in each of O(namespaces), or without O(namespaces) in the whole
    Kubernetes cluster.
  - "Variables for the playbooks: C(strimzi_cluster), C(strimzi_namespace), C(strimzi_context) and C(strimzi_kubeconfig)
    if given here, C(ansible_connection=local), and C(ansible_python_interpreter), which is the Python of the
    controller."
  - "Variables about the cluster: C(kafka_state), which is V(ready), V(not_ready) or V(paused); C(kafka_failure), the
    operator's message; C(kafka_version); C(kafka_operator_version); C(kafka_labels); C(kafka_first_end), when the first
    of both CAs in use ends, or a CA above it; and C(kafka_days_left) until then."
  - "Variables about its CAs, C(kafka_cluster_ca) and C(kafka_clients_ca), with the keys C(management), which is
    V(generated) by the operator, V(adopted) by this collection, V(by_hand) or V(missing); C(subject), C(sha256),
    C(issuer) and C(not_after) of the CA in use; C(trust), its state in the ledger; C(flow), which is null or has
    C(goal), C(started_at) and C(stops_after), the phase after which it awaits an approval; and C(problems), sentences."
  - "Groups, all below C(kafka_clusters): C(kafka_ready), C(kafka_not_ready), C(kafka_paused);
    C(kafka_version_<version>) and C(kafka_operator_version_<version>); C(cluster_ca_generated), C(cluster_ca_adopted),
    C(cluster_ca_by_hand), C(cluster_ca_missing), and the same of C(clients_ca); C(ca_flow_in_flight), and in it
    C(ca_flow_awaits_approval); C(ca_with_problems); and C(ca_ends_within_<days>_days) for each of O(days), each in the
    next, with C(ca_ended) in the innermost. Further groups come from O(keyed_groups) and O(groups)."
  - Ansible warns of an inventory that cannot be read, and goes on without its hosts. Set
    C(ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=true) if a run is to fail instead.
extends_documentation_fragment:
  - constructed
  - inventory_cache
options:
  plugin:
    description: The name of this plugin.
    type: str
    required: true
    choices: [trustops.strimzi.kafka]
  kubeconfig:
    description:
      - Path to a kubeconfig file, from the folder of this file if it is no absolute path. The playbooks get it as
        C(strimzi_kubeconfig).
      - Without it E(K8S_AUTH_KUBECONFIG) counts, as for the modules.
    type: str
  contexts:
    description:
      - Contexts of the kubeconfig file, each a Kubernetes cluster to look into. The playbooks get the context of each
        host as C(strimzi_context).
      - Without any, the plugin uses the one connection of the modules - E(K8S_AUTH_CONTEXT), E(K8S_AUTH_HOST) and the
        others.
    type: list
    elements: str
    default: []
  namespaces:
    description: Namespaces to look into; all of them without any.
    type: list
    elements: str
    default: []
  label_selector:
    description: Takes Kafka resources with these labels alone, as kubectl takes a selector.
    type: str
    default: ''
  days:
    description: For each number of days, the plugin makes a group of the clusters with a CA that ends within so many
      days.
    type: list
    elements: int
    default: [7, 30, 90]
  skip_unreachable:
    description:
      - Whether a Kubernetes cluster whose API server does not answer, or does not accept the credentials, is left out
        with a warning. By default the whole inventory fails, since a run over the other hosts would look complete.
      - The plugin does not cache an inventory that lacks a Kubernetes cluster.
    type: bool
    default: false
requirements:
  - kubernetes >= 24.2.0
  - cryptography >= 45.0.0
seealso:
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
# fleet.strimzi.yml: two Kubernetes clusters, with groups by environment and by the CA above each cluster CA
plugin: trustops.strimzi.kafka
contexts: [prod-eu, prod-us]
label_selector: team=payments
keyed_groups:
  - key: kafka_labels.environment | default('none')
    prefix: environment
  - key: strimzi_context
    prefix: context
groups:
  of_the_corporate_root: "'CN=Corporate Root' in kafka_cluster_ca.issuer"
cache: true
cache_plugin: jsonfile
cache_connection: ~/.cache/strimzi-fleet
cache_timeout: 900

# ansible-inventory -i fleet.strimzi.yml --graph
# ansible-playbook -i fleet.strimzi.yml trustops.strimzi.status -e strimzi_hosts=ca_ends_within_30_days
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import time_of, time_text
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import missing_library
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    CollectionError,
    OptionsError,
    Unauthorized,
    Unavailable,
    Unreachable,
    fit_in_line,
    printable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import identify_server, resolve_options
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import read_ca_secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import (
    is_generated,
    read_operator_status,
    read_pause,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import read_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import KAFKAS, CaKind, ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import annotation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal

try:
    from ansible.template import trust_as_template
except ImportError:
    # Before ansible-core 2.19 every text is a template, unless it is marked otherwise.
    trust_as_template = str

_FILES = ("strimzi.yml", "strimzi.yaml", "kafka.yml", "kafka.yaml")
#: How many Kubernetes clusters are read at the same time.
_AT_ONCE = 8
#: Facts about a cluster, as JSON has them, for the cache: times are texts, and no fact depends on the time of its
#: reading.
Facts = Mapping[str, Any]

#: The group of all clusters; every other group lies below it.
EVERY = "kafka_clusters"
#: The CAs of a cluster, as facts name them.
CAS = tuple(f"{kind.value}_ca" for kind in CaKind)
_OUTSIDE_GROUP_NAMES = re.compile(r"\W", re.ASCII)


# A look takes one list of Kafka resources for each namespace, and of each cluster the certificate Secret and the ledger
# of either CA, by their names. If a Secret is made for a key, the look does not read it.


def read_clusters(client: KubeClient, namespaces: Sequence[str], label_selector: str) -> list[dict[str, Any]]:
    """Facts about the clusters with these labels in these namespaces; if none are given, in all namespaces. Raises
    KubeError.
    """
    kafkas = (
        kafka
        for namespace in namespaces or (None,)
        for kafka in client.list(KAFKAS, namespace, label_selector=label_selector).items
    )
    return [_read(client, kafka) for kafka in kafkas]


def _read(client: KubeClient, kafka: Mapping[str, Any]) -> dict[str, Any]:
    metadata, status = kafka["metadata"], kafka.get("status") or {}
    scope = ClusterNames(str(metadata["namespace"]), str(metadata["name"]))
    operator = read_operator_status(kafka)
    version_in_spec = ((kafka.get("spec") or {}).get("kafka") or {}).get("version")
    return {
        "name": scope.cluster,
        "namespace": scope.namespace,
        "labels": dict(metadata.get("labels") or {}),
        "version": printable(str(status.get("kafkaVersion") or version_in_spec or "")),
        "operator_version": printable(operator.version),
        "state": "paused" if read_pause(kafka, scope).is_set else "ready" if operator.is_ready else "not_ready",
        "failure": str(operator.failure) if operator.failure else "",
        **{f"{kind.value}_ca": _authority(client, kafka, scope.of(kind)) for kind in CaKind},
    }


def _authority(client: KubeClient, kafka: Mapping[str, Any], scope: ClusterNames) -> dict[str, Any]:
    secret = client.get_or_none(SECRETS, scope.namespace, scope.ca_certificate_secret)
    ca = read_ca_secrets(secret, None, scope.certificate_generation)
    ledger = read_ledger(_ledger_secrets(client, scope), scope)
    begun = in_flight(ledger)
    known = ledger.find(ca.current[0].fingerprint) if ledger and ca.current else None
    return {
        "management": _management(is_generated(kafka, scope), ledger is not None, secret is not None),
        "subject": ca.current[0].subject if ca.current else "",
        "sha256": ca.current[0].sha256 if ca.current else "",
        "issuer": ca.current[0].issuer if ca.current else "",
        # Certificates end with the first certificate above them.
        "not_after": time_text(min((certificate.not_after for certificate in ca.current), default=None)),
        "trust": known.state.value if known else "",
        "flow": _flow(begun) if begun else None,
        "problems": [fit_in_line(problem) for problem in (*ca.defects.problems, *(ledger.problems if ledger else ()))],
    }


def _ledger_secrets(client: KubeClient, scope: ClusterNames) -> dict[str, Mapping[str, Any]]:
    """The Secrets that can have a ledger in them, and no more of them than that takes."""
    secrets: dict[str, Mapping[str, Any]] = {}
    for name in scope.ledger_secrets:
        secret = client.get_or_none(SECRETS, scope.namespace, name)
        if secret is not None:
            secrets[name] = secret
            if name == scope.trusted_certificates_secret and annotation(secret, names.LAYOUT) is None:
                break
    return secrets


def _management(is_generated: bool, is_adopted: bool, is_there: bool) -> str:
    if is_generated:
        return "generated"
    if is_adopted:
        return "adopted"
    return "by_hand" if is_there else "missing"


def _flow(journal: Journal) -> dict[str, Any]:
    return {
        "goal": (Goal.ABORT if journal.is_abort else journal.goal).value,
        "started_at": time_text(journal.started_at),
        "stops_after": journal.options.stop.after.value if journal.options.stop else "",
    }


def first_end(cluster: Facts) -> datetime | None:
    """When the first of its CAs in use ends; None if it has no readable CA."""
    return min((time_of(cluster[ca]["not_after"]) for ca in CAS if cluster[ca]["not_after"]), default=None)


def days_until(end: datetime, now: datetime) -> int:
    """Whole days; below 0 after the end."""
    return (end - now) // timedelta(days=1)


def _in_group_name(text: str) -> str:
    return _OUTSIDE_GROUP_NAMES.sub("_", text)


def groups_of(cluster: Facts, days: Iterable[int], now: datetime) -> Iterator[tuple[str, ...]]:
    """Groups of this cluster, each with the groups above it, the outermost first. The days limit the groups by end."""
    yield (f"kafka_{cluster['state']}",)
    for kind in ("version", "operator_version"):
        if cluster[kind]:
            yield (f"kafka_{kind}_{_in_group_name(cluster[kind])}",)
    for ca in CAS:
        yield (f"{ca}_{cluster[ca]['management']}",)
    flows = [cluster[ca]["flow"] for ca in CAS if cluster[ca]["flow"]]
    if flows:
        yield (
            ("ca_flow_in_flight", "ca_flow_awaits_approval")
            if any(flow["stops_after"] for flow in flows)
            else ("ca_flow_in_flight",)
        )
    if any(cluster[ca]["problems"] for ca in CAS):
        yield ("ca_with_problems",)
    end = first_end(cluster)
    if end is not None:
        yield from _ends(end, days, now)


def _ends(end: datetime, days: Iterable[int], now: datetime) -> Iterator[tuple[str, ...]]:
    """The groups by the end of a CA, each in the group with the next higher limit. A group has the clusters with an end
    before its limit.
    """
    left = days_until(end, now)
    within = tuple(f"ca_ends_within_{limit}_days" for limit in sorted(set(days), reverse=True) if left < limit)
    path = (*within, "ca_ended") if end <= now else within
    if path:
        yield path


#: Failures of an unreachable Kubernetes cluster; all others are mistakes in the inventory's options.
_OUT_OF_REACH = (Unreachable, Unavailable, Unauthorized)
_OUTSIDE_HOST_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
_OF_THE_CONTROLLER = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):  # type: ignore[misc]
    """Ansible asks this class for the hosts of a file."""

    NAME = "trustops.strimzi.kafka"

    def verify_file(self, path: str) -> bool:
        return bool(super().verify_file(path)) and path.endswith(_FILES)

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        self._refuse_unknown(path, self._read_config_data(path))
        self._kubeconfig = _beside(path, self.get_option("kubeconfig"))
        self._check_groups_of_contexts()
        days, hosts = self._days(), self._hosts(self._clusters(path, cache))
        now = datetime.now(timezone.utc)
        self.inventory.add_group(EVERY)
        for name, (context, cluster) in hosts.items():
            self._add(name, context, cluster, days, now)

    def _refuse_unknown(self, path: str, given: Mapping[str, Any]) -> None:
        """Refuse unknown options. Ansible passes over an option that the plugin does not have: with ``context`` for
        ``contexts`` the hosts would be of another cluster.
        """
        known = sorted(self.option_definitions)
        if unknown := [str(name) for name in given if name not in known]:
            raise AnsibleParserError(
                f"{path}: the plugin has no option {', '.join(unknown)}. Correct the name; the options are "
                f"{', '.join(known)}."
            )

    def _clusters(self, path: str, cache: bool) -> Mapping[str, Sequence[Facts]]:
        """The clusters by context, from the cache if a look with the same options left them there."""
        missing = missing_library()
        if missing is not None:
            raise AnsibleParserError(missing[0])
        is_cached, key = self.get_option("cache"), self.get_cache_key(path)
        look_options = [
            self._contexts(),
            self._namespaces(),
            self.get_option("label_selector"),
            self._identify_servers(),
        ]
        if is_cached and cache:
            known = self._cache.get(key) or {}
            if known.get("asked") == look_options:
                return dict(known["clusters"])
        clusters, is_complete = self._read()
        if is_cached and is_complete:
            self._cache[key] = {"asked": look_options, "clusters": clusters}
        return clusters

    def _read(self) -> tuple[dict[str, Sequence[Facts]], bool]:
        """The clusters by context, and whether nothing was left out."""
        readers = {context: self._reader(context) for context in self._contexts()}
        clusters: dict[str, Sequence[Facts]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            reads = {context: threads.submit(read) for context, read in readers.items()}
        for context, read in reads.items():
            try:
                clusters[context] = read.result()
            except _OUT_OF_REACH as error:
                if not self.get_option("skip_unreachable"):
                    raise AnsibleParserError(_failure(context, error)) from None
                self.display.warning(f"{_failure(context, error)} Its Kafka clusters are left out (skip_unreachable).")
            except CollectionError as error:
                raise AnsibleParserError(_failure(context, error)) from None
        return clusters, len(clusters) == len(readers)

    def _contexts(self) -> list[str]:
        """Each context once; a single empty name if the plugin uses the connection of the modules."""
        return list(dict.fromkeys(map(str, self.get_option("contexts") or [""])))

    def _check_groups_of_contexts(self) -> None:
        """Refuse contexts if keyed_groups would put two into one group: a run over that group would change clusters of
        both.
        """
        if not any("strimzi_context" in str(keyed) for keyed in self.get_option("keyed_groups") or []):
            return
        contexts: dict[str, str] = {}
        for context in self._contexts():
            other = contexts.setdefault(_in_group_name(context), context)
            if other != context:
                raise AnsibleParserError(
                    f"contexts: keyed_groups would put the hosts of {other} and {context} into one group, because a "
                    "group's name can contain only letters, digits and underscores. Rename a context."
                )

    def _namespaces(self) -> list[str]:
        """Each namespace once. YAML reads a name of digits as a number, and Ansible does not convert the elements of an
        inventory's lists.
        """
        return list(dict.fromkeys(map(str, self.get_option("namespaces") or [])))

    def _days(self) -> list[int]:
        try:
            return [int(limit) for limit in self.get_option("days") or []]
        except (TypeError, ValueError):
            raise AnsibleParserError(f"days: {self.get_option('days')} is no list of whole numbers.") from None

    def _identify_servers(self) -> list[list[str]]:
        """The API servers of this look, a part of the cache's key: the environment may name others the next time."""
        try:
            return [identify_server(self._connection(context), os.environ) for context in self._contexts()]
        except OptionsError as error:
            raise AnsibleParserError(_failure("", error)) from None

    def _connection(self, context: str) -> dict[str, str]:
        return {"kubeconfig": self._kubeconfig, "context": context}

    def _reader(self, context: str) -> Callable[[], Sequence[Facts]]:
        """A look through this context, for a later call."""
        client, namespaces = self._client(context), self._namespaces()
        return lambda: read_clusters(client, namespaces, self.get_option("label_selector"))

    def _client(self, context: str) -> KubeClient:
        options = self._connection(context)
        try:
            if context and "host" in resolve_options(options, os.environ):
                raise OptionsError(
                    "K8S_AUTH_HOST",
                    "names the API server, so that each of contexts would be the same cluster",
                    "Take it out of the environment, or leave contexts out.",
                )
            return connect.client_for(options, self.display.warning)
        except OptionsError as error:
            raise AnsibleParserError(_failure(context, error)) from None

    def _hosts(self, clusters: Mapping[str, Sequence[Facts]]) -> dict[str, tuple[str, Facts]]:
        """Context and cluster of each host, by its name."""
        hosts: dict[str, tuple[str, Facts]] = {}
        for context, clusters_of_context in clusters.items():
            for cluster in clusters_of_context:
                name = _OUTSIDE_HOST_NAMES.sub(
                    "-", ".".join(filter(None, (cluster["name"], cluster["namespace"], context)))
                )
                if name in hosts:
                    raise AnsibleParserError(
                        f"contexts: {hosts[name][0]} and {context} both have a cluster that would be the host {name}. "
                        "Rename a context."
                    )
                hosts[name] = (context, cluster)
        return hosts

    def _add(self, name: str, context: str, cluster: Facts, days: Sequence[int], now: datetime) -> None:
        self.inventory.add_host(name, EVERY)
        end = first_end(cluster)
        variables = {
            "strimzi_cluster": cluster["name"],
            "strimzi_namespace": cluster["namespace"],
            **{
                f"kafka_{key}": cluster[key]
                for key in ("state", "failure", "version", "operator_version", "labels", *CAS)
            },
            "kafka_first_end": time_text(end),
            "kafka_days_left": None if end is None else days_until(end, now),
        }
        given = {"strimzi_context": context, "strimzi_kubeconfig": self._kubeconfig}
        # A text from the cluster stays text, whatever it looks like.
        for key, value in wrap_var({**variables, **{key: value for key, value in given.items() if value}}).items():
            self.inventory.set_variable(name, key, value)
        for key, value in _OF_THE_CONTROLLER.items():
            self.inventory.set_variable(name, key, trust_as_template(value))
        for path in groups_of(cluster, days, now):
            parent = EVERY
            for group in path:
                self.inventory.add_group(group)
                self.inventory.add_child(parent, group)
                parent = group
            self.inventory.add_child(parent, name)
        known, strict = self.inventory.get_host(name).get_vars(), self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), known, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), {}, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), {}, name, strict=strict)


def _beside(path: str, kubeconfig: str | None) -> str:
    """The path of the kubeconfig from the folder of this file; empty if none is given."""
    return os.path.abspath(os.path.join(os.path.dirname(path), os.path.expanduser(kubeconfig))) if kubeconfig else ""


def _failure(context: str, error: CollectionError) -> str:
    return f"{f'Context {context}: ' if context else ''}{error} {error.remedy}"
