"""The requests of a run on the clients CA, and what each of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PrepareAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AwaitReissue,
    PauseReissue,
    ResumeReissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause as PauseStep
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import resume_operators

from .. import runs
from ..runner import Looker
from ..runs import SUCCESSOR
from ..state import KAFKA, KEY, Pause, Run, Write
from ..translation import phase_of
from .events import Event
from .state import Listed, Listeners, ModelUsers, Secrets
from .translation import after_asking, number_of_user, snapshot_of

#: Users are read again and written again until no other program has changed them in between, so that nothing stands in the way.
_A_USER = "a user"
#: Requests to brokers know no versions.
A_BROKER = "a node"
PAUSE_USER, LET_USER_ON = "pause user", "let user on"


@dataclass
class UsersRunner(Looker[ModelUsers]):
    """Runs on the clients CA."""

    #: The writes of a run that gives up, by what is visible.
    letting_on: dict[Any, tuple[Write, ...]] = field(default_factory=dict)

    def listed(self, model: ModelUsers) -> Listed:
        return model.listed

    def visible(self, seen: Secrets, listed: Listed) -> Any:
        return (seen, listed)

    def snapshot(self, seen: Secrets, listed: Listed) -> Snapshot:
        return snapshot_of(seen, listed)

    def answers(self, model: ModelUsers) -> tuple[Listeners, ...]:
        return model.brokers

    def circumstances(self, model: ModelUsers) -> None:
        return None

    def asked(
        self, seen: Secrets, listed: Listed, heard: tuple[Listeners | None, ...], circumstances: None
    ) -> Snapshot:
        return after_asking(seen, listed, heard)

    def writes_of(self, step: Step, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
        if isinstance(step, PrepareAuthority):
            return (
                Write(KEY, "prepare", (SUCCESSOR[step.goal], phase_of(step.stop), False, step.precedes_replacement)),
            )
        make = _WRITES.get(type(step)) or runs._WRITES.get(type(step))
        if make is None:
            return ()
        return make(step, seen, listed) if type(step) in _WRITES else make(step, seen)

    def apply(self, write: Write, model: ModelUsers) -> ModelUsers:
        change = _APPLY.get(write.verb)
        if change is None:
            return runs.apply(write, model)
        after = change(model, write)
        return after if write.target in (_A_USER, A_BROKER) else after.changed(write.target)

    def gives_up(self, model: ModelUsers, number: int) -> Iterator[Event]:
        """The run looks once more, and lets on the users that it may; it may be killed on the way."""
        writes = self.lets_on(model)
        if writes and model.runs[number].writes != writes:
            yield f"run {number} gives up", model.with_run(number, Run(None, writes))

    def lets_on(self, model: ModelUsers) -> tuple[Write, ...]:
        listed = self.listed(model)
        about = self.visible(model.secrets, listed)
        if about not in self.letting_on:
            steps = resume_operators(self.snapshot(model.secrets, listed))
            writes = (self.writes_of(step, model.secrets, listed) for step in steps)
            self.letting_on[about] = tuple(write for some in writes for write in some)
        return self.letting_on[about]


@dataclass
class Unasked(UsersRunner):
    """Brokers cannot be asked, so that only what is stored counts; then they are not told to read again either."""

    def answers(self, model: ModelUsers) -> tuple[Listeners, ...]:
        return ()

    def asked(
        self, seen: Secrets, listed: Listed, heard: tuple[Listeners | None, ...], circumstances: None
    ) -> Snapshot:
        return self.snapshot(seen, listed).with_nodes(in_place_obstacles=InPlaceObstacles("they cannot be asked."))


def _pause(step: PauseStep, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
    """While the status still tells of an earlier pause, the run waits."""
    return () if seen.pause.asked or seen.pause.effective else (Write(KAFKA, "pause", None),)


def _pause_reissue(step: PauseReissue, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
    """The same of users."""
    wanted = _users(step.names, listed)
    return tuple(
        Write(_A_USER, PAUSE_USER, None, number) for number, user in wanted if not user.paused and not user.confirmed
    )


def _resume_reissue(step: ResumeReissue, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
    return tuple(Write(_A_USER, LET_USER_ON, None, number) for number, user in _users(step.names, listed))


def _await_reissue(step: AwaitReissue, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
    """Some are let on when all who were let on before have their certificates; the first one alone, which is what happens again whenever
    another run goes on.
    """
    waiting = _users(step.names, listed)
    if step.batch is not None:
        if any(not user.paused for _number, user in waiting):
            return ()
        waiting = waiting[: step.batch]
    return tuple(Write(_A_USER, LET_USER_ON, None, number) for number, user in waiting if user.paused)


def _users(names: tuple[str, ...], listed: Listed) -> list[tuple[int, Any]]:
    numbers = map(number_of_user, names)
    return [(number, user) for number in numbers if (user := listed.users[number]) is not None]


_WRITES: dict[type, Callable[[Any, Secrets, Listed], tuple[Write, ...]]] = {
    PauseStep: _pause,
    PauseReissue: _pause_reissue,
    ResumeReissue: _resume_reissue,
    AwaitReissue: _await_reissue,
}


def _reloaded(model: ModelUsers, write: Write) -> ModelUsers:
    number = write.slot
    assert number is not None
    return model.with_broker(number, (model.bundle,) * len(model.brokers[number]))


def _annotated(model: ModelUsers, write: Write) -> ModelUsers:
    """A user whose status still tells of an earlier pause is not paused now."""
    number = write.slot
    assert number is not None
    user = model.users[number]
    if user is None or (write.verb == PAUSE_USER and user.confirmed and not user.paused):
        return model
    return model.with_user(number, user._replace(paused=write.verb == PAUSE_USER))


def _annotated_kafka(model: ModelUsers, write: Write) -> ModelUsers:
    """The status stays as it is until the operator has looked."""
    return model._replace(pause=Pause(write.verb == "pause", model.pause.effective))


_APPLY: dict[str, Callable[[ModelUsers, Write], ModelUsers]] = {
    "reload": _reloaded,
    PAUSE_USER: _annotated,
    LET_USER_ON: _annotated,
    "pause": _annotated_kafka,
    "resume": _annotated_kafka,
}
