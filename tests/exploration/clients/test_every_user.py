# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow on the clients CA can reach: brokers and listeners, users and programs, both operators, runs that are killed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..authorities import NEW, OLD, RENEWED
from ..findings import Record
from .clients_ca import ClientsCa, People
from .findings import to_the_end
from .people import adds_a_user, adds_and_deletes_users, keep_hands_off, wants_it_undone, with_all
from .runs import Unasked, UsersRunner
from .starts import ABORT, FOLLOWED, IN_BATCHES, READER, RENEW, REPLACE_KEY, UPGRADE, start
from .state import Environment

PLAIN, BLIND, STUBBORN = Environment(), Environment(keystores=False), Environment(reloadable=False)
#: Programs may never read again; after a while what they have read has ended.
AGING, OLD_ONES = Environment(aging=True), Environment(aging=True, reading=False)
#: Certificates may end at any moment.
WORN, BLIND_AND_WORN = Environment(expiring=True), Environment(keystores=False, expiring=True)


@dataclass(frozen=True)
class Case:
    """A beginning, by the parameters of ``start``, and the world in which it is explored."""

    name: str
    intent: Intent
    brokers: tuple[int, ...] = (1,)
    users: int = 1
    programs: Any = ()
    absent: int = 0
    runs: int = 1
    environment: Environment = PLAIN
    people: People = keep_hands_off
    runner: type[UsersRunner] = UsersRunner

    def explore(self, record: Record) -> Any:
        begin = start(
            self.intent, self.brokers, self.users, self.programs, absent=self.absent, runs=self.runs, environment=self.environment
        )  # fmt: skip
        world = ClientsCa(self.runner(self.intent), self.people, self.runner(ABORT))
        return to_the_end(record, self.name, begin, world)


SHORT = [
    Case("a new key, two listeners", REPLACE_KEY, (2,)),
    Case("a new key, two brokers", REPLACE_KEY, (1, 1)),
    Case("a new key, by restarts", REPLACE_KEY, environment=STUBBORN),
    Case(
        "a new key, programs that are restarted by hand and by the operator", REPLACE_KEY, programs=(READER, FOLLOWED)
    ),
    Case("a new key, brokers cannot be asked", REPLACE_KEY, (2,), environment=STUBBORN, runner=Unasked),
    Case("a new key, two users", REPLACE_KEY, users=2),
    Case("a new key, a program that never reads again", REPLACE_KEY, programs=(READER,), environment=OLD_ONES),
    Case("a new key, in batches", IN_BATCHES, users=2),
    Case("a new key, no PKCS#12", REPLACE_KEY, environment=BLIND_AND_WORN),
    Case("a new key, certificates that end", REPLACE_KEY, environment=WORN),
    Case("a new key, a user is added", REPLACE_KEY, absent=1, people=adds_a_user),
    Case("a new key, users come and go", REPLACE_KEY, people=adds_and_deletes_users),
    Case("a renewal", RENEW, (2,), programs=(READER,)),
    Case("an adoption, two runs without a Lease", UPGRADE, (2, 1), runs=2),
    Case("undone at any moment", REPLACE_KEY, people=wants_it_undone),
    Case("a renewal, undone at any moment", RENEW, people=wants_it_undone),
]
LONG = [
    Case("a new key, two brokers with two listeners and a program", REPLACE_KEY, (2, 2), programs=(READER,)),
    Case("a new key, certificates that end, a program", REPLACE_KEY, programs=(READER,), environment=WORN),
    Case("a new key, a program that may never read again", REPLACE_KEY, programs=(READER,), environment=AGING),
    Case("a new key, two brokers, by restarts", REPLACE_KEY, (2, 1), programs=(READER,), environment=STUBBORN),
    Case("a new key, in batches, programs", IN_BATCHES, (2,), users=2, programs=(READER,)),
    Case("a new key, no PKCS#12, a program", REPLACE_KEY, programs=(READER,), environment=BLIND_AND_WORN),
    Case("a new key, no PKCS#12, two users", REPLACE_KEY, users=2, environment=BLIND),
    Case("a new key, no PKCS#12, a user is added", REPLACE_KEY, users=0, absent=1, environment=BLIND, people=adds_a_user),
    Case("a new key, one user is added, another one deleted", REPLACE_KEY, users=2, people=adds_and_deletes_users),
    Case("undone at any moment, a user is added", REPLACE_KEY, users=0, absent=1, people=with_all(adds_a_user, wants_it_undone)),
    Case("undone at any moment, a program", REPLACE_KEY, programs=(READER,), people=wants_it_undone),
    Case("undone at any moment, two listeners, by restarts", REPLACE_KEY, (2,), environment=STUBBORN, people=wants_it_undone),
    Case("undone at any moment, in batches", IN_BATCHES, people=wants_it_undone),
    Case("undone at any moment, no PKCS#12", REPLACE_KEY, environment=BLIND_AND_WORN, people=wants_it_undone),
    Case("a renewal, no PKCS#12", RENEW, users=2, environment=BLIND_AND_WORN),
    Case("a renewal, two runs without a Lease", RENEW, users=0, runs=2),
    Case("a new key, two runs without a Lease", REPLACE_KEY, users=1, runs=2),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [*(pytest.param(one, id=one.name) for one in SHORT), *(pytest.param(one, id=one.name, marks=pytest.mark.long) for one in LONG)],
)  # fmt: skip
def test_no_program_is_refused_and_every_run_comes_to_its_end(case: Case, record_property: Record) -> None:
    found = case.explore(record_property)
    ends = [model for model, number in found.states.items() if number in found.ends]
    wanted = {REPLACE_KEY: NEW, IN_BATCHES: NEW, RENEW: RENEWED, UPGRADE: OLD}[case.intent]
    undone = {OLD} if found.is_reached("wants it undone") else set()
    assert {model.ca.current for model in ends} == {wanted} | undone
    for model in ends:
        only = frozenset({model.ca.current})
        assert model.ca.projected == model.bundle == only
        assert {user.leaf for user in model.users if user is not None} <= only | {None}
        assert not any(user.paused for user in model.users if user is not None)


def test_an_exploration_reaches_what_it_is_about(record_property: Record) -> None:
    """Otherwise it would show nothing."""
    found = Case("in batches, no PKCS#12", IN_BATCHES, (2,), environment=BLIND).explore(record_property)
    for event in (
        "writes reload", "listener 1 of broker 0 reads again", "writes pause user", "writes let user on", "gives up",
        "the User Operator notices user 0", "writes key", "writes withdraw", "is refused: the", "misses one that it asked",
    ):  # fmt: skip
        assert found.is_reached(event), event
