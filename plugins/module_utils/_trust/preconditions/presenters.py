# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on parties outside the cluster that verify and present certificates of a CA."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Chain
from ..evidence.parties import presenters
from ..gates.clients import namesakes
from ..ledger.target import rotation_of, supplied_for
from ..model.clients import Renewal
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import listed
from ..model.snapshot import SECRET_LIMIT, IssuedBy, Snapshot
from .cluster import is_starting, starts_something

#: Bytes of what is recorded about a certificate that is on its way, and of an RSA certificate.
_ON_ITS_WAY = 2200


def verifiers_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A listener that verifies by the CA unseen would refuse what is issued, and go on with the CA that leaves."""
    users = snapshot.users
    if users is None or users.has_verifiers or (is_starting(snapshot) and not _begins(snapshot, intent)):
        return
    kafka, ca = snapshot.names.kafka, snapshot.names.ca
    if users.unmanaged:
        yield Violation(
            Condition.VERIFIERS_ARE_KNOWN, kafka,
            f"has no listener with the authentication tls, which could answer whether it trusts the {ca}. Its owner alone knows which CAs other listeners "
            f"trust: {listed(users.unmanaged)}.",
            "Have the next CA trusted there before users are issued anew, and the old CA until no certificate of it is left; and add a listener with "
            "the authentication tls for the time of the flow. Where none is under way and no client logs in there with certificates of this CA, replace "
            "it in any way.",
        )  # fmt: skip
    elif why := _why_unsettled(snapshot):
        yield Violation(
            Condition.VERIFIERS_ARE_KNOWN, kafka,
            f"has no listener with the authentication tls, and brokers may still run with one, which verifies clients by the {ca}: {why}.",
            "Wait until the Kafka resource is Ready, or see in its status why it is not; then run the flow again.",
        )  # fmt: skip


def _why_unsettled(snapshot: Snapshot) -> str:
    """Why it is not known that brokers run as the Kafka resource says, as a part of a sentence; empty where they do."""
    if not snapshot.reconciliation.observed:
        return "the operator has not acted on the resource in its present form"
    state = snapshot.reconciliation
    return "the operator's last reconcile has failed" if state.failure or state.is_first else ""


def users_have_an_issuer(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Without a User Operator, certificates that a person has issued by hand cannot be seen. Where no listener verifies
    by the CA, no program logs in with such a certificate, and only known presenters need a certificate of the next CA.
    """
    users = snapshot.users
    if users is None or users.issued_by is not IssuedBy.NONE or not _begins(snapshot, intent):
        return
    kafka, ca = snapshot.names.kafka, snapshot.names.ca
    add = "Add spec.entityOperator.userOperator and a KafkaUser for each user, then run the flow again."
    if users.has_verifiers or users.unmanaged:
        yield Violation(
            Condition.USERS_HAVE_AN_ISSUER,
            kafka,
            f"has no User Operator, which would issue certificates of the next {ca}.",
            add,
        )
        return
    for one in presenters(snapshot):
        if one.renewal is not Renewal.AT_ONCE:
            yield Violation(
                Condition.USERS_HAVE_AN_ISSUER, one.name,
                f"may hold a certificate of the present {ca}, and {kafka} has no User Operator, which would issue the next.",
                f"Where it is not used any more, delete it with its Secret. {add}",
            )  # fmt: skip


def presenters_can_be_issued_to(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Where the key of the next CA is kept elsewhere, a flow requests all certificates outside the cluster before the
    switch, and keeps them in one Secret until then. A renewal keeps the present certificates.
    """
    ledger = snapshot.ledger or Ledger()
    supplied = supplied_for(snapshot, intent, ledger)
    if supplied is None or not supplied.elsewhere or not _begins(snapshot, intent):
        return
    yield from namesakes(snapshot)
    yield from _of_other_operators(snapshot)
    issued, room = sum(bool(one.secret) for one in snapshot.presenters), _room_with(supplied.chain)
    if issued > room and rotation_of(snapshot, intent, ledger) is not Goal.RENEW:
        yield Violation(
            Condition.PRESENTERS_CAN_BE_ISSUED_TO, snapshot.names.kafka,
            f"has {issued} users with certificates of the {snapshot.names.ca}. The Secret in which certificates of the next CA wait until all have "
            f"come has room for about {room}, because its key would be kept elsewhere.",
            "Supply the CA with its key, or none, then one is made; the User Operator issues for any number of users.",
        )  # fmt: skip


def _of_other_operators(snapshot: Snapshot) -> Iterator[Violation]:
    """A User Operator in another namespace has its own copy of the CA, and signs with that."""
    users = snapshot.users
    if users is None:
        return
    for one in users.presenters:
        told = one.name in users.namesakes or one.name in users.unnameable
        if one.renewal is Renewal.ISSUED and not one.secret and not told:
            yield Violation(
                Condition.PRESENTERS_CAN_BE_ISSUED_TO, one.name,
                "is served by a User Operator of another namespace, which could sign nothing: the key of the next CA would be kept elsewhere.",
                "Move the user to the namespace of the cluster's own User Operator; or supply the CA with its key, or none, then one is made.",
            )  # fmt: skip


def _room_with(chain: Chain) -> int:
    """How many certificates of this CA can be on their way; each may come with its chain."""
    return SECRET_LIMIT // (_ON_ITS_WAY + sum(len(one.pem) for one in chain))


def presenters_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """An unknown certificate is found before anything is written: later the flow would stand still until a person has looked after it."""
    if not _begins(snapshot, intent):
        return
    for one in presenters(snapshot):
        if one.authorities is None:
            yield Violation(
                Condition.PRESENTERS_ARE_KNOWN, one.name, f"the run cannot tell which CA has issued the certificate that it presents: {one.why}.",
                one.remedy,
            )  # fmt: skip


def presenters_are_served(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A presenter that keeps an old certificate would hold the flow at its end, and be refused if it were not for that."""
    if not _begins(snapshot, intent):
        return
    for one in presenters(snapshot):
        if one.hindered:
            yield Violation(
                Condition.PRESENTERS_ARE_SERVED, one.name, f"would get no certificate of the next {snapshot.names.ca}: {one.hindered}.",
                one.remedy,
            )  # fmt: skip


def _begins(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether this call begins to issue. A hand-back issues nothing: each certificate stays as it is."""
    return intent.goal is not Goal.DOWNGRADE and is_starting(snapshot) and starts_something(snapshot, intent)
