"""No private key anywhere a person or a log can see: everything at its most talkative, failures included."""

from __future__ import annotations

import json
from pathlib import Path

from ..tools.checks.canary import Canary, private_keys_of_secrets
from .running import Runner


def keys(runner: Runner) -> list[bytes]:
    path = f"/api/v1/namespaces/{runner.cluster.namespace}/secrets"
    return private_keys_of_secrets(runner.cluster.kube.request("GET", path).body)


def test_no_key_shows_in_any_output(runner: Runner, tmp_path: Path) -> None:
    known = keys(runner)
    talkative = ("-vvvv", "--diff")
    outputs = [
        runner.flow("rotate-cluster-ca", *talkative, "--check"),
        runner.flow("rotate-cluster-ca", *talkative, strimzi_report_dir=str(tmp_path / "r")),
    ]
    known += keys(runner)
    own = [key.decode() for key in known[:1]]
    # Not on the command line, which Ansible repeats at -vvvv: as a person would, from a file.
    supplied = tmp_path.parent / f"{tmp_path.name}-supplied.json"
    supplied.write_text(json.dumps({"strimzi_certificate": "not a certificate", "strimzi_private_key": own[0]}))
    outputs.append(runner.flow("renew", *talkative, "-e", f"@{supplied}"))
    outputs.append(runner.flow("renew", *talkative, strimzi_replaces="00"))
    assert [finished.code != 0 for finished in outputs] == [False, False, True, True]
    canary = Canary(set(known))
    for number, finished in enumerate(outputs):
        (tmp_path / f"output-{number}.txt").write_text(finished.output)
    assert list(canary.scan([tmp_path])) == []
    assert canary.forms_in(known[0]), "the canary does not know the key it was given"
