# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Facts in words: titles, sentences, durations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import describe_round_count
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import SECONDS_OF_A_DAY, moment

Facts = Mapping[str, Any]

#: The most names that a sentence lists.
FEW = 9

#: Each flow; ``ca`` is its CA, ``owners`` are the parties that present certificates of it.
FLOWS = {
    "create": "Creation of the {ca} CA",
    "renew": "Renewal of the {ca} CA",
    "replace_key": "Replacement of the {ca} CA's key",
    "upgrade": "Adoption of the {ca} CA",
    "downgrade": "Return of the {ca} CA to the operator",
    "renew_leaves": "Renewal of the {owners}' certificates",
    "reconcile": "Reconciliation of the {ca} CA",
    "abort": "Abort of a rotation of the {ca} CA",
    "recover": "Recovery from ended certificates of the {ca} CA",
    "scale": "Scaling of a node pool",
    "convert_ledger": "Conversion of the ledger",
}
#: The possible CAs of a flow.
OWNERS = {"cluster": "nodes", "clients": "users"}
#: Each result as a mark and in words; the mark never stands alone.
RESULTS = {
    "done": ("✓", "Done"),
    "nothing_to_do": ("✓", "Nothing to do"),
    "stopped": ("■", "Stopped after the phase that the play names"),
    "planned": ("○", "Planned, nothing was changed"),
    "unfinished": ("…", "Not finished yet"),
    "held": ("✗", "Held: something is in the way"),
    "failed": ("✗", "Failed"),
}
PHASES = {
    "prepare": "the new CA is made known",
    "trust": "every node and client learns to trust it",
    "use": "every node and component presents its certificates",
    "retire": "the old CA leaves every truststore",
}
#: A component, and several of it, by the component's name in results.
TITLES = {str(component.value): component.facts.titles for component in Component}


def title(facts: Facts) -> str:
    cluster = facts["cluster"]
    flow = FLOWS.get(facts["goal"])
    phrase = flow.format(ca=facts["ca"], owners=OWNERS[facts["ca"]]) if flow else str(facts["goal"]).replace("_", " ")
    return f"{phrase}: {cluster['namespace']}/{cluster['name']}"


def count(number: int, singular: str, many: str | None = None) -> str:
    return f"{number} {noun(number, singular, many)}"


def noun(number: int, singular: str, many: str | None = None) -> str:
    """The noun for so many things."""
    return singular if number == 1 else many or f"{singular}s"


def party(component: str, number: int) -> str:
    """A component or how many of it."""
    singular, many = TITLES.get(component, (component, component))
    return singular if number == 1 else f"{number} {many}"


def few_names(names: Sequence[str]) -> str:
    """Few names in full, of many the first and how many more there are."""
    few = names if len(names) <= FEW else names[: FEW - 1]
    rest = len(names) - len(few)
    return ", ".join(few) + (f" and {rest} more" if rest else "")


def duration(seconds: float | None) -> str:
    """A time as people say it: the longer, the coarser."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def range_of(seconds: Mapping[str, int | None] | None) -> str:
    """A range of time; empty if there is no estimate, or if it takes no time to speak of."""
    if seconds is None or seconds["most"] in (0, 1):
        return ""
    least, most = seconds["least"] or 0, seconds["most"]
    if most is None:
        return f"{_about(least)} or more" if least else "as long as others take"
    return _about(most) if least == most else f"{_about(least)} to {_about(most)}"


def _about(seconds: int) -> str:
    """An estimated time; from two minutes on in whole minutes."""
    return f"{seconds} s" if seconds < 120 else f"{-(-seconds // 60)} min"


def remaining(seconds: int) -> str:
    """How long a certificate is still valid: in days; if it is less than two days, in hours and minutes."""
    if seconds < 0:
        return f"ended {duration(-seconds)} ago"
    return count(seconds // SECONDS_OF_A_DAY, "day") if seconds >= 2 * SECONDS_OF_A_DAY else duration(seconds)


def days(left: int | None) -> str:
    if left is None:
        return ""
    return f"{count(left, 'day')} left" if left >= 0 else f"expired {count(-left, 'day')} ago"


def time_for_people(text: str | None) -> str:
    """An RFC 3339 time as people read it, in UTC."""
    return text.replace("T", " ").replace("Z", " UTC") if text else ""


def describe_led_clients(since: str | None) -> str:
    """A sentence without a full stop about clients that the CA leads on to the next CA; empty if that is unknown."""
    return f"clients that have read it since {time_for_people(since)} are led on to the next CA" if since else ""


def span(begin: str, end: str) -> str:
    """From when to when, the day only once if it is the same."""
    begun, ended = moment(begin), moment(end)
    is_same_day = begun.date() == ended.date()
    return f"{begun:%Y-%m-%d %H:%M:%S} to {ended:{'%H:%M:%S' if is_same_day else '%Y-%m-%d %H:%M:%S'}} UTC"


def sentences(facts: Facts) -> list[str]:
    """The most important sentences about a run, the most important first."""
    return [*_trust(facts), *_rolls(facts), *_work(facts), *_lives(facts), *_issuer(facts), *_audit(facts)]


def _trust(facts: Facts) -> Iterable[str]:
    names = " and ".join(f"{ca['name']} ({ca['sha256'][:12]})" for ca in facts["removed"])
    if names:
        which = "the removed CA" if len(facts["removed"]) == 1 else "the removed CAs"
        pods, verb = facts["removed_ca_trusted_by"], "trusts" if facts["removed_ca_trusted_by"] == 1 else "trust"
        where = " on any listener" if facts["removed_ca_known_by"] else ""
        them = "it" if len(facts["removed"]) == 1 else "them"
        yield f"{count(pods, 'pod')} {verb} {which} {names}{where}{'' if pods else _shown_by(facts['proof'], them)}."
    if facts["removed_ca_known_by"]:
        yield (
            f"Raft clients and agents of {few_names(facts['removed_ca_known_by'])} have not read their trust again: "
            "they know it until the next restart of these nodes, for whatever reason."
        )


def _shown_by(proof: Facts, them: str) -> str:
    """The evidence that no pod trusts the removed CA: handshakes with listeners, or stored evidence."""
    asked_count, refusing, trusting = (proof[f"listeners_{what}"] for what in ("asked", "refusing", "trusting"))
    if not refusing and not trusting:
        return f", by stored evidence: the run asked no listener about {them}"
    missing = f"; {count(proof['nodes_not_asked'], 'node')} not observed" if proof["nodes_not_asked"] else ""
    if trusting:
        return f", by stored evidence: {trusting} of {count(asked_count, 'listener')} did when asked{missing}"
    unknown = f"; {asked_count - refusing} of them gave no clear answer" if refusing < asked_count else ""
    return f": {refusing} of {count(asked_count, 'listener')} asked refuse {them}{unknown}{missing}"


def _rolls(facts: Facts) -> Iterable[str]:
    if facts["check_mode"] or not facts["rolls"]:
        return
    together = facts["nodes_away_together"]
    how = "" if together is None else ", no two nodes down together"
    if together is not None and together > 1:
        how = f", up to {together} nodes down together"
    yield f"{count(facts['rolls'], 'roll')} of {count(facts['nodes'], 'node')}{_made_rounds(facts)}{how}."


def _made_rounds(facts: Facts) -> str:
    """The rounds as they were made, beside the plan, as a part of a sentence; empty if each node restarted alone."""
    sizes = sorted(len(one["nodes"]) for one in facts["rounds"])
    if not sizes:
        return ""
    each = str(sizes[0]) if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}"
    return f" in {count(len(sizes), 'round')} of {each} {noun(sizes[-1], 'node')}{as_planned(facts)}"


def as_planned(facts: Facts) -> str:
    """The number of planned rounds beside the number of the rounds that were made; empty if none were planned."""
    return f" ({facts['planned_rounds']} planned)" if facts["planned_rounds"] else ""


def _work(facts: Facts) -> Iterable[str]:
    if facts["plan"]:
        yield (
            f"{count(len(facts['plan']), 'step')} planned with {count(facts['planned_rolls'], 'roll')} of "
            f"{count(facts['nodes'], 'node')}{describe_round_count(facts)} and "
            f"{count(facts['planned_restarts'], 'restart')} of pods in all{_estimate(facts['planned_seconds'])}."
        )
        for node in facts["unheard"]:
            yield f"{node['pod']} has yet to answer ({node['reason']}): its answers may add restarts to this plan."
    elif facts["check_mode"] or not facts["steps"]:
        yield "Nothing was written and nothing was restarted."
    else:
        yield f"{count(facts['writes'], 'write')} and {count(facts['restarts'], 'restart')} of pods."


def _estimate(seconds: Mapping[str, int | None] | None) -> str:
    """The estimated time of a plan, as the end of a sentence; empty if there is none."""
    span = range_of(seconds)
    return f"; it takes {span}" if span else ""


def _audit(facts: Facts) -> Iterable[str]:
    if last := facts["audit"]:
        yield (
            f"Entry {last['entry']} of {last['object']} has the SHA-256 {last['sha256']}, which proves this entry and "
            "the entries before it."
        )


def _lives(facts: Facts) -> Iterable[str]:
    """The certificates that may end before the plan does; if all of them last, the first that ends."""
    lives = facts["planned_lives"]
    if not facts["plan"] or not lives:
        return
    short = [life for life in lives if life["lasts"] is False]
    for life in short:
        yield f"{life['name']}: the first end is {_end(life)}, less than twice the estimated time of the plan away."
    first = min(lives, key=lambda life: int(life["seconds_left"]))
    if not short:
        yield f"Of what is in use, the first end is that of {first['name']}, {_end(first)}."


def _end(life: Facts) -> str:
    return f"on {time_for_people(life['not_after'])} ({remaining(life['seconds_left'])})"


def _issuer(facts: Facts) -> Iterable[str]:
    for ca in facts["cas"]:
        if ca["current"]:
            until = f" and is valid until {ca['not_after'][:10]} ({days(ca['days_left'])})" if ca["not_after"] else ""
            yield f"{ca['name']} ({ca['sha256'][:12]}) issues certificates{until}."
