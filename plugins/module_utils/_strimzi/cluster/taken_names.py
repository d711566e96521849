# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The names from this collection for objects of a cluster, and the objects of other owners with such a name.

An object is another owner's if it has no mark of this collection or of the cluster, and its content is none of ours. A
Secret put back without its labels is known by its content, and ``unlabelled_secrets`` has the lost labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._errors import ConditionUnmet, fit_in_line
from ..._kube.resources import CONFIG_MAPS, FIELD_MANAGER, LEASES, SECRETS, managers_of, read_time
from ..._trust.model.components import Component
from ..._trust.model.snapshot import TakenName
from ..._trust.preconditions.absence import name_is_taken
from .. import names
from ..names import ClusterNames
from .leaves import LeafSecret, component_leaves

Object = Mapping[str, Any]
Secrets = Mapping[str, Object]

#: How many labels and programs a sentence names, and how many characters of each.
_NAMED, _SHOWN = 4, 100
#: The name of an entry of a ledger: a fingerprint, alone or with an ending.
_BY_FINGERPRINT = r"[0-9a-f]{40}(\.[a-zA-Z_.]+)?"


def describe_owner(stored: Object) -> str:
    """The labels of the object, its owners (``metadata.ownerReferences``) and its writing programs
    (``metadata.managedFields``), for people.
    """
    metadata = stored["metadata"]
    labels = [f"{name}={value}" for name, value in sorted((metadata.get("labels") or {}).items())]
    owners = [f"{owner.get('kind')} {owner.get('name')}" for owner in metadata.get("ownerReferences") or ()]
    parts = (("labels", labels), ("owned by", owners), ("written by", _writers(stored)))
    details = [f"{what} {', '.join(_shown(items))}" for what, items in parts if items]
    return "; ".join(details) or "it has no label, no owner and no writer that the API server has noted"


def _writers(stored: Object) -> list[str]:
    """The programs other than this collection, the last writer first."""
    others = [entry for entry in managers_of(stored) if entry.get("manager") != FIELD_MANAGER]
    others.sort(key=lambda entry: str(entry.get("time") or ""), reverse=True)
    return list(dict.fromkeys(map(_writer, others)))


def _writer(entry: Object) -> str:
    at = read_time(entry.get("time"))
    name = str(entry.get("manager") or "a program without a name")
    return name if at is None else f"{name} ({at:%Y-%m-%dT%H:%M:%SZ})"


def _shown(items: Iterable[str]) -> Iterator[str]:
    for number, item in enumerate(items):
        if number == _NAMED:
            yield "and others"
            return
        yield fit_in_line(item, _SHOWN)


def _has_own_marks(stored: Object, *labels: Mapping[str, str], domain: str = "") -> bool:
    """Whether the object is marked as one of this collection or of the cluster: it has all of one of these groups of
    labels, an annotation of this ``domain``, or a field written by this collection or an operator of Strimzi. A backup
    put back with ``kubectl apply`` keeps labels and annotations, and loses the record of writers.
    """
    metadata = stored["metadata"]
    present = (metadata.get("labels") or {}).items()
    marks = (name.partition("/")[0] for name in metadata.get("annotations") or ())
    managers = [str(entry.get("manager")) for entry in managers_of(stored)]
    return (
        any(group.items() <= present for group in labels if group)
        or (bool(domain) and domain in marks)
        or any(manager == FIELD_MANAGER or manager.startswith(names.OPERATOR_MANAGERS) for manager in managers)
    )


def _patterns_of_cluster(scope: ClusterNames) -> dict[str, str]:
    """The patterns of entries by which content is known, by the name of a Secret that operators write as well."""
    return {
        scope.ca_certificate_secret: rf"ca\.crt|tls\.crt|{_BY_FINGERPRINT}",
        scope.ca_key_secret: rf"ca\.key|tls\.key|{_BY_FINGERPRINT}",
        scope.trust_bundle_secret: r"(cluster|clients)-ca\.crt",
        **{leaf.secret: re.escape(f"{leaf.entry}.crt") for leaf in component_leaves(scope.cluster)},
    }


def _own_patterns(scope: ClusterNames) -> dict[str, str]:
    """The same of Secrets that this collection alone writes."""
    components = [component.value for component in Component]
    return {
        scope.client_bundle_secret: r"ca\.(p12|jks)",
        **dict.fromkeys(scope.ledger_secrets, _BY_FINGERPRINT),
        **dict.fromkeys(scope.backup_secrets, r"secrets\.json\.gz"),
        **{scope.issuing_secret(component): r".+\.(requested|issued|pending)" for component in components},
        **{scope.next_keys_secret(component): r".+\.key" for component in components},
    }


def read_taken(scope: ClusterNames, stored: Object, kind: str = SECRETS.kind, leaf: str = "") -> TakenName | None:
    """The name of the object if another owner has it. None if the object is one of this collection or of the cluster,
    or has no name of this collection. The entry of the ``leaf`` is given if the object is to contain a leaf of a node.
    """
    metadata = stored["metadata"]
    name = str(metadata["name"])
    recognition = _how_known(scope, kind, name, leaf)
    if recognition is None:
        return None
    pattern, labels = recognition
    if _has_own_marks(stored, labels, scope.own_labels, scope.beside_labels, domain=names.OWN_DOMAIN):
        return None
    content = stored.get("data") or {}
    # A Secret without content says nothing about its owner.
    if (not content and kind == SECRETS.kind) or any(re.fullmatch(pattern, entry) for entry in content):
        return None
    namespace = str(metadata.get("namespace") or scope.namespace)
    return TakenName(kind, namespace, name, describe_owner(stored), _way_without(scope, kind, name))


def _how_known(scope: ClusterNames, kind: str, name: str, leaf: str) -> tuple[str, Mapping[str, str]] | None:
    """The pattern of the entries, and the labels, by which an object of this name is known; None if this collection
    does not give the name.
    """
    if kind == CONFIG_MAPS.kind:
        return (r"\d{8}", {}) if name == scope.audit_trail else None
    if kind == LEASES.kind:
        # Leases of all programs look alike.
        return (r"(?!)", scope.labels) if name == scope.lease else None
    if leaf:
        return re.escape(f"{leaf}.crt"), scope.labels
    if pattern := _patterns_of_cluster(scope).get(name):
        return pattern, scope.labels
    # Another tool that follows the same draft labels its Secrets as Strimzi does.
    return (own, {}) if (own := _own_patterns(scope).get(name)) else None


def _way_without(scope: ClusterNames, kind: str, name: str) -> str:
    if kind == CONFIG_MAPS.kind:
        return "run without the audit trail (audit=false, strimzi_audit=false)"
    if name in scope.backup_secrets:
        return "run without backups (backup=false, strimzi_backup=false)"
    return ""


def split_taken(
    scope: ClusterNames, secrets: Secrets, nodes: Iterable[LeafSecret] = ()
) -> tuple[dict[str, Object], tuple[TakenName, ...]]:
    """The Secrets without the Secrets of other owners under a name of this collection; and these names, as far as every
    flow needs them. The Secrets of ``nodes`` are to contain their leaves.
    """
    entries = {leaf.secret: leaf.entry for leaf in nodes}
    taken = {
        name: taken_name
        for name, secret in secrets.items()
        if (taken_name := read_taken(scope, secret, leaf=entries.get(name, ""))) is not None
    }
    needed = {*_patterns_of_cluster(scope), *entries, scope.trusted_certificates_secret}
    return (
        {name: secret for name, secret in secrets.items() if name not in taken},
        tuple(taken_name for name, taken_name in taken.items() if name in needed),
    )


def why_taken(scope: ClusterNames, stored: Object, kind: str = SECRETS.kind, leaf: str = "") -> ConditionUnmet | None:
    """The error about an object of another owner with a name of this collection; None for any other object. As
    ``read_taken``.
    """
    taken = read_taken(scope, stored, kind, leaf)
    return None if taken is None else name_is_taken(taken).as_error()
