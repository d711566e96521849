# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The remembered parts of a long list are those that a fresh look would give, whatever happens to its objects in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Remembered
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS

from ...support.memory_api import MemoryApi, Response
from ...support.permissions import Restricted

Object = dict[str, Any]
ROOT = "/api/v1/namespaces/kafka/secrets"
MERGE = "application/merge-patch+json"
NUMBER = 15


@dataclass
class Stage:
    """Secrets, and the names of those that were read in full."""

    api: MemoryApi = field(default_factory=MemoryApi)
    known: Remembered[Object] = field(default_factory=Remembered)
    read: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(NUMBER):
            self.create(number)

    def create(self, number: int) -> None:
        body = {"metadata": {"name": f"user-{number}", "labels": {"ours": "yes"}}, "data": {"user.crt": "0"}}
        self.api.request("POST", ROOT, body=body)

    def change(self, number: int) -> None:
        self._patch(number, {"data": {"user.crt": str(self.api.version)}})

    def take_label(self, number: int) -> None:
        self._patch(number, {"metadata": {"labels": {"ours": None}}})

    def delete(self, number: int) -> None:
        self.api.request("DELETE", f"{ROOT}/user-{number}")

    def make_anew(self, number: int) -> None:
        self.delete(number)
        self.create(number)

    def _patch(self, number: int, body: Object) -> None:
        self.api.request("PATCH", f"{ROOT}/user-{number}", body=body, content_type=MERGE)

    def look(self, transport: Any = None) -> dict[str, Object]:
        self.read.clear()
        return dict(self.known.each(KubeClient(transport or self.api), SECRETS, "kafka", self._note, "ours=yes"))

    def stored(self) -> list[Object]:
        found = self.api.all("secrets", "kafka")
        return [one for one in found if "ours" in one["metadata"]["labels"]]

    def _note(self, found: Object) -> Object:
        self.read.append(found["metadata"]["name"])
        return found


CHANGES = st.tuples(st.sampled_from(["change", "take_label", "delete", "make_anew"]), st.integers(0, NUMBER - 1))


@given(st.lists(st.lists(CHANGES, max_size=NUMBER), max_size=4))
def test_it_is_what_a_fresh_look_gives(rounds: list[list[tuple[str, int]]]) -> None:
    stage = Stage()
    for changes in [[], *rounds]:
        for what, number in changes:
            getattr(stage, what)(number)
        assert stage.look() == {one["metadata"]["name"]: one for one in stage.stored()}


@pytest.mark.parametrize(("changed", "read"), [(0, 0), (1, 1), (10, 10), (11, NUMBER)])
def test_only_what_has_changed_is_read_again(changed: int, read: int) -> None:
    """Where much has changed one list is cheaper than many requests."""
    stage = Stage()
    stage.look()
    for number in range(changed):
        stage.change(number)
    stage.look()
    assert len(stage.read) == read


@pytest.mark.parametrize("missing", ["uid", "resourceVersion"])
def test_an_object_without_a_version_is_read_each_time(missing: str) -> None:
    stage = Stage()

    class Without:
        def request(self, *arguments: Any, **more: Any) -> Response:
            found = stage.api.request(*arguments, **more)
            for one in (*found.body.get("items", ()), found.body):
                if "name" in one["metadata"]:
                    del one["metadata"][missing]
            return found

    stage.look(Without())
    assert len(stage.look(Without())) == len(stage.read) == NUMBER


def test_a_look_that_fails_changes_nothing_of_what_is_known() -> None:
    stage = Stage()
    stage.look()
    stage.change(3)
    with pytest.raises(Forbidden):
        stage.look(Restricted(stage.api, frozenset({"get secrets"})))
    assert stage.look()["user-3"]["data"] != {"user.crt": "0"}
    assert stage.read == ["user-3"]
