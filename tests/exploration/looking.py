"""A run that asks the nodes before a gate and has them read again, as the engine does with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot

from .runner import Looker
from .runs import Runner
from .state import SILENCE, Books, Heard, ModelCluster, Secrets, Slot
from .translation import listener_of, snapshot_of

Answers: TypeAlias = tuple[Heard | None, ...]


@dataclass
class LookingRunner(Looker[ModelCluster], Runner):
    """On the cluster CA."""

    def answers(self, model: ModelCluster) -> Answers:
        return answers(model)

    def circumstances(self, model: ModelCluster) -> bool:
        return model.reloadable

    def asked(self, seen: Secrets, listed: tuple[Slot, ...], heard: Answers, circumstances: bool) -> Snapshot:
        """With what is in the way of a change without a restart, as the engine finds it out beside every look."""
        away = [f"pod-{number}" for number, slot in enumerate(listed) if slot.node and not slot.up]
        reload = "" if circumstances else "the permission is missing."
        stamps = f"the operator would restart {', '.join(away)} despite new annotations." if away else ""
        return _after_asking(seen, listed, heard).with_nodes(in_place_obstacles=InPlaceObstacles(reload, stamps))


@dataclass
class UnansweredRunner(LookingRunner):
    """A run that would ask the nodes, and cannot: what is stored has to do."""

    def answers(self, model: ModelCluster) -> Answers:
        return (None,) * len(model.slots)

    def asked(self, seen: Secrets, listed: tuple[Slot, ...], heard: Answers, circumstances: bool) -> Snapshot:
        return snapshot_of(seen, listed, bool(listed)).with_nodes(
            in_place_obstacles=InPlaceObstacles(reload="no node can be asked.")
        )


def answers(model: ModelCluster) -> Answers:
    nodes = (slot if slot.up and slot.node else None for slot in model.slots)
    return tuple(slot and (SILENCE if slot.silent else slot.listeners) for slot in nodes)


def _after_asking(seen: Secrets, slots: tuple[Slot, ...], heard: Answers) -> Snapshot:
    about = _asked_about(seen.books)
    listeners = tuple(listener_of(number, one, about) for number, one in enumerate(heard) if one is not None)
    return snapshot_of(seen, slots, bool(slots)).with_nodes(listeners=listeners)


def _asked_about(books: Books | None) -> frozenset[int]:
    """Every CA that is trusted, about to be, or was."""
    return frozenset(one.authority for one in (*books.entries, *books.removed)) if books else frozenset()
