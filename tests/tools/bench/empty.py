"""The cost of Ansible itself: playbooks whose modules do nothing, beside ours in the same environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import arguments, flow_options, tables

from ..checks.places import COLLECTION, ROOT

_OPTIONS = {
    name
    for group in (arguments.AUTH, tables.CLUSTER, tables.CA, flow_options.FLOW, tables.GOAL, tables.AUTHORITY)
    for name in group.options
} | {"state"}
#: The results that the roles read of a plan with nothing to do.
_NOTHING_TO_DO = {"changed": False, "plan": [], "violations": [], "seconds": 0.0}
_MODULE = """\
#!/usr/bin/python
import json
from ansible.module_utils.basic import AnsibleModule

options = json.loads({options!r})
AnsibleModule({{name: {{"type": "raw"}} for name in options}}, supports_check_mode=True).exit_json(
    **json.loads({result!r})
)
"""


def empty_module() -> str:
    """The source of a module that takes what ours take, does nothing, and says that there was nothing to do."""
    return _MODULE.format(options=json.dumps(sorted(_OPTIONS)), result=json.dumps(_NOTHING_TO_DO))


class EmptyModules:
    """A playbook with nothing but as many empty modules as one of ours calls."""

    def __init__(self, folder: Path, modules: int) -> None:
        library = folder / "library"
        library.mkdir()
        (library / "empty.py").write_text(empty_module())
        self._playbook = folder / "empty.yml"
        self._playbook.write_text("- hosts: localhost\n  gather_facts: false\n  tasks:\n" + modules * "    - empty:\n")

    def run(self) -> None:
        play(self._playbook)


class SameRoles:
    """Playbooks and roles of this collection, copied beside modules that are empty."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "collections"
        self._collection = self._root / COLLECTION
        for part in ("roles", "playbooks", "meta"):
            shutil.copytree(ROOT / part, self._collection / part)
        shutil.copy(ROOT / "galaxy.yml", self._collection)
        modules = self._collection / "plugins" / "modules"
        modules.mkdir(parents=True)
        for module in (ROOT / "plugins" / "modules").glob("strimzi_*.py"):
            (modules / module.name).write_text(empty_module())

    def run(self, playbook: str, **variables: str) -> None:
        play(self._collection / "playbooks" / f"{playbook}.yml", collections=self._root, **variables)


def play(playbook: Path, collections: Path | str | None = None, **variables: str) -> None:
    """collections: where Ansible looks for collections; where the environment says by default. Raises RuntimeError where the playbook fails."""
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", str(playbook)]
    for name, value in {**variables, "ansible_python_interpreter": sys.executable}.items():
        command += ["-e", json.dumps({name: value})]
    environment = {**os.environ, "ANSIBLE_LOCALHOST_WARNING": "false"}
    if collections is not None:
        environment["ANSIBLE_COLLECTIONS_PATH"] = str(collections)
    done = subprocess.run(
        command, cwd=playbook.parent, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{playbook.name} failed: {done.stdout[-2000:]}")
