# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock files have a hash for everything, agree with what we want, and say nothing of where packages come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .environments import CannotPrepare
from .pins import LOCKS, Lock, renew
from .places import REQUIREMENTS
from .pythons import DEMO, PAIRS, Pair

_LOCKED = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n")
_WANTED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)$", re.MULTILINE)


def normalised(name: str) -> str:
    """As the lock files spell it (packaging.python.org, "Names and normalization")."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: Lock) -> dict[str, str]:
    text = (REQUIREMENTS / lock.pair.requirements).read_text()
    return {found["name"]: found["version"] for found in _LOCKED.finditer(text)}


def test_every_file_has_its_lock() -> None:
    named = {name for lock in LOCKS for name in (lock.wanted, lock.pair.requirements)}
    assert {file.name for file in REQUIREMENTS.iterdir()} == named


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.pair.requirements)
def test_there_are_only_packages_with_hashes(lock: Lock) -> None:
    text = (REQUIREMENTS / lock.pair.requirements).read_text()
    assert text.startswith(lock.header)
    assert _LOCKED.sub("", text.removeprefix(lock.header)) == ""


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.pair.requirements)
def test_our_requirements_are_locked(lock: Lock) -> None:
    text = (REQUIREMENTS / lock.wanted).read_text()
    wanted = {normalised(found["name"]): found["version"] for found in _WANTED.finditer(text)}
    assert len(wanted) == sum(not line.startswith(("#", "--no-binary ")) for line in text.splitlines())
    assert {name: locked(lock).get(name) for name in wanted} == wanted
    assert locked(lock).get("ansible-core", "").rpartition(".")[0] == lock.pair.core


@pytest.fixture
def uv(tmp_path: Path) -> Path:
    """Writes what it was told into the lock file, and fails where the file that it is to read is missing."""
    program = tmp_path / "uv"
    program.write_text(
        '#!/bin/sh\ntest -f wanted.in || { echo "no wanted.in" >&2; exit 2; }\n(echo "$@"; cat) > locked.txt\n'
    )
    program.chmod(0o755)
    return program


LOCK = Lock("Something", "wanted.in", Pair("3.11", "2.19", "locked.txt"))


def test_lock_file_is_made_for_its_python_and_its_core(uv: Path, tmp_path: Path) -> None:
    (tmp_path / "wanted.in").touch()
    renew(uv, LOCK, tmp_path, "--upgrade")
    header, command, core = (tmp_path / "locked.txt").read_text().splitlines()
    assert header == '# Something, from wanted.in; see CONTRIBUTING.md, "Pins".'
    assert {"--generate-hashes", "--upgrade"} < set(command.split())
    assert "--python-version 3.11" in command
    assert core == "ansible-core==2.19.*"


def test_a_requirement_that_cannot_be_locked_is_named(uv: Path, tmp_path: Path) -> None:
    with pytest.raises(CannotPrepare, match=r"no wanted\.in"):
        renew(uv, LOCK, tmp_path)


def test_the_demo_has_no_other_versions_than_the_checks() -> None:
    main, demo = (next(lock for lock in LOCKS if lock.pair == pair) for pair in (PAIRS[0], DEMO))
    assert locked(demo).items() < locked(main).items()
