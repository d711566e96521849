# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that log in with a certificate: those that are kept have what they read at first, the others find each change in their file."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from .clients import Brokers, Demand
from .ledger import Ledger
from .logging_in import ANEW, APPLICATION, KEPT
from .test_handshakes import MINE, OTHER
from .trust import Trusted
from .users_fleet import UsersFleet, UserSlot, mounted, write_login


def secret(pair: tuple[bytes, bytes]) -> dict[str, bytes]:
    return {"user.crt": pair[0], "user.key": pair[1], "ca.crt": b"", "user.p12": b"x"}


class Cluster:
    """Two users with a Secret each, and at most one pod, which is ready at once."""

    namespace = "ns"

    def __init__(self) -> None:
        self.kube, self.pod, self.started = self, False, 0

    def apply(self, manifests: list[dict[str, Any]]) -> None:
        assert [manifest["metadata"]["name"] for manifest in manifests] == [APPLICATION]
        assert not self.pod
        self.pod, self.started = True, self.started + 1

    def find(self, _plural: str, name: str) -> dict[str, Any]:
        assert name == APPLICATION
        return {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}

    def request(self, method: str, path: str) -> Any:
        assert path.endswith(f"/pods/{APPLICATION}")
        if method == "DELETE":
            self.pod = False
        return SimpleNamespace(status=200 if self.pod else 404)


class Tier:
    name = "demo"

    def __init__(self) -> None:
        self.cluster: Any = Cluster()
        self.secrets = {KEPT: secret(MINE), ANEW: secret(MINE)}

    def secret(self, name: str) -> dict[str, bytes]:
        return self.secrets[name]


class Running(UserSlot):
    """Its processes exist in name only, and end when another takes their place."""

    def run(self, command: list[str]) -> None:
        for running in self.processes:
            running.end.set()  # type: ignore[attr-defined]
        ready, end = Event(), Event()
        ready.set()
        process: Any = SimpleNamespace(ready=ready, end=end, ended=end.is_set, last=[], command=command)
        self.processes.append(process)


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsersFleet:
    monkeypatch.setattr("tests.broker.jars.find_java", lambda: "java")
    monkeypatch.setattr("tests.tools.traffic.clients.find_jars", lambda: "jars")
    brokers, tier = Brokers("", Path(), "logins"), Tier()
    slots = [Running(kind, kept, brokers, tmp_path, Ledger(), Trusted(OTHER[0])) for kind, kept in Demand(1).clients]
    users = UsersFleet(tier, slots, tmp_path)  # type: ignore[arg-type]
    users.begin()
    return users


def kept(fleet: UsersFleet) -> list[UserSlot]:
    return [slot for slot in fleet.slots if slot.kept]


def test_there_are_kept_and_new_ones_of_each_library_and_role(fleet: UsersFleet) -> None:
    assert {slot.name for slot in fleet.slots} == {
        f"user-{library}-{role}-{how}"
        for library in ("jvm", "rdkafka")
        for role in ("producer", "consumer")
        for how in ("kept", "anew")
    }


def test_a_program_that_starts_again_reads_one_file_that_follows_the_secret(fleet: UsersFleet, tmp_path: Path) -> None:
    others = [slot for slot in fleet.slots if not slot.kept]
    assert all(str(mounted(tmp_path)) in slot.process.command for slot in others)
    processes = [slot.process for slot in others]
    fleet.tier.secrets[ANEW] = secret(OTHER)  # type: ignore[attr-defined]
    fleet.look()
    assert mounted(tmp_path).read_bytes() == OTHER[1].rstrip() + b"\n" + OTHER[0]
    assert [slot.process for slot in others] == processes


def test_a_kept_program_reads_again_when_its_owner_restarts_it(fleet: UsersFleet) -> None:
    before = [stored(slot) for slot in kept(fleet)]
    fleet.tier.secrets[KEPT] = secret(OTHER)  # type: ignore[attr-defined]
    fleet.look()
    assert [stored(slot) for slot in kept(fleet)] == before
    assert set(before) == {MINE[1].rstrip() + b"\n" + MINE[0]}
    fleet.restart_kept()
    assert {stored(slot) for slot in kept(fleet)} == {OTHER[1].rstrip() + b"\n" + OTHER[0]}
    assert (fleet.tier.cluster.pod, fleet.tier.cluster.started) == (True, 2)  # type: ignore[attr-defined]


def stored(slot: UserSlot) -> bytes:
    """The key and certificates that the newest process of a kept slot was given."""
    return sorted(slot.folder.glob(f"{slot.name}-*-login.pem"), key=os.path.getmtime)[-1].read_bytes()


def test_one_that_ends_by_itself_comes_back_with_what_it_had(fleet: UsersFleet) -> None:
    slot = kept(fleet)[0]
    fleet.tier.secrets[KEPT] = secret(OTHER)  # type: ignore[attr-defined]
    command = slot.process.command
    slot.process.end.set()  # type: ignore[attr-defined]
    fleet.look()
    assert (slot.process.command, fleet.exits[slot.name]) == (command, 1)


def test_a_key_is_readable_by_its_owner_alone_and_never_half_there(tmp_path: Path) -> None:
    file = tmp_path / "login.pem"
    write_login(file, secret(MINE))
    assert file.stat().st_mode & 0o077 == 0
    first = file.stat().st_ino
    write_login(file, secret(MINE))
    assert file.stat().st_ino == first
    write_login(file, secret(OTHER))
    assert file.stat().st_ino != first
