# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The chapter "Restore": missing or damaged Secrets with the state of a CA come back from a backup (docs/storage.md,
"Backups"). Evidence selects the backup: the processes of the cluster know one CA under one generation, and only a
backup of that CA may come back. A backup of another CA would lead back to a CA that processes no longer trust.
Processes have no certificates of the clients CA, users have: brokers have to accept each of these by the CAs that come
back.
"""

from __future__ import annotations

from ..._pki.certificates import Certificate
from ..ledger.enrolment import find_swap, is_in_doubt, last_current
from ..ledger.journal import in_flight
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Backup, CaSecrets, Snapshot, StateSecrets
from ..model.steps.authority import RestoreSecrets


def is_sound(snapshot: Snapshot) -> bool:
    """Whether the Secrets have a CA with its key under generations that the cluster knows, and a readable ledger: worth
    a backup.
    """
    ca, ledger = snapshot.ca, snapshot.ledger
    return (
        ledger is not None
        and not ledger.problems
        and not (ca.defects.problems or ca.defects.exposed_entries or is_in_doubt(snapshot))
        and ca.has_key_of(ca.current[0])
        and ca.certificate_generation >= _generation_of_pods(snapshot)
    )


def restore_secrets(snapshot: Snapshot) -> tuple[RestoreSecrets, ...]:
    """Put damaged Secrets back from the newest backup that fits the cluster; no step if all are intact, or no backup
    fits.
    """
    if snapshot.reconciliation.generated:
        return ()
    damaged = ((backup, find_damage(snapshot, backup)) for backup in snapshot.backups)
    fitting = ((backup, lost) for backup, lost in damaged if lost and not why_unfit(snapshot, backup, lost))
    return tuple(RestoreSecrets(backup=backup, damaged=lost) for backup, lost in fitting)[:1]


def find_damage(snapshot: Snapshot, backup: Backup) -> frozenset[StateSecrets]:
    """The Secrets without the content of this backup."""
    ca, kept = snapshot.ca, backup.ca
    certificate = _lacks_certificate(snapshot, kept)
    current = kept.current if certificate else ca.current
    lacking = {
        StateSecrets.CERTIFICATE: certificate,
        StateSecrets.KEY: bool(current) and _lacks_key(snapshot, kept, current[0]),
        StateSecrets.LEDGER: backup.ledger is not None
        and (snapshot.ledger is None or bool(snapshot.ledger.problems) or _is_earlier(snapshot, backup)),
    }
    return frozenset(secret for secret, lost in lacking.items() if lost)


def _is_earlier(snapshot: Snapshot, backup: Backup) -> bool:
    """Whether the ledger does not know the CA in use because it is older than the flow that has put that CA there; the
    ledger of this backup records that flow. A generation means one CA, and only rises: if another hand has put an
    earlier CA there, its backup has a lower generation than the ledger.
    """
    swap, kept = find_swap(snapshot), backup.ledger
    if swap is None or kept is None or kept.problems:
        return False
    last, current = last_current(kept), snapshot.ca.current[0]
    recorded = last is not None and last.certificate == current == backup.ca.current[0]
    return recorded and max(swap.replaced.generations) < backup.ca.certificate_generation


def _lacks_certificate(snapshot: Snapshot, kept: CaSecrets) -> bool:
    ca = snapshot.ca
    if not ca.current or ca.defects.unnumbered_generations:
        return True
    if ca.current[:1] == kept.current[:1]:
        return ca.certificate_generation < kept.certificate_generation
    if ca.certificate_generation < _generation_of_pods(snapshot):
        # The generation only rises: an earlier Secret lies there.
        return True
    # A generation means one CA, and only rises: the certificates of processes, or of users, show the CA of the cluster.
    issued = [*(leaf.chain[0] for leaf in snapshot.leaves.stored if leaf.chain), *snapshot.witnesses.values()]
    return (
        ca.certificate_generation <= kept.certificate_generation
        and bool(issued and kept.current)
        and all(certificate.signed_by(kept.current[0]) for certificate in issued)
        and not any(certificate.signed_by(ca.current[0]) for certificate in issued)
    )


def _lacks_key(snapshot: Snapshot, kept: CaSecrets, current: Certificate) -> bool:
    ca = snapshot.ca
    generations = [pod.key_generation for pod in snapshot.nodes.pods if pod.key_generation is not None]
    # A backup with an earlier generation than pods have read brings the key back, and cannot raise the generation to
    # theirs.
    is_earlier = ca.key_generation < min(max(generations, default=0), kept.key_generation)
    begun = in_flight(snapshot.ledger)
    successor = begun.successor if begun is not None else None
    waiting = {authority.fingerprint for authority in ca.prepared}
    # The next CA of a flow waits in the key Secret until it is in use.
    has_lost_next = successor not in {None, current.fingerprint, *waiting} and successor in {
        authority.fingerprint for authority in kept.prepared
    }
    return bool(ca.defects.unnumbered_generations) or is_earlier or has_lost_next or not ca.has_key_of(current)


def _generation_of_pods(snapshot: Snapshot) -> int:
    """The highest generation of the CA that pods have; 0 for the clients CA, because this collection counts its
    generation by itself.
    """
    generations = () if snapshot.users is not None else (pod.generation for pod in snapshot.nodes.pods)
    return max((generation for generation in generations if generation is not None), default=0)


def why_unfit(snapshot: Snapshot, backup: Backup, lost: frozenset[StateSecrets]) -> str:
    """Why this backup must not come back, as the rest of a sentence about it; empty if it may."""
    kept = backup.ca
    if not kept.current or kept.defects.problems or kept.defects.unnumbered_generations:
        return "contains no CA that can be used."
    own = kept.current[0]
    if StateSecrets.KEY in lost and not kept.has_key_of(own):
        return f"lacks the key of {named(own)}."
    if StateSecrets.CERTIFICATE in lost:
        return _why_not_of_this_ca(snapshot, backup, own)
    if (swap := find_swap(snapshot)) and not _is_earlier(snapshot, backup):
        return (
            f"cannot complete a CA that no flow has put there: the ledger says that {named(swap.replaced.certificate)} "
            "is in use."
        )
    if own != (in_use := snapshot.ca.current[0]):
        return f"is of {named(own)}, and {named(in_use)} is in use."
    if StateSecrets.LEDGER in lost and (later := _later_backup(snapshot, backup)) is not None:
        return f"has a ledger from before {later.name} of {named(later.ca.current[0])}, and the flow has gone on since."
    return ""


def _later_backup(snapshot: Snapshot, backup: Backup) -> Backup | None:
    """A later backup of another CA: the ledger has changed since this backup was made. None if there is none."""
    later = (other for other in snapshot.backups if other.kept_at > backup.kept_at and other.ca.current)
    return next((other for other in later if other.ca.current[0] != backup.ca.current[0]), None)


def _why_not_of_this_ca(snapshot: Snapshot, backup: Backup, own: Certificate) -> str:
    """Why the cluster works with another CA than that of the backup, by the ledger, the pods and the certificates."""
    ledger, generation = snapshot.ledger, backup.ca.certificate_generation
    last = last_current(ledger) if ledger is not None and not ledger.problems else None
    if last is not None and last.certificate != own:
        return f"is of {named(own)}, and the ledger says that {named(last.certificate)} is in use."
    if (seen := _generation_of_pods(snapshot)) > generation:
        return f"has generation {generation} of the CA, and pods have read generation {seen}."
    authorities = _authorities_of(backup)
    for leaf in snapshot.leaves.stored:
        if leaf.chain and not any(leaf.chain[0].signed_by(certificate) for certificate in authorities):
            return f"knows no CA that has issued the certificate in {snapshot.names.secret(leaf.secret)}."
    return _why_users_refused(snapshot, backup.ca, own) if snapshot.users is not None else ""


def _why_users_refused(snapshot: Snapshot, kept: CaSecrets, own: Certificate) -> str:
    """Why a backup of the clients CA lacks the CAs of brokers and users. If a CA waits in the backup, it may have come
    into use a moment ago, or long ago: without the trust bundle nothing shows it, and brokers may have forgotten the CA
    before it. If no flow has put the present CA into ``ca.crt``, the bundle is no evidence: the operator has brought
    that CA there too, and brokers have not read it.
    """
    bundle = snapshot.bundle if find_swap(snapshot) is None else None
    if bundle and own.fingerprint not in bundle:
        return f"is of {named(own)}, and brokers accept no certificate of it, by the trust bundle."
    waiting = () if bundle else {authority.chain[0] for authority in kept.prepared}
    accepted = [anchor for anchor in kept.anchors if anchor == own or anchor not in waiting]
    for secret, leaf in snapshot.witnesses.items():
        if not any(leaf.signed_by(anchor) for anchor in accepted):
            return f"has no CA in use, or from before it, that has issued the certificate in {secret}."
    return ""


def describe_unfit_backups(snapshot: Snapshot) -> str:
    """Why none of the backups comes back, as sentences; empty if there is none."""
    damaged = ((backup, find_damage(snapshot, backup)) for backup in snapshot.backups)
    return " ".join(f"{backup.name} {why}" for backup, lost in damaged if (why := why_unfit(snapshot, backup, lost)))


def _authorities_of(backup: Backup) -> tuple[Certificate, ...]:
    ledger = backup.ledger or Ledger()
    return (
        *backup.ca.anchors,
        *(authority.chain[0] for authority in backup.ca.prepared),
        *(entry.certificate for entry in ledger.entries),
    )


def find_lost_secrets(snapshot: Snapshot) -> RestoreSecrets | None:
    """The step that puts back the Secrets that every flow needs; None if nothing is lost. If the ledger alone is
    missing, a flow makes it again from evidence, unless the backup remembers something that only the ledger says. If no
    object shows a running cluster, the backup may be from an earlier cluster.
    """
    if not (snapshot.nodes.pods or snapshot.every_leaf):
        return None
    for step in restore_secrets(snapshot):
        is_lost_alone = step.damaged == {StateSecrets.LEDGER} and snapshot.ledger is None
        if not is_lost_alone or _says_what_evidence_does_not(step.backup.ledger or Ledger(), snapshot):
            return step
    return None


def _says_what_evidence_does_not(ledger: Ledger, snapshot: Snapshot) -> bool:
    """Whether the ledger has a flow in flight, or a certificate that running processes know and no Secret contains any
    more: a former leaf would end in the memory of its process, and no call would restart it before.
    """
    remembered = (*ledger.former_leaves, *ledger.removed_cas)
    return in_flight(ledger) is not None or any(snapshot.uids & certificate.holders for certificate in remembered)
