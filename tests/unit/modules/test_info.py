# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_ca_info: the whole picture of any cluster, what a flow would take, and what the role status shows of it; it never changes anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ansible_collections.trustops.strimzi.plugins.filter.violation_rows import violation_rows
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import listeners
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.modules.strimzi_ca_info import plan_lines

from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.impostor import Impostor
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.users import user_secret
from . import stages
from .mistakes import entry, use_authority
from .running import call, shown_lines
from .stages import DAY, FAST, NOW
from .test_user import OLD, cluster
from .uses import USES

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]


def test_a_cluster_that_was_never_adopted_shows_its_ca_its_leaves_and_who_presents_and_trusts_what() -> None:
    ended = stages.done(stages.generated(), "strimzi_ca_info")
    seen = ended.result
    assert (ended.writes, seen["cluster"]["generated"], seen["journal"]) == ([], True, None)
    (ca,) = seen["cas"]
    assert (ca["subject"], ca["state"], ca["usage"], ca["current"]) == (
        "CN=cluster-ca v0,O=io.strimzi",
        None,
        "ALL",
        True,
    )
    assert ca["not_after"] > ca["not_before"] > "2026"
    assert (len(ca["used_by"]), ca["trusted_by_count"]) == (6, 6)
    label = f"cluster-ca v0 ({ca['sha256'][:12]})"
    assert {(tuple(pod["presents"]), tuple(pod["trusts"])) for pod in seen["pods"]} == {((label,), (label,))}
    assert {leaf["secret"] for leaf in seen["leaves"]} >= {*NODES, "demo-cluster-operator-certs"}
    assert all(leaf["issuer"] == ca["subject"] and leaf["not_after"] for leaf in seen["leaves"])
    assert [violation["gate"] for violation in seen["violations"]] == ["authority_is_user_managed"]


def test_where_nodes_can_be_asked_each_listener_is_shown(reading: Callable[[MemoryCluster], ReloadingNodes]) -> None:
    memory = stages.generated()
    reading(memory)
    seen = stages.done(memory, "strimzi_ca_info").result
    assert seen["evidence"]["source"] == "handshake"
    label = f"cluster-ca v0 ({seen['cas'][0]['sha256'][:12]})"
    assert [(one["pod"], one["port"], one["issuers"], one["trusts"]) for one in seen["listeners"]] == [
        (node, port, [label], [label]) for node in NODES for port in (9090, 9091)
    ]


def test_a_node_that_shows_its_certificate_without_having_the_key_presents_nothing(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    memory = stages.managed()
    chain = parse_certificates(entry(memory, NODES[0], f"{NODES[0]}.crt"))

    @contextmanager
    def without_key(pod: str, port: int, *, timeout: float) -> Iterator[Impostor]:
        yield Impostor(chain, chain[1:])

    monkeypatch.setattr(connect, "port_opener_for", lambda *_options: without_key)
    seen = stages.done(memory, "strimzi_ca_info", evidence="handshake").result
    assert {one["pod"] for one in seen["listeners"]} == set(NODES)
    found = ("presents", "issuers", "trusts", "refuses")
    assert [one[what] for one in seen["listeners"] for what in found if one[what]] == []
    golden.compare_said("calls", "\n".join(sorted({one["why"][0] for one in seen["listeners"]})))


@pytest.mark.parametrize(
    ("goal", "phases", "rolls"),
    [
        ("create", [], 0),
        ("renew", ["prepare", "trust", "use", "retire"], 1),
        ("replace_key", ["prepare", "trust", "use", "retire"], 2),
        ("upgrade", [], 0),
        ("downgrade", ["retire"], 0),
        ("renew_leaves", [], 0),
        ("reconcile", [], 0),
    ],
)
def test_the_plan_of_every_goal(goal: str, phases: list[str], rolls: int) -> None:
    seen = stages.done(stages.managed(), "strimzi_ca_info", goal=goal, fresh_for_hours=0).result
    assert sorted(seen["planned_phases"], key=["prepare", "trust", "use", "retire"].index) == phases
    assert (seen["planned_rolls"], seen["violations"]) == (rolls, [])


def test_a_supplied_ca_is_part_of_the_plan() -> None:
    theirs = make("theirs", key(3), begin=stages.NOW - stages.DAY, end=stages.NOW + 365 * stages.DAY)
    given = {"certificate": theirs.certificate.pem.decode(), "private_key": theirs.key.reveal().decode()}
    seen = stages.done(stages.managed(), "strimzi_ca_info", goal="replace_key", fresh_for_hours=0, **given).result
    assert any(step["phase"] == "use" and theirs.certificate.subject in step["what"] for step in seen["plan"])


@pytest.mark.parametrize("use", [use for use in USES if use.module == "strimzi_ca"], ids=str)
def test_check_mode_plans_what_the_run_then_does(use: Any) -> None:
    """The first writes of the plan are the first writes of the run."""
    planned, done = use.planned.result, use.done.result
    first = [action["object"] for action in planned["actions"]]
    assert [action["object"] for action in done["actions"]][: len(first)] == first


# The role ``status`` shows users, from the results that the modules really return.

TEMPLATES = Path(__file__).parents[3] / "roles" / "status" / "templates"


def unrolled(named: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
    """As Ansible has the filters of Jinja."""

    @wraps(named)
    def found(*arguments: Any, **options: Any) -> list[Any]:
        return list(named(*arguments, **options))

    return found


def rendered(seen: dict[str, Any], users: dict[str, Any], everything: bool) -> list[str]:
    """The page of these results."""
    pages = Environment(loader=FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=StrictUndefined)
    pages.filters |= {name: unrolled(pages.filters[name]) for name in ("map", "selectattr", "rejectattr")}
    pages.filters["trustops.strimzi.violation_rows"] = violation_rows
    pages.filters["regex_replace"] = lambda text, pattern, other: re.sub(pattern, other, text)
    page = pages.get_template("status.md.j2")
    text = page.render(status_seen=seen, status_users=users, status_everything=everything)
    return text.splitlines()


def shown(memory: MemoryCluster, ca: str = "clients", everything: bool = True, **options: Any) -> list[str]:
    seen = call("strimzi_ca_info", memory, ca=ca).result
    users = call("strimzi_user_info", memory, **options).result
    return rendered(seen, users, everything)


def test_every_user_with_who_issued_its_certificate_until_when_and_who_reads_it(golden: GoldenFiles) -> None:
    memory, current = cluster()
    spec = {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": "orders"}}]}]}
    memory.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orders-0"}, "spec": spec})
    copied = user_secret("partner", current, current, NOW)
    copied["metadata"]["labels"] = {}
    memory.apply(copied)
    told = shown(memory, presenting_secrets=["partner"])
    label = f"clients-ca v0 ({current.certificate.sha256[:12]})"
    seen = call("strimzi_user_info", memory, presenting_secrets=["partner"]).result
    until = {one["name"]: one["certificate"]["not_after"] for one in seen["users"] if one["certificate"]}
    old = f"clients-ca v9 ({OLD.certificate.sha256[:12]})"
    of_users = [line for line in told if line.startswith(("user kafka/", "Secret kafka/partner", "KafkaUser "))]
    golden.compare_said("calls", "\n".join(of_users))
    for name, issuer in (("payments", label), ("orders", old)):
        (line,) = [line for line in of_users if line.startswith(f"user kafka/{name}: ")]
        assert [text for text in (issuer, until[name]) if text not in line] == []
    assert not [line for line in told if "kafka/scram" in line]


def test_a_ca_that_has_ended_is_shown_with_the_programs_that_refuse_it_and_what_helps() -> None:
    memory = stages.managed()
    use_authority(memory, make("cluster-ca v0", key(1), begin=NOW - 9 * DAY, end=NOW - DAY))
    told = shown(memory, ca="cluster")
    (line,) = (one for one in told if one.startswith("The CA CN=cluster-ca v0") and " ended on " in one)
    assert "OpenSSL (librdkafka)" in line
    assert told[-1].startswith("next: ")


def test_a_look_shows_both_cas_and_what_ends_first_and_its_renewal() -> None:
    memory = stages.managed()
    told = shown(memory, ca="cluster", everything=False)
    seen = call("strimzi_ca_info", memory).result
    first, other = seen["first_to_end"], seen["other_ca"]
    for kind in ("ca", "certificate", "other_ca"):
        (line,) = (one for one in told if first[kind]["name"] in one)
        assert f"ends on {first[kind]['not_after']}, in {first[kind]['days_left']} days" in line
    assert (other["name"], other["state"], other["flow"]) == ("clients CA", None, None)
    assert first["other_ca"]["sha256"] == other["sha256"]
    assert first["other_ca"]["renewed_by"].startswith("the Cluster Operator")
    stored = {leaf["sha256"]: leaf["not_after"] for leaf in seen["leaves"]}
    assert first["certificate"]["not_after"] == stored[first["certificate"]["sha256"]] == min(stored.values())
    assert len(told) <= 25
    secrets = {leaf["secret"] for leaf in seen["leaves"]}
    assert {name for name in secrets if any(f"Secret {name}: a certificate of" in one for one in told)} == set()
    everything = shown(memory, ca="cluster")
    assert {name for name in secrets if any(f"Secret {name}: a certificate of" in one for one in everything)} == secrets


def test_a_flow_in_flight_is_shown_with_its_begin_and_what_holds_it() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="replaced", until_phase="trust", **FAST)
    journal = call("strimzi_ca_info", memory).result["journal"]
    lines = shown(memory, ca="cluster", everything=False)
    assert sum("replace_key" in line and journal["started_at"] in line for line in lines) == 1
    assert call("strimzi_ca_info", memory, ca="clients").result["other_ca"]["flow"] == "replace_key"


@pytest.mark.parametrize("stage", ["generated", "managed", "lost", "looked after", "stopped"])
def test_the_last_line_says_where_the_ca_stands(stage: str, golden: GoldenFiles) -> None:
    memory = stages.generated() if stage == "generated" else stages.managed()
    if stage == "stopped":
        stages.done(memory, "strimzi_ca", state="replaced", until_phase="trust", **FAST)
    if stage == "looked after":
        stages.done(memory, "strimzi_trusted_certs", state="retired", ca_renewal="specified")
    if stage == "lost":
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{memory.cluster}-cluster-ca-cert")
    golden.compare("plan", f"status, the last line, {stage}", without_chance(shown(memory, ca="cluster")[-1]))


def test_what_nothing_renews_is_what_the_last_line_is_about() -> None:
    """Above it stands that nothing is going to renew the CA, and what helps: no line says that there is nothing to do, and no more."""
    memory = stages.managed()
    first = call("strimzi_ca_info", memory).result["first_to_end"]["ca"]
    assert (first["renewed_by"], bool(first["remedy"])) == ("", True)
    *_rest, last = shown(memory, ca="cluster")
    assert [fact in last for fact in (first["not_after"], first["remedy"])] == [True, True]


def test_the_next_reconcile_of_a_schedule_is_the_last_line() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_trusted_certs", state="retired", ca_renewal="specified")
    *_rest, last = shown(memory, ca="cluster")
    first = call("strimzi_ca_info", memory).result["first_to_end"]["ca"]
    assert [fact in last for fact in (first["name"], first["renewed_by"])] == [True, True]


def test_a_cluster_that_was_never_adopted_is_held_by_nothing() -> None:
    """It shows both CAs, who renews them, what ends when, and the playbook that adopts it."""
    memory = stages.generated()
    told = shown(memory, ca="cluster")
    first = call("strimzi_ca_info", memory).result["first_to_end"]
    for kind in ("ca", "certificate", "other_ca"):
        (line,) = (one for one in told if first[kind]["name"] in one)
        assert f"renewed by {first[kind]['renewed_by']}" in line
        assert first[kind]["not_after"] in line
    assert "upgrade playbook" in told[-1]
    assert [line for line in told if "held" in line or "generateCertificateAuthority" in line] == []


def test_what_would_hold_its_adoption_is_shown_all_the_same() -> None:
    memory = stages.generated()
    metadata = {"labels": {"strimzi.io/cluster": None}}
    path = f"/api/v1/namespaces/{memory.namespace}/pods/{NODES[0]}"
    memory.api.request("PATCH", path, body={"metadata": metadata}, content_type="application/merge-patch+json")
    (violation,) = [
        one
        for one in call("strimzi_ca_info", memory).result["violations"]
        if one["gate"] != "authority_is_user_managed"
    ]
    told = shown(memory, ca="cluster")
    shown_command = f"The command: {violation['command']}"
    assert f"{violation['subject']}: {violation['message']} {violation['remedy']} {shown_command}" in told
    assert violation["remedy"] in told[-1]


def test_where_secrets_are_lost_one_remedy_is_shown() -> None:
    """A CA without its key is renewed by nothing until the recovery: no other playbook stands beside that."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="renewed", client_grace=0, backup=True, **FAST)
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{memory.cluster}-cluster-ca")
    told = shown(memory, ca="cluster")
    assert "recover playbook" in told[-1]
    named = {name for line in told for name in re.findall(r"the (\w+) playbook", line)}
    assert named == {"recover"}


# The lines of the call itself.


def told_by(memory: MemoryCluster, folder: Path, module: str = "strimzi_ca_info", **options: Any) -> list[str]:
    """The lines that a call shows while it works."""
    file = folder / "progress"
    file.write_text("")
    call(module, memory, progress_file=str(file), **options)
    return shown_lines(file)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("start", [stages.generated, stages.managed, stages.prepared])
def test_a_call_that_names_no_flow_shows_no_plan(
    start: Callable[[], MemoryCluster], check: bool, tmp_path: Path
) -> None:
    """As ``status`` and the flows whose plan no goal has: a plan of another flow is no part of what they show."""
    assert told_by(start(), tmp_path, check=check) == []
    assert told_by(start(), tmp_path, check=check, goal="reconcile") != []


@pytest.mark.parametrize("check", [False, True])
def test_a_plan_without_a_step_says_in_sentences_what_is_in_the_way(check: bool, tmp_path: Path) -> None:
    memory = stages.generated()
    _first, *rest = told_by(memory, tmp_path, goal="replace_key", check=check)
    (line,) = [line for line in rest if not line.startswith("plan hash: ")]
    (violation,) = call("strimzi_ca_info", memory, goal="replace_key").result["violations"]
    remedy = f" {violation['remedy']}" if check else ""
    assert line == f"{violation['subject']}: {violation['message']}{remedy}"


def test_the_plan_of_a_run_that_goes_on_says_that_nothing_holds_it(
    reading: Callable[[MemoryCluster], ReloadingNodes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At the first look a busy node shows its certificate and nothing of its trust; the call after the plan asks it again."""
    memory = stages.generated()
    nodes = reading(memory)

    def answer(observation: Observation, *_about: Any, **_how: Any) -> tuple[ObservedListener, ...]:
        found = nodes.answers(observation)
        if nodes.answers.asked > 1:
            return found
        return tuple(
            replace(one, accepts=frozenset(), refuses=frozenset(), doubts=dict.fromkeys(one.accepts, "no clear answer"))
            for one in found
        )

    monkeypatch.setattr(listeners, "look_at", answer)
    lines = told_by(memory, tmp_path, goal="upgrade")
    assert lines[0].startswith("upgrade: ")
    assert [line for line in lines if "held" in line] == []
    assert stages.done(memory, "strimzi_ca", state="adopted").result["done"]


# Nodes of which none answers at the first look of a call: they restart just now, so what is stored does not stand for their answers.

Reading = Callable[[MemoryCluster], ReloadingNodes]
ALL = {f"demo-kafka-{number}" for number in range(3)}
RENEWED = {"state": "renewed", "pod_timeout": 1, **FAST}


def silent(reading: Reading) -> tuple[MemoryCluster, ReloadingNodes]:
    memory = stages.managed()
    nodes = reading(memory)
    nodes.answers.silent = set(ALL)
    return memory, nodes


def test_nodes_that_answer_late_are_waited_for_and_restart_no_more_than_usual(reading: Reading) -> None:
    memory, nodes = silent(reading)

    def answer_at_the_third_look() -> None:
        if nodes.answers.asked == 3:
            nodes.answers.silent = set()

    nodes.answers.before = answer_at_the_third_look
    ended = stages.done(memory, "strimzi_ca", **RENEWED)
    assert ended.result["evidence"]["source"] == "handshake"
    assert "wait" in {action["verb"] for action in ended.result["actions"] if "demo-kafka-0" in action["object"]}
    assert set(memory.restarts().values()) == {0}


def test_a_plan_names_the_nodes_that_have_yet_to_answer_and_adds_no_restart_for_them(
    reading: Reading, golden: GoldenFiles
) -> None:
    memory, nodes = silent(reading)
    wanted = {"goal": "replace_key", "retire": "when_restarted"}
    nodes.answers.silent = {"demo-kafka-1"}
    less = stages.done(memory, "strimzi_ca_info", **wanted)
    unheard = less.result["planned_from"]["unheard"]
    assert (less.result["planned_from"]["heard"], [one["pod"] for one in unheard]) == (
        ["demo-kafka-0", "demo-kafka-2"],
        ["demo-kafka-1"],
    )
    assert unheard[0]["reason"]
    golden.compare_said("calls", plan_lines(less.result, "replace_key", check_mode=False)[0])
    nodes.answers.silent = set()
    whole = stages.done(memory, "strimzi_ca_info", **wanted)
    assert whole.result["planned_from"] == {"heard": sorted(ALL), "unheard": []}
    assert less.result["planned_restarts"] <= whole.result["planned_restarts"]


def test_nodes_that_never_answer_hold_the_flow_with_their_names(reading: Reading) -> None:
    memory, _nodes = silent(reading)
    ended = call("strimzi_ca", memory, **RENEWED)
    assert ended.failed
    assert {one["subject"] for one in ended.result["violations"]} == {f"Pod kafka/{name}" for name in ALL}
    assert "evidence=annotations" in ended.result["msg"]
    assert set(memory.restarts().values()) == {0}


def test_an_operator_of_another_version_is_warned_of() -> None:
    memory = stages.managed()
    body = {"status": {"operatorLastSuccessfulVersion": "1.3.0"}, "metadata": {}}
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo/status"
    memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert [one for one in stages.done(memory, "strimzi_ca_info").warnings if "Strimzi 1.3.0" in one]
    assert stages.done(stages.managed(), "strimzi_ca_info").warnings == []
