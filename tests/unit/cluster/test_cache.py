# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is built once is found again, by version and content; what was half built is not."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.tests.cluster import binaries, cache
from ansible_collections.trustops.strimzi.tests.cluster.bed import ROOT


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
        meet.wait(5)
        cache.cached("thing-1", build)

    threads = [threading.Thread(target=ask) for _number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(built) == 1


def test_two_processes_build_it_once() -> None:
    code = (
        "import time, uuid; from tests.cluster.cache import cached\n"
        "def build(target):\n    (target / uuid.uuid4().hex).touch(); time.sleep(0.3)\n"
        "print(len(list(cached('thing-1', build).iterdir())))"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _process in range(2)
    ]
    assert [one.communicate(timeout=20)[0].strip() for one in both] == ["1", "1"]


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
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a")
    two.write_text("a")
    before = cache.digest(one)
    assert cache.digest(two) == before
    two.write_text("b")
    assert cache.digest(two) != before


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
