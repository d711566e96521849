# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on CAs: keys, chains and dates of the present CAs; CAs from the caller; a CA on its way out; CAs with
one name and different keys (docs/design.md, "CAs of one name"); and the key policy of a caller, for the CA and the
leaves of a flow. ``_issuing/acceptance`` judges the answers of an issuer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

from ..._pki.certificates import Certificate, Chain
from ..._pki.keys import placeholder
from ..._pki.names import FoldedName
from ..._pki.paths import check_authority_chain, constraint_problem, extension_problem
from ..._pki.usability import KeyPolicy, chain_defects
from ..._pki.verifiers import named_verifiers
from ..evidence.stored import waiver_of
from ..gates.verifiers import can_raise_path_length
from ..ledger.journal import given_up_ca
from ..ledger.target import resolve, rotation_of, supplied_for, why_not_made_here, wish_of
from ..model.clients import waived_as
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.names import listed, named
from ..model.snapshot import PreparedAuthority, Snapshot, StateSecrets
from ..rules.expiring import is_recovery_due
from ..rules.repair import lacks_successor
from ..rules.restore import describe_unfit_backups, find_lost_secrets

#: The goals that lead away from an ended CA, or back to the beginning of a flow. Others hand it back, or issue further
#: leaves of it.
_LEADING_AWAY = frozenset({Goal.RENEW, Goal.REPLACE_KEY, Goal.UPGRADE, Goal.RECONCILE, Goal.ABORT})
_RENEW_FIRST = (
    "Renew it first, with the renew playbook: it keeps the key, and programs on a JVM, as nodes are, accept its "
    "certificates meanwhile."
)
_RENEWED_BY_OPERATOR = (
    "The Cluster Operator renews a CA of its own that has ended in its next reconcile: wait for that, then run the "
    "flow again. Where nothing happens, look at the operator's log."
)
_REFUSED_CHAIN = (
    "The operator refuses such a chain, and does nothing for the cluster until then. Store the first certificate of "
    "ca.crt alone there: the operator restarts each node once. Then run the flow again."
)


def secrets_are_complete(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No Secret has lost content that a backup still has: one playbook puts it back."""
    if (step := find_lost_secrets(snapshot)) is None:
        return
    where = {
        StateSecrets.CERTIFICATE: snapshot.names.certificate_secret,
        StateSecrets.KEY: snapshot.names.key_secret,
        StateSecrets.LEDGER: snapshot.names.ledger,
    }
    subject = listed([name for secret, name in where.items() if secret in step.damaged])
    yield Violation(
        Condition.SECRETS_ARE_COMPLETE, subject,
        f"lacks what {step.backup.name} of {step.backup.kept_at:%Y-%m-%d %H:%M} UTC contains about "
        f"{named(step.backup.ca.current[0])}.",
        "Run the recover playbook: it puts back what is missing, and leaves the rest as it is.",
    )  # fmt: skip


def authority_secrets_are_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    defects = snapshot.ca.defects
    for problem in defects.problems:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE,
            snapshot.names.certificate_secret,
            problem,
            "Correct the entry, then run the flow again.",
        )
    for entry in defects.exposed_entries:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.certificate_secret,
            f"entry {entry} contains a private key, and clients read this Secret.",
            "Take the private key out, and run the flow again. Every client that could read the Secret may have the "
            "key. If it is the key of a CA, replace it (replace_key).",
        )  # fmt: skip
    for name in defects.named_for_tls:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.secret(name),
            "has the CA under tls.crt and tls.key, and the Cluster Operator reads ca.crt and ca.key alone.",
            _how_to_bring_in(snapshot, name),
        )  # fmt: skip
    if defects.is_current_unusable or defects.named_for_tls:
        return
    lost = (
        not snapshot.ca.current and snapshot.reconciliation.exists and (snapshot.nodes.pods or snapshot.leaves.stored)
    )
    if lost or (not snapshot.ca.current and intent.goal is not Goal.CREATE and snapshot.reconciliation.exists):
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.certificate_secret,
            "contains no ca.crt although this cluster works with a CA.",
            _kept_in_ledger(snapshot) or _restored_by_hand(snapshot),
        )  # fmt: skip


def _restored_by_hand(snapshot: Snapshot) -> str:
    remedy = "Restore the Secret from a backup; no node and no client would trust a new CA in its place."
    return f"{remedy} {describe_unfit_backups(snapshot)}".rstrip()


def _kept_in_ledger(snapshot: Snapshot) -> str:
    """A remedy if the ledger has the certificate of the key in the key Secret; else empty. A renewed CA has the key of
    the CA before it, and a greater generation.
    """
    renewed = [
        entry
        for entry in snapshot.ledger_or_empty.entries
        if entry.generations and entry.certificate.public_key_sha256 == snapshot.ca.key
    ]
    if not renewed:
        return ""
    lost = max(renewed, key=lambda entry: max(entry.generations))
    return (
        f"The ledger, {snapshot.names.ledger}, has the certificate of {named(lost.certificate)} in the entry that "
        f"begins with {lost.fingerprint}, and {snapshot.names.key_secret} its key: put that certificate under ca.crt, "
        f"and the annotation strimzi.io/ca-cert-generation={max(lost.generations)} on the Secret, then run the flow "
        "again."
    )


def _how_to_bring_in(snapshot: Snapshot, name: str) -> str:
    if snapshot.nodes.pods or snapshot.leaves.stored:
        return (
            "This cluster runs with a CA already: put that under ca.crt and ca.key, in Secrets of the type Opaque, "
            "then run the flow again."
        )
    namespace, given = snapshot.names.namespace, f"{name}-given"
    return (
        f"Give the Secret another name: kubectl get secret {name} --namespace {namespace} --output yaml | sed 's/^  "
        f"name: {name}$/  name: {given}/' | kubectl create --filename - && kubectl delete secret {name} --namespace "
        f"{namespace}. Then have the CA brought in from there, with certificate_from (strimzi_certificate_from) and "
        f"secret={given}."
    )


def generations_are_told(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A missing generation would be counted from 0: pods would look as if they presented another CA, or none."""
    ca = snapshot.names.common_name
    remedy = f"Set it to the number that the pods carry in strimzi.io/{ca}-cert-generation"
    if snapshot.users is None:
        remedy += f" or, for the key, in strimzi.io/{ca}-key-generation; to 0 where there are no pods."
    else:
        remedy += (
            ", to 0 where there are no pods; for the key, whose number no pod carries, to the number in the name of "
            "the CA, or to 0 where it has none."
        )
    for annotation in snapshot.ca.defects.unnumbered_generations:
        yield Violation(
            Condition.GENERATIONS_ARE_TOLD, annotation, "is missing or no number that counts from 0.", remedy
        )


def key_matches(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    if snapshot.ca.defects.key_named_for_tls:
        return
    if snapshot.ca.key is None:
        yield Violation(
            Condition.KEY_MATCHES, snapshot.names.key_secret, "contains no usable private key under ca.key.",
            "Put the private key of ca.crt there as PKCS#8 PEM; or, where it is kept elsewhere, this text: "
            f"{placeholder(current.public_key_sha256)} Where the key is lost, put the text there as well, and replace "
            "the key (replace_key): nodes keep the certificates that they have until then.",
        )  # fmt: skip
    elif not snapshot.ca.has_key_of(current):
        yield Violation(
            Condition.KEY_MATCHES, snapshot.names.key_secret,
            f"contains a ca.key that is not the key of ca.crt ({current.subject}) in "
            f"{snapshot.names.certificate_secret}.",
            "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        )  # fmt: skip


def chains_are_in_order(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    chains = {"ca.crt": snapshot.ca.current, **snapshot.ca.other_entries}
    for key, stored_chain in chains.items():
        yield from chain_problems(
            Condition.CHAINS_ARE_IN_ORDER, f"{snapshot.names.certificate_secret}, {key}", stored_chain
        )


def chain_problems(condition: Condition, subject: str, chain: Chain) -> Iterator[Violation]:
    if len(chain) < 2:
        return
    for problem in check_authority_chain(chain):
        yield Violation(
            condition, subject, problem,
            "Put the issuing CA first and the root last, each once, and unrelated CAs under keys of their own.",
        )  # fmt: skip


def authority_is_valid_now(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """An ended CA in use is renewed or replaced as any other. JVMs do not look at the dates of an anchor; OpenSSL and
    Go refuse its certificates until then (docs/operator.md, "A CA that has ended"). If nodes do not use a CA yet, it
    has to be valid for every program that verifies by it.
    """
    condition, names, current = Condition.AUTHORITY_IS_VALID_NOW, snapshot.names, snapshot.ca.current
    if current:
        counts = (
            intent.goal not in _LEADING_AWAY
            or snapshot.reconciliation.generated
            or current[0].not_before > snapshot.now
        )
        yield from date_problems(
            condition,
            snapshot,
            names.certificate_secret,
            _certificates_with_dates(current, counts),
            _remedy_for_chain(snapshot),
        )
    given_up = given_up_ca(snapshot, snapshot.ledger_or_empty)
    for authority in snapshot.ca.prepared:
        if authority.chain[:1] == current[:1] or authority.fingerprint == given_up:
            # The switch to it is done, or no switch leads to it, and its entry as the next CA is yet to go.
            continue
        counts = bool(snapshot.date_checkers) or not _was_in_use(snapshot, authority)
        entry = authority.fingerprint
        yield from date_problems(
            condition,
            snapshot,
            f"{names.key_secret}, prepared CA",
            _certificates_with_dates(authority.chain, counts),
            f"It is not in use yet: remove {entry}.crt and {entry}.key there, then run the flow again for a new CA.",
        )


def _remedy_for_chain(snapshot: Snapshot) -> str:
    if len(snapshot.ca.current) > 1:
        return _REFUSED_CHAIN
    return _RENEWED_BY_OPERATOR if snapshot.reconciliation.generated else _RENEW_FIRST


def _was_in_use(snapshot: Snapshot, authority: PreparedAuthority) -> bool:
    """Whether this CA was to be replaced, and is prepared again because the replacement is undone."""
    entry = snapshot.ledger_or_empty.find(authority.fingerprint)
    return entry is not None and bool(entry.generations)


def _certificates_with_dates(chain: Chain, anchors: bool) -> Chain:
    """The certificates of a chain whose dates count.

    The root above an intermediate CA is an anchor for the operator only, and PKIX does not look at the dates of anchors
    (docs/operator.md, "User-managed CA"): it may have expired, and a replacement helps. With ``anchors``, the dates of
    a CA without a CA above it count.
    """
    return chain[:-1] if len(chain) > 1 or not anchors else chain


def date_problems(
    condition: Condition, snapshot: Snapshot, subject: str, chain: Chain, when_expired: str
) -> Iterator[Violation]:
    for certificate in chain:
        if certificate.has_ended(snapshot.now):
            yield Violation(
                condition, subject, f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M} UTC.",
                when_expired,
            )  # fmt: skip
        elif certificate.not_before > snapshot.now:
            yield Violation(
                condition, subject,
                f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M} UTC.",
                "Wait until then, or check the clock of the machine that made it and of this machine.",
            )  # fmt: skip


def generation_is_unambiguous(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    for entry in snapshot.ledger_or_empty.entries:
        if snapshot.ca.certificate_generation in entry.generations and entry.fingerprint != current.fingerprint:
            yield Violation(
                Condition.GENERATION_IS_UNAMBIGUOUS, snapshot.names.certificate_secret,
                f"has another ca.crt ({current.subject}) under generation {snapshot.ca.certificate_generation}, "
                f"which meant {entry.certificate.subject}.",
                "Raise strimzi.io/ca-cert-generation with each change of ca.crt; do so now, or restore ca.crt.",
            )  # fmt: skip


#: The names of CAs in messages, wherever they come from.
SUPPLIED, TRUSTING = "the supplied CA", "the CA that is to be trusted"


def supplied_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    supplied = supplied_for(snapshot, intent, snapshot.ledger_or_empty)
    if supplied is None:
        return
    condition, subject, chain = Condition.SUPPLIED_IS_USABLE, SUPPLIED, supplied.chain
    yield from verifier_problems(condition, subject, chain, "Supply")
    yield from chain_problems(condition, subject, chain)
    yield from date_problems(condition, snapshot, subject, chain, "Supply a CA that is valid now.")
    if not chain[0].is_ca:
        yield Violation(condition, subject, f"{chain[0].subject} is not a CA certificate.", "Supply a CA certificate.")
    yield from _constraint_problems(condition, snapshot, subject, chain)
    if supplied.key != chain[0].public_key_sha256:
        yield Violation(
            condition, subject, f"the private key is not the key of {chain[0].subject}.",
            "Supply the key that belongs to the first certificate.",
        )  # fmt: skip


def verifier_problems(condition: Condition, subject: str, chain: Chain, verb: str) -> Iterator[Violation]:
    """Defects by which some verifier refuses a CA on every path. Once the CA is published or issues leaves, there is
    only the way back.
    """
    for certificate, defect in chain_defects(chain):
        name = certificate.subject or f"the CA without a name ({certificate.sha256[:16]})"
        yield Violation(
            condition, subject, f"{name} {defect.cause}, which {named_verifiers(defect.verifiers)} refuse.",
            f"{verb} a CA {defect.wanted}.",
        )  # fmt: skip


def _constraint_problems(condition: Condition, snapshot: Snapshot, subject: str, chain: Chain) -> Iterator[Violation]:
    """The leaves of the CA will have the names of the present leaves. The violation names the first leaf that the CA
    may not issue.
    """
    if problem := extension_problem(chain[0]):
        yield Violation(
            condition, subject, f"{problem}.",
            "Supply a CA without them; name constraints may contain DNS names and IP addresses only.",
        )  # fmt: skip
    for leaf in snapshot.every_leaf:
        if leaf.chain and (problem := constraint_problem(leaf.chain[0], chain)):
            yield Violation(
                condition, subject, f"{problem}, as Secret {leaf.secret} needs it.",
                "Supply a CA that may issue the certificates of this cluster.",
            )  # fmt: skip
            return


def trusting_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The CA is to be trusted beside the others: once it is published, every process restarts for it."""
    condition, subject = Condition.TRUSTING_IS_USABLE, TRUSTING
    wish = wish_of(snapshot, intent, snapshot.ledger_or_empty)
    for trusted in (*intent.trust.additional_cas, *(wish.additional_cas if wish else ())):
        yield from verifier_problems(condition, subject, trusted, "Give")
        yield from chain_problems(condition, subject, trusted)
        yield from date_problems(condition, snapshot, subject, trusted, "Give a CA that is valid now.")
        if not trusted[0].is_ca:
            yield Violation(
                condition, subject, f"{trusted[0].subject} is not a CA certificate.", "Give a CA certificate."
            )


def leaving_is_unused(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator's CA leaves after another CA has taken its place. The CA on its way into that place stays."""
    condition, remedy = (
        Condition.LEAVING_IS_UNUSED,
        "It leaves at the end of the flow that puts another CA in its place.",
    )
    for certificate in snapshot.ca.in_use:
        if certificate.fingerprint == intent.trust.leaving_ca:
            yield Violation(condition, f"the CA {named(certificate)}", "is in use.", remedy)
    for prepared in snapshot.ca.prepared:
        if prepared.fingerprint == intent.trust.leaving_ca != _current(snapshot):
            yield Violation(
                condition,
                f"the CA {named(prepared.chain[0])}", "is the next CA: a flow puts it in the place of another.", remedy
            )  # fmt: skip


def _current(snapshot: Snapshot) -> str | None:
    return snapshot.ca.current[0].fingerprint if snapshot.ca.current else None


def supplied_fits_the_goal(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A renewal keeps name, key and key identifier, a replacement brings another key: how many rolls it takes depends
    on it.
    """
    ledger = snapshot.ledger_or_empty
    supplied = supplied_for(snapshot, intent, ledger)
    if not snapshot.ca.current or not resolve(snapshot, intent, ledger).needs_new_ca:
        return
    if supplied is None:
        if intent.goal is Goal.RENEW and why_not_made_here(snapshot):
            yield lacks_successor(snapshot)
        return
    goal, new, current = rotation_of(snapshot, intent, ledger), supplied.chain[0], snapshot.ca.current[0]
    same_key = new.public_key_sha256 == current.public_key_sha256
    # Nodes take up no other key while they refuse each other.
    another_way = "" if is_recovery_due(snapshot) else ", or run the replace_key playbook{}"
    if goal is Goal.RENEW and not (same_key and new.subject == current.subject):
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED,
            f"{new.subject} is not a renewal of {current.subject}: it has another {'name' if same_key else 'key'}.",
            f"Supply a certificate with the name and the key of the CA in use{another_way.format('')}.",
        )  # fmt: skip
    elif goal is Goal.RENEW and not (new.stands_in_for(current) and current.stands_in_for(new)):
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED,
            f"{new.subject} has another subject key identifier than the CA in use, so JVMs and OpenSSL that know only "
            "one of the two would refuse leaves of the other.",
            f"Supply a certificate with {_identifier(current)}{another_way.format(' with a key of its own')}.",
        )  # fmt: skip
    elif goal is Goal.REPLACE_KEY and same_key:
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED, f"{new.subject} has the key of the CA in use.",
            "Supply a CA with a key of its own, or run the renew playbook.",
        )  # fmt: skip


def renewal_keeps_the_key(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A caller who asks for another kind of key means a replacement."""
    ledger = snapshot.ledger_or_empty
    if intent.goal is not Goal.RENEW or not snapshot.ca.current or not resolve(snapshot, intent, ledger).needs_new_ca:
        return
    current = snapshot.ca.current[0]
    if intent.new_ca.key_type is not None and intent.new_ca.key_type.value != current.key_name:
        yield Violation(
            Condition.RENEWAL_KEEPS_THE_KEY, f"the CA {named(current)}",
            f"has a key with key_type={current.key_name}, which a renewal keeps; the call wants "
            f"{intent.new_ca.key_type.value}.",
            "Leave key_type out, or replace the key: state=replaced, or the replace_key playbook.",
        )  # fmt: skip


def _identifier(certificate: Certificate) -> str:
    if certificate.subject_key_identifier is None:
        return "no subject key identifier"
    return f"the subject key identifier {certificate.subject_key_identifier.hex(':').upper()}"


_OF_CA = (
    "Give each CA a subject key identifier of its own, or a subject of its own: OpenSSL looks issuers up by name, and "
    "tells issuers of one name apart by these identifiers."
)
_OF_CERTIFICATE = (
    "Have it issued with an authority key identifier, by which OpenSSL tells issuers of one name apart (renew_leaves, "
    "which goes through meanwhile); or give the next CA a subject of its own."
)
_ABOVE = (
    "Have it certified again with an authority key identifier, by which OpenSSL tells issuers of one name apart; or "
    "give the next CA's issuer a subject of its own."
)


def keys_are_told_apart(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Whether OpenSSL finds the CA that signed. OpenSSL takes the first issuer with a matching identifier, and the
    signed certificate names the identifier of its CA.
    """
    chains = tuple(_trusted_chains(snapshot, intent))
    ambiguous = _of_one_name(tuple(dict.fromkeys(chain.from_iterable(chains))))
    for authorities in ambiguous:
        yield from _identifier_problems(authorities, snapshot)
    issuers = [
        authority
        for authorities in ambiguous
        for authority in authorities
        if authority.subject_key_identifier is not None
    ]
    for authority in dict.fromkeys(chain.from_iterable(chains)):
        if why := _why_not_named(authority, issuers):
            yield Violation(Condition.KEYS_ARE_TOLD_APART, f"the CA {named(authority)}", f"{why}.", _ABOVE)
    if intent.goal is Goal.RENEW_LEAVES:
        return
    for leaf in snapshot.every_leaf:
        if leaf.chain and (why := _why_not_named(leaf.chain[0], issuers)):
            where = f"{snapshot.names.secret(leaf.secret)}, {leaf.key}"
            yield Violation(Condition.KEYS_ARE_TOLD_APART, where, f"{why}.", _OF_CERTIFICATE)


def _trusted_chains(snapshot: Snapshot, intent: Intent) -> Iterator[Chain]:
    """The CAs that verifiers may trust, with the CAs above them: the present CAs, and supplied CAs."""
    yield snapshot.ca.current
    yield from snapshot.ca.other_entries.values()
    yield from (authority.chain for authority in snapshot.ca.prepared)
    ledger = snapshot.ledger_or_empty
    yield from (entry.chain for entry in ledger.entries)
    if supplied := supplied_for(snapshot, intent, ledger):
        yield supplied.chain
    yield from intent.trust.additional_cas
    if wish := wish_of(snapshot, intent, ledger):
        yield from wish.additional_cas


def _of_one_name(authorities: Sequence[Certificate]) -> list[list[Certificate]]:
    """The CAs that share a name with a CA of another key, by name."""
    by_name: dict[FoldedName, list[Certificate]] = {}
    for authority in authorities:
        by_name.setdefault(authority.folded_subject, []).append(authority)
    return [same for same in by_name.values() if len({certificate.public_key_sha256 for certificate in same}) > 1]


def _identifier_problems(same: Sequence[Certificate], snapshot: Snapshot) -> Iterator[Violation]:
    """If a CA has no subject key identifier, the others of its name need no comparison with it."""
    lacking = [certificate for certificate in same if certificate.subject_key_identifier is None]
    for certificate in lacking:
        other, *_more = (each for each in same if each.public_key_sha256 != certificate.public_key_sha256)
        yield _of_authority(
            snapshot,
            f"{named(certificate)} has no subject key identifier, and {named(other)} has its name and another key.",
        )
    for certificate, other in combinations((each for each in same if each not in lacking), 2):
        alike = certificate.subject_key_identifier == other.subject_key_identifier
        if alike and certificate.public_key_sha256 != other.public_key_sha256:
            yield _of_authority(
                snapshot,
                f"{named(certificate)} and {named(other)} have one name and one subject key identifier, and different "
                "keys.",
            )


def _of_authority(snapshot: Snapshot, message: str) -> Violation:
    return Violation(Condition.KEYS_ARE_TOLD_APART, snapshot.names.certificate_secret, message, _OF_CA)


def _why_not_named(certificate: Certificate, issuers: Sequence[Certificate]) -> str:
    """Why the certificate does not name its signer among these CAs, as a sentence without its subject; empty if it
    does, or if no other of these CAs has signed it.
    """
    signers = [issuer for issuer in issuers if certificate.signed_by(issuer)]
    identifier = certificate.authority_key_identifier
    if (
        not signers
        or certificate.is_twin_of(signers[0])
        or identifier in {signer.subject_key_identifier for signer in signers}
    ):
        return ""
    lacks = "has no authority key identifier" if identifier is None else "names another authority key identifier"
    return f"{lacks}, and its issuer {named(signers[0])} has the name of a CA with another key"


def authority_meets_policy(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Once a CA is published, every process and every client trusts it."""
    condition, policy, ledger = Condition.AUTHORITY_MEETS_POLICY, intent.new_ca.policy, snapshot.ledger_or_empty
    is_raised = _is_raised(snapshot, intent)
    is_wanted = is_raised or resolve(snapshot, intent, ledger).needs_new_ca
    if policy is None or not is_wanted:
        return
    supplied = supplied_for(snapshot, intent, ledger)
    life = intent.new_ca.validity or snapshot.leaves.validity
    if supplied is not None:
        yield from policy_problems(
            condition, policy, snapshot, SUPPLIED, supplied.chain, "Supply a CA that meets them."
        )
    elif snapshot.ca.current and (is_raised or rotation_of(snapshot, intent, ledger) is Goal.RENEW):
        current, remedy = snapshot.ca.current[0], "A renewal keeps the key: replace it, with the replace_key playbook."
        yield from breach_violations(
            condition, policy, f"the CA {named(current)}", policy.breaches_of_key(current), remedy
        )
        yield from breach_violations(condition, policy, "the renewed CA", policy.breaches_of_life(life), GIVE_LIFE)
    else:
        spec = intent.new_ca.made_key
        yield from breach_violations(
            condition,
            policy,
            "the CA that would be made",
            policy.breaches_of_authority(spec, life),
            f"Give another key_type. {GIVE_LIFE}",
        )


def policy_problems(
    condition: Condition, policy: KeyPolicy, snapshot: Snapshot, subject: str, chain: Chain, remedy: str
) -> Iterator[Violation]:
    """The breaches of a CA from elsewhere, with the CAs above it. A person may have to take a CA that cannot change."""
    for certificate in chain:
        waived = waived_as(certificate)
        if waiver_of(waived, snapshot) is None:
            yield from breach_violations(
                condition,
                policy,
                f"{subject} {named(certificate)}",
                policy.breaches(certificate),
                f"{remedy} If it has to be this CA, give a waiver for {waived}.",
            )


def _is_raised(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether an adoption renews the CA with another path length, as soon as the ledger has it."""
    is_wanted = intent.goal is Goal.UPGRADE and intent.parameters.raise_path_length and intent.parameters.adopts is None
    return is_wanted and can_raise_path_length(snapshot)


#: The remedy if a life breaks a rule.
GIVE_LIFE = "Give a life with validity_days (strimzi_validity_days) that meets them."


def breach_violations(
    condition: Condition, policy: KeyPolicy, subject: str, breaches: Iterable[str], remedy: str
) -> Iterator[Violation]:
    for breach in breaches:
        yield Violation(condition, subject, f"has {breach}, by the rules of {policy.name}.", remedy)
