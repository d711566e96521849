# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a play as Ansible does, on this machine and without a cluster."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The host and the message of a task that has failed.
_FAILURE = re.compile(r'^fatal: \[(\S+)\]: .*?"msg": ("(?:[^"\\]|\\.)*")', re.MULTILINE)


def play_locally(play: Mapping[str, Any], folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """options: of ansible-playbook. It runs in this folder, with the Python of these tests."""
    (folder / "play.json").write_text(json.dumps([play]))
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", *options, "play.json"]
    command += ["-e", f"ansible_python_interpreter={sys.executable}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def failures(play: Mapping[str, Any], folder: Path, hosts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The message that each host has failed with. hosts: their variables. One process plays all of them."""
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    done = play_locally({"hosts": "all:!localhost", "gather_facts": False, **play}, folder, "-i", "hosts.json")
    recap = done.stdout.partition("PLAY RECAP")[2]
    assert set(re.findall(r"^(\S+) +: ok=", recap, re.MULTILINE)) == set(hosts), done.stdout + done.stderr
    return {host: json.loads(text) for host, text in _FAILURE.findall(done.stdout)}


def messages_of(output: str) -> list[str]:
    """The messages with which tasks have failed."""
    return [json.loads(text) for _host, text in _FAILURE.findall(output)]
