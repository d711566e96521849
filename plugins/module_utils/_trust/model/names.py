# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The names of a cluster's objects in messages: kind, namespace and name. The layer that reads the cluster fills them
in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..._pki.certificates import Certificate
from .goals import Goal
from .ledger import Journal

#: The flows with a new CA, as people call them.
FLOW_NAMES = {Goal.CREATE: "first CA", Goal.RENEW: "renewal", Goal.REPLACE_KEY: "replacement of the key"}


@dataclass(frozen=True)
class ObjectNames:
    """Each object is "<kind> <namespace>/<name>", as messages have it."""

    #: The Kafka resource.
    kafka: str
    #: The Secret with the CA certificate.
    certificate_secret: str
    #: The Secret with the key of the CA.
    key_secret: str
    #: The Secrets of the ledger: one, or two joined by ``and``.
    ledger: str
    #: The namespace of the cluster, its bare name.
    namespace: str
    #: The name of the cluster, its bare name.
    cluster: str
    #: The name of the CA for people, such as "cluster CA".
    ca: str
    #: Common name of a CA of the operator, before its number.
    common_name: str
    #: The part of the Kafka resource about the CA.
    specification: str

    def pod(self, name: str) -> str:
        return f"Pod {self.namespace}/{name}"

    def secret(self, name: str) -> str:
        return f"Secret {self.namespace}/{name}"


def label_command(kind: str, name: str, namespace: str, labels: Sequence[str]) -> str:
    """The command to put labels back, given as "<name>=<value>"."""
    return f"kubectl label {kind} {name} --namespace {namespace} --overwrite {' '.join(labels)}"


def label(certificate: Certificate) -> str:
    """How a CA is named in lists: common name and the start of its SHA-256."""
    return f"{certificate.common_name or certificate.subject}{certificate.mark}"


def flow_named(journal: Journal) -> str:
    """The flow of this journal, as people call it."""
    return "abort" if journal.is_abort else FLOW_NAMES.get(journal.goal, journal.goal.value)


def counted(number: int, what: str) -> str:
    """``1 pod``, ``3 pods``, of a noun in the singular."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


#: How many objects a sentence names, and how many sentences of a kind a call tells: there are as many leaves
#: as nodes, and thousands of users.
_NAMED, _TOLD = 5, 20
Item = TypeVar("Item")


def first_of(many: Sequence[Item], most: int) -> tuple[Sequence[Item], int]:
    """The first so many, and how many more there are."""
    return many[:most], max(0, len(many) - most)


def listed(names: Sequence[str]) -> str:
    """``a, b``, and of many the first with the number of the others: ``a, b, c, d, e and 4 more``."""
    first, more = first_of(names, _NAMED)
    return ", ".join(first) + (f" and {more} more" if more else "")


def first_told(sentences: Iterable[str], what: str, rest: str) -> Iterator[str]:
    """The first sentences, and if there are more, a sentence that says so. ``what`` is the subject of each, in the
    singular. ``rest`` says how a person comes to know the others, without a full stop.
    """
    first, more = first_of(tuple(sentences), _TOLD)
    yield from first
    if more:
        yield f"And {counted(more, f'more {what}')}: {rest}."


def is_named(certificate: Certificate, fingerprint: str) -> bool:
    """Whether this is its fingerprint as people give it: SHA-1 or SHA-256, with or without colons."""
    return fingerprint.replace(":", "").lower() in (certificate.fingerprint, certificate.sha256)


def named(certificate: Certificate) -> str:
    """A CA by its subject and the start of its SHA-256; in a plan, a CA that is yet to be made by its subject."""
    return f"{certificate.subject}{certificate.mark}"
