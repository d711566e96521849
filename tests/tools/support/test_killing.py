# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the process is killed at each chosen write, and what it finds then reaches the test."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from . import killing
from .killing import Copies, ForkingTransport, Killed
from .memory_api import MemoryApi

_SECRETS = "/api/v1/namespaces/kafka/secrets"


def flow(transport: ForkingTransport, names: str) -> Callable[[], None]:
    """Writes a Secret of each of these names."""

    def write() -> None:
        for name in names:
            transport.request("GET", _SECRETS)
            transport.request("POST", _SECRETS, body={"kind": "Secret", "metadata": {"name": name}})

    return write


def names_in(api: MemoryApi) -> str:
    return "".join(secret["metadata"]["name"] for secret in api.all("secrets", "kafka"))


@pytest.mark.parametrize(("after", "found"), [(True, {1: "a", 3: "abc"}), (False, {1: "", 3: "ab"})])
def test_a_copy_ends_at_each_write_and_the_process_at_none(after: bool, found: dict[int, str]) -> None:
    api = MemoryApi()
    transport = ForkingTransport(api, {1, 3}, after)
    assert transport.kill_copies(flow(transport, "abcd"), lambda: names_in(api)) == found
    assert names_in(api) == "abcd"


def test_a_violation_in_a_copy_fails_the_test() -> None:
    api = MemoryApi()
    transport = ForkingTransport(api, {1, 2, 3}, True)

    def then() -> None:
        assert names_in(api) != "ab"

    with pytest.raises(AssertionError, match=r"in the copy of call 2(?s:.*)AssertionError"):
        transport.kill_copies(flow(transport, "abc"), then)


def test_a_flow_that_ends_before_a_write_is_not_killed_there() -> None:
    transport = ForkingTransport(MemoryApi(), {1, 4})
    assert list(transport.kill_copies(flow(transport, "abc"), lambda: None)) == [1]


def test_a_kill_that_is_caught_fails_the_test() -> None:
    transport = ForkingTransport(MemoryApi(), {2})

    def run() -> None:
        with suppress(Killed):
            flow(transport, "abc")()

    with pytest.raises(AssertionError, match="in the copy of call 2: the flow did not end"):
        transport.kill_copies(run, lambda: None)


def test_an_error_in_the_place_of_the_kill_fails_the_test() -> None:
    transport = ForkingTransport(MemoryApi(), {2})

    def run() -> None:
        try:
            flow(transport, "abc")()
        except Killed:
            raise ValueError("of the flow") from None

    with pytest.raises(AssertionError, match="of the flow"):
        transport.kill_copies(run, lambda: None)


def test_a_copy_that_fails_once_comes_to_its_end() -> None:
    copies, failed = Copies({2, 3}), list[int]()

    def run() -> None:
        failed.extend(number for number in range(1, 5) if copies.begins_at(number))

    assert copies.run(run, lambda: failed) == {2: [2], 3: [3]}
    assert failed == []


@pytest.mark.parametrize("stands_still", [1, 2, 3])
def test_a_copy_that_stands_still_is_made_again(
    stands_still: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killing, "_LONGEST", 0.5)
    transport = ForkingTransport(MemoryApi(), {2})

    def then() -> int:
        made = len(list(tmp_path.iterdir())) + 1
        (tmp_path / str(made)).touch()
        if made <= stands_still:
            Event().wait()
        return made

    if stands_still < 3:
        assert transport.kill_copies(flow(transport, "abc"), then) == {2: stands_still + 1}
    else:
        with pytest.raises(AssertionError, match="no copy of call 2"):
            transport.kill_copies(flow(transport, "abc"), then)


def test_an_error_of_the_flow_that_nothing_kills_is_an_error() -> None:
    transport = ForkingTransport(MemoryApi(), set())

    def run() -> None:
        raise ValueError("of the flow")

    with pytest.raises(ValueError, match="of the flow"):
        transport.kill_copies(run, lambda: None)


def test_a_result_that_a_copy_cannot_send_fails_the_test() -> None:
    transport = ForkingTransport(MemoryApi(), {1})
    with pytest.raises(AssertionError, match=r"in the copy of call 1(?s:.*)pickle"):
        transport.kill_copies(flow(transport, "a"), lambda: lambda: None)
