# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module around its work: the last net hides what should not have come so far, and a killed module leaves no file."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.parameters import remove_values

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.connect import (
    credentials_of,
    secrets_of,
    without_contents,
    worth_hiding,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import QuietModule, remove_remains

from ...tools.support.certificates import key, make
from .._kube.server import Reply, Request, serving
from .._strimzi.bench import Bench

PEM = key(7).reveal().decode()


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (f"It contains {PEM} and more.", "It contains (hidden)\n and more."),
        (f"It contains {PEM[:200]}", "It contains (hidden)"),
        ("No answer from https://me:word@proxy.example:3128/.", "No answer from https://(hidden)@proxy.example:3128/."),
        ("No answer from https://proxy.example:3128/.", "No answer from https://proxy.example:3128/."),
    ],
    ids=["key", "a part of one", "login in a URL", "nothing to hide"],
)
def test_messages_hold_no_pem_and_no_login(message: str, shown: str) -> None:
    assert without_contents(message, {}) == shown


@pytest.mark.parametrize(
    "form", [PEM, PEM.strip(), base64.b64encode(PEM.encode()).decode()], ids=["PEM", "stripped", "base64"]
)
def test_keys_that_an_issuer_has_made_are_hidden_in_every_form(form: str) -> None:
    seen = Bench().observe()
    assert form not in set(secrets_of(seen))
    assert form in set(secrets_of(replace(seen, issued_keys={"demo-kafka-0": key(7)})))


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": "word-of-mine"},
        {"issuer": {"login": {"secret_id": "word-of-mine"}}},
        {"issuer": {"login": {"jwt": "word-of-mine"}}},
        {"kubeconfig": {"users": [{"user": {"token": "word-of-mine"}}]}},
        {"kubeconfig": {"users": [{"user": {"client-key-data": "word-of-mine"}}]}},
    ],
    ids=str,
)
def test_credentials_are_hidden_whichever_option_holds_them(options: dict[str, Any]) -> None:
    assert worth_hiding([], options, credentials_of(FLOW.options)) == {"word-of-mine"}


def test_a_secret_is_hidden_although_some_of_its_bytes_are_shown_as_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ansible looks for secrets when texts have been made such that they command no terminal."""
    told: dict[str, Any] = {}

    def end(module: QuietModule, **result: Any) -> None:
        told.update(remove_values(result, module.no_log_values))

    monkeypatch.setattr(AnsibleModule, "exit_json", end)
    module = object.__new__(QuietModule)
    module.no_log_values, module.params, module.argument_spec = {"word\x07of-mine"}, {}, {}
    with pytest.raises(SystemExit):
        module.exit_json(said="It is word\x07of-mine, \x1b[31m.")
    assert told["said"] == "It is ********, \\1B[31m."


# Files that Ansible leaves of a module that is killed; run by the real ansible-playbook.


#: The output of the playbook.
SAID = "said"


def old(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "code.zip").write_text("x")
    os.utime(folder, (time.time() - 4000, time.time() - 4000))
    return folder


def test_own_wrapper_and_abandoned_code_go(tmp_path: Path) -> None:
    wrapper = tmp_path / "ansible-tmp-1" / "AnsiballZ_strimzi_ca.py"
    wrapper.parent.mkdir()
    wrapper.write_text("x")
    mine, left = (
        old(tmp_path / f"ansible_trustops.strimzi.strimzi_{name}") for name in ("ca_payload_1", "roll_payload_2")
    )
    theirs = old(tmp_path / "ansible_ansible.builtin.command_payload_3")
    remove_remains(f"{mine}/code.zip/ansible_collections/x.py", ["python", str(wrapper)])
    assert (wrapper.exists(), left.exists()) == (False, False)
    assert (mine.exists(), theirs.exists(), wrapper.parent.exists()) == (True, True, True)


@pytest.mark.parametrize(
    "name", ["ansible-tmp-1/AnsiballZ_command.py", "tests/AnsiballZ_strimzi_ca.py", "strimzi_ca.py"]
)
def test_a_file_of_another_program_is_not_removed(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("x")
    remove_remains(str(file), ["python", str(file)])
    assert file.exists()


@pytest.fixture
def short() -> Iterator[Path]:
    """Ansible opens a Unix socket in the folder for temporary files, and the path of one has at most 107 characters: the
    folder that pytest gives a parallel worker is too long.
    """
    with tempfile.TemporaryDirectory(prefix="killed-", dir="/tmp") as folder:
        yield Path(folder)


@contextmanager
def playing(folder: Path, secrets: dict[str, str], **environment: str) -> Iterator[None]:
    """A playbook with one call of a module that has secrets among its options."""
    options = {"cluster": "demo", "namespace": "kafka", "state": "replaced", **secrets}
    task = {"trustops.strimzi.strimzi_ca": options}
    play = {"hosts": "localhost", "gather_facts": False, "connection": "local", "tasks": [task]}
    (folder / "play").mkdir()
    (folder / "play" / "play.yml").write_text(yaml.safe_dump([play]))
    (folder / "tmp").mkdir()
    places = {"TMPDIR": "tmp", "ANSIBLE_REMOTE_TMP": "remote", "ANSIBLE_LOCAL_TEMP": "local", "HOME": "home"}
    given = {name: str(folder / where) for name, where in places.items()}
    search = os.pathsep.join(path for path in sys.path if (Path(path) / "ansible_collections").is_dir())
    given |= {"ANSIBLE_COLLECTIONS_PATH": search, "ANSIBLE_PYTHON_INTERPRETER": sys.executable, **environment}
    command = [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(folder / "play" / "play.yml")]
    with (folder / SAID).open("wb") as said:
        process = subprocess.Popen(command, env={**os.environ, **given}, stdout=said, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            for pid in family(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def family(pid: int) -> list[int]:
    """A process and all below it. Workers of Ansible have sessions of their own, so no group has all of them; a parent
    goes first, and cannot clean up behind the others.
    """
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [pid, *(one for child in children for one in family(child))]


def files_with(secrets: Sequence[str], folder: Path) -> list[str]:
    """The files that contain one of the secrets, apart from the playbook itself, which people write."""
    read = [(path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file() and path.name != "play.yml"]
    return [name for name, content in read if any(secret.encode() in content for secret in secrets)]


@pytest.mark.parametrize("keep", [False, True], ids=["as usual", "kept on demand"])
def test_killed_run_leaves_no_option_on_the_disk(short: Path, keep: bool) -> None:
    asked, end = threading.Event(), threading.Event()

    def answer(request: Request) -> Reply:
        asked.set()
        end.wait(300)
        return Reply(500)

    supplied = {"certificate": make("theirs", key(1)).certificate.pem.decode(), "private_key": key(1).reveal().decode()}
    secrets = ["canary-api-key", supplied["private_key"].splitlines()[1]]
    with serving(answer) as server:
        environment = {"ANSIBLE_KEEP_REMOTE_FILES": "1"} if keep else {}
        with playing(short, {"host": server.url, "api_key": "canary-api-key", **supplied}, **environment):
            assert asked.wait(300), (short / SAID).read_text()
            assert files_with(secrets, short) == (["AnsiballZ_strimzi_ca.py"] if keep else [])
        assert files_with(secrets, short) == (["AnsiballZ_strimzi_ca.py"] if keep else [])
        end.set()
    # The folder of the code is left, and the next call that finds it old enough removes it.
    assert len(list((short / "tmp").glob("ansible_trustops.strimzi.strimzi_ca_payload_*"))) == 1
