# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the CAs that are there: keys, chains, dates."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Chain
from ..._pki.kept_elsewhere import placeholder
from ..._pki.paths import check_authority_chain
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.snapshot import PreparedAuthority, Snapshot
from ..model.violations import Condition, Violation

#: The CA in use is at its end: too late for a rotation.
_TOO_LATE = "Peers refuse each other already; this flow cannot help any more, use Strimzi's recovery procedure."
#: The same where no verifier looks at the dates of a CA that is trusted.
_KEPT_BY_ALL = "No user is refused for that. Renew it first: the operator deletes a CA of its own that has ended."
_REFUSED_CHAIN = "The operator accepts no such chain. Put the first certificate there alone, then run the flow again."


def authority_secrets_are_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for problem in snapshot.ca.problems:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE,
            snapshot.names.certificate_secret,
            problem,
            "Correct the entry, then run the flow again.",
        )
    for entry in snapshot.ca.exposed:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.certificate_secret,
            f"entry {entry} holds a private key, and clients read this Secret.",
            "Take the private key out, and run the flow again. Who could read the Secret may have the key: where it is that of a CA, replace it "
            "(replace_key).",
        )  # fmt: skip
    for name in snapshot.ca.named_for_tls:
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.secret(name),
            "has the CA under tls.crt and tls.key, and the Cluster Operator reads ca.crt and ca.key alone.", _bring_in(snapshot, name),
        )  # fmt: skip
    if snapshot.ca.is_unread or snapshot.ca.named_for_tls:
        return
    lost = (
        not snapshot.ca.current and snapshot.reconciliation.exists and (snapshot.nodes.pods or snapshot.leaves.stored)
    )
    if lost or (not snapshot.ca.current and intent.goal is not Goal.CREATE and snapshot.reconciliation.exists):
        yield Violation(
            Condition.AUTHORITY_SECRETS_ARE_USABLE, snapshot.names.certificate_secret, "holds no ca.crt although this cluster works with a CA.",
            "Restore the Secret from a backup; no node and no client would trust a new CA in its place.",
        )  # fmt: skip


def _bring_in(snapshot: Snapshot, name: str) -> str:
    if snapshot.nodes.pods or snapshot.leaves.stored:
        return "This cluster runs with a CA already: put that under ca.crt and ca.key, in Secrets of the type Opaque, then run the flow again."
    namespace, given = snapshot.names.namespace, f"{name}-given"
    return (
        f"Give the Secret another name: kubectl get secret {name} --namespace {namespace} --output yaml | sed 's/^  name: {name}$/  name: {given}/' | "
        f"kubectl create --filename - && kubectl delete secret {name} --namespace {namespace}. Then have the CA brought in from there, with "
        f"certificate_from (strimzi_certificate_from) and secret={given}."
    )


def generations_are_told(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A missing generation would be counted from 0: pods would look as if they presented another CA, or none."""
    for annotation in snapshot.ca.unnumbered:
        yield Violation(
            Condition.GENERATIONS_ARE_TOLD, annotation, "is missing or no number that counts from 0.",
            f"Set it to the number that the pods carry in strimzi.io/{snapshot.names.common_name}-cert-generation or, for the key, in "
            f"strimzi.io/{snapshot.names.common_name}-key-generation; to 0 where there are no pods.",
        )  # fmt: skip


def key_matches(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    if any(snapshot.names.secret(name) == snapshot.names.key_secret for name in snapshot.ca.named_for_tls):
        return
    # Half-way through a switch the key is already that of the prepared CA.
    good = {current.public_key_sha256, *(a.key for a in snapshot.ca.prepared)}
    if snapshot.ca.key is None:
        yield Violation(
            Condition.KEY_MATCHES, snapshot.names.key_secret, "holds no usable private key under ca.key.",
            "Put the private key of ca.crt there as PKCS#8 PEM; or, where it is kept elsewhere, this text: "
            f"{placeholder(current.public_key_sha256)}",
        )  # fmt: skip
    elif snapshot.ca.key not in good and current.fingerprint not in snapshot.ca.kept_keys:
        # Where its key is kept beside, it is put back.
        yield Violation(
            Condition.KEY_MATCHES, snapshot.names.key_secret,
            f"holds a ca.key that is not the key of ca.crt ({current.subject}) in "
            f"{snapshot.names.certificate_secret}.",
            "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        )  # fmt: skip


def chains_are_in_order(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    chains = {"ca.crt": snapshot.ca.current, **snapshot.ca.others}
    for key, chain in chains.items():
        yield from chain_problems(Condition.CHAINS_ARE_IN_ORDER, f"{snapshot.names.certificate_secret}, {key}", chain)


def chain_problems(condition: Condition, subject: str, chain: Chain) -> Iterator[Violation]:
    if len(chain) < 2:
        return
    for problem in check_authority_chain(chain):
        yield Violation(
            condition, subject, problem,
            "Put the issuing CA first and the root last, and unrelated CAs under keys of their own.",
        )  # fmt: skip


def authority_is_valid_now(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A CA that has ended goes on where no verifier looks at its dates: then it can be replaced, and come back when that is undone."""
    condition, names, current = Condition.AUTHORITY_IS_VALID_NOW, snapshot.names, snapshot.ca.current
    if current:
        counts = snapshot.users.dated_anchors or intent.goal is Goal.DOWNGRADE
        yield from date_problems(
            condition, snapshot, names.certificate_secret, _dated(current, counts), _way_out(snapshot)
        )
    for authority in snapshot.ca.prepared:
        counts = snapshot.users.dated_anchors or not _was_in_use(snapshot, authority)
        subject, remedy = f"{names.key_secret}, prepared CA", _remove_prepared(authority)
        yield from date_problems(condition, snapshot, subject, _dated(authority.chain, counts), remedy)


def _way_out(snapshot: Snapshot) -> str:
    if snapshot.users.dated_anchors:
        return _TOO_LATE
    return _REFUSED_CHAIN if len(snapshot.ca.current) > 1 else _KEPT_BY_ALL


def _was_in_use(snapshot: Snapshot, authority: PreparedAuthority) -> bool:
    """Whether it is one that was to be replaced, and is prepared again because that is undone."""
    known = snapshot.ledger.find(authority.fingerprint) if snapshot.ledger else None
    return known is not None and bool(known.generations)


def _dated(chain: Chain, anchors: bool) -> Chain:
    """The certificates of a chain whose dates count. The root above an intermediate CA is an anchor for the operator
    only, and PKIX does not look at the dates of anchors (docs/operator.md, "User-managed CA"): it may have expired, and
    a replacement helps. anchors: whether those of a CA without one above it count.
    """
    return chain[:-1] if len(chain) > 1 or not anchors else chain


def _remove_prepared(authority: PreparedAuthority) -> str:
    entry = authority.fingerprint
    return f"It is not in use yet: remove {entry}.crt and {entry}.key there, then run the flow again for a new one."


def date_problems(
    condition: Condition, snapshot: Snapshot, subject: str, chain: Chain, when_expired: str
) -> Iterator[Violation]:
    for certificate in chain:
        if certificate.not_after <= snapshot.now:
            yield Violation(
                condition, subject, f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M} UTC.",
                when_expired,
            )  # fmt: skip
        elif certificate.not_before > snapshot.now:
            yield Violation(
                condition, subject,
                f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M} UTC.",
                "Wait until then, or check the clock of the machine that made it and of this one.",
            )  # fmt: skip


def generation_is_unambiguous(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.ledger is None or not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    for entry in snapshot.ledger.entries:
        if snapshot.ca.certificate_generation in entry.generations and entry.fingerprint != current.fingerprint:
            yield Violation(
                Condition.GENERATION_IS_UNAMBIGUOUS, snapshot.names.certificate_secret,
                f"has another ca.crt ({current.subject}) under generation {snapshot.ca.certificate_generation}, "
                f"which meant {entry.certificate.subject}.",
                "Raise strimzi.io/ca-cert-generation with each change of ca.crt; do so now, or restore ca.crt.",
            )  # fmt: skip
