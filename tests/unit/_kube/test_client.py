# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests that the client sends and repeats, the answers that it refuses to believe, and the parts of a long list that it remembers."""

from __future__ import annotations

import copy
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Gone,
    KubeError,
    NotFound,
    TransportError,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Remembered, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import (
    EVENTS,
    PODS,
    SECRETS,
    SELF_SUBJECT_ACCESS_REVIEWS,
    Attempt,
)

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import MemoryApi
from ...tools.support.memory_api import Response as Served
from ...tools.support.permissions import Restricted
from .doubles import scripted, status

MISSING = status(404, "NotFound", 'secrets "a" not found', name="a", kind="secrets")
OK = Response(200, {"metadata": {"name": "a"}}, {})
LOST = TransportError("the connection to the API server k8s:6443 broke off (ConnectionResetError: reset)")
REFUSED = TransportError("the API server k8s:6443 cannot be reached (refused)", sent=False, remedy="Check host.")


def secret(name: str = "a", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


def test_life_of_an_object() -> None:
    api = MemoryApi()
    client = KubeClient(api)
    made = client.create(SECRETS, "kafka", secret(one="MQ=="))
    with pytest.raises(AlreadyExists):
        client.create(SECRETS, "kafka", secret())
    version = made["metadata"]["resourceVersion"]
    patched = client.patch(SECRETS, "kafka", "a", {"data": {"two": "Mg=="}}, resource_version=version)
    assert patched["data"] == {"one": "MQ==", "two": "Mg=="}
    with pytest.raises(Conflict):
        client.patch(SECRETS, "kafka", "a", {"data": {"two": None}}, resource_version=version)
    assert client.get(SECRETS, "kafka", "a") == patched
    with pytest.raises(Conflict):
        client.delete(SECRETS, "kafka", "a", uid="another")
    client.delete(SECRETS, "kafka", "a", uid=made["metadata"]["uid"])
    assert client.get_or_none(SECRETS, "kafka", "a") is None
    with pytest.raises(NotFound):
        client.get(SECRETS, "kafka", "a")


def test_list_with_selectors() -> None:
    client = KubeClient(MemoryApi())
    for name, label in (("a", "x"), ("b", "y"), ("c", "x")):
        body = secret(name)
        body["metadata"]["labels"] = {"l": label}
        client.create(SECRETS, "kafka", body)
    listed = client.list(SECRETS, "kafka", label_selector="l=x")
    assert [item["metadata"]["name"] for item in listed.items] == ["a", "c"]
    assert listed.resource_version == listed.items[-1]["metadata"]["resourceVersion"]
    assert [
        item["metadata"]["name"] for item in client.list(SECRETS, "kafka", field_selector="metadata.name=b").items
    ] == ["b"]


def test_what_has_not_changed_since_the_last_list_is_the_same_object() -> None:
    """A call looks at a large cluster many times, and keeps its first look."""
    api = MemoryApi()
    client, other = KubeClient(api), KubeClient(api)
    for name in ("a", "b", "c"):
        other.create(SECRETS, "kafka", secret(name))
    first = {item["metadata"]["name"]: item for item in client.list(SECRETS, "kafka").items}
    other.patch(SECRETS, "kafka", "b", {"metadata": {"labels": {"l": "x"}}})
    other.delete(SECRETS, "kafka", "c")
    other.create(SECRETS, "kafka", secret("c"))
    listed = client.list(SECRETS, "kafka").items
    assert listed == other.list(SECRETS, "kafka").items
    assert [item is first[item["metadata"]["name"]] for item in listed] == [True, False, False]
    (one,) = client.list(SECRETS, "kafka", field_selector="metadata.name=a").items
    assert (one, one is first["a"]) == (first["a"], False)


@pytest.mark.parametrize("metadata", [{}, {"uid": "1"}, {"resourceVersion": "7"}], ids=str)
def test_an_object_without_uid_or_version_is_read_anew(metadata: dict[str, str]) -> None:
    answers = [{"metadata": {"resourceVersion": "8"}, "items": [{"metadata": metadata, "n": n}]} for n in range(2)]
    client, _transport, _clock = scripted([Response(200, answer, {}) for answer in answers])
    assert [client.list(SECRETS, "kafka").items[0]["n"] for _look in answers] == [0, 1]


def page(*names: str, more: str = "") -> Response:
    items = [{"metadata": {"name": name}} for name in names]
    return Response(200, {"items": items, "metadata": {"resourceVersion": "7", "continue": more}}, {})


def named(found: dict[str, Any]) -> str | None:
    name = str(found["metadata"]["name"])
    return None if name == "left-out" else name


def test_a_long_list_is_read_in_pages() -> None:
    client, transport, _clock = scripted([page("a", "left-out", more="x"), page("b", more="y"), page("c")])
    assert client.each(SECRETS, "kafka", named, label_selector="l=x", size=2) == ("a", "b", "c")
    first = {"labelSelector": "l=x", "limit": "2"}
    assert [sent.query for sent in transport.sent] == [first, {**first, "continue": "x"}, {**first, "continue": "y"}]


def test_a_list_that_the_server_no_longer_keeps_is_begun_again() -> None:
    """Of what was read before nothing counts: an object may have come or gone."""
    client, transport, clock = scripted([page("a", "gone", more="x"), status(410), page("a", more="z"), page("b")])
    assert client.each(SECRETS, "kafka", named) == ("a", "b")
    assert [sent.query.get("continue") for sent in transport.sent] == [None, "x", None, "z"]
    assert clock.slept == [0.25]


def test_a_list_that_expires_is_not_begun_again_without_end() -> None:
    client, transport, _clock = scripted([page("a", more="x"), status(410)] * 9)
    with pytest.raises(Gone):
        client.each(SECRETS, "kafka", named)
    assert len(transport.sent) == 10


def test_patch_carries_the_version_and_leaves_its_argument_alone() -> None:
    client, transport, _clock = scripted([OK])
    patch = {"metadata": {"annotations": {"a": "b"}}, "data": {"k": None}}
    before = copy.deepcopy(patch)
    client.patch(PODS, "kafka", "demo-0", patch, resource_version="7", subresource="status")
    (sent,) = transport.sent
    assert patch == before
    assert (sent.method, sent.path) == ("PATCH", "/api/v1/namespaces/kafka/pods/demo-0/status")
    assert sent.content_type == "application/merge-patch+json"
    assert sent.body == {"metadata": {"annotations": {"a": "b"}, "resourceVersion": "7"}, "data": {"k": None}}


def test_delete_carries_preconditions() -> None:
    client, transport, _clock = scripted([OK])
    client.delete(PODS, "kafka", "demo-0", uid="u", resource_version="7")
    assert transport.sent[0].body == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
    }


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_read_is_repeated_with_growing_delays(code: int) -> None:
    client, _transport, clock = scripted([status(code), LOST, status(code), REFUSED, OK])
    assert client.get(SECRETS, "kafka", "a") == OK.body
    assert clock.slept == [0.25, 0.5, 1.0, 2.0]
    assert (client.requests, client.writes) == (5, 0)


@pytest.mark.parametrize("last", [status(503), LOST])
def test_a_read_is_given_up_after_five_attempts(last: Response | TransportError) -> None:
    client, transport, _clock = scripted([last] * 9)
    with pytest.raises((Unavailable, Unreachable)) as caught:
        client.list(SECRETS, "kafka")
    assert len(transport.sent) == 5
    assert not caught.value.outcome_unknown


def test_a_lasting_failure_is_not_repeated() -> None:
    client, transport, _clock = scripted(
        [TransportError("not trusted", sent=False, transient=False, remedy="Set ca_cert.")]
    )
    with pytest.raises(Unreachable) as caught:
        client.get(SECRETS, "kafka", "a")
    assert (len(transport.sent), caught.value.remedy) == (1, "Set ca_cert.")


@pytest.mark.parametrize(
    ("asked", "slept"),
    [("3", 3.125), ("900", 30.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.25), ("Fri, 01 Jan 2999 00:00:00 GMT", 30.0)],
)
def test_the_server_says_how_long_to_wait(asked: str, slept: float) -> None:
    client, _transport, clock = scripted([Response(429, {}, {"retry-after": asked}), OK])
    client.get(SECRETS, "kafka", "a")
    assert clock.slept == [slept]


def test_a_write_is_repeated_only_when_it_was_not_processed() -> None:
    client, _transport, clock = scripted([Response(429, {}, {"Retry-After": "1"}), OK])
    assert client.create(SECRETS, "kafka", secret()) == OK.body
    assert clock.slept == [1.125]
    assert (client.requests, client.writes) == (2, 1)


@pytest.mark.parametrize("code", [500, 502, 503, 504])
def test_a_write_on_a_failing_server_is_not_repeated(code: int) -> None:
    client, transport, _clock = scripted([status(code), OK])
    with pytest.raises(Unavailable) as caught:
        client.patch(SECRETS, "kafka", "a", {}, resource_version="1")
    assert (len(transport.sent), caught.value.outcome_unknown) == (1, True)


def test_a_write_whose_answer_was_lost(golden: GoldenFiles) -> None:
    client, transport, _clock = scripted([LOST, OK])
    with pytest.raises(Unreachable) as caught:
        client.patch(SECRETS, "kafka", "a", {}, resource_version="1")
    assert (len(transport.sent), caught.value.outcome_unknown) == (1, True)
    golden.compare_said("kubernetes", caught.value)


def test_a_write_that_was_never_sent_is_repeated() -> None:
    client, _transport, clock = scripted([REFUSED, REFUSED, OK])
    client.delete(SECRETS, "kafka", "a")
    assert (clock.slept, client.requests, client.writes) == ([0.25, 0.5], 3, 1)


def test_a_write_that_can_never_be_sent() -> None:
    client, transport, _clock = scripted([REFUSED] * 9)
    with pytest.raises(Unreachable) as caught:
        client.delete(SECRETS, "kafka", "a")
    assert (len(transport.sent), caught.value.outcome_unknown, caught.value.remedy) == (5, False, "Check host.")
    assert caught.value.is_transient


def test_a_read_that_times_out_is_repeated_once() -> None:
    """Five answers that do not come would take minutes, in which the caller can do nothing else."""
    late = TransportError("no answer within 60 s", timed_out=True)
    client, _transport, _clock = scripted([late, OK])
    assert client.get(SECRETS, "kafka", "a") == OK.body
    client, transport, _clock = scripted([LOST, late, LOST, late, OK])
    with pytest.raises(Unreachable) as caught:
        client.get(SECRETS, "kafka", "a")
    assert (len(transport.sent), caught.value.is_transient) == (4, True)


def test_people_hear_of_a_long_wait_that_the_server_asks_for() -> None:
    told: list[str] = []
    client, _transport, _clock = scripted(
        [Response(429, {}, {"Retry-After": seconds}) for seconds in ("4", "20")] + [OK]
    )
    client.tell = told.append
    client.get(SECRETS, "kafka", "a")
    assert [sentence.rpartition(" in ")[2] for sentence in told] == ["20 s."]


@pytest.mark.parametrize(
    ("answers", "sent", "slept"),
    [
        pytest.param([Response(429, {}, {"Retry-After": "1"}), OK], 2, [1.125], id="a delay that is short enough"),
        pytest.param([Response(429, {}, {"Retry-After": "1"})] * 9, 4, [1.125] * 3, id="until the time is over"),
        pytest.param([Response(429, {}, {"Retry-After": "5"})], 1, [], id="a delay that is too long"),
        pytest.param([Response(429, {}, {})], 1, [], id="no delay"),
        pytest.param([REFUSED], 1, [], id="no server"),
    ],
)
def test_a_write_that_nothing_depends_on_is_repeated_where_the_server_asks_for_a_short_delay(
    answers: list[Response | TransportError], sent: int, slept: list[float]
) -> None:
    client, transport, clock = scripted(answers)
    with suppress(KubeError):
        client.create(EVENTS, "kafka", {"metadata": {"name": "a"}}, within=5)
    assert (len(transport.sent), clock.slept) == (sent, slept)


def test_a_question_is_not_a_write() -> None:
    client, transport, _clock = scripted([LOST, Response(201, {"status": {"allowed": True}}, {})])
    assert client.create(SELF_SUBJECT_ACCESS_REVIEWS, None, {"spec": {}})["status"] == {"allowed": True}
    assert (transport.sent[0].path, client.writes) == ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 0)


@pytest.mark.parametrize(
    "body", [{}, {"items": []}, {"items": [], "metadata": {}}, {"metadata": {"resourceVersion": "5"}}]
)
def test_an_answer_that_is_no_list_is_refused(body: dict[str, Any], golden: GoldenFiles) -> None:
    client, _transport, _clock = scripted([Response(200, body, {})])
    with pytest.raises(Unavailable) as caught:
        client.list(SECRETS, "kafka")
    golden.compare_said("kubernetes", caught.value)


def test_a_redirect_is_no_answer() -> None:
    client, _transport, _clock = scripted([Response(302, {}, {"Location": "/login"})])
    with pytest.raises(Unavailable):
        client.get(SECRETS, "kafka", "a")


def test_watch() -> None:
    events: list[Any] = [
        {"type": "ADDED", "object": {"metadata": {"name": "a"}}},
        {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}},
    ]
    client, transport, _clock = scripted(events=events)
    found = list(client.watch(PODS, "kafka", resource_version="7", timeout=2.7, label_selector="l=x"))
    assert [(event.type, event.object["metadata"]) for event in found] == [
        ("ADDED", {"name": "a"}),
        ("BOOKMARK", {"resourceVersion": "9"}),
    ]
    assert transport.sent[0].query == {
        "labelSelector": "l=x",
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "2",
    }
    assert client.requests == 1


def test_watch_from_a_version_that_is_too_old() -> None:
    client, _transport, _clock = scripted(events=[{"type": "ERROR", "object": {"code": 410, "message": "too old"}}])
    with pytest.raises(Gone) as caught:
        list(client.watch(PODS, "kafka", resource_version="1", timeout=1))
    assert (caught.value.attempt, caught.value.cause) == (Attempt("watch", PODS, "kafka"), "too old")


def test_watch_that_breaks_off() -> None:
    client, _transport, _clock = scripted(events=[LOST])
    with pytest.raises(Unreachable) as caught:
        list(client.watch(PODS, "kafka", resource_version="1", timeout=1))
    assert not caught.value.outcome_unknown


def test_the_clock_is_compared_with_every_answer_that_tells_the_time() -> None:
    """Also with a refusal. Here the scripted server's clock stands still while the client sleeps between two attempts."""
    again = replace(status(503), headers={"Retry-After": "20"})
    told = [replace(answer, headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT"}) for answer in (OK, MISSING)]
    client, _transport, clock = scripted([again, told[0], told[1], OK])
    clock.seconds = (datetime(2026, 1, 1, 0, 2, tzinfo=timezone.utc) - clock.now()).total_seconds()
    assert client.clock_ahead is None
    client.get(SECRETS, "kafka", "a")
    (slept,) = clock.slept
    assert client.clock_ahead == timedelta(seconds=119 + slept)
    clock.seconds -= 300
    assert client.get_or_none(SECRETS, "kafka", "a") is None
    behind = client.clock_ahead
    assert behind == timedelta(seconds=120 + slept - 300)
    client.get(SECRETS, "kafka", "a")
    assert client.clock_ahead == behind


def test_the_api_server_notes_what_this_collection_has_written_under_its_name() -> None:
    """A configured User-Agent does not matter, and a deletion leaves nothing to be noted."""
    client, transport, _clock = scripted([OK, OK, OK, OK])
    client.create(SECRETS, "kafka", secret())
    client.patch(SECRETS, "kafka", "a", {"data": {}}, resource_version="1")
    client.get(SECRETS, "kafka", "a")
    client.delete(SECRETS, "kafka", "a", uid="x")
    managers = [(one.method, (one.query or {}).get("fieldManager")) for one in transport.sent]
    assert managers == [("POST", "trustops.strimzi"), ("PATCH", "trustops.strimzi"), ("GET", None), ("DELETE", None)]


def test_fields_that_this_collection_has_written_are_its_own() -> None:
    api = MemoryApi()
    client = KubeClient(api)
    client.create(SECRETS, "kafka", secret(one="MQ=="))
    api.give("secrets", "kafka", "a", "another")
    client.patch(SECRETS, "kafka", "a", {"data": {"two": "Mg=="}})
    found = {
        one["manager"]: one["fieldsV1"]["f:data"]
        for one in client.get(SECRETS, "kafka", "a")["metadata"]["managedFields"]
    }
    assert found == {"another": {"f:one": {}}, "trustops.strimzi": {"f:two": {}}}


# The remembered parts of a long list are those that a fresh look would give, whatever happens to its objects in between.

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

    def make_again(self, number: int) -> None:
        self.delete(number)
        self.create(number)

    def _patch(self, number: int, body: Object) -> None:
        self.api.request("PATCH", f"{ROOT}/user-{number}", body=body, content_type=MERGE)

    def look(self, transport: Any = None) -> dict[str, Object]:
        self.read.clear()
        return dict(self.known.each(KubeClient(transport or self.api), SECRETS, "kafka", self._note, "ours=yes"))

    def stored(self) -> list[Object]:
        found = self.api.all("secrets", "kafka")
        return [_without_kind(one) for one in found if "ours" in one["metadata"]["labels"]]

    def _note(self, found: Object) -> Object:
        self.read.append(found["metadata"]["name"])
        return _without_kind(found)


def _without_kind(found: Object) -> Object:
    """Only an object that is read by its name has it."""
    return {part: value for part, value in found.items() if part not in ("kind", "apiVersion")}


CHANGES = st.tuples(st.sampled_from(["change", "take_label", "delete", "make_again"]), st.integers(0, NUMBER - 1))


@given(st.lists(st.lists(CHANGES, max_size=NUMBER), max_size=4))
def test_a_kept_list_is_what_a_fresh_look_gives(rounds: list[list[tuple[str, int]]]) -> None:
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
        def request(self, *arguments: Any, **more: Any) -> Served:
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
