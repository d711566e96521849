# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Stamps tell the operator what nodes have read again or are about to, so that it finds nothing to restart."""

from __future__ import annotations

from ..evidence.parties import presenting_stored
from ..model.snapshot import Component, Pod
from ..model.steps.base import Steps
from ..model.steps.nodes import StampPods
from .in_place import why_not_annotated, why_not_in_place
from .pause import pause_first
from .situation import Situation


def stamp_pods(at: Situation) -> Steps:
    """In a pause, nodes get the annotations that belong to the stored leaves, unless a node waits for a restart that
    would be hidden by that.

    Every pod gets the key generation in any case, or the operator would restart all of them for trust once more.
    """
    ca = at.snapshot.ca
    if why_not_annotated(at):
        return ()
    if any(leaf.generation != at.generation for leaf in at.snapshot.leaves.stored):
        return ()
    nodes = [pod for pod in at.snapshot.nodes.pods if pod.component is Component.KAFKA]
    behind = [pod for pod in nodes if not pod.presents_stored or pod.generation != at.generation]
    keys_behind = any(pod.key_generation not in (None, ca.key_generation) for pod in at.snapshot.nodes.pods)
    if not behind and not keys_behind:
        return ()
    told = not why_not_in_place(at) and all(_is_known(pod, at) for pod in behind)
    if not told and not keys_behind:
        return ()
    generation = at.generation if told else None
    return pause_first(at, StampPods(generation=generation, key_generation=ca.key_generation, phase=at.phase))


def _is_known(pod: Pod, at: Situation) -> bool:
    """Whether the ledger tells what the pod's process holds, or it holds what is stored: a pod that has started in the pause was started with
    that, although it is annotated with what was stored before.
    """
    held = any(pod.uid in held.holders for held in at.ledger.held)
    return bool(pod.presents_stored) or held or pod.uid in presenting_stored(at.snapshot)
