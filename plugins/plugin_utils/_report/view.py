# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The texts, rows and places in the templates. The templates escape them; this module does not.

A table folds rows into one if they say the same: a hundred nodes stay readable. The timeline has one row per phase and
one bar per call, with their places, for SVG.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.folding import (
    describe_violations_in_rows,
    describe_way_out,
    fold,
    fold_violations,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import describe_round_count
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report import words
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.facts import HANDSHAKE, rows_of
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.picture import picture
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import PHASES, count, duration

Facts = Mapping[str, Any]


def _fold_rows(rows: Sequence[dict[str, Any]], key: str = "name") -> list[dict[str, Any]]:
    """The rows of a table, folded if they differ in their name alone, which stands under ``key``."""
    folded = fold(rows, lambda row: tuple((column, str(value)) for column, value in row.items() if column != key))
    return [{**first, **_more([row[key] for row in others])} for first, others in folded]


def _more(names: Sequence[str]) -> dict[str, Any]:
    """How many things a row stands for beside its first, and their names."""
    return {"more": f"{len(names)} more like this" if names else "", "others": list(names)}


def matrix(facts: Facts, cas: Sequence[Facts]) -> dict[str, Any]:
    """The matrix of channels and CAs; each row has under ``others`` the channels like its first."""
    folded = fold(facts["channels"], lambda channel: _likeness(channel, cas))
    return {
        "caption": _caption(facts["look"]),
        "cas": [
            {"letter": ca["letter"], "colour": ca["colour"], "name": ca["name"], "short": ca["short"]} for ca in cas
        ],
        "rows": [_row(channel, others, cas) for channel, others in folded],
    }


def _likeness(channel: Facts, cas: Sequence[Facts]) -> tuple[Any, ...]:
    """The same for two channels if they have the same cells by the same evidence, and both have reasons or none."""
    return channel["kind"], channel["port"], channel["evidence"], tuple(_cells(channel, cas)), bool(channel["why"])


def _row(channel: Facts, others: Sequence[Facts], cas: Sequence[Facts]) -> dict[str, Any]:
    return {
        "name": _name(channel),
        **_more([_name(other) for other in others]),
        "cells": _cells(channel, cas),
        "known_from": _known_from(channel),
        "why": "; ".join([*channel["why"], *_count_other_reasons(channel, others)]),
    }


def _count_other_reasons(channel: Facts, others: Sequence[Facts]) -> Iterator[str]:
    reasons = {why for other in others for why in other["why"]} - {*channel["why"]}
    if reasons:
        yield f"{count(len(reasons), 'more reason')} in report.json"


def _name(channel: Facts) -> str:
    if channel["kind"] == "listener":
        return f"{channel['party']}:{channel['port']}"
    return f"Raft client and agent of {channel['party']}" if channel["kind"] == "raft" else str(channel["party"])


def _known_from(channel: Facts) -> str:
    if channel["evidence"] != HANDSHAKE:
        return "stored evidence, not observed"
    answered = channel["presents"] or channel["trusts"] or channel["refuses"]
    return HANDSHAKE if answered else "asked, not observed"


def _cells(channel: Facts, cas: Sequence[Facts]) -> list[str]:
    return [_cell(channel, ca["short"]) for ca in cas]


def _cell(channel: Facts, ca: str) -> str:
    """The text of a cell. If a listener verifies no client by these CAs, it neither trusts nor refuses them."""
    presents = ["presents"] if ca in channel["presents"] else []
    if not channel["verifies"]:
        return "presents" if presents else "-"
    return ", ".join([*presents, _trust(channel, ca)])


def _trust(channel: Facts, ca: str) -> str:
    trusts, refuses = ca in channel["trusts"], ca in channel["refuses"]
    if trusts is refuses:
        return "unknown"
    return "trusts" if trusts else "refuses"


def _caption(look: Facts) -> str:
    if not look["seen_at"]:
        why = f" ({look['why']})" if look["why"] else ""
        return (
            f"This run has asked no listener{why}: this report rests on stored evidence, and CAs that a process trusts "
            "beyond that are unknown"
        )
    return (
        f"Listeners as they answered handshakes, asked last at {words.time_for_people(look['seen_at'])}; everything "
        "else from stored evidence at the end of the run"
    )


WIDTH, LEFT, RIGHT, ROW = 1040, 170, 1030, 62
#: The least width of a bar: a call stays visible even if it took no time.
NARROWEST = 3.0


def timeline(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The timeline of the calls. Time between calls is Ansible's own, and is left out."""
    whole = facts["worked_seconds"] or 1.0
    rows = [_timeline_row(index, phase, whole) for index, phase in enumerate(facts["phases"])]
    return {"width": WIDTH, "left": LEFT, "right": RIGHT, "height": len(rows) * ROW + 4, "rows": rows}


def _timeline_row(index: int, phase: Mapping[str, Any], whole: float) -> dict[str, Any]:
    bars = [_bar(work, whole) for work in phase["work"]]
    begin = min(stripe["x"] for stripe in bars)
    late = begin > (LEFT + RIGHT) / 2
    return {
        "y": index * ROW, "phase": phase["phase"], "duration": duration(phase["seconds"]),
        "meaning": PHASES[phase["phase"]],
        "bars": bars,
        "text": summary(phase),
        "text_x": max(stripe["x"] + stripe["width"] for stripe in bars) if late else begin,
        "anchor": "end" if late else "start",
    }  # fmt: skip


def _bar(work: Mapping[str, Any], whole: float) -> dict[str, Any]:
    scale = (RIGHT - LEFT) / whole
    width = max(work["seconds"] * scale, NARROWEST)
    x = min(LEFT + work["begins"] * scale, RIGHT - width)
    what = f"{count(work['writes'], 'write')}, {count(work['restarts'], 'restart')}"
    return {
        "x": round(x, 1), "width": round(width, 1), "kind": work["kind"],
        "title": f"{what}, {duration(work['seconds'])}",
    }  # fmt: skip


def summary(phase: Mapping[str, Any]) -> str:
    """The actions of a phase in one line."""
    writes = sum(written["times"] for written in phase["writes"])
    parts = [count(writes, "write")] if writes else []
    rolled = sum(work["seconds"] for work in phase["work"] if work["kind"] == "roll")
    if phase["restarts"]:
        parts.append(
            f"{count(len(phase['restarts']), 'pod')} restarted" + (f" in {duration(rolled)}" if rolled else "")
        )
    waited = [wait["seconds"] or 0.0 for wait in phase["waits"]]
    if waited:
        parts.append(f"waited {duration(sum(waited))} for the operator")
    return ", ".join(parts)


#: Classes of the style sheet; the letter tells CAs apart without colour.
COLOURS = 5
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def view_of(facts: Facts) -> dict[str, Any]:
    mark, result = words.RESULTS[facts["result"]]
    cas = authorities(facts)
    return {
        "title": words.title(facts),
        "mark": mark,
        "result": result,
        "when": _when(facts),
        "sentences": words.sentences(facts),
        "lines": lines(facts),
        "violations": [_violation(first, others) for first, others in fold_violations(facts["violations"])],
        "figures": _figures(facts),
        "pictures": _pictures(facts, cas),
        "timeline": timeline(facts),
        "phases": [_phase(phase) for phase in _done(facts)],
        "rounds": [_round(number, one) for number, one in enumerate(facts["rounds"], 1)],
        "plan": [_planned(number, step) for number, step in enumerate(facts["plan"], 1)],
        "choices": facts["choices"],
        "readers": [_reader(number, step) for number, step in enumerate(facts["plan"], 1) if step["outside"]],
        "lives": [_life(life) for life in facts["planned_lives"]],
        "approval": _approval(facts),
        "cas": cas,
        "matrix": matrix(facts, cas),
        "pods": _fold_rows([_pod(pod, cas) for pod in facts["pods"]]),
        "outside": _fold_rows([_outside(client, cas) for client in facts["outside"]], "client"),
        "waivers": facts["waivers"],
        "presenters": _fold_rows([_presenter(presenter, cas) for presenter in facts["presenters"]["others"]]),
        "presenters_done": facts["presenters"]["count"] - len(facts["presenters"]["others"]),
        "users": rows_of(facts["users"]),
        "log": _log(facts),
        "remainders": _remainders(facts),
    }


def lines(facts: Facts) -> list[str]:
    """The report for a terminal, short."""
    mark, result = words.RESULTS[facts["result"]]
    phases = [f"{phase['phase']}: {summary(phase)} ({words.duration(phase['seconds'])})" for phase in _done(facts)]
    obstacles = list(describe_violations_in_rows(facts["violations"]))
    if facts["failure"] and not obstacles:
        obstacles = [facts["failure"]]
    return [
        f"{words.title(facts)}: {mark} {result}",
        *words.sentences(facts),
        *phases,
        *obstacles,
        *_remainders(facts),
        *_carried_out(facts),
    ]


def _violation(first: Facts, others: Sequence[Facts]) -> dict[str, Any]:
    remedy = describe_way_out(first, others)
    return {**first, "remedy": remedy, **_more([violation["subject"] for violation in others])}


def _done(facts: Facts) -> Sequence[Facts]:
    """The phases in which something was done; none in check mode."""
    return [] if facts["check_mode"] else facts["phases"]


def _when(facts: Facts) -> str:
    if not facts["started_at"]:
        return f"until {words.time_for_people(facts['finished_at'])}"
    worked = f", {words.duration(facts['worked_seconds'])} of it work" if facts["worked_seconds"] else ""
    span = words.span(facts["started_at"], facts["finished_at"])
    return f"{span} ({words.duration(facts['seconds'])}{worked})"


def _figures(facts: Facts) -> list[tuple[str, str]]:
    """Number and what it counts."""
    figures = [_trusting(facts)] if facts["removed"] else []
    rolls, restarts, nodes = facts["rolls"], facts["restarts"], words.count(facts["nodes"], "Kafka node")
    prefix = ""
    if facts["check_mode"]:
        rolls, restarts, prefix = facts["planned_rolls"], facts["planned_restarts"], "planned "
        figures.append(_figure(len(facts["plan"]), "planned step"))
    if facts["nodes"]:
        figures.append(_figure(rolls, f"{prefix}roll of {nodes}", f"{prefix}rolls of {nodes}"))
    if describe_round_count(facts):
        figures.append(_figure(facts["planned_rounds"], f"{prefix}round of restarts", f"{prefix}rounds of restarts"))
    if facts["rounds"]:
        number, what = _figure(len(facts["rounds"]), "round of restarts", "rounds of restarts")
        figures.append((number, f"{what}{words.as_planned(facts)}"))
    figures.append(_figure(restarts, f"{prefix}restart of a pod", f"{prefix}restarts of pods"))
    if not facts["check_mode"]:
        figures.append(_figure(facts["writes"], "write"))
    if facts["check_mode"]:
        estimate = words.range_of(facts["planned_seconds"])
        figures += [(estimate, "estimated")] if estimate else []
    elif facts["started_at"]:
        figures.append((words.duration(facts["seconds"]), "from start to end"))
    return figures


def _trusting(facts: Facts) -> tuple[str, str]:
    """The figure of parties that trust the removed CA. It says "0 listeners" only if all listeners that the run asked
    refused it; else it says that this is stored evidence.
    """
    trusting, proof = facts["removed_ca_trusted_by"], facts["proof"]
    if trusting:
        return _figure(trusting, "pod trusts the removed CA", "pods trust the removed CA")
    if proof["listeners_asked"] and proof["listeners_refusing"] == proof["listeners_asked"]:
        return "0", f"of {words.count(proof['listeners_asked'], 'listener')} asked trust the removed CA"
    return "0", "pods trust the removed CA, by stored evidence"


def _figure(number: int, singular: str, many: str | None = None) -> tuple[str, str]:
    return str(number), words.noun(number, singular, many)


def authorities(facts: Facts) -> list[dict[str, Any]]:
    """Every CA of the report once: earlier CAs in their order, then new CAs."""
    after = {ca["sha256"]: ca for ca in [*facts["removed"], *facts["cas"]]}
    before = {ca["sha256"]: ca for ca in facts["cas_before"]}
    order = list(dict.fromkeys([*before, *after]))
    return [_authority(index, after[sha256], before.get(sha256)) for index, sha256 in enumerate(order)]


def _authority(index: int, ca: Facts, before: Facts | None) -> dict[str, Any]:
    """A CA of the report. If it has left, it stands with the pods that still know it."""
    is_gone = "pods" in ca
    return {
        "letter": LETTERS[index % len(LETTERS)],
        "colour": index % COLOURS,
        "name": ca["name"],
        "subject": ca["subject"],
        "sha256": ca["sha256"],
        "short": ca["sha256"][:12],
        "not_after": words.time_for_people(ca["not_after"]),
        "days": words.days(ca["days_left"]),
        "before": _state(before) if before else "not there yet",
        "after": _removed(ca) if is_gone else _state(ca),
        "led_on": words.describe_led_clients(ca.get("led_on_since")) if not is_gone and ca.get("current") else "",
        "there_before": before is not None,
        "there_after": not is_gone,
        "issuing_before": bool(before and before.get("current")),
        "issuing_after": bool(not is_gone and ca.get("current")),
        "meaning_before": before["meaning"] if before else "",
        "meaning_after": "" if is_gone else ca["meaning"],
    }


def _state(ca: Facts) -> str:
    """The state of a CA. If a cluster was never adopted, or was handed back, it has no ledger."""
    state = ca["meaning"] or "in no ledger"
    return f"{state}, issuing" if ca.get("current") else state


def _removed(ca: Facts) -> str:
    pods = len(ca["pods"])
    if pods:
        return f"removed, still trusted by {words.count(pods, 'pod')}"
    return "removed, trusted by no listener" if ca["lingering"] else "removed, trusted by no pod"


def _pictures(facts: Facts, cas: Sequence[Facts]) -> list[dict[str, Any]]:
    """Before and after, or one picture if nothing changed."""
    rows = max(len(facts["parties"]), len(facts["parties_before"]))
    before = picture(facts["parties_before"], _at("before", cas), "not there yet", rows)
    after = picture(facts["parties"], _at("after", cas), "removed", rows)
    if before == after:
        return [{"moment": "now", **after}]
    return [{"moment": "before", **before}, {"moment": "after", **after}]


def _at(moment: str, cas: Sequence[Facts]) -> list[dict[str, Any]]:
    """The CAs as they were then."""
    return [
        {**ca, "there": ca[f"there_{moment}"], "issuing": ca[f"issuing_{moment}"], "meaning": ca[f"meaning_{moment}"]}
        for ca in cas
    ]


def _phase(phase: Facts) -> dict[str, Any]:
    return {
        "phase": phase["phase"],
        "meaning": words.PHASES[phase["phase"]],
        "summary": summary(phase),
        "duration": words.duration(phase["seconds"]),
        "written": _written(phase["writes"]),
        "restarted": _restarted(phase["restarts"]),
        "restarts": [f"{restart['pod']} {words.duration(restart['seconds'])}".strip() for restart in phase["restarts"]],
        "waited": [f"{wait['what']}, {words.duration(wait['seconds'])}" for wait in phase["waits"]],
    }


def _written(writes: Sequence[Facts]) -> list[str]:
    """The written objects, with how often; pods are only counted, because there can be many."""
    objects, pods = [], 0
    for write in writes:
        if write["kind"] == "Pod":
            pods += 1
        else:
            written = f"{write['kind']} {write['name']}" if write["kind"] else write["object"]
            objects.append(written + (f" ({write['times']} times)" if write["times"] > 1 else ""))
    return [*objects, *([words.count(pods, "Pod")] if pods else [])]


def _restarted(restarts: Sequence[Facts]) -> list[str]:
    numbers = Counter(restart["component"] for restart in restarts)
    return [words.party(component, numbers[component]) for component in Component if component in numbers]


def _pod(pod: Facts, cas: Sequence[Facts]) -> dict[str, Any]:
    letters = _letters(cas)
    return {
        "name": pod["name"],
        "component": pod["component"],
        "ready": "yes" if pod.get("ready") else "no",
        "evidence": pod.get("evidence") or "",
        "restarts": "" if pod["restarts"] is None else str(pod["restarts"]),
        "presents": _name_cas("presents", pod, letters) or ["unknown" if pod.get("evidence") else "none of these CAs"],
        "trusts": _name_cas("trusts", pod, letters) or ["nothing known"],
    }


def _outside(client: Facts, cas: Sequence[Facts]) -> dict[str, Any]:
    """A client outside the cluster, with its waiver for audits."""
    letters, waiver = _letters(cas), client["waiver"]
    return {
        "client": client["client"],
        "trusts": _name_cas("trusts", client, letters) or ["nothing known"],
        "doubt": client["doubt"],
        "waiver": f"until {waiver['until']}: {waiver['reason']}" if waiver else "",
    }


def _presenter(presenter: Facts, cas: Sequence[Facts]) -> dict[str, Any]:
    """A party that presents something else than certificates of the CA in use, or may do so, with its waiver for
    audits.
    """
    letters, waiver = _letters(cas), presenter["waiver"]
    return {
        "name": presenter["name"],
        "presents": _name_cas("presents", presenter, letters) or ["unknown"],
        "evidence": presenter["evidence"],
        "waiver": f"until {waiver['until']}: {waiver['reason']}" if waiver else "",
    }


def _letters(cas: Sequence[Facts]) -> dict[str, str]:
    return {ca["short"]: f"{ca['letter']} {ca['name']}" for ca in cas}


def _name_cas(key: str, party: Facts, letters: Mapping[str, str]) -> list[str]:
    """The CAs under this key of a party by their letters; a CA without a letter as lists name it."""
    named = zip(party[key], party[f"{key}_sha256"], strict=True)
    return [letters.get(sha256[:12], label) for label, sha256 in named]


def _log(facts: Facts) -> list[dict[str, str]]:
    return [
        {
            "phase": str(action["phase"]),
            "verb": str(action["verb"]),
            "object": str(action["object"]),
            "what": str(action["what"]),
            "duration": words.duration(action.get("seconds")),
        }
        for step in facts["steps"]
        for action in step["actions"]
    ]


def _planned(number: int, step: Facts) -> dict[str, Any]:
    """A step of the plan; ``few`` names its restarted pods, in a line; ``rounds`` has a sentence about each round."""
    return {
        "number": number,
        "phase": step["phase"],
        "does": step["does"],
        "what": step["what"],
        "restarts": list(step["restarts"]),
        "few": words.few_names(step["restarts"]),
        "rounds": [f"Round {index}: {one['what']}" for index, one in enumerate(step["rounds"], 1)],
        "takes": words.range_of(step["seconds"]),
    }


def _round(number: int, one: Facts) -> str:
    """A round as it was made, in a line."""
    return (
        f"Round {number} ({one['phase']}): {words.count(len(one['nodes']), 'node')} ({words.few_names(one['nodes'])})"
    )


def _reader(number: int, step: Facts) -> dict[str, Any]:
    """The parties outside the cluster that have to read something, and by when: before the step after this step."""
    return {
        "clients": list(step["outside"]),
        "what": step["what"],
        "number": number,
        "takes": words.range_of(step["seconds"]),
    }


def _life(life: Facts) -> dict[str, str]:
    return {
        "name": life["name"],
        "not_after": words.time_for_people(life["not_after"]),
        "left": words.remaining(life["seconds_left"]),
        "lasts": {True: "yes", False: "no", None: "not known"}[life["lasts"]],
    }


def _approval(facts: Facts) -> dict[str, Any]:
    """The hash for the approval of a person, and the command that carries the plan out; empty if there is no plan to
    carry out.
    """
    missing = facts["not_in_command"]
    beside = f"Beside it give {', '.join(missing)} as for this plan, in a file of variables." if missing else ""
    return {"hash": facts["plan_hash"], "command": facts["command"], "beside": beside}


def _carried_out(facts: Facts) -> list[str]:
    approval = _approval(facts)
    sentences = [f"Carry this plan out with: {approval['command']}"] if approval["command"] else []
    return [*sentences, *filter(None, [approval["beside"]])]


def _remainders(facts: Facts) -> list[str]:
    """Sentences about the remaining work, and how to do it."""
    left = [f"Left: {pending}" for pending in facts["pending"]] + [*facts["waiting"], *facts["unmanaged"]]
    if facts["result"] in ("held", "failed", "unfinished", "stopped"):
        left.append("Run the same playbook again to continue; it repeats no finished step.")
    elif facts["result"] == "planned":
        left += [] if facts["command"] else ["Run the same playbook without check mode to carry it out."]
    return left
