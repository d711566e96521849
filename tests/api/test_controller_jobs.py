"""A controller's jobs: from the plan to a denied approval, two at once, cancelled, killed and launched again; and what is left of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ..tools.checks.canary import Canary
from ..tools.cluster.kube import wait_for
from .controller_jobs import Controller, Job, answers, node, template, workflow_answers
from .resources import read_secret
from .running import Runner
from .test_check_mode import keys
from .test_permissions import shipped_rules

ROTATION = "Kafka CA rotation"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.fixture(scope="module")
def controller(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    folder = tmp_path_factory.mktemp("controller")
    yield Controller(runner.as_service_account(shipped_rules(), folder), folder)
    # pytest removes the folders of earlier sessions.
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)


@pytest.fixture(scope="module")
def place(runner: Runner) -> dict[str, str]:
    return {"strimzi_cluster": "demo", "strimzi_namespace": runner.cluster.namespace}


def states(runner: Runner) -> list[str]:
    return [ca["state"] for ca in runner.module("strimzi_ca_info")["cas"]]


@pytest.fixture(scope="module")
def planned(controller: Controller, place: dict[str, str]) -> dict[str, str]:
    """Variables that the node "plan" passes on."""
    job = controller.launch("Kafka CA plan", workflow_answers(**place) | node("plan")["extra_data"]).succeeded()
    return {name: str(value) for name, value in job.stats().items()}


def test_a_job_shows_the_state_from_a_tree_that_it_can_only_read(controller: Controller, place: dict[str, str]) -> None:
    status = template("Kafka CA status")
    job = controller.launch("Kafka CA status", answers(status, **place)).succeeded()
    assert "changed=0" in job.output


def test_check_changes_nothing_and_passes_the_hash_on(
    controller: Controller, place: dict[str, str], planned: dict[str, str]
) -> None:
    since = controller.runner.audit_lines()
    job = controller.launch(ROTATION, workflow_answers(**place), check=True).succeeded()
    assert job.stats() == planned
    assert controller.runner.writes_in_audit_log(since) == []


def test_a_denied_approval_leaves_the_flow_where_it_stops(
    controller: Controller, runner: Runner, place: dict[str, str], planned: dict[str, str]
) -> None:
    given = workflow_answers(**place) | planned
    assert list(given) == [
        "strimzi_cluster", "strimzi_namespace", "strimzi_ca", "strimzi_retire", "strimzi_replaces", "strimzi_plan_hash",
    ]  # fmt: skip
    controller.launch(ROTATION, given | node("trust")["extra_data"]).succeeded()
    trusted = states(runner)
    assert len(trusted) == 2
    before, published = runner.cluster.node_uids("demo"), read_secret(runner, "demo-cluster-ca-cert")
    # Denied: no later node runs. The schedule does.
    reconcile = template("Kafka CA reconcile")
    controller.launch("Kafka CA reconcile", answers(reconcile, **place)).succeeded()
    assert states(runner) == trusted
    assert read_secret(runner, "demo-cluster-ca-cert") == published
    assert runner.restarts_since(before) == 0
    controller.launch("Kafka CA abort", answers(template("Kafka CA abort"), **place)).succeeded()
    assert states(runner) == ["TRUSTED_IN_USE_ALL"]


def still_waiting(job: Job) -> int:
    return sum("still waiting" in event["stdout"] for event in job.events())


@pytest.mark.long
def test_a_job_waits_aloud_and_refuses_a_second_job(
    controller: Controller, runner: Runner, place: dict[str, str], planned: dict[str, str]
) -> None:
    given = workflow_answers(**place) | planned
    before = runner.cluster.node_uids("demo")
    first = controller.launch(ROTATION, given)
    wait_for(lambda: runner.cluster.node_uids("demo") != before, "the first restart", 300)
    runner.cluster.stop_operator()
    try:
        wait_for(lambda: still_waiting(first) >= 1, "a sign of life", 90)
        second = controller.launch(ROTATION, given).failed()
        wait_for(lambda: still_waiting(first) >= 2, "another sign of life", 90)
        assert first.cancel().status == "canceled"
        # The end of its container is the end of what the signal has not reached.
        first.kill()
    finally:
        runner.cluster.start_operator(interval=10)
    assert "Another run (holder " in second.output
    third = controller.launch(ROTATION, given)
    wait_for(lambda: still_working(third), "work of the third job", 300)
    third.kill()
    controller.launch(ROTATION, given).succeeded()
    assert states(runner) == ["TRUSTED_IN_USE_ALL"]
    assert runner.restarts_since(before) == 3


def still_working(job: Job) -> bool:
    return any(
        event["event"] == "verbose" and "[test-controller-jobs/demo]" in event["stdout"] for event in job.events()
    )


def test_jobs_leave_no_secret_and_no_control_character(controller: Controller, runner: Runner) -> None:
    artifacts = sorted(controller.folder.glob("job-*/artifacts"))
    assert len(artifacts) > 4
    assert list(Canary(set(keys(runner))).scan(artifacts)) == []
    for file in (
        path for folder in artifacts for path in folder.rglob("*") if path.is_file() and path.name != "command"
    ):
        assert controller.token not in file.read_text(), file
        if file.name == "stdout":
            shown = _COLOUR.sub("", file.read_text()).replace("\r\n", "\n")
            assert _CONTROL.findall(shown) == [], file
