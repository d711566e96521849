# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that waits to be confirmed is told with all that a person compares, and stands in the way of nothing."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.holds import describe_roots_to_confirm

from ....support.intents import changed_intent
from ..builders import NEW, OLD, THIRD, cluster
from .asking import RECONCILE, situation

NAME = "Secret kafka/roots, entry ca.crt"
HELD = replace(cluster(), source=CaSource(NAME, (OLD.certificate, NEW.certificate, THIRD.certificate)))
CONFIRMING = changed_intent(RECONCILE, confirmed=frozenset({THIRD.certificate.sha256}))


def test_what_is_told() -> None:
    (told,) = describe_roots_to_confirm(situation(HELD, CONFIRMING))
    own = NEW.certificate
    assert told == (
        f"{NAME} holds a CA that this cluster does not trust: {own.subject}, SHA-256 {own.sha256}, valid from "
        f"{own.not_before:%Y-%m-%d %H:%M} to {own.not_after:%Y-%m-%d %H:%M} UTC. Nothing is done about it until a person has compared this "
        f"fingerprint with that of the CA that is meant and runs again with it in confirm_roots (strimzi_confirm_roots={own.sha256})."
    )


def test_it_is_told_at_the_end_and_the_flow_is_not_done() -> None:
    waiting = replace(cluster(), source=CaSource(NAME, (NEW.certificate,)))
    found = decide(waiting, RECONCILE)
    assert found == Decision(waiting=describe_roots_to_confirm(situation(waiting, RECONCILE)))


def test_those_that_are_confirmed_do_not_wait_for_the_others() -> None:
    (step, _bundle) = decide(HELD, CONFIRMING).steps
    assert [chain[0] for chain in step.chains] == [THIRD.certificate]  # type: ignore[attr-defined]


def test_nothing_is_told_where_no_source_is_named() -> None:
    assert describe_roots_to_confirm(situation(cluster(), RECONCILE)) == ()
