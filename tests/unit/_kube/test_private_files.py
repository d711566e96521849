# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client key of a kubeconfig is in no file, however the process ends; and only folders that no process uses are removed."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube import private_files
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.private_files import keep_folder, remove_abandoned

from .identities import Identities, make_identities
from .server import Reply, Request, Server, serving

PROGRAM = """
import json, sys, tempfile
from pathlib import Path
folder, memory, kubeconfig, *forms = sys.argv[1:]
tempfile.tempdir = folder
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import connection, private_files
private_files._IN_MEMORY = Path(memory)
content = json.loads(Path(kubeconfig).read_text())
for form in forms:
    transport = connection.connect({"kubeconfig": content if form == "content" else kubeconfig}, {})
    print(transport.request("GET", "/x").body["subject"], flush=True)
sys.stdin.readline()
print(connection.connect({"kubeconfig": content}, {}).request("GET", "/x").body["subject"], flush=True)
"""


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture(scope="module")
def server(identities: Identities) -> Iterator[Server]:
    def who(request: Request) -> Reply:
        return Reply(body={"subject": request.client_subject})

    with serving(who, identities.server_context()) as running:
        yield running


def kubeconfig(server: Server, identities: Identities) -> dict[str, Any]:
    def data(path: Path) -> str:
        return base64.b64encode(path.read_bytes()).decode()

    user = {"client-certificate-data": data(identities.client), "client-key-data": data(identities.client_key)}
    return {
        "clusters": [
            {"name": "c", "cluster": {"server": server.url, "certificate-authority-data": data(identities.ca)}}
        ],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }


@pytest.fixture(params=[("content", "path"), ("path", "content")], ids=" ".join)
def connected(
    server: Server, identities: Identities, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[subprocess.Popen[str]]:
    """A process that has used its key twice, and uses it once more when it reads a line. The library writes a key only
    when it sees it first.
    """
    for name in ("disk", "memory"):
        (tmp_path / name).mkdir()
    config = tmp_path / "config"
    config.write_text(json.dumps(kubeconfig(server, identities)))
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        *(str(tmp_path / name) for name in ("disk", "memory", "config")),
        *request.param,
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        assert [running.stdout.readline() for _line in range(2)] == ["client-user\n"] * 2
        yield running
        running.kill()


def files(folder: Path) -> list[Path]:
    """Without links: they lead into the memory of the process that follows them."""
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="there are no memory files here")
def test_keys_are_in_memory_files_only(connected: subprocess.Popen[str], tmp_path: Path) -> None:
    (own,) = (tmp_path / "memory").iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    assert files(tmp_path / "memory") + files(tmp_path / "disk") == []
    assert len(list(own.iterdir())) == 3
    out, _err = connected.communicate("\n", timeout=60)
    assert out == "client-user\n"
    assert list((tmp_path / "memory").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="there are no memory files here")
def test_killed_process_leaves_no_key(connected: subprocess.Popen[str], tmp_path: Path) -> None:
    connected.send_signal(signal.SIGKILL)
    connected.wait()
    assert files(tmp_path / "memory") + files(tmp_path / "disk") == []


# Only files of no living process are removed.

HOLDING = """
import sys
from pathlib import Path
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.private_files import keep_folder
keep_folder(Path(sys.argv[1]))
print(flush=True)
sys.stdin.readline()
"""


def old_folder(parent: Path, name: str = "mine-1") -> Path:
    folder = parent / name
    folder.mkdir()
    (folder / "file").write_text("x")
    os.utime(folder, (time.time() - 4000, time.time() - 4000))
    return folder


def test_abandoned_folder_goes_and_others_stay(tmp_path: Path) -> None:
    gone, other, new = old_folder(tmp_path), old_folder(tmp_path, "theirs-1"), tmp_path / "mine-new"
    new.mkdir()
    remove_abandoned(tmp_path, "mine-*")
    assert (gone.exists(), other.exists(), new.exists()) == (False, True, True)


def test_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = old_folder(tmp_path, "elsewhere")
    (tmp_path / "mine-link").symlink_to(elsewhere)
    (tmp_path / "mine-file").write_text("x")
    remove_abandoned(tmp_path, "mine-*")
    assert (elsewhere / "file").exists()


def test_folder_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, mine = old_folder(tmp_path), os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    remove_abandoned(tmp_path, "mine-*")
    assert folder.exists()


def test_folder_stays_as_long_as_its_process(tmp_path: Path) -> None:
    folder = old_folder(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        remove_abandoned(tmp_path, "mine-*")
        assert folder.exists()
        process.kill()
    remove_abandoned(tmp_path, "mine-*")
    assert not folder.exists()


def test_where_there_are_no_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int, how: int) -> None:
        raise OSError("no locks")

    folder = old_folder(tmp_path)
    monkeypatch.setattr(private_files.fcntl, "flock", no_locks)
    keep_folder(folder)
    remove_abandoned(tmp_path, "mine-*")
    assert folder.exists()
