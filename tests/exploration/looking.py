"""A run that asks the nodes before a gate and has them read again, as the engine does with them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.guarded import needs_a_look, rests_on_a_reload
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot

from .events import Event
from .runs import Runner, say, visible
from .state import Books, Heard, Run, Secrets, Slot, World, Write
from .translation import listener_of, snapshot_of

Answers: TypeAlias = tuple[Heard | None, ...]


@dataclass
class LookingRunner(Runner):
    """Between a look and the decision that rests on it, the Secrets and the pods are read anew.

    wanting: of what is visible, whether nodes are asked then.
    """

    wanting: dict[Any, bool] = field(default_factory=dict)

    def _goes_on(self, world: World, number: int, run: Run) -> Event:
        if run.heard is not None and run.seen is None:
            return f"run {number} reads the Secrets", world.with_run(number, Run(world.secrets, heard=run.heard))
        return super()._goes_on(world, number, run)

    def _decides(self, world: World, number: int, run: Run, seen: Secrets) -> Event:
        if run.heard is not None:
            if any(slot.up and slot.node and not heard for slot, heard in zip(world.slots, run.heard, strict=False)):
                return f"run {number} lists the pods and misses one that it asked", world.with_run(number, Run())
            writes, _decision = self.after_a_look(seen, world.slots, run.heard, world.reloadable)
            after = Run(None, writes, run.changed) if writes else Run()
            return f"run {number} decides after a look {say(writes)}", world.with_run(number, after)
        if self.wants_a_look(seen, world.slots):
            return f"run {number} asks the nodes", world.with_run(number, Run(heard=answers(world)))
        return super()._decides(world, number, run, seen)

    def wants_a_look(self, seen: Secrets, slots: tuple[Slot, ...]) -> bool:
        about = visible(seen, slots)
        if about not in self.wanting:
            _writes, decision = self.decision(seen, slots)
            snapshot = snapshot_of(seen, slots, bool(slots))
            self.wanting[about] = any(needs_a_look(step, snapshot) for step in decision.steps)
        return self.wanting[about]

    def after_a_look(
        self, seen: Secrets, slots: tuple[Slot, ...], heard: Answers, reloadable: bool
    ) -> tuple[tuple[Write, ...], Decision]:
        about = (visible(seen, slots), heard, reloadable)
        return self.once(about, seen, lambda: self._decide(_after_asking(seen, slots, heard), slots, reloadable))

    def _decide(self, snapshot: Snapshot, slots: tuple[Slot, ...], reloadable: bool) -> Decision:
        """With what is in the way of a reload, as far as anything rests on one (``engine.with_obstacles``)."""
        hoped = decide(replace(snapshot, unpredicted=()), self.intent)
        if any(rests_on_a_reload(step, self.intent) for step in hoped.steps):
            away = tuple(f"pod-{number}" for number, slot in enumerate(slots) if slot.node and not slot.up)
            why = "" if reloadable else "the permission is missing."
            snapshot = replace(snapshot, unreloadable=why, unpredicted=None if why else away)
        return decide(snapshot, self.intent)

    def is_done(self, world: World) -> bool:
        if self.wants_a_look(world.secrets, world.slots):
            return self.after_a_look(world.secrets, world.slots, answers(world), world.reloadable)[1].done
        return super().is_done(world)


def answers(world: World) -> Answers:
    return tuple(slot.listeners if slot.up and slot.node else None for slot in world.slots)


def _after_asking(seen: Secrets, slots: tuple[Slot, ...], heard: Answers) -> Snapshot:
    about = _asked_about(seen.books)
    listeners = tuple(listener_of(number, one, about) for number, one in enumerate(heard) if one is not None)
    return replace(snapshot_of(seen, slots, bool(slots)), listeners=listeners, asked=True)


def _asked_about(books: Books | None) -> frozenset[int]:
    """Every CA that is trusted, about to be, or was."""
    return frozenset(one.authority for one in (*books.entries, *books.removed)) if books else frozenset()
