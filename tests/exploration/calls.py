# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as the passes of calls that remember what they have written, with the collection's own memory (``_strimzi/apply/written.py``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import Written
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from .cluster_ca import People
from .events import Event
from .runs import Runner, _let_on
from .state import CERTIFICATE, KAFKA, KEY, Call, ModelCluster, Run, Secrets

_SCOPE = ClusterNames("kafka", "demo")
_KEYS = {target: ("Kafka" if target == KAFKA else "Secret", "kafka", target) for target in (CERTIFICATE, KEY, KAFKA)}
#: More losses than that change nothing.
MOST = 3


def _content(seen: Secrets | ModelCluster) -> dict[str, dict[str, str]]:
    """The fields of the objects that another program may write back."""
    ca = seen.ca
    return {
        CERTIFICATE: {"current": f"{ca.current} {ca.generation}", "others": str(sorted(ca.others))},
        KEY: {"key": str(ca.key), "prepared": str(sorted(ca.prepared))},
        KAFKA: {"pause": str(seen.pause.asked)},
    }


@dataclass
class CallRunner(Runner):
    """A call stops where something of the same object is gone for the second time."""

    def moves(self, model: ModelCluster) -> Iterator[Event]:
        yield from super().moves(model)
        for number, run in enumerate(model.runs):
            if run.idle and run.call:
                yield f"run {number} is killed between two passes", model.with_run(number, Run())

    def undisturbed(self, model: ModelCluster, number: int) -> Event:
        run = model.runs[number]
        call = run.call or Call()
        if run.idle:
            call = call._replace(seen=call.undone)
        elif run.seen is not None:
            call, stops = _looked(call, run.seen)
            if stops:
                return f"run {number} stops", _let_on(model).changed(KAFKA).with_run(number, Run())
        event, after = super().undisturbed(model.with_run(number, run._replace(call=None)), number)
        if run.writes and "is refused" not in event:
            call = _noted(call, model, after)
        over = run.seen is not None and self.decision(run.seen, self.listed(model))[1].done
        return event, after if over else after.with_run(number, after.runs[number]._replace(call=call))


def _looked(call: Call, seen: Secrets) -> tuple[Call, bool]:
    """Whether it stops, by what it has written and what is there now."""
    written = _remembered(call)
    found = {_KEYS[target]: {"metadata": {"name": target}, "data": fields} for target, fields in _content(seen).items()}
    about: Any = SimpleNamespace(by_key=found, scope=_SCOPE, secrets={}, pods={}, stored_leaves=(), kafka=None)
    losses = written.take_losses(about, None)  # type: ignore[arg-type]
    return _kept(written, call), any(loss.is_repeated for loss in losses)


def _noted(call: Call, before: ModelCluster, after: ModelCluster) -> Call:
    written, was = _remembered(call), _content(before)
    for target, fields in _content(after).items():
        if changed := {field: value for field, value in fields.items() if value != was[target][field]}:
            written.note(_KEYS[target], {"data": changed})
    return _kept(written, call)


def _remembered(call: Call) -> Written:
    fields = {key: dict(known) for key, known in call.wrote}
    return Written(_fields=fields, _listed=set(fields), _times=Counter(dict(call.times)))


def _kept(written: Written, call: Call) -> Call:
    wrote = tuple(sorted((key, tuple(sorted(known.items()))) for key, known in written._fields.items() if known))
    return call._replace(wrote=wrote, times=tuple(sorted(written._times.items())))


def by_another_program(people: People, target: str) -> People:
    """These people write an object back; calls whose writes to it are gone then count it."""

    def they(model: ModelCluster) -> Iterator[Event]:
        for event, after in people(model):
            yield event, after._replace(runs=tuple(_undone(run, target) for run in after.runs))

    return they


def _undone(run: Run, target: str) -> Run:
    if run.call is None or not any(key == _KEYS[target] for key, _known in run.call.wrote):
        return run
    return run._replace(call=run.call._replace(undone=min(run.call.undone + 1, MOST)))
