# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Producers and consumers of both libraries that log in with a certificate: some read it once and are kept until their owner restarts them, some
are made anew every second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...kafka.tier import Tier
from ..cluster.kube import wait_for
from ..operator.api import ready
from ..operator.real_programs import program
from .clients import Brokers, Demand
from .ledger import Ledger
from .logging_in import ANEW, APPLICATION, KEPT
from .slots import Fleet, Slot, next_instance
from .trust import Trusted, in_use

_SECONDS = 120


@dataclass
class UserSlot(Slot):
    #: The CAs by which nodes are verified; they stay.
    trusted: Trusted

    @property
    def name(self) -> str:
        return f"user-{self.kind.library}-{self.kind.role}-{'kept' if self.kept else 'anew'}"

    def fill(self, secret: Mapping[str, bytes]) -> None:
        """secret: the user's, as it is now."""
        instance = next_instance()
        common = (self.brokers, self.name, instance, self.trusted, self.folder)
        if self.kept:
            login = self.folder / f"{self.name}-{instance}-login.pem"
            write_login(login, secret)
            self.run(self.kind.command(*common, login))
        else:
            self.run(self.kind.command_anew(*common, mounted(self.folder)))

    def come_back(self) -> None:
        """A client that is kept begins again with the file that it had."""
        self.run(self.process.command)


def mounted(folder: Path) -> Path:
    """Where the Secret of clients that are made anew is brought up to date, as the kubelet does with a volume."""
    return folder / "mounted.pem"


def write_login(file: Path, secret: Mapping[str, bytes]) -> None:
    """Key and certificates at once: a client that reads the file has both of the same time."""
    content = secret["user.key"].rstrip() + b"\n" + secret["user.crt"]
    if not file.exists() or file.read_bytes() != content:
        other = file.with_suffix(".new")
        other.touch(mode=0o600)
        other.write_bytes(content)
        other.replace(file)


class UsersFleet(Fleet):
    """The pod ``APPLICATION`` stands for the clients that are kept: it reads the same Secret, and a search for its readers finds it."""

    def __init__(self, tier: Tier, slots: list[UserSlot], folder: Path) -> None:
        super().__init__(slots)
        self.tier, self.slots, self.folder = tier, slots, folder

    @property
    def libraries(self) -> tuple[str, ...]:
        return tuple(sorted({slot.kind.library for slot in self.slots}))

    def begin(self) -> None:
        self.look_at_secret()
        self._start_application()
        for slot in self.slots:
            slot.fill(self.tier.secret(KEPT))

    def look(self) -> None:
        self.look_at_secret()
        for slot in self.slots:
            slot.has_ended()

    def look_at_secret(self) -> None:
        write_login(mounted(self.folder), self.tier.secret(ANEW))

    def restart_kept(self) -> None:
        """Their owner has them read their Secret again. When this returns, every client that is kept has read it."""
        self._stop_application()
        self._start_application()
        kept = [slot for slot in self.slots if slot.kept]
        for slot in kept:
            slot.fill(self.tier.secret(KEPT))
        wait_for(lambda: all(slot.alone() for slot in kept), "clients that have read their Secret again", _SECONDS)

    def _start_application(self) -> None:
        pod = program(APPLICATION, KEPT, self.tier.name)
        pod["metadata"]["namespace"] = self.tier.cluster.namespace
        self.tier.cluster.kube.apply([pod])
        wait_for(lambda: ready(self.tier.cluster.find("pods", APPLICATION)), f"{APPLICATION} being ready", _SECONDS)

    def _stop_application(self) -> None:
        path = f"/api/v1/namespaces/{self.tier.cluster.namespace}/pods/{APPLICATION}"
        kube = self.tier.cluster.kube
        kube.request("DELETE", path)
        wait_for(lambda: kube.request("GET", path).status == 404, f"{APPLICATION} being gone", _SECONDS)


@contextmanager
def users_fleet(tier: Tier, brokers: Brokers, demand: Demand, folder: Path, ledger: Ledger) -> Iterator[UsersFleet]:
    trusted = in_use(tier)
    slots = [UserSlot(kind, kept, brokers, folder, ledger, trusted) for kind, kept in demand.clients]
    fleet = UsersFleet(tier, slots, folder)
    try:
        fleet.start()
        yield fleet
    finally:
        fleet.stop()
