"""A run of the collection, one API request at a time, with the real ``decide`` in the middle; whatever the cluster looks like.

Between any two requests everything else may happen; it may be killed, or give up; several may run at once (the Lease is what prevents it; here
it is missing).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision, Look, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from .explore import Happening, Model
from .state import Run, Write


@dataclass
class Walker(ABC, Generic[Model]):
    """All runs have the same intent."""

    intent: Intent
    #: Makes the decisions; another one where a test takes a part of it out.
    engine: Engine = ENGINE
    #: Earlier decisions and what they rest on, kept because ``decide`` is pure.
    decided: dict[Any, tuple[tuple[Write, ...], Decision]] = field(default_factory=dict)

    # Each CA has its own of these.

    @abstractmethod
    def listed(self, model: Any) -> Any:
        """The processes as they are now: a run reads them when it decides, after the Secrets."""

    @abstractmethod
    def visible(self, seen: Any, listed: Any) -> Any:
        """Everything that a run can tell of the cluster without asking its nodes."""

    @abstractmethod
    def snapshot(self, seen: Any, listed: Any) -> Snapshot:
        """The same, as ``decide`` takes it."""

    @abstractmethod
    def writes_of(self, step: Step, seen: Any, listed: Any) -> tuple[Write, ...]:
        """A step as its single API writes, as the apply layer makes them; a wait is none."""

    @abstractmethod
    def apply(self, write: Write, model: Any) -> Any:
        """The cluster after one write of ours."""

    @abstractmethod
    def gives_up(self, model: Any, number: int) -> Iterator[Happening[Any]]:
        """A run that ends with an error resumes every operator and user."""

    # The acts of a run.

    def moves(self, model: Any) -> Iterator[Happening[Any]]:
        for number, run in enumerate(model.runs):
            if not run.idle:
                yield f"run {number} is killed", model.with_run(number, Run())
                yield from self.gives_up(model, number)
            yield self.undisturbed(model, number)

    def undisturbed(self, model: Any, number: int) -> Happening[Any]:
        """The next act of this run, if nothing happens to it."""
        run = model.runs[number]
        if run.idle:
            return f"run {number} reads the Secrets", model.with_run(number, Run(seen=model.secrets))
        return self._goes_on(model, number, run)

    def _goes_on(self, model: Any, number: int, run: Run) -> Happening[Any]:
        return self._writes(model, number, run) if run.seen is None else self._decides(model, number, run, run.seen)

    def _decides(self, model: Any, number: int, run: Run, seen: Any) -> Happening[Any]:
        """Secrets as they were read before, pods as they are now (docs/design.md, "Evidence")."""
        writes, _decision = self.decision(seen, self.listed(model))
        after = Run(None, writes, run.changed) if writes else Run()
        return f"run {number} lists the pods and decides {say(writes)}", model.with_run(number, after)

    def is_done(self, model: Any) -> bool:
        """Whether a run that began now would find nothing left to do."""
        return self.decision(model.secrets, self.listed(model))[1].done

    def decision(self, seen: Any, listed: Any) -> tuple[tuple[Write, ...], Decision]:
        """The writes of the next step that writes anything, and the decision itself."""
        return self.once(self.visible(seen, listed), seen, listed, lambda: self.decide(self.snapshot(seen, listed)))

    def decide(self, snapshot: Snapshot) -> Decision:
        return decide(snapshot, self.intent, self.engine)

    def once(
        self, about: Any, seen: Any, listed: Any, make: Callable[[], Decision]
    ) -> tuple[tuple[Write, ...], Decision]:
        """about: all that the decision depends on."""
        if about not in self.decided:
            decision = make()
            writes = (self.writes_of(step, seen, listed) for step in decision.steps)
            self.decided[about] = (next(filter(None, writes), ()), decision)
        return self.decided[about]

    def _writes(self, model: Any, number: int, run: Run) -> Happening[Any]:
        write, rest = run.writes[0], run.writes[1:]
        if self.refuses(write, run):
            return f"run {number} is refused: the {write.target} has changed", model.with_run(number, Run())
        # The run's own writes do not stand in the way of the rest.
        after = Run(None, rest, run.changed) if rest else Run()
        return f"run {number} writes {say((write,))}", self.apply(write, model).with_run(number, after)

    def refuses(self, write: Write, run: Run) -> bool:
        """The API server refuses what was decided on another version of the object (I6)."""
        return write.target in run.changed


@dataclass
class Looker(Walker[Model]):
    """Asks the nodes before a gate. Between a look and the decision that rests on it, a run reads the Secrets and the pods again."""

    #: Whether a run asks the nodes, by what is visible.
    wanting: dict[Any, bool] = field(default_factory=dict)

    @abstractmethod
    def answers(self, model: Any) -> tuple[Any, ...]:
        """The answer of each node now; None for a node that is not asked."""

    @abstractmethod
    def asked(self, seen: Any, listed: Any, heard: tuple[Any, ...], circumstances: Any) -> Snapshot:
        """The snapshot with what was heard, and with what is in the way of a change without a restart."""

    @abstractmethod
    def circumstances(self, model: Any) -> Any:
        """Everything else that the decision after a look depends on."""

    def _goes_on(self, model: Any, number: int, run: Run) -> Happening[Any]:
        if run.heard is not None and run.seen is None:
            return f"run {number} reads the Secrets", model.with_run(number, Run(model.secrets, heard=run.heard))
        return super()._goes_on(model, number, run)

    def _decides(self, model: Any, number: int, run: Run, seen: Any) -> Happening[Any]:
        listed = self.listed(model)
        if run.heard is not None:
            if any(answer and not heard for answer, heard in zip(self.answers(model), run.heard, strict=False)):
                return f"run {number} lists the pods and misses one that it asked", model.with_run(number, Run())
            writes, _decision = self.after_a_look(seen, listed, run.heard, self.circumstances(model))
            after = Run(None, writes, run.changed) if writes else Run()
            return f"run {number} decides after a look {say(writes)}", model.with_run(number, after)
        if self.wants_a_look(seen, listed):
            return f"run {number} asks the nodes", model.with_run(number, Run(heard=self.answers(model)))
        return super()._decides(model, number, run, seen)

    def wants_a_look(self, seen: Any, listed: Any) -> bool:
        about = self.visible(seen, listed)
        if about not in self.wanting:
            _writes, decision = self.decision(seen, listed)
            snapshot = self.snapshot(seen, listed)
            self.wanting[about] = any(step.look(snapshot) is not Look.NONE for step in decision.steps)
        return self.wanting[about]

    def after_a_look(
        self, seen: Any, listed: Any, heard: tuple[Any, ...], circumstances: Any
    ) -> tuple[tuple[Write, ...], Decision]:
        about = (self.visible(seen, listed), heard, circumstances)
        return self.once(
            about, seen, listed, lambda: self.decide(self.asked(seen, listed, heard, circumstances))
        )  # fmt: skip

    def is_done(self, model: Any) -> bool:
        return self.last_decision(model).done

    def last_decision(self, model: Any) -> Decision:
        """The decision of a run that began now and was not disturbed."""
        listed = self.listed(model)
        if self.wants_a_look(model.secrets, listed):
            heard = self.answers(model)
            return self.after_a_look(model.secrets, listed, heard, self.circumstances(model))[1]
        return self.decision(model.secrets, listed)[1]


def say(writes: tuple[Write, ...]) -> str:
    return ", ".join(f"{write.verb} ({write.target})" for write in writes) or "nothing"
