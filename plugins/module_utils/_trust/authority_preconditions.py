# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What must be so of the CAs themselves: keys, chains, dates, names."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import check_authority_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import why_not_bridged
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.objects import certificate_secret, key_secret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, PreparedAuthority, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation


def authority_secrets_are_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for problem in snapshot.ca.problems:
        yield Violation(
            "authority", certificate_secret(snapshot), problem, "Correct the entry, then run the flow again."
        )
    lost = not snapshot.ca.current and snapshot.reconciliation.exists and (snapshot.pods or snapshot.leaves)
    if lost or (not snapshot.ca.current and intent.goal is not Goal.CREATE and snapshot.reconciliation.exists):
        yield Violation(
            "authority", certificate_secret(snapshot), "holds no ca.crt although this cluster works with a CA.",
            "Restore the Secret from a backup; a new CA in its place would not be trusted by anybody.",
        )  # fmt: skip


def key_matches(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.ca.current:
        return
    # Half-way through a promotion the key is already that of the prepared CA.
    good = {snapshot.ca.current[0].public_key_sha256, *(a.key for a in snapshot.ca.prepared)}
    if snapshot.ca.key is None:
        yield Violation(
            "authority", key_secret(snapshot), "holds no usable private key under ca.key.",
            "Put the private key of ca.crt there as PKCS#8 PEM.",
        )  # fmt: skip
    elif snapshot.ca.key not in good:
        yield Violation(
            "authority", key_secret(snapshot),
            f"holds a ca.key that is not the key of ca.crt in {snapshot.cluster}-cluster-ca-cert "
            f"({snapshot.ca.current[0].subject}).",
            "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        )  # fmt: skip


def chains_are_in_order(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    chains = {"ca.crt": snapshot.ca.current, **snapshot.ca.others}
    for key, chain in chains.items():
        yield from _chain_problems(f"{certificate_secret(snapshot)}, {key}", chain)


def _chain_problems(subject: str, chain: Chain) -> Iterator[Violation]:
    if len(chain) < 2:
        return
    for problem in check_authority_chain(chain):
        yield Violation(
            "authority", subject, problem,
            "Put the issuing CA first and the root last, and unrelated CAs under keys of their own.",
        )  # fmt: skip


def authority_is_valid_now(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.ca.current:
        yield from _date_problems(snapshot, certificate_secret(snapshot), _dated(snapshot.ca.current))
    for authority in snapshot.ca.prepared:
        yield from _date_problems(
            snapshot, f"{key_secret(snapshot)}, prepared CA", _dated(authority.chain), _remove_prepared(authority)
        )


def _dated(chain: Chain) -> Chain:
    """The root above an intermediate is nobody's anchor but the operator's, and PKIX leaves the dates of anchors alone
    (strimzi.md 1.4): it may have expired, and a replacement is then the way out."""
    return chain[:-1] if len(chain) > 1 else chain


def _remove_prepared(authority: PreparedAuthority) -> str:
    entry = authority.fingerprint
    return f"Nobody uses it yet: remove {entry}.crt and {entry}.key there, then run the flow again for a new one."


#: The CA in use is at its end: too late for a rotation.
_TOO_LATE = "Peers refuse each other already; this flow cannot help any more, use Strimzi's recovery procedure."


def _date_problems(
    snapshot: Snapshot, subject: str, chain: Chain, when_expired: str = _TOO_LATE
) -> Iterator[Violation]:
    for certificate in chain:
        if certificate.not_after <= snapshot.now:
            yield Violation(
                "validity", subject, f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M} UTC.",
                when_expired,
            )  # fmt: skip
        elif certificate.not_before > snapshot.now:
            yield Violation(
                "validity", subject,
                f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M} UTC.",
                "Wait until then, or check the clock of the machine that made it and of this one.",
            )  # fmt: skip


def names_are_distinct(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    supplied = (intent.supplied.chain,) if intent.supplied else ()
    chains = [snapshot.ca.current, *snapshot.ca.others.values(), *(a.chain for a in snapshot.ca.prepared), *supplied]
    seen: dict[bytes, Certificate] = {}
    for certificate in (chain[0] for chain in chains if chain):
        other = seen.setdefault(certificate.subject_der, certificate)
        if other.public_key_sha256 != certificate.public_key_sha256:
            yield Violation(
                "name", certificate_secret(snapshot),
                f"two CAs with different keys have the same subject {certificate.subject} "
                f"({other.sha256[:16]} and {certificate.sha256[:16]}).",
                "Give each CA key a subject of its own; verifiers look issuers up by name.",
            )  # fmt: skip


def supplied_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.supplied is None:
        return
    subject, chain = "the supplied CA", intent.supplied.chain
    yield from _chain_problems(subject, chain)
    yield from _date_problems(snapshot, subject, chain, "Supply a CA that is valid now.")
    if not chain[0].is_ca:
        yield Violation(
            "authority", subject, f"{chain[0].subject} is not a CA certificate.", "Supply a CA certificate."
        )
    if intent.supplied.key != chain[0].public_key_sha256:
        yield Violation(
            "authority", subject, f"the private key is not the key of {chain[0].subject}.",
            "Supply the key that belongs to the first certificate.",
        )  # fmt: skip


def supplied_fits_the_goal(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A renewal keeps name and key, a replacement brings another key: how many rolls it takes depends on it."""
    wanted = resolve(snapshot, intent, snapshot.ledger or Ledger()).wanted
    if intent.supplied is None or not snapshot.ca.current or not wanted:
        return
    new, current = intent.supplied.chain[0], snapshot.ca.current[0]
    same_key = new.public_key_sha256 == current.public_key_sha256
    if intent.goal is Goal.RENEW and not (same_key and new.subject == current.subject):
        yield Violation(
            "authority", "the supplied CA",
            f"{new.subject} is not a renewal of {current.subject}: it has another {'name' if same_key else 'key'}.",
            "Supply a certificate with the name and the key of the CA in use, or run the replace_key playbook.",
        )  # fmt: skip
    elif intent.goal is Goal.REPLACE_KEY and same_key:
        yield Violation(
            "authority", "the supplied CA", f"{new.subject} has the key of the CA in use.",
            "Supply a CA with a key of its own, or run the renew playbook.",
        )  # fmt: skip


def bridge_can_be_made(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """One that is only wished for is done without."""
    wanted = intent.goal is Goal.REPLACE_KEY and resolve(snapshot, intent, snapshot.ledger or Ledger()).wanted
    if intent.bridge is not Bridge.ALWAYS or not wanted:
        return
    why = why_not_bridged(snapshot, intent)
    if why:
        yield Violation(
            "bridge", key_secret(snapshot), f"a bridge is asked for, but {why}",
            "Ask for bridge=auto to take three rolls instead of two.",
        )  # fmt: skip


def operator_could_renew(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews as ``cluster-ca vN``, whatever the CA is called, and drops the old certificate with the same
    write (strimzi.md 1.3): leaves that name another issuer are then worthless before the first pod has restarted."""
    if intent.goal is not Goal.DOWNGRADE or snapshot.reconciliation.generated or not snapshot.ca.current:
        return
    subject = snapshot.ca.current[0].subject
    if subject != f"CN=cluster-ca v{authority_generation(snapshot.ca.current[0])},O=io.strimzi":
        yield Violation(
            "hand-over", certificate_secret(snapshot),
            f"holds the CA {subject}, which the operator would renew under another name and so break every connection.",
            "Run the replace_key playbook without a certificate, then hand the cluster back.",
        )  # fmt: skip


def generation_is_unambiguous(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.ledger is None or not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    for entry in snapshot.ledger.entries:
        if snapshot.ca.certificate_generation in entry.generations and entry.fingerprint != current.fingerprint:
            yield Violation(
                "authority", certificate_secret(snapshot),
                f"has another ca.crt ({current.subject}) under generation {snapshot.ca.certificate_generation}, "
                f"which meant {entry.certificate.subject}.",
                "Whoever replaced ca.crt has to raise strimzi.io/ca-cert-generation with it; restore ca.crt or do so.",
            )  # fmt: skip
