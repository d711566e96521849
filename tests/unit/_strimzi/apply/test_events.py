# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as the API server takes them: it counts the bytes of a note and of the name of an instance, though its message speaks of characters."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.events import Announcer, Event, Reason

from ....tools.support.flows import work_on
from ....tools.support.memory_cluster import MemoryCluster


def written(note: str, holder: str = "a-machine") -> dict[str, Any]:
    """The event with this note as it is stored."""
    memory = MemoryCluster()
    memory.apply(
        {
            "apiVersion": "kafka.strimzi.io/v1",
            "kind": "Kafka",
            "metadata": {"name": memory.cluster, "namespace": memory.namespace},
            "spec": {},
        }
    )
    work = work_on(memory)
    Announcer(work.client, work.scope, holder, lambda: datetime.now(timezone.utc)).write([Event(Reason.HELD, note)])
    (found,) = memory.api.all("events", memory.namespace)
    return dict(found)


@pytest.mark.parametrize("note", ["a" * 1024, "a" * 1025, "ä" * 600, "a" + "€" * 600, "😀" * 300, "\ud800" * 2000])
def test_a_note_has_no_more_bytes_than_the_api_server_takes(note: str) -> None:
    told = written(note)["note"]
    assert len(told.encode(errors="surrogatepass")) <= 1024
    assert (told == note) is (len(note.encode(errors="surrogatepass")) <= 1024)
    assert note.startswith(told.removesuffix("…"))


def test_the_name_of_an_instance_has_no_more_bytes_than_the_api_server_takes() -> None:
    assert len(written("told", "Jürgen " * 20)["reportingInstance"].encode()) <= 128
