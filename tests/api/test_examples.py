"""The examples of every module, as its documentation shows them, run one after the other."""

from __future__ import annotations

import importlib
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from ..tools.cluster.bed import ROOT
from .running import Runner
from .served_user import served_user

MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("strimzi_*.py"))
#: Modules whose examples every run of the tests tries: what the operator does with a KafkaUser, only a cluster shows. The unit tests of the
#: documentation hold the options of all examples against the modules.
IN_EVERY_RUN = {"strimzi_user"}

#: A person who copies an example gives the fingerprint of a CA of their own.
FINGERPRINT = re.compile(r"\b[0-9A-F]{2}(:[0-9A-F]{2}){31}\b")
OF_THE_CA_IN_USE = '"{{ trust.cas[0].sha256 }}"'


def examples_of(module: str, namespace: str) -> str:
    found = importlib.import_module(f"ansible_collections.trustops.strimzi.plugins.modules.{module}")
    return FINGERPRINT.sub(OF_THE_CA_IN_USE, str(found.EXAMPLES).replace("namespace: kafka", f"namespace: {namespace}"))


@pytest.mark.parametrize(
    "module", [pytest.param(one, marks=() if one in IN_EVERY_RUN else pytest.mark.long) for one in MODULES]
)
def test_examples_do_what_they_say(runner: Runner, tmp_path: Path, module: str) -> None:
    tasks = yaml.safe_load(examples_of(module, runner.cluster.namespace))
    playbook = tmp_path / "examples.yml"
    # There are no clients that would need time to read a new CA.
    defaults = {"group/trustops.strimzi.strimzi_flow": {"client_grace": 0}}
    play = {"hosts": "localhost", "gather_facts": False, "module_defaults": defaults, "tasks": tasks}
    playbook.write_text(yaml.safe_dump([play]))
    # All examples of a module are one playbook.
    with served_user(runner.cluster, "partner") if module == "strimzi_user" else nullcontext():
        finished = replace(runner, patience=800).flow(str(playbook)).check()
    for task in tasks:
        assert f"TASK [{task['name']}]" in finished.output
    info = runner.module("strimzi_ca_info")
    assert not info["cluster"]["paused"]
    assert [(ca["state"], ca["current"]) for ca in info["cas"]] == [("TRUSTED_IN_USE_ALL", True)]
