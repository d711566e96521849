# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A finished build is found again, by version and content; a build that broke off is not."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from . import binaries, cache
from .bed import ROOT


def write(target: Path) -> None:
    (target / "made").write_text("whole")


def fail(target: Path) -> None:
    (target / "made").write_text("half")
    raise RuntimeError("no compiler")


def test_built_once() -> None:
    first = cache.cached("thing-1", write)
    assert (first / "made").read_text() == "whole"
    assert cache.cached("thing-1", fail) == first


def test_another_version_is_built_beside_it() -> None:
    assert cache.cached("thing-1", write) != cache.cached("thing-2", write)


def test_a_failed_build_leaves_nothing_that_looks_built() -> None:
    with pytest.raises(RuntimeError):
        cache.cached("thing-1", fail)
    assert [path.name for path in cache.cache_root().iterdir() if not path.name.endswith(".lock")] == []
    assert (cache.cached("thing-1", write) / "made").read_text() == "whole"


def test_two_at_a_time_build_it_once() -> None:
    built: list[Path] = []
    meet = threading.Barrier(2)

    def build(target: Path) -> None:
        built.append(target)
        write(target)

    def ask() -> None:
        meet.wait(60)
        cache.cached("thing-1", build)

    threads = [threading.Thread(target=ask) for _number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(built) == 1


MAKE = """
import sys, time, uuid
from tests.tools.cluster.cache import cached
def build(target):
    (target / uuid.uuid4().hex).touch()
    print("begun", flush=True)
    time.sleep(float(sys.argv[1]))
print(len(list(cached("thing-1", build, "the thing", "a moment").iterdir())))
"""


def process(seconds: float) -> subprocess.Popen[str]:
    """Makes thing-1 in so many seconds, and prints how many files it has."""
    command = [sys.executable, "-c", MAKE, str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_build_it_once_and_the_second_says_that_it_waits() -> None:
    first = process(2)
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    second = process(0)
    (made, told), (found, heard) = first.communicate(timeout=60), second.communicate(timeout=60)
    assert (made, found) == ("1\n", "1\n")
    assert re.fullmatch(r"preparing the thing \(once, a moment\) \.\.\.\nprepared the thing in \d+ s\n", told)
    waits = r"waiting for the thing, which another process prepares \.\.\.\nwaited \d+ s for the thing\n"
    assert re.fullmatch(waits, heard)


def test_a_killed_build_leaves_nothing_that_counts_as_made_and_the_next_starts_over() -> None:
    killed = process(60)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "begun\n"
    killed.kill()
    killed.communicate(timeout=60)
    assert not (cache.cache_root() / "thing-1").exists()
    assert process(0).communicate(timeout=60)[0] == "begun\n1\n"
    assert [path.name for path in cache.cache_root().iterdir() if path.name != ".thing-1.lock"] == ["thing-1"]


def test_a_process_that_waited_for_a_killed_build_builds() -> None:
    killed = process(60)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "begun\n"
    waiting = process(0)
    assert waiting.stderr is not None
    assert waiting.stderr.readline().startswith("waiting for the thing")
    killed.kill()
    killed.communicate(timeout=60)
    assert waiting.communicate(timeout=60)[0] == "begun\n1\n"


def test_preparations_are_noted_for_the_runner_of_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(cache.NOTES, str(notes))
    cache.cached("thing-1", write, "the thing")
    with pytest.raises(RuntimeError):
        cache.cached("thing-2", fail, "another")
    assert notes.read_text() == "prepared the thing in 0 s\nfailed to prepare another, after 0 s\n"
    assert capsys.readouterr().err.splitlines()[0] == "preparing the thing (once) ..."


def test_a_lock_without_a_message_is_waited_for_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    order: list[str] = []

    def second() -> None:
        with cache.locked("maven"):
            order.append("second")

    thread = threading.Thread(target=second)
    with cache.locked("maven"):
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(60)
    assert order == ["first", "second"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"TRUSTOPS_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/trustops-strimzi"),
        ({"HOME": "/c"}, "/c/.cache/trustops-strimzi"),
    ],
)
def test_where_it_is(variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRUSTOPS_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache.cache_root() == Path(expected)


def test_digest_is_of_the_content(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.write_text("a")
    second.write_text("a")
    before = cache.digest(first)
    assert cache.digest(second) == before
    second.write_text("b")
    assert cache.digest(second) != before


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sources" / "kwok"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module kwok")
    monkeypatch.setattr(binaries, "HERE", folder.parent)
    return folder


def test_key_of_a_binary_changes_with_version_and_sources(sources: Path) -> None:
    keys = [binaries._key("kwok", "1.0"), binaries._key("kwok", "1.1")]
    (sources / "go.sum").write_text("checksum")
    keys.append(binaries._key("kwok", "1.0"))
    (sources / "main.go").write_text("package main")
    keys.append(binaries._key("kwok", "1.0"))
    assert len(set(keys)) == 4
    (sources / "README").write_text("says nothing to the compiler")
    assert binaries._key("kwok", "1.0") == keys[-1]
