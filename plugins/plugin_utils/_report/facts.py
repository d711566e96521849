# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The facts about a flow: the content of report.json, from the results of the modules that it called.

The CAs before and after a run, and which removed CAs a pod still trusts. The channels, each a party of its own, with
their presented and trusted CAs. Only a handshake shows that a party refuses a CA; stored evidence shows the
certificates of a party. The inventory of clients that log in with certificates of the clients CA: the holder, issuer,
end and readers of each certificate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.nodes import (
    describe_phases,
    describe_pods,
    describe_rolls,
    operator_party,
    order_of,
    short_names,
)
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import (
    CHANGES,
    KAFKA,
    OPERATOR,
    Run,
    days_left,
    seconds_between,
)

Authority = dict[str, Any]

#: RFC 4514: an attribute stands between two unescaped commas. A backslash escapes one character.
_ATTRIBUTE = re.compile(r"(?:[^,\\]|\\.)+")
_ESCAPED = re.compile(r"\\(.)")


def describe_authorities(run: Run, now: datetime) -> dict[str, Any]:
    """The CAs of the present ledger are ``cas``; ``removed`` are CAs that this run removed, or that some pod still
    trusts.
    """
    before = {ca["sha256"]: ca for ca in run.first["cas"]}
    kept = {ca["sha256"] for ca in run.last["cas"]}
    lingering = {ca["sha256"]: ca for ca in run.last["removed"]}
    gone = {**{sha256: ca for sha256, ca in before.items() if sha256 not in kept}, **lingering}
    trusting = {pod for ca in lingering.values() for pod in ca.get("pods") or []}
    knowing = {pod for ca in lingering.values() for pod in ca.get("lingering") or []}
    return {
        "cas": [{**ca, **_added(ca, before, now)} for ca in run.last["cas"]],
        "removed": [_gone(ca, before, lingering, now) for ca in gone.values()],
        "cas_before": [{**ca, "name": common_name(ca["subject"])} for ca in run.first["cas"]],
        "removed_ca_trusted_by": len(trusting),
        "removed_ca_known_by": sorted(knowing),
    }


def _added(ca: Mapping[str, Any], before: Mapping[str, Authority], now: datetime) -> Authority:
    state = before[ca["sha256"]]["state"] if ca["sha256"] in before else None
    return {
        "name": common_name(ca["subject"]),
        "days_left": days_left(ca.get("not_after"), now),
        "state_before": state,
    }


def _gone(
    ca: Mapping[str, Any], before: Mapping[str, Authority], lingering: Mapping[str, Authority], now: datetime
) -> Authority:
    """Public facts of a CA that left the ledger; ``pods`` trust it until they restart. If a pod is in ``lingering``,
    every channel of it but the listeners does.
    """
    facts = {key: ca.get(key) for key in ("subject", "sha256", "fingerprint", "not_before", "not_after")}
    known_by = lingering.get(ca["sha256"], {})
    left = {key: sorted(known_by.get(key) or []) for key in ("pods", "lingering")}
    return {**facts, **_added(ca, before, now), "state": None, **left}


def common_name(subject: str) -> str:
    """The common name of an RFC 4514 name as people read it; the whole name if it has none."""
    for attribute in _ATTRIBUTE.findall(subject):
        if attribute.upper().startswith("CN="):
            return _ESCAPED.sub(r"\1", attribute[3:])
    return subject


Channel = dict[str, Any]
#: The source of the knowledge about a channel.
HANDSHAKE, STORED = "handshake", "stored"


def describe_channels(run: Run) -> dict[str, Any]:
    """The channels, and with ``look`` when a call asked the listeners, or why none did. CAs are named by the first 12
    digits of their SHA-256.
    """
    evidence = run.look["evidence"]
    channels = [*_nodes(run), *_rafts(run), *_components(run), *_operator(run), *map(_client, run.last["outside"])]
    return {
        "look": {"seen_at": evidence.get("seen_at"), "why": str(evidence.get("why") or "")},
        "channels": channels,
    }


def describe_proof(channels: Iterable[Mapping[str, Any]], removed: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many of the listeners that verify clients by these CAs were seen to refuse the removed CAs."""
    everything, gone = list(channels), {ca["sha256"][:12] for ca in removed}
    listeners_asked = [
        listener for listener in everything if listener["evidence"] == HANDSHAKE and listener["verifies"]
    ]
    return {
        "listeners_asked": len(listeners_asked),
        "listeners_refusing": sum(gone <= set(listener["refuses"]) for listener in listeners_asked) if gone else 0,
        "listeners_trusting": sum(bool(gone & set(listener["trusts"])) for listener in listeners_asked),
        "nodes_not_asked": sum(party["kind"] == "node" for party in everything),
    }


def _channel(kind: str, party: str, evidence: str, **known: Any) -> Channel:
    """A channel. Its kind is listener, node, raft, a component or client, and its party the pod or client. The port is
    that of a listener, else 0.
    """
    nothing: Channel = {"port": 0, "verifies": True, "presents": [], "trusts": [], "refuses": [], "why": []}
    return {"kind": kind, "party": party, "evidence": evidence, **nothing, **known}


def _nodes(run: Run) -> Iterable[Channel]:
    """The listeners of each node, if its answering process still runs; else the node as a whole, by stored evidence."""
    answers: dict[str, list[Mapping[str, Any]]] = {}
    for listener in run.look["listeners"]:
        answers.setdefault(listener["uid"], []).append(listener)
    pods_asked = {listener["pod"] for listener in run.look["listeners"]}
    for pod in _sorted(pod for pod in run.last["pods"] if pod["component"] == KAFKA):
        pod_answers = answers.get(pod["uid"], [])
        for listener in sorted(pod_answers, key=lambda answer: int(answer["port"])):
            yield _listener(listener)
        if not pod_answers:
            why = (
                "replaced after the run had asked it"
                if pod["name"] in pods_asked
                else "the run asked no listener of it"
            )
            yield _stored("node", pod, why)


def _listener(listener: Mapping[str, Any]) -> Channel:
    return _channel(
        "listener",
        listener["pod"],
        HANDSHAKE,
        port=listener["port"],
        verifies=listener["verifies"],
        presents=short_names(listener["issuers_sha256"]),
        trusts=short_names(listener["trusts_sha256"]),
        refuses=short_names(listener["refuses_sha256"]),
        why=list(listener["why"]),
    )


def _stored(kind: str, pod: Mapping[str, Any], *why: str) -> Channel:
    presents, trusts = short_names(pod["presents_sha256"]), short_names(pod["trusts_sha256"])
    reasons = [*why, *([pod["evidence"]] if pod.get("evidence") else [])]
    return _channel(kind, pod["name"], STORED, presents=presents, trusts=trusts, why=reasons)


def _rafts(run: Run) -> Iterable[Channel]:
    """The Raft clients and agents of nodes, if they know or present something that has left since the process started:
    removed CAs, and leaves that the Secrets do not contain any more.
    """
    started = {pod["name"]: pod for pod in run.last["pods"]}
    removed_by_pod: dict[str, list[str]] = {}
    presented: dict[str, list[str]] = {}
    for leaf in run.last["former_leaves"]:
        for name in (*leaf["pods"], *leaf["lingering"]):
            presented.setdefault(name, []).append(f"presents the certificate that ends on {leaf['not_after']}")
    for ca in run.last["removed"]:
        for name in ca.get("lingering") or []:
            removed_by_pod.setdefault(name, []).append(ca["sha256"][:12])
    for name in sorted({*removed_by_pod, *presented}, key=lambda name: order_of(KAFKA, name)):
        reasons = [*presented.get(name, ()), "until the next restart of the node"]
        pod = started.get(name, {"presents_sha256": [], "trusts_sha256": []})
        presents = [] if name in presented else short_names(pod["presents_sha256"])
        trusts = [*sorted(removed_by_pod.get(name, ())), *short_names(pod["trusts_sha256"])]
        yield _channel("raft", name, STORED, presents=presents, trusts=trusts, why=reasons)


def _components(run: Run) -> Iterable[Channel]:
    for pod in _sorted(pod for pod in run.last["pods"] if pod["component"] != KAFKA):
        yield _stored(pod["component"], pod)


def _operator(run: Run) -> Iterable[Channel]:
    for _component, name, presents, trusts in operator_party(run.last):
        yield _channel(OPERATOR, name, STORED, presents=presents, trusts=trusts, why=["its Secrets"])


def _client(client: Mapping[str, Any]) -> Channel:
    waiver = client.get("waiver")
    waived = [f"waived until {waiver['until']}"] if waiver else []
    reasons = [client["doubt"] or "its copy of the CAs", *waived]
    return _channel("client", client["client"], STORED, trusts=short_names(client["trusts_sha256"]), why=reasons)


def _sorted(pods: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(pods, key=lambda pod: order_of(pod["component"], pod["name"]))


Facts = Mapping[str, Any]


def describe_users(seen: Facts) -> list[dict[str, Any]]:
    """An entry for each user in the result of ``strimzi_user_info``, and for each certificate in a Secret that a person
    has named.
    """
    users = (_user(f"KafkaUser {user['namespace']}/{user['name']}", user) for user in seen.get("users") or ())
    return [*users, *(_user(named["secret"], named) for named in seen.get("named_certificates") or ())]


def _user(name: str, user: Facts) -> dict[str, Any]:
    """A user; its authentication is empty for a certificate in a named Secret."""
    certificate: Facts = user["certificate"] or {}
    return {
        "name": name,
        "authentication": user.get("authentication", ""),
        "subject": certificate.get("subject", ""),
        "issuer": certificate.get("ca") or certificate.get("issuer", ""),
        "sha256": certificate.get("sha256", ""),
        "not_after": certificate.get("not_after"),
        "read_by": list(user["presenters"]),
        "problem": certificate.get("problem", ""),
    }


def rows_of(users: Sequence[Facts]) -> list[dict[str, Any]]:
    """The rows of users on a page."""
    return [
        {
            "name": user["name"],
            "issuer": user["issuer"] or "none",
            "not_after": user["not_after"] or "-",
            "read_by": [_reader(reader) for reader in user["read_by"]],
            "problem": user["problem"],
        }
        for user in users
    ]


def _reader(reader: Facts) -> str:
    if reader["up_to_date"] is None:
        return f"{reader['name']} (not known whether since it changed)"
    return str(reader["name"]) if reader["up_to_date"] else f"{reader['name']} (not since it changed)"


def describe_forecast(run: Run) -> dict[str, Any]:
    """The plan of a run in check mode. A run that changes the cluster has the planned rounds alone, beside the rounds
    that it made.
    """
    forecast = run.forecast
    return {
        "plan": forecast.steps,
        "planned_rolls": forecast.rolls,
        "planned_rounds": run.planned_rounds,
        "planned_seconds": forecast.seconds,
        "planned_lives": forecast.lives,
        "choices": forecast.choices,
        "unheard": forecast.unheard,
        "plan_hash": forecast.plan_hash,
        "planned_restarts": sum(len(step["restarts"]) for step in forecast.steps),
    }


def describe_command(run: Run) -> dict[str, Any]:
    """The command that carries a plan out, as a shell takes it, and the variables beside it; empty if nothing was
    planned.
    """
    if not run.forecast.steps or not run.forecast.plan_hash:
        return {"command": "", "not_in_command": []}
    return {
        "command": _command(run),
        "not_in_command": [name for name, value in _repeated(run) if not _is_plain(value)],
    }


def _command(run: Run) -> str:
    plain = [(name, value) for name, value in _repeated(run) if _is_plain(value)]
    options = [f"-e {name}={value}" for name, value in (*plain, ("strimzi_plan_hash", run.forecast.plan_hash))]
    return " ".join([f"ansible-playbook trustops.strimzi.{run.goal}", *options])


def _repeated(run: Run) -> list[tuple[str, Any]]:
    """The variables of the command, in its order: the variables that name the cluster, then the others. If a variable
    is empty, it was not given.
    """
    where = {
        "strimzi_cluster": run.last["cluster"].get("name"),
        "strimzi_namespace": run.last["cluster"].get("namespace"),
    }
    others = {name: value for name, value in sorted(run.given.items()) if name not in where and value not in ("", None)}
    return [*where.items(), *others.items()]


#: Words that a shell takes as they are, and Ansible as the whole value.
_PLAIN = re.compile(r"[A-Za-z0-9_.:/@%+-]+")


def _is_plain(value: Any) -> bool:
    """Whether a command line can have this value. A certificate, or a dictionary that may contain a password, belongs
    into a file of variables.
    """
    return isinstance(value, (bool, int)) or (isinstance(value, str) and _PLAIN.fullmatch(value) is not None)


#: The version of the structure; it is raised if a key changes its meaning or goes away.
SCHEMA = 2


def facts_of(run: Run, now: datetime) -> dict[str, Any]:
    """The facts of a run that ends ``now``, from which days left count too."""
    worked = round(sum(step["seconds"] for step in run.steps), 1)
    authorities, channels = describe_authorities(run, now), describe_channels(run)
    return {
        "schema": SCHEMA,
        "cluster": run.last["cluster"],
        "goal": run.goal,
        "ca": run.ca,
        "check_mode": run.check_mode,
        "done": run.done,
        "result": run.result,
        "started_at": run.began_at,
        "finished_at": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": seconds_between(run.began_at, now) if run.began_at else worked,
        "worked_seconds": worked,
        "writes": sum(action["verb"] in CHANGES for action in run.actions),
        **describe_rolls(run),
        **authorities,
        **describe_pods(run),
        **channels,
        "proof": describe_proof(channels["channels"], authorities["removed"]),
        "outside": run.last["outside"],
        "waivers": run.last["waivers"],
        "unmanaged": run.last["unmanaged"],
        "presenters": run.last["presenters"],
        "users": describe_users(run.users),
        "leaves": run.last["leaves"],
        "leaves_before": run.first["leaves"],
        "phases": describe_phases(run),
        **describe_forecast(run),
        **describe_command(run),
        "pending": list(run.last.get("pending") or []),
        "waiting": list(run.last.get("waiting") or []),
        "client_warnings": run.client_warnings,
        "violations": run.violations,
        "failure": run.failure,
        "journal": run.last.get("journal"),
        "steps": run.steps,
        "audit": run.audit,
    }
