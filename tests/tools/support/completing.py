# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that complete each object which the collection writes: a policy engine adds a label and an annotation, a
newer CustomResourceDefinition a field, at the write itself or after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER, managers_of

from .memory_api import Change, MemoryApi, Object

POLICY_ENGINE = "policy-background-controller"
#: A label, an annotation and an entry of a Secret; no program of the cluster knows this name.
MARK, SAYS = "policy.example/team", "streaming"
ENTRY = "policy.note"


class When(Enum):
    #: A mutating webhook, or a default of the CustomResourceDefinition: the API server notes it as a part of the write
    #: itself.
    AT_THE_WRITE = "at the write"
    #: Another program sees the write and writes the object too.
    AFTER_THE_WRITE = "after the write"


def _of_secret(new: Object) -> None:
    new["data"] = {**(new.get("data") or {}), ENTRY: "cG9saWN5"}


def _of_config_map(new: Object) -> None:
    new["data"] = {**(new.get("data") or {}), ENTRY: "policy"}


def _of_lease(new: Object) -> None:
    # A field of later releases of Kubernetes (coordination.k8s.io/v1, "LeaseSpec").
    new["spec"] = {**new["spec"], "preferredHolder": "policy"}


def _of_certificate(new: Object) -> None:
    spec = new["spec"]
    template = spec.get("secretTemplate") or {}
    spec["secretTemplate"] = {
        **template, "labels": {**(template.get("labels") or {}), MARK: SAYS},
        "annotations": {**(template.get("annotations") or {}), MARK: SAYS},
    }  # fmt: skip
    spec["privateKey"] = {**spec["privateKey"], "unknownField": "policy"}
    spec["issuerRef"] = {**spec["issuerRef"], "unknownField": "policy"}
    spec |= {"unknownField": {"by": "policy"}, "encodeUsagesInRequest": True, "revisionHistoryLimit": 3}


def _of_request(new: Object) -> None:
    # As cert-manager's own webhook does.
    new["spec"] = {**new["spec"], "username": "ci", "uid": "1", "groups": ["system:authenticated"]}


def _of_user(new: Object) -> None:
    new["spec"] = {**new["spec"], "template": {"secret": {"metadata": {"labels": {MARK: SAYS}}}}}


def _of_pod_set(new: Object) -> None:
    for pod in new["spec"]["pods"]:
        pod["metadata"]["labels"] = {**(pod["metadata"].get("labels") or {}), MARK: SAYS}


def _of_kafka(new: Object) -> None:
    new["spec"] = {**new["spec"], "unknownField": "policy"}


#: A field of each kind that nothing here writes or knows. The spec of a pod cannot be changed.
_FIELDS: dict[str, Callable[[Object], None]] = {
    "secrets": _of_secret,
    "configmaps": _of_config_map,
    "leases": _of_lease,
    "certificates": _of_certificate,
    "certificaterequests": _of_request,
    "kafkausers": _of_user,
    "kafkas": _of_kafka,
    "strimzipodsets": _of_pod_set,
    "kafkanodepools": _of_kafka,
}
#: The operator writes these as a whole at each reconcile: nothing is left of what was added to a former write
#: (docs/operator.md, "Pod sets").
_REWRITTEN = frozenset({"strimzipodsets"})
#: The operator copies the labels of these to the objects that it makes (docs/operator.md, "CA Secrets").
_UNLABELLED = frozenset({"kafkas"})
#: Once they are there, their spec cannot be changed.
_FIXED = frozenset({"certificaterequests"})
_ROOTS = {
    **dict.fromkeys(("kafkas", "kafkausers", "kafkanodepools"), "/apis/kafka.strimzi.io/v1"),
    "strimzipodsets": "/apis/core.strimzi.io/v1", "leases": "/apis/coordination.k8s.io/v1",
    "events": "/apis/events.k8s.io/v1",
    "certificates": "/apis/cert-manager.io/v1", "certificaterequests": "/apis/cert-manager.io/v1",
}  # fmt: skip


def complete(plural: str, new: Object, *, created: bool = True) -> None:
    """Add a label, an annotation, and a field where the kind admits one."""
    metadata = new["metadata"]
    for part in ("annotations",) if plural in _UNLABELLED else ("labels", "annotations"):
        metadata[part] = {**(metadata.get(part) or {}), MARK: SAYS}
    if plural in _FIELDS and (created or plural not in _FIXED):
        _FIELDS[plural](new)


@dataclass
class Completing:
    """Completes every object that the collection writes from here on, and those that it has written before."""

    api: MemoryApi
    when: When
    #: Changes an object as the other program wants it; created: whether it is created just then.
    change: Callable[..., None] = complete
    #: The plurals of the objects that were changed.
    seen: set[str] = field(default_factory=set)

    def begin(self) -> None:
        for plural, namespace, name in self.api.snapshot()[0]:
            managers = managers_of(self.api.find(plural, namespace, name))
            if plural not in _REWRITTEN and any(one["manager"] == FIELD_MANAGER for one in managers):
                self._write(plural, namespace, name)
        if self.when is When.AT_THE_WRITE:
            self.api.mutators.append(self._mutate)
        else:
            self.api.listeners.append(self._follow)

    def _mutate(self, plural: str, manager: str, old: Object | None, new: Object) -> None:
        if manager == FIELD_MANAGER:
            self.seen.add(plural)
            self.change(plural, new, created=old is None)

    def _follow(self, change: Change) -> None:
        if change.manager == FIELD_MANAGER:
            self._write(change.plural, change.namespace, change.name)

    def _write(self, plural: str, namespace: str, name: str) -> None:
        now, wanted = self.api.find(plural, namespace, name), self.api.find(plural, namespace, name)
        if wanted is None:
            return
        self.change(plural, wanted, created=False)
        if wanted == now:
            return
        self.seen.add(plural)
        path = f"{_ROOTS.get(plural, '/api/v1')}/namespaces/{namespace}/{plural}/{name}"
        answer = self.api.request("PUT", path, body=wanted, query={"fieldManager": POLICY_ENGINE})
        assert answer.status == 200, answer.body

    def end(self) -> None:
        """Takes back what it has added to Secrets, and deletes the Secrets of requests that then contain nothing: the
        collection leaves an entry of another program where it is, and the Secret with it.
        """
        self.api.mutators.clear()
        self.api.listeners = [one for one in self.api.listeners if one != self._follow]
        stored, version = self.api.snapshot()
        for key in [key for key in stored if key[0] == "secrets" and ENTRY in (stored[key].get("data") or {})]:
            left = {entry: value for entry, value in stored[key]["data"].items() if entry != ENTRY}
            stored[key] = {**stored[key], "data": left}
            if not left and "-issuing-" in key[2]:
                del stored[key]
        self.api.restore((stored, version))
