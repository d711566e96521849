# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "What was begun": a step that a killed call has left half-way is brought to its end before any other rule is
asked.
"""

from __future__ import annotations

from ..model.goals import Phase
from ..model.steps.authority import RestoreKey
from ..model.steps.base import Steps
from ..model.steps.pause import Resume
from .hand_over import raise_key_generation
from .leaves import renew_leaves, replace_leaves
from .publish import write_bundle
from .retire import withdraw
from .rewrite import rewrite_leaves
from .scale import scale
from .situation import Situation
from .stamp import stamp_pods
from .switch import switch


def settle_key(at: Situation) -> Steps:
    """A switch whose key is written is ended first, because the operator can issue nothing with a key that is not that
    of ``ca.crt``. It goes forward where its gates are still open, else back.
    """
    current = at.current
    if current is None or at.snapshot.ca.key in (None, current.public_key_sha256):
        return ()
    if forward := switch(at):
        return forward
    if current.fingerprint not in at.snapshot.ca.kept_keys:
        # The way is forward only, and the operator, which can issue nothing, may not come as far as its trust bundle.
        return write_bundle(at)
    # The pods still have the key generation from before: the switch has not come as far as to annotate them.
    return (RestoreKey(certificate=current, key_generation=at.key_generation_of_pods),)


def end_pause(at: Situation) -> Steps:
    """In a pause, do the steps that it was made for, one after the other; then let the operator go on. No CA comes into use or leaves in it where
    the caller stops before that, or the flow does.
    """
    if not at.snapshot.reconciliation.paused_by_us:
        return (Resume(phase=at.phase),) if at.snapshot.reconciliation.mark_left else ()
    leaving = (withdraw,) if at.allows(Phase.RETIRE) else ()
    issuing = replace_leaves if at.allows(Phase.USE) or _is_used(at) else renew_leaves
    rules = (write_bundle, rewrite_leaves, stamp_pods, issuing, scale, _switch_as_asked, *leaving, raise_key_generation)
    wanted = next(filter(None, (rule(at) for rule in rules)), ())
    return wanted or (Resume(phase=at.phase),)


def _is_used(at: Situation) -> bool:
    """Whether leaves of the next CA are stored already: the others follow, so that nodes take all of them up at once."""
    next_ = at.successor.entry.fingerprint if at.successor is not None else None
    return next_ is not None and any(at.issuer_of(leaf) == next_ for leaf in at.snapshot.leaves.stored)


def _switch_as_asked(at: Situation) -> Steps:
    steps = switch(at)
    return steps if all(at.allows(step.phase) for step in steps) else ()
