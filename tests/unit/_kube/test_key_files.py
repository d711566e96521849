# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client key of a kubeconfig is in no file, however the process ends. Each process here is a real one."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
    """Without links: theirs lead into the memory of whoever follows them."""
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="there are no memory files here")
def test_no_key_is_in_any_file(connected: subprocess.Popen[str], tmp_path: Path) -> None:
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
