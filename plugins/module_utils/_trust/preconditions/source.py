# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the source of CAs that the user names. They concern a flow at its beginning: a flow in flight goes
on.

The CAs of different clusters stay apart: if a party trusted a shared CA, it would accept certificates of both. If
another writer has put a CA into the place of the CA in use, the user confirms that CA before a flow adopts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._pki.certificates import Certificate, Chain
from ..evidence.stored import chains_to
from ..ledger.enrolment import Swap, find_adoption, find_swap, pods_yet_to_restart
from ..ledger.target import Wish, is_heeded, supplied_for, wish_of
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent, NewRoots
from ..model.names import counted, is_named, listed, named
from ..model.snapshot import Snapshot
from .authority import SUPPLIED, TRUSTING, date_problems, policy_problems, verifier_problems

#: A cluster needs three while one CA replaces another. A call asks every process about each, and a bundle of public CAs
#: would let in every owner of a certificate of any of them.
_MOST_AUTHORITIES = 10


def source_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The source can be read, and names the CA of the leaves, unless the first leaf is to show it."""
    source, condition, ledger = snapshot.source, Condition.SOURCE_IS_USABLE, snapshot.ledger_or_empty
    if source is not None and source.problem and is_heeded(snapshot, intent, ledger):
        yield Violation(condition, source.name, source.problem, source.remedy)
    wish = wish_of(snapshot, intent, ledger)
    if wish is None:
        return
    if len(wish.candidates) > _MOST_AUTHORITIES:
        yield Violation(
            condition, wish.source.name,
            f"contains {len(wish.candidates)} CAs; at most {_MOST_AUTHORITIES} are trusted.",
            "Give a source with the CAs of this cluster's issuer alone: every holder of a certificate of one of them "
            "can join the cluster.",
        )  # fmt: skip
    elif not wish.candidates:
        yield Violation(
            condition, wish.source.name,
            "contains no CA that is valid now.", "Put the CA that signs the cluster's certificates there."
        )  # fmt: skip
    elif not (wish.issuing_ca or wish.sample_secret):
        yield _violation_of_ambiguity(wish)


def _violation_of_ambiguity(wish: Wish) -> Violation:
    names = [chain[0].subject for chain in wish.candidates]
    in_use = f", and none is the CA in use, {wish.snapshot.ca.current[0].subject}" if wish.snapshot.ca.current else ""
    return Violation(
        Condition.SOURCE_IS_USABLE, wish.source.name,
        f"contains {len(names)} CAs ({listed(names)}){in_use}: the collection cannot tell which of them signs.",
        "Leave the CA that signs, with the CAs above it.",
    )  # fmt: skip


def roots_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No CA of the source is unknown to the ledger, if the user wants that. Otherwise a flow says at its end which CAs
    the user may confirm.
    """
    wish = wish_of(snapshot, intent, snapshot.ledger_or_empty)
    if wish is None or intent.trust.new_roots is not NewRoots.NEVER:
        return
    for certificate in wish.unconfirmed_cas:
        yield Violation(
            Condition.ROOTS_ARE_KNOWN, wish.source.name,
            f"contains the CA {certificate.subject}, SHA-256 {certificate.sha256}, which this cluster does not trust, "
            "and trust_new_roots=never forbids to begin with one.",
            "Take it out; or have it trusted by trust_new_roots=ask and its SHA-256 in confirm_roots.",
        )  # fmt: skip


def authorities_are_apart(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """This applies to a new CA only. If both CAs of a cluster share a key already, flows go on, also to another CA."""
    keys = {certificate.public_key_sha256 for certificate in _known_authorities(snapshot)}
    for subject, chain, remedy in _authorities_to_trust(snapshot, intent):
        common = "" if chain[0].public_key_sha256 in keys else _describe_common_part(chain, snapshot)
        if common:
            yield Violation(
                Condition.AUTHORITIES_ARE_APART, subject,
                f"{named(chain[0])} {common}. As {snapshot.names.ca}, in {snapshot.names.certificate_secret}, it would "
                "let holders of a certificate of one CA in where only certificates of the other are to be accepted.",
                remedy,
            )  # fmt: skip


def trusted_meet_policy(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The key policy applies to every CA that a flow brings into the trust of the cluster: a CA beside the CA in use,
    and a CA that is adopted in its place, also while a flow is in flight. ``authority_meets_policy`` has the supplied
    CA.
    """
    policy = intent.new_ca.policy
    if policy is None:
        return
    brought = [(TRUSTING, chain, "Give a CA that meets them.") for chain in _trusted_beside(snapshot, intent)]
    if (swap := find_adoption(snapshot, intent)) is not None:
        back = f"Put {named(swap.replaced.certificate)} and its key back, or put a CA there that meets them."
        brought.append(("the CA that is to be adopted", swap.chain, back))
    authorities = set(_known_authorities(snapshot))
    for subject, chain, remedy in brought:
        if chain[0] not in authorities:
            yield from policy_problems(Condition.TRUSTED_MEET_POLICY, policy, snapshot, subject, chain, remedy)


def _describe_common_part(chain: Chain, snapshot: Snapshot) -> str:
    """The part of this chain that the other CA of the cluster trusts, or rests on, as a part of a sentence. A CA above
    both is no anchor of either.
    """
    other = snapshot.other_ca
    if other is None:
        return ""
    own, above = chain[0].public_key_sha256, {certificate.public_key_sha256 for certificate in chain[1:]}
    trusted = {anchor.public_key_sha256 for anchor in other.ca.anchors}
    if own in trusted:
        return f"has the key of {other.where}"
    chains = (other.ca.current, *other.ca.other_entries.values())
    if own in {certificate.public_key_sha256 for other_chain in chains for certificate in other_chain[1:]}:
        return f"has the key of a CA above {other.where}"
    return f"is certified by {other.where}" if above & trusted else ""


def _authorities_to_trust(snapshot: Snapshot, intent: Intent) -> Iterator[tuple[str, Chain, str]]:
    """The CAs that this flow would bring into the trust of the cluster, each with its name in messages and its
    remedy.
    """
    supplied = supplied_for(snapshot, intent, snapshot.ledger_or_empty)
    swap = find_adoption(snapshot, intent)
    if supplied is not None:
        yield SUPPLIED, supplied.chain, "Supply a CA with a key of its own."
    for chain in _trusted_beside(snapshot, intent):
        yield TRUSTING, chain, "Give a CA with a key of its own."
    if swap is not None:
        back = f"Put {named(swap.replaced.certificate)} and its key back, or put a CA with a key of its own there."
        yield f"{snapshot.names.certificate_secret}, ca.crt", snapshot.ca.current, back


def _trusted_beside(snapshot: Snapshot, intent: Intent) -> tuple[Chain, ...]:
    """The CAs that the caller, or the source, wants trusted beside the issuing CA."""
    wish = wish_of(snapshot, intent, snapshot.ledger_or_empty)
    return (*intent.trust.additional_cas, *(wish.additional_cas if wish else ()))


def _known_authorities(snapshot: Snapshot) -> Iterator[Certificate]:
    """The CAs that this cluster has come to trust, or is on its way to. Without a ledger its Secrets name them."""
    yield from (authority.chain[0] for authority in snapshot.ca.prepared)
    if snapshot.ledger is not None:
        yield from (entry.certificate for entry in snapshot.ledger.entries)
    else:
        yield from snapshot.ca.anchors


#: How many objects a sentence names; there are as many leaves as nodes.
_NAMED = 3


def authority_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Only the caller can confirm another CA in the place of the CA in use, by its fingerprint: no gate has shown the
    trust of parties in it (I3).
    """
    swap = find_swap(snapshot)
    if swap is not None and not _is_of_the_operator(snapshot, intent) and find_adoption(snapshot, intent) is None:
        yield Violation(
            Condition.AUTHORITY_IS_KNOWN, snapshot.names.certificate_secret,
            f"contains the CA {swap.certificate.subject}, SHA-256 {swap.certificate.sha256}, as ca.crt. No flow has "
            f"put it there: by the ledger the CA {swap.replaced.certificate.subject}, SHA-256 "
            f"{swap.replaced.certificate.sha256}, is in use. {_signatures(snapshot, swap)}",
            f"Put {named(swap.replaced.certificate)} and its key back; "
            f"{_where_kept(snapshot, swap.replaced.certificate)}. Or have the new CA adopted through every gate: run "
            "the upgrade playbook with its SHA-256 as strimzi_adopts.",
        )  # fmt: skip
    elif (
        intent.parameters.adopts is not None
        and intent.goal is Goal.UPGRADE
        and not _is_in_cluster(snapshot, intent.parameters.adopts)
    ):
        yield Violation(
            Condition.AUTHORITY_IS_KNOWN, snapshot.names.certificate_secret,
            f"contains no CA with the fingerprint {intent.parameters.adopts}, which is to be adopted.",
            "Give the SHA-256 of the CA that is meant, or none where no CA is to be adopted; that of ca.crt is "
            f"{_sha256_of_current(snapshot)}.",
        )  # fmt: skip


def _where_kept(snapshot: Snapshot, replaced: Certificate) -> str:
    """The present place of the replaced CA, as a clause."""
    for backup in snapshot.backups:
        # In the middle of a switch, the key entry of a Secret is that of the next CA.
        if (
            backup.ca.current[:1] == (replaced,)
            and backup.ca.key == replaced.public_key_sha256
            and not backup.ca.in_use_elsewhere
        ):
            return f"{backup.name} has both, under tls.crt and tls.key"
    return "the ledger has the certificate"


def _is_of_the_operator(snapshot: Snapshot, intent: Intent) -> bool:
    """The operator alone replaces a CA that it generates. An earlier ledger says nothing until the cluster is adopted
    again.
    """
    return snapshot.reconciliation.generated and intent.goal is not Goal.UPGRADE


def _is_in_cluster(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the cluster has this CA; also if it was adopted before, and has come as far as the ledger."""
    chains = [snapshot.ca.current, *(authority.chain for authority in snapshot.ca.prepared)]
    chains += [entry.chain for entry in snapshot.ledger_or_empty.entries]
    return any(is_named(chain[0], fingerprint) for chain in chains if chain)


def _sha256_of_current(snapshot: Snapshot) -> str:
    return snapshot.ca.current[0].sha256 if snapshot.ca.current else "none"


def _signatures(snapshot: Snapshot, swap: Swap) -> str:
    """Sentences about the stored leaves, and the certificates of users, of each of the two CAs."""
    pair = (swap.replaced.certificate, swap.certificate)
    signed = {
        certificate: [
            *(leaf.secret for leaf in snapshot.leaves.stored if leaf.chain and chains_to(leaf.chain, certificate)),
            *(secret for secret, leaf in snapshot.witnesses.items() if leaf.signed_by(certificate)),
        ]
        for certificate in pair
    }
    return " ".join(
        f"{named(certificate)} has signed {_count_and_list(secrets, 'certificate')}."
        for certificate, secrets in signed.items()
    )


def _count_and_list(names: Iterable[str], what: str) -> str:
    every = sorted(names)
    shown = ", ".join(every[:_NAMED]) + (", ..." if len(every) > _NAMED else "")
    return f"{counted(len(every), what)} ({shown})" if every else f"no {what}"


def adopted_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Before a CA is adopted: every party can use it, and every process can come to trust it before the process meets a
    leaf of it.
    """
    swap = find_adoption(snapshot, intent)
    if swap is None:
        return
    condition, here = Condition.ADOPTED_IS_USABLE, snapshot.names.certificate_secret
    own, replaced = swap.certificate, swap.replaced.certificate
    back = f"Put {named(replaced)} and its key back"
    yield from verifier_problems(condition, f"{here}, ca.crt", swap.chain, f"{back}, or put there")
    if not own.is_ca:
        yield Violation(condition, f"{here}, ca.crt", f"{own.subject} is not a CA certificate.", f"{back}.")
    for other in snapshot.ca.prepared:
        if other.chain[0] != own:
            yield Violation(
                condition, snapshot.names.key_secret,
                f"contains {named(other.chain[0])}, which a flow has prepared as the next CA.",
                f"{back} and finish that flow; or remove {other.fingerprint}.crt and {other.fingerprint}.key there, "
                "which ends it.",
            )  # fmt: skip
    yield from _cannot_be_gated(snapshot, swap, back)


def _cannot_be_gated(snapshot: Snapshot, swap: Swap, back: str) -> Iterator[Violation]:
    """If some processes have yet to start with the adopted CA, the replaced CA takes its place again meanwhile. That is
    too late if the replaced CA has ended, or if the operator has put leaves of the adopted CA under processes that
    refuse them.
    """
    condition, waiting = Condition.ADOPTED_IS_USABLE, [pod.name for pod in pods_yet_to_restart(snapshot)]
    if not waiting:
        return
    yield from date_problems(
        condition, snapshot, snapshot.names.ledger, swap.replaced.chain[:1],
        "Have every pod restarted with the CA that lies in ca.crt, then adopt it.",
    )  # fmt: skip
    stored = [leaf.secret for leaf in snapshot.leaves.stored if leaf.chain and chains_to(leaf.chain, swap.certificate)]
    if stored:
        yield Violation(
            condition, snapshot.names.certificate_secret,
            f"cannot go back to the replaced CA for the adoption: {_count_and_list(stored, 'certificate')} of "
            f"{named(swap.certificate)} are stored already, and {_count_and_list(waiting, 'pod')} that have not "
            "restarted since would refuse what the next pod to restart presents.",
            f"{back}. Where its key is lost, have the operator restart every pod, which cannot be without failed "
            "connections; then adopt the CA.",
        )  # fmt: skip
