# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule that keeps users from being refused, taken out alone, leads to a user who is refused or has no certificate: none is there for
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import Reader
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import gates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import journal, update
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause as PauseStep
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules import pause, retire, switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import settle_key
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import await_bundle

from ...tools.support.engines import leaving_open, without
from .. import runs as of_both
from ..authorities import OLD
from ..explore import explore
from ..findings import Record
from ..invariants import forgotten
from ..state import KAFKA, Pause, Run, Write
from . import runs
from .clients_ca import ClientsCa, People, stays_paused
from .findings import counter_example, to_the_end
from .invariants import lost
from .people import adds_a_user, keep_hands_off, wants_it_undone
from .runs import Unasked, UsersRunner
from .starts import ABORT, FOLLOWED, READER, REPLACE_KEY, start
from .state import Environment, Listed, Listeners, ModelUsers, Secrets

Patch = pytest.MonkeyPatch
BLIND, BLIND_AND_WORN = Environment(keystores=False), Environment(keystores=False, expiring=True)
LOST = lost(0)


def world(people: People = keep_hands_off, engine: Any = None, runner: type[UsersRunner] = UsersRunner) -> ClientsCa:
    made = [runner(intent, *([engine] if engine else [])) for intent in (REPLACE_KEY, ABORT)]
    return ClientsCa(made[0], people, made[1])


# Gates.


def test_the_gates_before_use() -> None:
    """And the rule that opens them."""
    engine = replace(leaving_open("trust", "alone"), rules=without(restart_to_trust).rules)
    assert counter_example(start(REPLACE_KEY), world(engine=engine)).rule == "I1"


def test_the_removal_gate() -> None:
    """When no program was seen to present the old CA any more, a user comes to present it."""
    begin = start(REPLACE_KEY, (1,), 0, absent=1)
    assert counter_example(begin, world(adds_a_user, leaving_open("removal"))).rule == "I2"


@dataclass
class FirstListener(UsersRunner):
    """Asks one listener of each broker, and takes its answer for that of all."""

    def answers(self, model: ModelUsers) -> tuple[Listeners, ...]:
        return tuple(listeners[:1] for listeners in model.brokers)


def test_every_listener_is_a_party_of_its_own() -> None:
    assert counter_example(start(REPLACE_KEY, (2,)), world(runner=FirstListener)).parties[0] == "listener 1 of broker 0"


@pytest.mark.parametrize("program", [READER, FOLLOWED], ids=["by hand", "by the operator"])
def test_programs_are_waited_for_until_they_have_read_the_new_certificate(program: Any, monkeypatch: Patch) -> None:
    monkeypatch.setattr(Reader, "is_up_to_date", lambda *_arguments: True)
    assert counter_example(start(REPLACE_KEY, (1,), 1, (program,)), world()).rule == "I2"


def test_certificates_on_their_way_at_the_switch_end_later(monkeypatch: Patch) -> None:
    """A program reads a certificate that the User Operator began before the switch and stored after it."""
    monkeypatch.setattr(journal, "_BELATED", -timedelta(days=1))
    begin = start(REPLACE_KEY, (1,), 1, (READER,), environment=Environment(aging=True, expiring=True))
    assert counter_example(begin, world()).rule == "I2"


def test_certificates_that_programs_read_before_the_switch_end(monkeypatch: Patch) -> None:
    """Where the journal did not say when, the flow would wait for ever for a program that never reads again."""
    monkeypatch.setattr(parties, "known_presenters", lambda snapshot: snapshot.presenters)
    begin = start(REPLACE_KEY, (1,), 1, (READER,), environment=Environment(aging=True, reading=False))
    assert not explore(begin, world()).ends


def test_a_certificate_that_is_about_to_be_issued_counts(monkeypatch: Patch) -> None:
    """The User Operator has read the old CA, and stores a certificate of it when that has left."""
    monkeypatch.setattr(gates, "parties_awaiting_issue", lambda *_arguments: ())
    assert counter_example(start(REPLACE_KEY, (1,), 0, absent=1), world(adds_a_user)).rule == "I2"


# Evidence.


def test_the_read_back(monkeypatch: Patch) -> None:
    """A CA counts as projected although the operator has not put it into the bundle yet."""
    monkeypatch.setattr(
        update, "is_projected", lambda snapshot, fingerprint: fingerprint in snapshot.ca.projected
    )  # fmt: skip
    engine = without(await_bundle)
    assert counter_example(start(REPLACE_KEY), world(engine=engine, runner=Unasked)).rule == "I1"


def test_listeners_are_asked_before_a_ca_is_forgotten(monkeypatch: Patch) -> None:
    for module in (update, retire):
        monkeypatch.setattr(module, "pods_trusting_removed", lambda *_arguments: frozenset())
    assert counter_example(start(REPLACE_KEY), world()) == forgotten("broker 0", OLD)


# Pauses.


def test_without_pkcs12_files_users_are_paused_during_the_switch(monkeypatch: Patch) -> None:
    monkeypatch.setattr(switch, "pause_reissue", lambda _at: ())
    assert counter_example(start(REPLACE_KEY, environment=BLIND_AND_WORN), world()) == LOST


def certificate_first(step: Switch, seen: Secrets) -> tuple[Write, ...]:
    return of_both._switch(step, seen)[::-1]


@pytest.mark.parametrize("key_first", [True, False])
def test_the_key_goes_first(key_first: bool, monkeypatch: Patch, record_property: Record) -> None:
    """Then the User Operator leaves users alone in between whose certificates go on for a while; with the certificate first it acts on all."""
    monkeypatch.setattr(switch, "pause_reissue", lambda _at: ())
    begin = start(REPLACE_KEY, environment=BLIND)
    if key_first:
        to_the_end(record_property, "no user is paused, and no certificate ends", begin, world())
        return
    monkeypatch.setitem(of_both._WRITES, Switch, certificate_first)
    assert counter_example(begin, world()) == LOST


def test_no_user_is_resumed_in_the_middle_of_the_switch(monkeypatch: Patch) -> None:
    """A run that gives up between its two writes resumes no user."""
    monkeypatch.setattr(pause, "_key_matches", lambda _snapshot: True)
    assert counter_example(start(REPLACE_KEY, environment=BLIND_AND_WORN), world()) == LOST


def test_users_are_paused_before_a_switch_back(monkeypatch: Patch) -> None:
    """The User Operator has read the CA that is given up, for a user who has kept a certificate of the old one."""
    monkeypatch.setattr(pause, "_why_paused_before_switch_back", lambda _at: "")
    assert counter_example(start(REPLACE_KEY), world(wants_it_undone)).rule == "I2"


def hasty(confirmed: bool) -> Callable[[ModelUsers, Write], ModelUsers]:
    """A pause that counts at once."""

    def change(model: ModelUsers, write: Write) -> ModelUsers:
        return model._replace(pause=Pause(True, confirmed or model.pause.effective))

    return change


def test_a_pause_counts_when_the_operator_has_confirmed_it(monkeypatch: Patch) -> None:
    """Before that, the operator goes on with its reconcile: it puts the old CA back into the bundle, and brokers read it."""
    monkeypatch.setitem(runs._APPLY, "pause", hasty(confirmed=True))
    assert counter_example(start(REPLACE_KEY), world()).rule == "I5"


def pause_at_once(step: PauseStep, seen: Secrets, listed: Listed) -> tuple[Write, ...]:
    return () if seen.pause.asked else (Write(KAFKA, "pause", None),)


def test_the_operators_status_of_an_earlier_pause_does_not_count(monkeypatch: Patch) -> None:
    monkeypatch.setitem(runs._WRITES, PauseStep, pause_at_once)
    assert counter_example(start(REPLACE_KEY), world()).rule == "I5"


def annotated_at_once(model: ModelUsers, write: Write) -> ModelUsers:
    user = model.users[write.slot or 0]
    return model if user is None else model.with_user(write.slot or 0, user._replace(paused=True))


def test_the_status_of_a_user_from_an_earlier_pause_does_not_count(monkeypatch: Patch) -> None:
    """The User Operator is at work on it again, and reads a certificate and a key that do not belong together."""
    monkeypatch.setitem(runs._APPLY, runs.PAUSE_USER, annotated_at_once)
    assert counter_example(start(REPLACE_KEY, environment=BLIND_AND_WORN), world()) == LOST


# The order of things.


@dataclass
class Unconditional(UsersRunner):
    def refuses(self, write: Write, run: Run) -> bool:
        return False


def test_conditional_writes() -> None:
    assert counter_example(start(REPLACE_KEY, (1,), 0, runs=2), world(runner=Unconditional)).rule.startswith("I")


def test_a_switch_is_ended_before_anything_else() -> None:
    """Without this rule a run that is to undo a switch of which half is done gives up the CA whose key is in use; no run goes on from there
    (I8).
    """
    assert explore(start(REPLACE_KEY), world(wants_it_undone, without(settle_key))).dead_ends()


def test_no_user_stays_paused(monkeypatch: Patch) -> None:
    """A run that ends in an orderly way resumes every user."""

    def resume_no_user(_snapshot: Snapshot) -> tuple[()]:
        return ()

    monkeypatch.setattr(pause, "_resume_reissue", resume_no_user)
    monkeypatch.setattr(runs, "resume_operators", lambda snapshot: ())
    begin = start(REPLACE_KEY, environment=BLIND)
    assert counter_example(begin, world(wants_it_undone)) == stays_paused("user 0")
