"""The files of docs/schedule: the API server takes them without an unknown field, and what they start does its work with the Roles that they bind."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..tools.cluster.bed import ROOT
from .running import Runner
from .test_permissions import shipped_rules

SCHEDULE = ROOT / "docs" / "schedule"
_PATHS = {
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs",
}


def manifests() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((SCHEDULE / "cronjob.yml").read_text())["items"]
    return found


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [one for one in manifests() if one["kind"] == kind]


def container(cron_job: dict[str, Any]) -> dict[str, Any]:
    (found,) = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    return dict(found)


def bound_rules() -> list[dict[str, Any]]:
    names = [one["roleRef"]["name"].removeprefix("trustops-strimzi-") for one in of_kind("RoleBinding")]
    return shipped_rules(*names)


def test_the_api_server_knows_every_field(runner: Runner) -> None:
    namespace = runner.cluster.namespace
    for one in manifests():
        moved = yaml.safe_load(yaml.safe_dump(one).replace("namespace: kafka", f"namespace: {namespace}"))
        path, query = _PATHS[one["kind"]].format(namespace), {"fieldValidation": "Strict", "dryRun": "All"}
        answer = runner.cluster.kube.request("POST", path, query=query, body=moved)
        assert answer.status == 201, answer.body


def test_a_reconcile_with_nothing_to_do_changes_nothing_and_status_passes(runner: Runner, tmp_path: Path) -> None:
    limited = runner.as_service_account(bound_rules(), tmp_path)
    (settings,) = of_kind("ConfigMap")
    variables = yaml.safe_load(settings["data"]["variables.yml"]) | {"strimzi_namespace": runner.cluster.namespace}
    # The first run records what is done with the CA in its time for renewal.
    limited.flow("reconcile", **variables).check()
    for cron_job in of_kind("CronJob"):
        program, playbook, *given = container(cron_job)["command"]
        assert (program, given) == ("ansible-playbook", ["-e", "@/etc/trustops/variables.yml"])
        output = limited.flow(playbook.removeprefix("trustops.strimzi."), **variables).check().output
        assert re.search(r"localhost +: ok=\d+ +changed=0 ", output), output[-2000:]


def test_pods_of_a_schedule_are_restricted() -> None:
    """As the Pod Security Standard "restricted" wants it."""
    for cron_job in of_kind("CronJob"):
        pod = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        assert pod["securityContext"] == {
            "runAsNonRoot": True, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"},
        }  # fmt: skip
        assert container(cron_job)["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze (Debian package systemd)")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    units = []
    for unit in SCHEDULE.glob("*@.*"):
        # The user and the files of a machine that runs them are not here.
        text = re.sub(r"^(?:User|EnvironmentFile)=.*\n", "", unit.read_text(), flags=re.MULTILINE)
        named = tmp_path / unit.name.replace("@", "@demo")
        named.write_text(text)
        units.append(str(named))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
