# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Roles that the collection ships, by their permissions (docs/rbac.yml)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .resources import Attempt

#: Before the name of each Role.
PREFIX = "trustops-strimzi-"
_LOOKING, _FLOWS, _RELOAD, _USERS, _CLIENTS = "looking", "flows", "reload", "users", "clients-ca"
#: Verbs that a Role can grant for single objects.
_NAMED_VERBS = frozenset({"get", "update", "patch", "delete", "watch"})
_CERTIFICATES, _TIDYING = "cert-manager-certificates", "cert-manager-tidying"


@dataclass(frozen=True)
class _Grant:
    """A permission of a Role."""

    #: The Role, without the prefix.
    role: str
    #: The verbs, in the order of their names.
    verbs: str
    #: The plurals, with their subresource if there is one.
    resources: str
    #: A pattern for the names of these objects; empty for objects of any name, except if another Role has them by their
    #: name.
    name: str = ""
    #: Whether it is a ClusterRole: it applies to objects without a namespace and to lists of all namespaces.
    is_for_all: bool = False

    def has(self, attempt: Attempt) -> bool:
        """Whether it permits this request, whatever the name of the object."""
        resource = "/".join(filter(None, (attempt.resource.plural, attempt.subresource)))
        is_fitting = resource in self.resources.split() and self.is_for_all is (attempt.namespace is None)
        return is_fitting and all(verb in self.verbs.split() for verb in attempt.verb.split(", "))


_GRANTS = (
    _Grant(_LOOKING, "get list", "secrets kafkas"),
    _Grant(_LOOKING, "get", "configmaps leases"),
    _Grant(_LOOKING, "list", "pods strimzipodsets kafkanodepools kafkarebalances services routes"),
    _Grant(_LOOKING, "list", "kafkaconnects kafkamirrormaker2s kafkabridges"),
    _Grant(_LOOKING, "create get", "pods/portforward"),
    _Grant(_FLOWS, "create delete patch watch", "secrets"),
    _Grant(_FLOWS, "patch", "secrets", r".+-(cluster-ca(-cert|-bundle)?|trustbundle)"),
    _Grant(_FLOWS, "delete patch", "secrets", r".+-cluster-ca-(trusted-certs|backup-\d+)"),
    _Grant(_FLOWS, "patch", "secrets", r".+(?<!-trusted)-certs"),
    _Grant(_FLOWS, "delete patch watch", "pods"),
    _Grant(_FLOWS, "patch watch", "kafkas"),
    _Grant(_FLOWS, "list patch", "kafkanodepools"),
    _Grant(_FLOWS, "create patch", "configmaps"),
    _Grant(_FLOWS, "create", "events"),
    _Grant(_FLOWS, "create delete get list patch watch", "leases"),
    _Grant(_RELOAD, "patch", "strimzipodsets"),
    _Grant(_RELOAD, "get", "configmaps"),
    _Grant("recover", "create get", "pods/exec"),
    _Grant(_USERS, "list", "kafkausers kafkaaccesses"),
    _Grant(_USERS, "get", "configmaps", r".+-clients-ca-audit"),
    _Grant("users-anywhere", "list", "kafkausers", is_for_all=True),
    _Grant(_CLIENTS, "patch", "secrets", r".+-clients-ca(-cert|-bundle)?"),
    _Grant(_CLIENTS, "delete patch", "secrets", r".+-clients-ca-(trusted-certs|trust-state|trust|backup-\d+)"),
    _Grant(_CLIENTS, "patch", "configmaps", r".+-clients-ca-audit"),
    _Grant(_CLIENTS, "get patch", "kafkausers"),
    _Grant(_CLIENTS, "delete get list patch watch", "leases", r".+-trust\.clients"),
    _Grant("user", "patch", "secrets"),
    _Grant("clients-ca-issuing", "patch", "secrets"),
    _Grant("clients-ca-issuing", "delete patch", "secrets", r".+-clients-issuing-.+"),
    _Grant("layouts", "delete patch", "secrets", r".+-cluster-ca-(trust-state|trust)"),
    _Grant("issuing", "delete patch", "secrets", r".+(?<!-clients)-issuing-.+"),
    _Grant("cert-manager", "create delete get list", "certificaterequests"),
    _Grant("cert-manager", "get", "issuers"),
    _Grant(_CERTIFICATES, "create get list patch", "certificates"),
    _Grant(_CERTIFICATES, "patch", "certificates/status"),
    _Grant(_CERTIFICATES, "delete list", "certificaterequests"),
    _Grant(_CERTIFICATES, "get", "issuers"),
    _Grant(_TIDYING, "delete list", "certificates"),
    _Grant(_TIDYING, "delete", "secrets", r".+-cm"),
    _Grant("cluster-issuer", "get", "clusterissuers", is_for_all=True),
)  # fmt: skip


def roles_with(attempt: Attempt) -> tuple[str, ...]:
    """The names of the Roles, each of which has the permission for this request; none if the collection ships none."""
    fitting = [grant for grant in _GRANTS if grant.has(attempt)]
    by_name = [grant for grant in fitting if grant.name and re.fullmatch(grant.name, attempt.name or "")]
    # A rule with names permits to list and to watch the objects of these names.
    is_any = attempt.name is None and attempt.verb in ("list", "watch")
    grants = fitting if is_any else by_name or [grant for grant in fitting if not grant.name]
    return tuple(dict.fromkeys(f"{PREFIX}{grant.role}" for grant in grants))


def describe_roles_with(attempts: Sequence[Attempt]) -> str:
    """Sentences with the names of the Roles that have these permissions, each with a space before it; empty if the
    collection ships none.
    """
    return "".join(f" {sentence}" for sentence in dict.fromkeys(_sentences(attempts)))


def _sentences(attempts: Sequence[Attempt]) -> Iterator[str]:
    for attempt in attempts:
        first, *others = roles_with(attempt) or ("",)
        kind = "ClusterRole" if attempt.namespace is None else "Role"
        if others:
            yield (
                f"docs/rbac.yml has such a rule in its {kind}s {', '.join((first, *others[:-1]))} and {others[-1]}, "
                "which say what each is for."
            )
        elif first:
            yield f"docs/rbac.yml has it in its {kind} {first}."


def rule_for(attempt: Attempt) -> str:
    """The rule for the request, as a Role says it."""
    plural = f"{attempt.resource.plural}/{attempt.subresource}" if attempt.subresource else attempt.resource.plural
    rule = f"verbs: [{attempt.verb}], apiGroups: ['{attempt.resource.group}'], resources: [{plural}]"
    return f"{rule}, resourceNames: [{attempt.name}]" if attempt.name and attempt.verb in _NAMED_VERBS else rule
