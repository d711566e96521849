# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The audit trail of a CA: decisions, writes and restarts of all calls, in a ConfigMap (docs/audit.md).

Each entry is one line of JSON below its number, and contains the SHA-256 of the line before it. If a line was changed,
removed or inserted, the chain breaks. The SHA-256 of the last line stands for the whole trail. Entries contain public
facts alone: a reader of the trail needs no right to read Secrets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..._errors import AlreadyExists, Conflict, KubeError, NotFound
from ..._kube.client import KubeClient
from ..._kube.resources import CONFIG_MAPS
from ..._trust.model.decision import Decision
from ..._trust.model.goals import Goal
from ..._trust.model.names import first_of
from ..cluster.observe import Key, Observation
from ..cluster.taken_names import why_taken
from ..names import ClusterNames
from .work import Action, Work, WrittenTrail, version

Entry = Mapping[str, Any]

#: The most bytes of all entries. The API server takes 1 MiB, and stores the whole ConfigMap again with each entry.
MOST_BYTES = 400_000
#: The most violations in an entry: each of thousands of users may hold a flow, and one entry must not push the others
#: out.
MOST_VIOLATIONS = 100
#: How often a call tries to append an entry when other calls append theirs first.
_ATTEMPTS = 5
_NUMBER = re.compile(r"\d{8}")
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class Head:
    """The last entry of a trail."""

    #: Its number, from 1; 0 if there is no entry.
    number: int
    #: SHA-256 of its line, in lower-case hex; empty if there is no entry.
    sha256: str


def read_lines(client: KubeClient, scope: ClusterNames) -> list[str]:
    """The lines of the trail in their order. Raises KubeError."""
    data = (client.get_or_none(CONFIG_MAPS, scope.namespace, scope.audit_trail) or {}).get("data") or {}
    return [data[number] for number in _numbers(data)]


def _numbers(data: Mapping[str, str]) -> list[str]:
    return sorted(filter(_NUMBER.fullmatch, data))


def _head(data: Mapping[str, str]) -> Head:
    numbers = _numbers(data)
    return Head(int(numbers[-1]), _digest(data[numbers[-1]])) if numbers else Head(0, "")


def _digest(line: str) -> str:
    return sha256(line.encode()).hexdigest()


def extend(data: Mapping[str, str], entries: Iterable[Entry], most: int = MOST_BYTES) -> dict[str, str | None]:
    """The merge patch that appends the entries to these lines, and removes the oldest lines beyond ``most`` bytes."""
    head, new = _head(data), dict[str, str]()
    for entry in entries:
        line = json.dumps({"entry": head.number + 1, "previous": head.sha256, **entry}, separators=(",", ":"))
        head = Head(head.number + 1, _digest(line))
        new[f"{head.number:08}"] = line
    kept = {number: line for number, line in {**data, **new}.items() if _NUMBER.fullmatch(number)}
    size = sum(map(len, kept.values()))
    gone = set[str]()
    for number in _numbers(kept)[:-1]:
        if size <= most:
            break
        gone.add(number)
        size -= len(kept[number])
    return {**dict.fromkeys(gone & data.keys()), **{number: line for number, line in new.items() if number not in gone}}


def digest_of_evidence(observation: Observation) -> str:
    """SHA-256 of the evidence for a decision: the versions of the read objects, and the answers of the nodes."""
    read = sorted((*key, version(item)) for key, item in observation.by_key.items())
    answers = sorted(
        (
            listener.uid, listener.port, [ca.sha256 for ca in listener.presents or ()],
            sorted(listener.accepts), sorted(listener.refuses), sorted(listener.doubts),
        )
        for listener in observation.snapshot.nodes.listeners or ()
    )  # fmt: skip
    return sha256(json.dumps([read, answers]).encode()).hexdigest()


class AuditTrail:
    """The trail of one CA, as one call writes it. It needs no Lease: an entry follows the last entry at its storing."""

    def __init__(self, work: Work) -> None:
        if work.trail is None:
            work.trail = WrittenTrail()
        self._work, self._written = work, work.trail

    @property
    def name(self) -> str:
        scope = self._work.scope
        return f"ConfigMap {scope.namespace}/{scope.audit_trail}"

    @property
    def head(self) -> Head:
        """The last entry of this call; of number 0 if it has none."""
        return _head((self._written.stored or {}).get("data") or {})

    def record_decision(self, decision: Decision, goal: Goal, observation: Observation) -> None:
        """Record the steps before the first of them is taken. First record the actions of the call since its last
        entry. Raises KubeError.
        """
        decided = {
            "goal": goal.value,
            "phase": decision.steps[0].phase.value,
            "steps": [step.sentence() for step in decision.steps],
            "transitions": [
                {
                    "ca": transition.subject, "fingerprint": transition.fingerprint,
                    "before": transition.before.value if transition.before else None,
                    "after": transition.after.value if transition.after else None, "evidence": transition.evidence,
                }
                for transition in decision.transitions
            ],
            "evidence": digest_of_evidence(observation),
        }  # fmt: skip
        self._append({"decided": decided})

    def record_end(self, decision: Decision) -> None:
        """Record the outcome of a flow. Raises KubeError."""
        first, more = first_of(decision.violations, MOST_VIOLATIONS)
        violations = [
            {"condition": violation.condition.value, "subject": violation.subject, "message": violation.message}
            for violation in first
        ]
        self._append({"ended": {"done": decision.done, "violations": violations, **({"more": more} if more else {})}})

    def record_actions(self) -> None:
        """Record the actions of the call since its last entry. Raises KubeError."""
        self._append()

    def _append(self, *last: Entry) -> None:
        now, done = self._work.clock.now().strftime(_TIME), len(self._work.actions)
        entries = [*map(_as_entry, self._changes(done)), *({"time": now, **entry} for entry in last)]
        self._store([{"run": self._work.settings.holder, **entry} for entry in entries])
        self._written.recorded = done

    def _changes(self, done: int) -> Iterator[Action]:
        return (action for action in self._work.actions[self._written.recorded : done] if action.is_change)

    def _store(self, entries: Sequence[Entry]) -> None:
        for attempt in range(1, _ATTEMPTS + 1) if entries else ():
            stored = self._written.stored or self._read()
            patch = extend((stored or {}).get("data") or {}, entries)
            try:
                self._written.stored = self._write(stored, patch)
                self._work.written.note(self._key, {"data": patch})
                return
            except KubeError as error:
                self._written.stored = None
                if error.outcome_unknown and self._has_stored(patch):
                    return
                if not isinstance(error, (AlreadyExists, Conflict, NotFound)) or attempt == _ATTEMPTS:
                    raise

    @property
    def _key(self) -> Key:
        return CONFIG_MAPS.kind, self._work.scope.namespace, self._work.scope.audit_trail

    def _read(self) -> Mapping[str, Any] | None:
        stored = self._work.client.get_or_none(CONFIG_MAPS, *self._key[1:])
        if stored is not None and (error := why_taken(self._work.scope, stored, CONFIG_MAPS.kind)) is not None:
            raise error
        self._work.written.compare(self._key, stored)
        return stored

    def _has_stored(self, patch: Mapping[str, str | None]) -> bool:
        """Whether the entries were stored, and the answer was lost."""
        self._written.stored = self._read()
        data = (self._written.stored or {}).get("data") or {}
        return all(data.get(number) == line for number, line in patch.items())

    def _write(self, stored: Mapping[str, Any] | None, patch: Mapping[str, str | None]) -> Mapping[str, Any]:
        client, scope = self._work.client, self._work.scope
        if stored is None:
            metadata = {"name": scope.audit_trail, "labels": scope.own_labels}
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": patch}
            return client.create(CONFIG_MAPS, scope.namespace, body)
        return client.patch(
            CONFIG_MAPS, scope.namespace, scope.audit_trail, {"data": patch}, resource_version=version(stored)
        )


def _as_entry(action: Action) -> Entry:
    done = {
        "verb": action.verb, "object": action.object, "what": action.what, "phase": action.phase,
        "before": action.before, "after": action.after,
    }  # fmt: skip
    return {"time": action.at.strftime(_TIME) if action.at else None, "done": done}
