"""Check mode tells what a run would do, and writes nothing: the API server's audit log is the witness. No output shows a private key, even
at the highest verbosity.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from cryptography import x509

from ..tools.checks.canary import Canary, private_keys_of_secrets
from .running import Runner

SHAPE = {"actions", "cas", "changed", "cluster", "done", "journal", "leaves", "phase", "plan", "pods", "violations"}
TALKATIVE = ("-vvvv", "--diff")


def keys(runner: Runner) -> list[bytes]:
    path = f"/api/v1/namespaces/{runner.cluster.namespace}/secrets"
    return private_keys_of_secrets(runner.cluster.kube.request("GET", path).body)


def test_check_mode_writes_nothing_a_rotation_does_and_neither_shows_a_key(runner: Runner, tmp_path: Path) -> None:
    known, since, pods = keys(runner), runner.audit_lines(), runner.cluster.node_uids("demo")
    checked = runner.flow("rotate-cluster-ca", *TALKATIVE, "--check").check()
    assert runner.writes_in_audit_log(since) == []
    assert runner.restarts_since(pods) == 0
    # 3 nodes, Entity Operator, Cruise Control and exporter, each twice: no node can be asked here.
    assert re.search(r"2 rolls .* 12 restarts", checked.output)
    assert re.search(r"^\[.*\] use: restart 6 .*demo-kafka-0", checked.output, re.MULTILINE), "the plan names no roll"
    assert re.search(r"^localhost .* changed=1 ", checked.output, re.MULTILINE), (
        "the play does not tell that it would change anything"
    )
    assert f"+++ after: Secret {runner.cluster.namespace}/demo-cluster-ca-cert" in checked.output

    # The negative control: were the witness blind, check mode would pass for nothing.
    # A number as AWX gives it, and one that Jinja takes for nothing.
    done = runner.flow(
        "rotate-cluster-ca", *TALKATIVE, strimzi_report_dir=str(tmp_path / "r"), strimzi_path_length=0
    ).check()
    assert any("demo-cluster-ca-cert" in write for write in runner.writes_in_audit_log(since))
    assert in_use(runner).extensions.get_extension_for_class(x509.BasicConstraints).value.path_length == 0
    known += keys(runner)
    # Not on the command line, which Ansible repeats at -vvvv: as a person would, from a file.
    supplied = tmp_path.parent / f"{tmp_path.name}-supplied.json"
    supplied.write_text(
        json.dumps({"strimzi_certificate": "not a certificate", "strimzi_private_key": known[0].decode()})
    )
    refused = [
        runner.flow("renew", *TALKATIVE, "-e", f"@{supplied}"),
        runner.flow("renew", *TALKATIVE, strimzi_replaces="00"),
    ]
    assert all(finished.code != 0 for finished in refused)
    canary = Canary(set(known))
    for number, finished in enumerate((checked, done, *refused)):
        (tmp_path / f"output-{number}.txt").write_text(finished.output)
    assert list(canary.scan([tmp_path])) == []
    assert canary.forms_in(known[0]), "the canary does not know the key it was given"


def in_use(runner: Runner) -> x509.Certificate:
    """The CA certificate that issues now."""
    data = runner.cluster.get("secrets", "demo-cluster-ca-cert")["data"]
    return x509.load_pem_x509_certificate(base64.b64decode(data["ca.crt"]))


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


@pytest.mark.long
def test_a_flow_stops_after_the_phase_it_is_told_and_goes_on_from_there(runner: Runner) -> None:
    pods, old = runner.cluster.node_uids("demo"), in_use(runner).subject.rfc4514_string()
    runner.flow("rotate-cluster-ca", strimzi_until_phase="use", strimzi_fresh_for_hours=0).check()
    assert runner.restarts_since(pods) == 3
    info = runner.module("strimzi_ca_info")
    (following,) = (ca["subject"] for ca in info["cas"] if ca["subject"] != old)
    assert {ca["subject"]: (ca["state"], ca["current"]) for ca in info["cas"]} == {
        old: ("PHASE_OUT", True),
        following: ("TRUSTED_IN_USE_ALL", False),
    }
    runner.flow("rotate-cluster-ca").check()
    assert [(ca["state"], ca["current"]) for ca in runner.module("strimzi_ca_info")["cas"]] == [
        ("TRUSTED_IN_USE_ALL", True)
    ]
