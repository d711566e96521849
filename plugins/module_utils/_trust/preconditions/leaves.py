# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on leaves before they are issued or renewed, and on their lives: a leaf outlasts the time in which the
operator issues it again (docs/flows.md, "Lives"). Preconditions, too, on the parties outside the cluster that verify
leaves of the clients CA and present them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from ..._leaves.trigger import ends_with, is_signed_by
from ..._pki.certificates import Chain
from ..evidence.parties import nodes_to_recover, presenters
from ..evidence.stored import issuers_of
from ..gates.verifiers import namesakes
from ..ledger.enrolment import enrol_authorities
from ..ledger.journal import in_flight
from ..ledger.target import resolve, rotation_of, supplied_for
from ..model.clients import Renewal
from ..model.components import Component
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import listed, named
from ..model.snapshot import SECRET_LIMIT, IssuedBy, Snapshot
from ..rules.due import ending_leaves, leaves_that_end_with_ca
from ..rules.expiring import describe_renewal_of_authority, doubt_about_window, how_to_recover
from ..rules.holds import unusable_leaves
from ..rules.repair import scope_of
from .authority import GIVE_LIFE, SUPPLIED, breach_violations


def leaves_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A Secret from the caller has to belong to a leaf of this cluster, whether it exists or is missing."""
    existing = sorted({*(leaf.secret for leaf in snapshot.every_leaf), *snapshot.every_missing_leaf})
    for name in sorted(intent.issuing.missing_leaves.secrets - set(existing) if intent.issuing.missing_leaves else ()):
        yield Violation(
            Condition.LEAVES_ARE_KNOWN, snapshot.names.secret(name), "contains no certificate of this cluster.",
            f"These Secrets do: {', '.join(existing) or 'none'}.",
        )  # fmt: skip


def leaves_in_use_are_valid(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Nodes with ended certificates restart at the same time. If a flow restarted them one after the other, it would
    take the quorum and the partitions apart.
    """
    if ended := nodes_to_recover(snapshot):
        pods = ", ".join(sorted(pod.name for pod in snapshot.nodes.pods if pod.uid in ended))
        of = scope_of(ended, snapshot)
        what = "presents a certificate that has" if len(ended) == 1 else "present certificates that have"
        yield Violation(
            Condition.LEAVES_IN_USE_ARE_VALID, snapshot.names.kafka,
            f"{pods} {what} ended, since {min(ended.values()):%Y-%m-%d %H:%M} UTC: every new connection to {of.them} "
            f"is refused, and open connections go on until they break. {of.others}",
            f"{how_to_recover(snapshot)}: {of.restart}, and {of.away}. {of.before}",
        )  # fmt: skip


def leaves_are_ours(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Leaves in use are usable. With an unusable leaf a node does not come back from its restart. If other nodes have
    restarted by then, they refuse a leaf of an unknown CA. So a flow begins only with usable leaves if processes take
    up another CA in it, or if it restarts nodes. A flow that only renews leaves replaces unusable leaves.
    """
    if intent.goal is Goal.RENEW_LEAVES:
        return
    # The ledger with the CAs that are yet to enter it.
    ledger = enrol_authorities(snapshot, snapshot.ledger_or_empty)
    # If only an issuer can make a missing leaf, the flow itself requests it, and waits for it.
    missing = () if snapshot.ca.in_use_elsewhere else snapshot.leaves.missing
    reported = {*_secrets_to_report(snapshot, ledger), *missing}
    elsewhere = ". Run the reconcile playbook, which has another certificate issued; then run the flow again."
    by_issuer = elsewhere if snapshot.ca.in_use_elsewhere else ""
    yield from unusable_leaves(snapshot, ledger, reported, by_issuer).values()


def _secrets_to_report(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """The Secrets of leaves that a violation may name. If no leaf is of a known CA, another program has replaced the CA
    itself, and the preconditions on CAs report that instead.
    """
    readable = [leaf for leaf in snapshot.leaves.stored if leaf.chain]
    is_swapped = bool(readable) and not any(issuers_of(leaf.chain or (), ledger) for leaf in readable)
    return frozenset(leaf.secret for leaf in snapshot.leaves.stored if not (is_swapped and leaf.chain))


def leaves_can_be_renewed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A leaf is of no use after its CA, so it cannot be renewed under a CA with as early an end. If a schedule renews
    this CA in its time, and the leaves with it, a rule says so.
    """
    ending = leaves_that_end_with_ca(snapshot, intent)
    if not ending or in_flight(snapshot.ledger) or describe_renewal_of_authority(snapshot):
        return
    for leaf in ending:
        end = min(certificate.not_after for certificate in snapshot.ca.current)
        yield Violation(
            Condition.LEAVES_CAN_BE_RENEWED, snapshot.names.secret(leaf.secret),
            f"contains a certificate of a CA that ends on {end:%Y-%m-%d}, and another one would end no later.",
            "Renew the CA with the renew playbook; that renews the certificates as well.",
        )  # fmt: skip


_DAY = timedelta(days=1)
#: The least time of a leaf beyond the operator's window before a flow begins. A flow may stop for an approval or wait
#: for clients, and a weekly run renews leaves before the operator does.
MARGIN = 7 * _DAY
#: The same during a flow: so much of the week is left.
REST = _DAY
#: The life of a certificate if the Kafka resource does not set it.
_USUAL = timedelta(days=365)


@dataclass(frozen=True)
class _Signing:
    """The CA that is going to issue leaves."""

    #: The certificate, as messages name it.
    subject: str
    #: The CA with its chain; empty if this collection is yet to make the CA.
    issuer: Chain
    #: The remedy if the CA ends too early, up to the date.
    remedy: str
    #: How much longer than the window its leaves have to live.
    margin: timedelta = MARGIN


def leaves_outlast_the_window(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """New leaves outlast the operator's window. In its window the operator issues a leaf again, of the CA in use, in
    every reconcile, and restarts its pod. A flow would put the next leaf in its place, and so on without end. If the
    operator has no key, it stands still instead.

    This judges the CA that is going to sign, and no other: a renewal or replacement of an ending CA helps.
    """
    yield from _stored_in_the_window(snapshot, intent)
    signing = _about_to_sign(snapshot, intent)
    if signing is None:
        return
    issuer = signing.issuer
    if not _makes_keys(snapshot, intent, issuer):
        # The User Operator issues for the time in the resources, and Strimzi sees to it that this is long enough.
        return
    window = _longest_window(snapshot)
    validity = _asked_validity(snapshot, intent, issuer)
    life, least = validity or snapshot.leaves.validity, window + signing.margin
    inside = f"in their time for renewal, {_describe_days(window)} by {snapshot.names.specification}.renewalDays"
    if life < least:
        owner = f"{snapshot.names.kafka} " if validity is None else ""
        option = f"{snapshot.names.specification}.validityDays" if validity is None else "validity_days"
        yield Violation(
            Condition.LEAVES_OUTLAST_THE_WINDOW, f"{owner}{option}",
            f"would make certificates valid for {_describe_days(life)}, and the Cluster Operator issues again, with a "
            f"restart, certificates that are {inside}.",
            f"Give {_describe_days(least)} or more{'' if validity is None else ', or none'}, or a lower renewalDays"
            f"{_describe_lower_limit(life - signing.margin)}.",
        )  # fmt: skip
    elif issuer and snapshot.now < issuer[0].not_after < snapshot.now + least:
        end = issuer[0].not_after
        yield Violation(
            Condition.LEAVES_OUTLAST_THE_WINDOW, signing.subject,
            f"{named(issuer[0])} ends on {end:%Y-%m-%d}, and so do its certificates; the Cluster Operator issues "
            f"again, with a restart, certificates that are {inside}.",
            f"{signing.remedy} after {snapshot.now + least:%Y-%m-%d}. Or give a lower "
            f"renewalDays{_describe_lower_limit(end - snapshot.now - signing.margin)}.",
        )  # fmt: skip


def _stored_in_the_window(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The present leaves of nodes outlast a flow: the operator would issue them again in the middle of it, with
    unplanned restarts.
    """
    operator_issues = snapshot.issued_by is IssuedBy.THIS_COLLECTION and not snapshot.ca.in_use_elsewhere
    if (
        not operator_issues
        or not snapshot.ca.current
        or not resolve(snapshot, intent, snapshot.ledger_or_empty).needs_new_ca
    ):
        return
    soon = snapshot.now + snapshot.leaves.renewal_window + REST
    if any(certificate.not_after <= soon for certificate in snapshot.ca.current):
        # Other leaves would be in the window as well: the flow helps.
        return
    ends = {
        leaf.secret: leaf.chain[0].not_after
        for leaf in snapshot.leaves.stored
        if leaf.component is Component.KAFKA
        and leaf.chain
        and is_signed_by(leaf.chain, snapshot.ca.current[0])
        and snapshot.now < leaf.chain[0].not_after < soon
    }
    if ends:
        doubt = doubt_about_window(min(ends.values()) - snapshot.leaves.renewal_window, snapshot)
        yield Violation(
            Condition.LEAVES_OUTLAST_THE_WINDOW,
            f"Secrets {', '.join(sorted(ends))} in namespace {snapshot.names.namespace}",
            f"have certificates that end from {min(ends.values()):%Y-%m-%d} on. Within "
            f"{_describe_days(snapshot.leaves.renewal_window)} of that ({snapshot.names.specification}.renewalDays) "
            "the Cluster Operator issues them again by itself, with a restart of each node.",
            "Let it do so, then run the flow again. Where it waits for a maintenance window, the renew_leaves "
            f"playbook renews them before it does, and restarts no node that can read again without a restart.{doubt}",
        )  # fmt: skip


def chosen_life(snapshot: Snapshot, intent: Intent) -> str:
    """A sentence if the Kafka resource sets the life of new certificates, and it is unusual; else empty."""
    if intent.new_ca.validity is not None or snapshot.leaves.validity == _USUAL:
        return ""
    return (
        f"New certificates are valid for {_describe_days(snapshot.leaves.validity)}, as "
        f"{snapshot.names.specification}.validityDays of {snapshot.names.kafka} says; validity_days gives them another "
        "life."
    )


def _about_to_sign(snapshot: Snapshot, intent: Intent) -> _Signing | None:
    """The CA that is going to issue leaves; None if no leaf is going to be issued."""
    ledger, begun = snapshot.ledger_or_empty, in_flight(snapshot.ledger)
    if resolve(snapshot, intent, ledger).needs_new_ca:
        supplied = supplied_for(snapshot, intent, ledger)
        return _Signing(SUPPLIED, supplied.chain if supplied else (), "Supply none, or a CA that ends")
    if intent.goal is Goal.ABORT or ledger.undone_ca is not None or snapshot.reconciliation.pause.is_ours:
        return None
    for prepared in snapshot.ca.prepared if begun is not None else ():
        if any(not is_signed_by(leaf.chain, prepared.chain[0]) for leaf in snapshot.every_leaf):
            subject = f"{snapshot.names.key_secret}, prepared CA"
            remedy = "Undo the flow with the abort playbook, and begin it with a CA that ends"
            return _Signing(subject, prepared.chain, remedy, REST)
    ending = ending_leaves(snapshot, intent) if begun is None else ()
    # Another rule reports a leaf that ends with its CA.
    if any(leaf.chain and not ends_with(leaf.chain[0], snapshot.ca.current) for leaf in ending):
        remedy = "Renew the CA with the renew playbook, which renews the certificates as well, so that it ends"
        return _Signing(snapshot.names.certificate_secret, snapshot.ca.current, remedy)
    return None


def leaves_meet_policy(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Keys of leaves from this collection meet the policy. The operators choose the keys of their own leaves."""
    policy, signing = intent.new_ca.policy, _about_to_sign(snapshot, intent)
    issuer = snapshot.ca.current if signing is None else signing.issuer
    if policy is None or not _makes_keys(snapshot, intent, issuer):
        return
    life = _asked_validity(snapshot, intent, issuer) or snapshot.leaves.validity
    yield from breach_violations(
        Condition.LEAVES_MEET_POLICY,
        policy,
        "the certificates that would be issued",
        policy.breaches_of_leaves(intent.issuing.leaf_key.size, life),
        f"Give another leaf_key_size (strimzi_leaf_key_size). {GIVE_LIFE}",
    )


def _makes_keys(snapshot: Snapshot, intent: Intent, issuer: Chain) -> bool:
    """Whether this collection makes the keys of leaves of this CA, and no operator."""
    return snapshot.issued_by is IssuedBy.THIS_COLLECTION or _is_kept_elsewhere(snapshot, intent, issuer)


def _asked_validity(snapshot: Snapshot, intent: Intent, issuer: Chain) -> timedelta | None:
    """The life that the caller wants for leaves of this CA; None if the Kafka resource sets it."""
    elsewhere = _is_kept_elsewhere(snapshot, intent, issuer)
    return (intent.issuing.external_validity if elsewhere else None) or intent.new_ca.validity


def _is_kept_elsewhere(snapshot: Snapshot, intent: Intent, issuer: Chain) -> bool:
    """Whether the key of this issuer is kept elsewhere. The issuer is empty if this collection is yet to make the
    CA.
    """
    if not issuer:
        return False
    supplied = supplied_for(snapshot, intent, snapshot.ledger_or_empty)
    brought = supplied is not None and supplied.chain == issuer and supplied.key_is_elsewhere
    return brought or snapshot.ca.is_kept_elsewhere(issuer[0])


def _longest_window(snapshot: Snapshot) -> timedelta:
    """The longest renewal window that counts for a leaf. A user may have a window of its own. If it is longer than
    usual, it concerns this user alone: a certificate that would not outlast it is refused.
    """
    usual = snapshot.leaves.renewal_window
    own = [snapshot.window_of(leaf) for leaf in snapshot.user_leaves.values() if leaf is not None]
    return max((days for days in own if days <= usual), default=usual)


def _describe_lower_limit(most: timedelta) -> str:
    """The highest sufficient ``renewalDays``, as a part of a sentence; empty if there is none."""
    highest = most // _DAY
    return f", {highest} or less" if highest > 0 else ""


def _describe_days(length: timedelta) -> str:
    return f"{-(-length // _DAY)} days"


#: Bytes of the record of a certificate on its way, and of an RSA certificate.
_ON_ITS_WAY = 2200


def verifiers_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Each listener for users is seen. If a listener verified by the CA unseen, it would refuse the new leaves, and go
    on with the old CA.
    """
    users = snapshot.users
    if users is None or users.has_verifiers:
        return
    kafka, ca = snapshot.names.kafka, snapshot.names.ca
    if users.unmanaged_listeners:
        yield Violation(
            Condition.VERIFIERS_ARE_KNOWN, kafka,
            f"has no listener with the authentication tls, which could answer whether it trusts the {ca}. Its owner "
            f"alone knows which CAs other listeners trust: {listed(users.unmanaged_listeners)}.",
            "Have the next CA trusted there before users are issued again, and the old CA until no certificate of it "
            "is left; and add a listener with the authentication tls for the time of the flow. If no flow is in "
            "flight and no client logs in there with certificates of this CA, replace the CA in any way.",
        )  # fmt: skip
    elif why := _why_unsettled(snapshot):
        yield Violation(
            Condition.VERIFIERS_ARE_KNOWN, kafka,
            "has no listener with the authentication tls, and brokers may still run with one, which verifies clients "
            f"by the {ca}: {why}.",
            "Wait until the Kafka resource is Ready, or see in its status why it is not; then run the flow again.",
        )  # fmt: skip


def _why_unsettled(snapshot: Snapshot) -> str:
    """Why brokers may not run as the Kafka resource says, as a part of a sentence; empty if they are known to."""
    operator = snapshot.reconciliation.operator
    if not operator.has_observed:
        return "the operator has not acted on the resource in its present form"
    if operator.is_first:
        return "the operator's first reconcile is under way"
    return "the operator's last reconcile has failed" if operator.failure else ""


def users_have_an_issuer(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Presenters are known. Without a User Operator, certificates that a person has issued by hand cannot be seen. If
    no listener verifies by the CA, no program logs in with such a certificate, and only known presenters need a
    certificate of the next CA.
    """
    users = snapshot.users
    if users is None or users.issued_by is not IssuedBy.NONE:
        return
    kafka, ca = snapshot.names.kafka, snapshot.names.ca
    add = "Add spec.entityOperator.userOperator and a KafkaUser for each user, then run the flow again."
    if users.has_verifiers or users.unmanaged_listeners:
        yield Violation(
            Condition.USERS_HAVE_AN_ISSUER,
            kafka,
            f"has no User Operator, which would issue certificates of the next {ca}.",
            add,
        )
        return
    for presenter in presenters(snapshot):
        if presenter.renewal is not Renewal.AT_ONCE:
            yield Violation(
                Condition.USERS_HAVE_AN_ISSUER, presenter.name,
                f"may have a certificate of the present {ca}, and {kafka} has no User Operator, which would issue "
                "the next.",
                f"Where it is not used any more, delete it with its Secret. {add}",
            )  # fmt: skip


def presenters_can_be_issued_to(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """If the key of the next CA is kept elsewhere, a flow requests all certificates outside the cluster before the
    switch, and keeps them in one Secret until then. A renewal keeps the present certificates.
    """
    ledger = snapshot.ledger_or_empty
    supplied = supplied_for(snapshot, intent, ledger)
    if supplied is None or not supplied.key_is_elsewhere:
        return
    yield from namesakes(snapshot)
    yield from _refuse_other_operators(snapshot)
    issued, room = sum(bool(presenter.secret) for presenter in snapshot.presenters), _count_that_fits(supplied.chain)
    if issued > room and rotation_of(snapshot, intent, ledger) is not Goal.RENEW:
        yield Violation(
            Condition.PRESENTERS_CAN_BE_ISSUED_TO, snapshot.names.kafka,
            f"has {issued} users with certificates of the {snapshot.names.ca}. The Secret in which certificates of the "
            f"next CA wait until all have come has room for about {room}, because its key would be kept elsewhere.",
            "Supply the CA with its key, or none, then one is made; the User Operator issues for any number of users.",
        )  # fmt: skip


def _refuse_other_operators(snapshot: Snapshot) -> Iterator[Violation]:
    """A User Operator in another namespace has its own copy of the CA, and signs with that."""
    users = snapshot.users
    if users is None:
        return
    for presenter in users.presenters:
        is_refused = presenter.name in users.namesakes or presenter.name in users.unnameable_users
        if presenter.renewal is Renewal.ISSUED and not presenter.secret and not is_refused:
            yield Violation(
                Condition.PRESENTERS_CAN_BE_ISSUED_TO, presenter.name,
                "is served by a User Operator of another namespace, which could sign nothing: the key of the next CA "
                "would be kept elsewhere.",
                "Move the user to the namespace of the cluster's own User Operator; or supply the CA with its key, or "
                "none, then one is made.",
            )  # fmt: skip


def _count_that_fits(chain: Chain) -> int:
    """How many certificates of this CA can be on their way; each may come with its chain."""
    return SECRET_LIMIT // (_ON_ITS_WAY + sum(len(certificate.pem) for certificate in chain))


def presenters_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """An unknown certificate is found before anything is written: later the flow would stand still until a person has
    looked after it.
    """
    for presenter in presenters(snapshot):
        if presenter.authorities is None:
            yield Violation(
                Condition.PRESENTERS_ARE_KNOWN, presenter.name,
                f"the run cannot tell which CA has issued the certificate that it presents: {presenter.evidence}.",
                presenter.remedy,
            )  # fmt: skip


def presenters_are_served(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A presenter with an old certificate would hold the flow at its end: without the old CA it would be refused."""
    for presenter in presenters(snapshot):
        if presenter.hindrance:
            yield Violation(
                Condition.PRESENTERS_ARE_SERVED, presenter.name,
                f"would get no certificate of the next {snapshot.names.ca}: {presenter.hindrance}.",
                presenter.remedy,
            )  # fmt: skip
