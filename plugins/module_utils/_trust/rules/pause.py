# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The pauses around steps that the operator must not see half-way, and around those that the issuer of certificates outside the cluster
is to follow one party after the other.
"""

from __future__ import annotations

from ..model.goals import Phase
from ..model.names import named
from ..model.presenters import ReissuePause, Renewal
from ..model.snapshot import Snapshot
from ..model.steps.base import Step, Steps
from ..model.steps.pause import Pause, Resume
from ..model.steps.presenters import PauseReissue, ResumeReissue
from .situation import Situation


def pause_first(at: Situation, *steps: Step) -> Steps:
    """These steps where the operator is paused by this collection; else the step that pauses it."""
    if at.is_paused or not steps:
        return steps
    avoidable = next((step.avoidable for step in steps if step.avoidable), "")
    return (Pause(phase=steps[0].phase, purpose=steps[0].sentence(), avoidable=avoidable),)


def pause_reissue(at: Situation) -> Steps:
    """Before a switch after which certificates outside the cluster are to be issued some at a time, or by this collection, or during which none
    may be: afterwards their issuer would take the next CA for each of them at any moment. And before a switch back: for a paused user, no
    certificate of the CA that is given up is on its way any more.
    """
    because = _why_none(at) or _why_before_going_back(at)
    if at.intent.user_batch is None and not because:
        return ()
    paused = (ReissuePause.OURS, ReissuePause.FOREIGN)
    free = tuple(
        one.name for one in at.snapshot.users.presenters if one.renewal is Renewal.ISSUED and one.pause not in paused
    )
    return (PauseReissue(names=free, because=because),) if free else ()


def _why_before_going_back(at: Situation) -> str:
    """Why users are paused before a switch back, as a sentence; empty where the switch leads forward. A user that has kept a certificate of
    the old CA all along does not show that it waits for another one.
    """
    unwanted = at.ledger.undone
    if unwanted is None or at.current is None or at.current.fingerprint != unwanted:
        return ""
    return f"The User Operator may be about to store a certificate of {named(at.current)}. It does not do so for a user that it has reported as paused."


def _why_none(at: Situation) -> str:
    """Why no user may be issued a certificate during and right after the switch, as a sentence; empty where they may."""
    if at.successor is not None and at.successor.prepared.elsewhere:
        return (
            f"The key of {named(at.successor.entry.certificate)} is kept elsewhere, so the User Operator could issue none, and each user "
            "would be not ready until its certificate is written."
        )
    return at.snapshot.users.pause_reissue


def resume_reissue(at: Situation) -> Steps:
    """End a pause of the issue of certificates where no switch follows now."""
    return _resume_reissue(at.snapshot)


def resume_operators(snapshot: Snapshot) -> Steps:
    """The steps that end the pauses that this collection has made, where nothing else may be done. The operator stays paused where it would take
    what is half-way for something to do; and in a cluster that goes, or that no operator sees: one that comes later would see the work half-way.
    """
    state = snapshot.reconciliation
    if state.absent or snapshot.names.kafka in snapshot.objects.in_deletion:
        return ()
    ends = state.mark_left or (state.paused_by_us and not finds_work(snapshot))
    return (*((Resume(phase=Phase.USE),) if ends else ()), *_resume_reissue(snapshot))


def finds_work(snapshot: Snapshot) -> bool:
    """Whether the operator, let on now, would issue or restart something, or change the trust, because of what is stored (docs/operator.md,
    "Re-issue", "Trust bundle"). To a CA of its own it sees in any case; and where no listener is to verify by the CA any more, only the operator can
    bring that to the nodes, which it restarts for it anyway.
    """
    ca = snapshot.ca
    if snapshot.reconciliation.generated:
        return False
    if not _key_matches(snapshot) or any(
        leaf.generation != ca.certificate_generation for leaf in snapshot.leaves.stored
    ):
        return True
    changes_trust = snapshot.bundle not in (None, ca.projected)
    return snapshot.users.has_verifiers and (changes_trust or bool(restarted_by_operator(snapshot)))


def restarted_by_operator(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods that the operator is going to restart."""
    ca = snapshot.ca
    return frozenset(
        pod.uid
        for pod in snapshot.nodes.pods
        if pod.presents_stored is False
        or pod.generation not in (None, ca.certificate_generation)
        or pod.key_generation not in (None, ca.key_generation)
    )


def _resume_reissue(snapshot: Snapshot) -> Steps:
    """End the pauses of presenters with a certificate of the CA in use, or none. The others wait for their turn: not all are asked for at once.

    In the middle of a switch, no presenter is let on that the issuer must not see: the run that goes on with the switch ends the pause.
    """
    if snapshot.users.pause_reissue and not _key_matches(snapshot):
        return ()
    paused = tuple(
        one.name
        for one in snapshot.users.presenters
        if one.pause.is_ours and (not one.behind or one.authorities == frozenset())
    )
    return (ResumeReissue(names=paused),) if paused else ()


def _key_matches(snapshot: Snapshot) -> bool:
    return not snapshot.ca.current or snapshot.ca.key == snapshot.ca.current[0].public_key_sha256
