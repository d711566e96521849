"""Where flows on the clients CA start."""

from __future__ import annotations

from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ...tools.support.intents import an_intent, changed_intent
from ..authorities import OLD
from ..starts import NO_GRACE
from ..state import Authorities, Books, Entry, Pause, Run
from .state import Environment, ModelUsers, Program, User

#: Days may pass here, and a flow that has finished stays the answer.
REPLACE_KEY, RENEW, UPGRADE, ABORT = (
    an_intent(goal, client_grace=NO_GRACE, fresh_for=timedelta(days=30))
    for goal in (Goal.REPLACE_KEY, Goal.RENEW, Goal.UPGRADE, Goal.ABORT)
)
IN_BATCHES = changed_intent(REPLACE_KEY, user_batch=1)
READER, FOLLOWED = Program(0, OLD), Program(0, OLD, followed=True)


def start(
    intent: Intent, brokers: tuple[int, ...] = (2,), users: int = 1, programs: tuple[Program, ...] = (), *, absent: int = 0,
    runs: int = 1, environment: Environment = Environment(),  # noqa: B008
) -> ModelUsers:  # fmt: skip
    """A cluster whose users all have certificates of one CA. brokers: how many listeners each has. absent: users that may come to be."""
    trusted = frozenset({OLD})
    adopting = intent.goal is Goal.UPGRADE
    in_use = Entry(OLD, "TRUSTED_IN_USE_ALL", frozenset({0}), frozenset())
    return ModelUsers(
        brokers=tuple((trusted,) * listeners for listeners in brokers),
        users=(*(User(OLD, OLD),) * users, *(None,) * absent),
        programs=programs,
        ca=Authorities(OLD, frozenset(), 0, OLD, frozenset(), frozenset()),
        bundle=trusted,
        books=None if adopting else Books((in_use,), (), None),
        pause=Pause(False, False),
        noticed=False,
        generated=adopting,
        view=None,
        runs=(Run(),) * runs,
        environment=environment,
    )
