# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Where a flow is to stop until it is led on, such as for an approval (docs/design.md, "A stop").

An interruption is something else: whatever call comes next goes on with a flow that was killed, as far as it may go.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import Journal, Stop
from ..model.names import flow_named

#: The state of the module strimzi_ca that begins a flow with this goal, and leads it.
_LED_BY = {Goal.CREATE: "present", Goal.RENEW: "renewed", Goal.REPLACE_KEY: "replaced"}


def may_lead_flow(intent: Intent, journal: Journal) -> bool:
    """Whether this call decides how far the flow in flight goes: it has the flow's own goal, undoes it, or says so."""
    if intent.continue_stopped or intent.goal is Goal.ABORT:
        return True
    return intent.goal is _asked_for(journal) and not journal.is_abort


def _asked_for(journal: Journal) -> Goal:
    """The goal of the call that began the flow: a renewal may be the first part of a replacement."""
    return Goal.REPLACE_KEY if journal.to_replace else journal.goal


def stop_of(before: Stop | None, intent: Intent, is_led: bool, now: datetime) -> Stop | None:
    """Where the flow is to stop from now on. A call that does not lead it can bring the stop forward alone."""
    after = intent.stop_after if is_led else _earlier(before.after if before else None, intent.stop_after)
    if after is None or (before is not None and before.after is after):
        return None if after is None else before
    return Stop(after, now)


def _earlier(one: Phase | None, other: Phase | None) -> Phase | None:
    return min(filter(None, (one, other)), key=lambda phase: phase.position, default=None)


def stops_before_use(journal: Journal) -> bool:
    """Whether the flow is to stop before the CA that it replaces gives way to another one. An abort has to do with leaves of both."""
    return journal.stop is not None and not journal.is_abort and journal.stop.after in (Phase.PREPARE, Phase.TRUST)


def limit_to_stop(intent: Intent, stop: Stop) -> Intent:
    """The intent with the phases alone that the flow may enter."""
    return replace(intent, until=_earlier(intent.until, stop.after))


def describe_stop(journal: Journal, stop: Stop, authority: str) -> tuple[str, str]:
    """Where the flow stops and since when, and what goes on with it. authority: which CA of the cluster the flow is about, in words."""
    led_by, undone = (
        ("aborted", "")
        if journal.is_abort
        else (_LED_BY.get(_asked_for(journal), "present"), " state=aborted undoes it.")
    )
    return (
        f"has a flow on its {authority} ({flow_named(journal)}, begun on {journal.started_at:%Y-%m-%d}) that stops after the phase {stop.after.value}, as "
        f"asked for on {stop.asked_at:%Y-%m-%d at %H:%M} UTC.",
        f"strimzi_ca with state={led_by}, or the playbook that began it, goes on with a later until_phase or none; any other call with "
        f"continue_stopped=true.{undone}",
    )
