"""A run that asks the nodes before a gate and has them read again, as the engine does with them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlace, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Look

from .events import Event
from .runs import Runner, say, visible
from .state import Books, Heard, ModelCluster, Run, Secrets, Slot, Write
from .translation import listener_of, snapshot_of

Answers: TypeAlias = tuple[Heard | None, ...]


@dataclass
class LookingRunner(Runner):
    """Between a look and the decision that rests on it, the Secrets and the pods are read anew.

    wanting: of what is visible, whether nodes are asked then.
    """

    wanting: dict[Any, bool] = field(default_factory=dict)

    def _goes_on(self, model: ModelCluster, number: int, run: Run) -> Event:
        if run.heard is not None and run.seen is None:
            return f"run {number} reads the Secrets", model.with_run(number, Run(model.secrets, heard=run.heard))
        return super()._goes_on(model, number, run)

    def _decides(self, model: ModelCluster, number: int, run: Run, seen: Secrets) -> Event:
        if run.heard is not None:
            if any(slot.up and slot.node and not heard for slot, heard in zip(model.slots, run.heard, strict=False)):
                return f"run {number} lists the pods and misses one that it asked", model.with_run(number, Run())
            writes, _decision = self.after_a_look(seen, model.slots, run.heard, model.reloadable)
            after = Run(None, writes, run.changed) if writes else Run()
            return f"run {number} decides after a look {say(writes)}", model.with_run(number, after)
        if self.wants_a_look(seen, model.slots):
            return f"run {number} asks the nodes", model.with_run(number, Run(heard=answers(model)))
        return super()._decides(model, number, run, seen)

    def wants_a_look(self, seen: Secrets, slots: tuple[Slot, ...]) -> bool:
        about = visible(seen, slots)
        if about not in self.wanting:
            _writes, decision = self.decision(seen, slots)
            snapshot = snapshot_of(seen, slots, bool(slots))
            self.wanting[about] = any(step.look(snapshot) is not Look.NONE for step in decision.steps)
        return self.wanting[about]

    def after_a_look(
        self, seen: Secrets, slots: tuple[Slot, ...], heard: Answers, reloadable: bool
    ) -> tuple[tuple[Write, ...], Decision]:
        about = (visible(seen, slots), heard, reloadable)
        return self.once(about, seen, lambda: self._decide(_after_asking(seen, slots, heard), slots, reloadable))

    def _decide(self, snapshot: Snapshot, slots: tuple[Slot, ...], reloadable: bool) -> Decision:
        """With what is in the way of a change without a restart, as the engine finds it out beside every look."""
        away = [f"pod-{number}" for number, slot in enumerate(slots) if slot.node and not slot.up]
        reload = "" if reloadable else "the permission is missing."
        stamps = f"the operator would restart {', '.join(away)} whatever it is told." if away else ""
        return self.decide(replace(snapshot, in_place=InPlace(reload, stamps)))

    def is_done(self, model: ModelCluster) -> bool:
        if self.wants_a_look(model.secrets, model.slots):
            return self.after_a_look(model.secrets, model.slots, answers(model), model.reloadable)[1].done
        return super().is_done(model)


def answers(model: ModelCluster) -> Answers:
    return tuple(slot.listeners if slot.up and slot.node else None for slot in model.slots)


def _after_asking(seen: Secrets, slots: tuple[Slot, ...], heard: Answers) -> Snapshot:
    about = _asked_about(seen.books)
    listeners = tuple(listener_of(number, one, about) for number, one in enumerate(heard) if one is not None)
    return replace(snapshot_of(seen, slots, bool(slots)), listeners=listeners)


def _asked_about(books: Books | None) -> frozenset[int]:
    """Every CA that is trusted, about to be, or was."""
    return frozenset(one.authority for one in (*books.entries, *books.removed)) if books else frozenset()
