"""Check mode says what would be done and writes nothing: the API server's audit log is the witness."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from cryptography import x509

from .running import Runner

SHAPE = {"actions", "cas", "changed", "cluster", "done", "journal", "leaves", "phase", "plan", "pods", "violations"}


def test_a_rotation_in_check_mode_writes_nothing(runner: Runner) -> None:
    since, pods = runner.audit_lines(), runner.cluster.node_uids("demo")
    finished = runner.flow("rotate-cluster-ca", "--check", "--diff").check()
    assert runner.writes_in_audit_log(since) == []
    assert runner.restarts_since(pods) == 0
    # 3 nodes, Entity Operator, Cruise Control and exporter, each twice: nobody can be asked here.
    assert "2 rolls of the Kafka nodes, 12 restarts in all" in finished.output
    assert re.search(r"^\[.*\] use: restart 6 pods .*\(restarts .*demo-kafka-0", finished.output, re.MULTILINE), (
        "the plan names no roll"
    )
    assert re.search(r"^localhost .* changed=1 ", finished.output, re.MULTILINE), (
        "the play does not tell that it would change anything"
    )
    assert f"+++ after: Secret {runner.cluster.namespace}/demo-cluster-ca-cert" in finished.output


def test_a_plan_is_a_document_and_its_hash_refuses_another_flow(runner: Runner, tmp_path: Path) -> None:
    since = runner.audit_lines()
    planned = runner.flow("plan", strimzi_report_dir=str(tmp_path)).check()
    (approved,) = re.findall(r"plan hash: ([0-9a-f-]+)", planned.output)
    facts = json.loads((tmp_path / "report.json").read_text())
    assert (facts["result"], facts["plan_hash"], facts["goal"]) == ("planned", approved, "replace_key")
    assert facts["command"] == (
        f"ansible-playbook trustops.strimzi.replace_key -e strimzi_cluster=demo -e strimzi_namespace={runner.cluster.namespace} "
        f"-e strimzi_client_grace=0 -e strimzi_plan_hash={approved}"
    )
    assert facts["command"] in planned.output
    assert re.search(r"^localhost .* changed=0 ", planned.output, re.MULTILINE)
    checked = runner.flow("replace_key", "--check", strimzi_plan_hash=approved).check()
    assert f"plan hash: {approved}" in checked.output
    refused = runner.flow("plan", strimzi_goal="renew", strimzi_plan_hash=approved)
    assert refused.code == 2
    assert "has another plan now than the approved plan" in refused.output
    assert runner.writes_in_audit_log(since) == []


@pytest.mark.long
def test_each_module_predicts_the_shape_of_its_result(runner: Runner) -> None:
    since = runner.audit_lines()
    for module, options in (
        ("strimzi_ca", {"state": "replaced"}),
        ("strimzi_trusted_certs", {}),
        ("strimzi_roll", {}),
        ("strimzi_ee_cert", {}),
        ("strimzi_ca_info", {}),
    ):
        predicted = runner.module(module, "--check", **options)
        assert predicted.keys() >= SHAPE, module
    assert runner.writes_in_audit_log(since) == []


def test_a_real_rotation_is_seen_by_the_same_witness(runner: Runner) -> None:
    """The negative control: were the witness blind, the tests above would pass for nothing."""
    since = runner.audit_lines()
    # A number as AWX gives it, and one that Jinja takes for nothing.
    runner.flow("rotate-cluster-ca", strimzi_until_phase="prepare", strimzi_path_length=0).check()
    assert any("demo-cluster-ca-cert" in write for write in runner.writes_in_audit_log(since))
    assert [limits.path_length for limits in prepared(runner)] == [0]


def prepared(runner: Runner) -> list[x509.BasicConstraints]:
    """Of the CAs that wait to issue."""
    found = runner.cluster.get("secrets", "demo-cluster-ca")["data"]
    waiting = [name for name in found if re.fullmatch("[0-9a-f]{40}[.]crt", name)]
    made = [x509.load_pem_x509_certificate(base64.b64decode(found[name])) for name in waiting]
    return [one.extensions.get_extension_for_class(x509.BasicConstraints).value for one in made]


@pytest.mark.long
def test_a_flow_stops_after_the_phase_it_is_told_and_goes_on_from_there(runner: Runner) -> None:
    pods = runner.cluster.node_uids("demo")
    runner.flow("rotate-cluster-ca", strimzi_until_phase="use").check()
    assert runner.restarts_since(pods) == 3
    info = runner.module("strimzi_ca_info")
    assert {ca["subject"]: (ca["state"], ca["current"]) for ca in info["cas"]} == {
        "CN=cluster-ca v0,O=io.strimzi": ("PHASE_OUT", True),
        "CN=cluster-ca v1,O=io.strimzi": ("TRUSTED_IN_USE_ALL", False),
    }
    runner.flow("rotate-cluster-ca").check()
    assert [(ca["state"], ca["current"]) for ca in runner.module("strimzi_ca_info")["cas"]] == [
        ("TRUSTED_IN_USE_ALL", True)
    ]
