# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths and times of the API, and each failure in its exact words: what was attempted on what, why it failed, what helps."""

from __future__ import annotations

import ast
import base64
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins import module_utils
from ansible_collections.trustops.strimzi.plugins.module_utils import _errors as errors
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.failures import error_from
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import (
    LEASES,
    PODS,
    SECRETS,
    SELF_SUBJECT_ACCESS_REVIEWS,
    Attempt,
    Resource,
    ahead_of_server,
    managers_of,
    owns,
    read_time,
)

from ...tools.support.golden import GoldenFiles

KAFKAS = Resource("kafka.strimzi.io", "v1", "kafkas", "Kafka")


#: A kind that is in no namespace.
NODES = Resource("", "v1", "nodes", "Node")
RUNNER = 'User "system:serviceaccount:awx:runner"'


def translate(attempt: Attempt, status: int, reason: str = "", message: str = "", **details: Any) -> KubeError:
    return error_from(attempt, status, {"reason": reason, "message": message, "details": details})


def secret(verb: str) -> Attempt:
    return Attempt(verb, SECRETS, "kafka", "demo-ca")


@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        (secret("get"), "read Secret kafka/demo-ca"),
        (secret("patch"), "patch Secret kafka/demo-ca"),
        (Attempt("patch", PODS, "kafka", "demo-0", "status"), "patch the status of Pod kafka/demo-0"),
        (Attempt("list", PODS, "kafka"), "list Pod objects in namespace kafka"),
        (Attempt("watch", PODS, None), "watch Pod objects in all namespaces"),
        (Attempt("get", NODES, None, "worker"), "read Node worker"),
        (Attempt("create", PODS, "kafka"), "create Pod in namespace kafka"),
        (Attempt("create", SELF_SUBJECT_ACCESS_REVIEWS, None), "create SelfSubjectAccessReview"),
    ],
)
def test_attempt(attempt: Attempt, text: str) -> None:
    assert str(attempt) == text


def test_forbidden_says_which_rule_is_missing_and_for_whom(golden: GoldenFiles) -> None:
    message = f'secrets "demo-ca" is forbidden: {RUNNER} cannot patch resource "secrets" in the namespace "kafka"'
    error = translate(secret("patch"), 403, "Forbidden", message, name="demo-ca", kind="secrets")
    assert error.__class__ is errors.Forbidden
    golden.compare_said("kubernetes", error)


@pytest.mark.parametrize(
    ("case", "attempt"),
    [
        ("a list", Attempt("list", PODS, "kafka")),
        ("a new object", Attempt("create", SECRETS, "kafka", "x")),
        ("a part of an object", Attempt("patch", KAFKAS, "kafka", "demo", "status")),
    ],
)
def test_rule_when_the_server_does_not_tell_who_we_are(case: str, attempt: Attempt, golden: GoldenFiles) -> None:
    error = translate(attempt, 403, "Forbidden", "forbidden")
    golden.compare_said("kubernetes", error, case)


def test_rule_for_a_cluster_wide_kind(golden: GoldenFiles) -> None:
    error = translate(Attempt("get", NODES, None, "worker"), 403, "Forbidden", "forbidden")
    golden.compare_said("kubernetes", error)


@pytest.mark.parametrize(
    "message",
    [
        'admission webhook "policy" denied the request: no',
        'secrets "x" is forbidden: exceeded quota: q',
        """secrets "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no""",
    ],
)
def test_a_policy_is_not_mistaken_for_a_missing_rule(message: str, golden: GoldenFiles) -> None:
    error = translate(secret("create"), 403, "Forbidden", message)
    assert error.cause == message
    golden.compare_said("kubernetes", error.remedy)


def test_neither_is_a_namespace_that_is_being_deleted(golden: GoldenFiles) -> None:
    message = 'secrets "x" is forbidden: unable to create new content in namespace kafka because it is being terminated'
    error = translate(secret("create"), 403, "Forbidden", message)
    golden.compare_said("kubernetes", error)


@pytest.mark.parametrize(
    ("resource", "group"), [("users", ""), ("groups", ""), ("userextras/scopes", "authentication.k8s.io")]
)
def test_a_user_that_may_not_impersonate_is_shown_the_missing_rule(
    resource: str, group: str, golden: GoldenFiles
) -> None:
    message = (
        f'{resource} "jane" is forbidden: User "awx" cannot impersonate resource "{resource}" in API group "{group}" at the '
        "cluster scope"
    )
    error = translate(secret("get"), 403, "Forbidden", message)
    golden.compare_said("kubernetes", error, resource)


@pytest.mark.parametrize(
    ("case", "attempt", "status", "reason", "message", "kind"),
    [
        ("missing", secret("get"), 404, "NotFound", 'secrets "demo-ca" not found', errors.NotFound),
        ("changed", secret("patch"), 409, "Conflict", "the object has been modified", errors.Conflict),
        (
            "there already",
            secret("create"),
            409,
            "AlreadyExists",
            'secrets "demo-ca" already exists',
            errors.AlreadyExists,
        ),
        ("no login", secret("get"), 401, "Unauthorized", "Unauthorized", errors.Unauthorized),
        ("too old", Attempt("watch", PODS, "kafka"), 410, "Expired", "too old resource version: 1 (9)", errors.Gone),
        (
            "invalid",
            Attempt("patch", KAFKAS, "kafka", "demo"),
            422,
            "Invalid",
            "spec.kafka: Required value",
            errors.Invalid,
        ),
        ("shutting down", secret("get"), 503, "ServiceUnavailable", "apiserver is shutting down", errors.Unavailable),
        ("a redirect", secret("get"), 302, "", "", errors.Unavailable),
    ],
)
def test_message(
    case: str, attempt: Attempt, status: int, reason: str, message: str, kind: type[KubeError], golden: GoldenFiles
) -> None:
    details = {"name": attempt.name, "kind": attempt.resource.plural}
    error = translate(attempt, status, reason, message, **details)
    assert error.__class__ is kind
    golden.compare_said("kubernetes", error, case)
    assert error.attempt == attempt
    assert not error.outcome_unknown


KYVERNO = 'admission webhook "validate.kyverno.svc-fail" denied the request: protect-ca: CA Secrets may be changed by the platform team only'
POLICY = "ValidatingAdmissionPolicy 'secrets-have-owners' with binding 'all' denied request: failed expression: has(object.metadata.labels.owner)"


@pytest.mark.parametrize(
    ("status", "reason"),
    [(400, "BadRequest"), (422, "Invalid"), (403, "Forbidden"), (404, "NotFound"), (409, "Conflict"), (410, "Gone")],
)
@pytest.mark.parametrize("cause", [KYVERNO, POLICY])
def test_a_denial_by_a_policy_keeps_its_cause(cause: str, status: int, reason: str, golden: GoldenFiles) -> None:
    """A webhook chooses the status itself."""
    error = translate(secret("patch"), status, reason, cause, name="demo-ca", causes=[{"message": cause}])
    assert (error.attempt, error.cause) == (secret("patch"), cause)
    assert isinstance(error, errors.Forbidden if status == 403 else errors.Invalid)
    golden.compare_said("kubernetes", error.remedy)


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_policy_that_quotes_the_data_shows_none_of_it(status: int, golden: GoldenFiles) -> None:
    password, encoded = "correct horse", base64.b64encode(b"correct horse").decode()
    message = f'admission webhook "w" denied the request: ca.password: {encoded} ({password}) is too weak, a=b is not'
    sent = {"data": {"ca.password": encoded, "short": base64.b64encode(b"a").decode(), "gone": None}}
    error = error_from(secret("patch"), status, {"reason": "Invalid", "message": message}, sent=sent)
    golden.compare_said("kubernetes", error)


@pytest.mark.parametrize(
    "body",
    [
        {"message": "default backend - 404"},
        {"message": "<html><body>404 page not found</body></html>"},
        {"message": ""},
        {"type": "error", "status": "404", "message": "cluster not found"},
    ],
)
def test_a_page_of_another_server_is_no_word_about_a_kind(body: dict[str, Any]) -> None:
    """Read as a missing kind, it would be evidence that no client of that kind exists."""
    assert isinstance(error_from(Attempt("list", KAFKAS, "kafka"), 404, body), errors.Unavailable)


@pytest.mark.parametrize("message", ["404 page not found", "the server could not find the requested resource"])
@pytest.mark.parametrize("verb", ["get", "list"])
def test_a_missing_crd_is_named(message: str, verb: str, golden: GoldenFiles) -> None:
    error = error_from(Attempt(verb, KAFKAS, "kafka", "demo" if verb == "get" else None), 404, {"message": message})
    assert error.__class__ is errors.ResourceTypeMissing
    golden.compare_said("kubernetes", error, verb)


@pytest.mark.parametrize("resource", [SECRETS, LEASES])
def test_a_missing_built_in_kind_means_a_wrong_host(resource: Resource, golden: GoldenFiles) -> None:
    error = error_from(Attempt("list", resource, "kafka"), 404, {"message": "404 page not found"})
    assert error.__class__ is errors.ResourceTypeMissing
    golden.compare_said("kubernetes", error.remedy)


def test_a_missing_namespace_is_named(golden: GoldenFiles) -> None:
    error = translate(
        secret("create"), 404, "NotFound", 'namespaces "kafka" not found', name="kafka", kind="namespaces"
    )
    assert error.__class__ is errors.NotFound
    golden.compare_said("kubernetes", error)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "Request entity too large: limit is 3145728"),
        (422, 'Secret "x" is invalid: data: Too long: must have at most 1048576 bytes'),
        (422, 'Secret "x" is invalid: data: Too long: may not be more than 1048576 bytes'),
        (500, "etcdserver: request is too large"),
    ],
)
def test_too_large(status: int, message: str, golden: GoldenFiles) -> None:
    error = translate(secret("patch"), status, "", message)
    assert error.__class__ is errors.TooLarge
    golden.compare_said("kubernetes", error)
    assert not error.outcome_unknown


CONTENT = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC1zZWNyZXQ="
KEY = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("status", "reason", "message", "text"),
    [
        (400, "BadRequest", f'cannot be handled as a Secret: illegal "{CONTENT}"', "it is not valid"),
        (422, "Invalid", f"data[x y]: Invalid value: {CONTENT!r}", "it is not valid: data[x y] (FieldValueInvalid)"),
        (403, "Forbidden", f"admission webhook denied: {KEY} and {CONTENT}", "admission webhook denied: (hidden) and (hidden)"),
        (500, "InternalError", f"oops {KEY[:40]}", "oops (hidden)"),
    ],
)  # fmt: skip
def test_content_of_a_secret_is_never_shown(status: int, reason: str, message: str, text: str) -> None:
    causes = [{"field": "data[x y]", "reason": "FieldValueInvalid", "message": CONTENT}] if status == 422 else []
    error = translate(secret("create"), status, reason, message, causes=causes)
    assert error.cause == text
    assert "PRIVATE" not in str(error)
    assert CONTENT not in str(error)


@pytest.mark.parametrize(("verb", "unknown"), [("patch", True), ("get", False)])
def test_a_server_that_gives_up_may_have_written(verb: str, unknown: bool, golden: GoldenFiles) -> None:
    error = translate(secret(verb), 504, "Timeout", "request did not complete within the allotted timeout")
    assert error.outcome_unknown is unknown
    golden.compare_said("kubernetes", error, verb)


@pytest.mark.parametrize(
    ("code", "is_transient", "outcome_unknown"),
    [
        *((code, True, True) for code in (408, 500, 502, 503, 504)),
        (429, True, False),
        *((code, False, False) for code in (302, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 501, 505)),
    ],
)
def test_failures_that_may_pass(code: int, is_transient: bool, outcome_unknown: bool) -> None:
    found = error_from(secret("patch"), code, {}, 3.0)
    assert (found.is_transient, found.outcome_unknown) == (is_transient, outcome_unknown)
    assert found.retry_after == 3.0 or not is_transient
    assert not error_from(secret("get"), code, {}).outcome_unknown, "nothing is done by a read"


# Paths of the API.

DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (SECRETS.path("kafka"), "/api/v1/namespaces/kafka/secrets"),
        (SECRETS.path("kafka", "demo"), "/api/v1/namespaces/kafka/secrets/demo"),
        (PODS.path("kafka", "demo", "status"), "/api/v1/namespaces/kafka/pods/demo/status"),
        (PODS.path(None), "/api/v1/pods"),
        (Resource("", "v1", "nodes", "Node").path(None, "worker"), "/api/v1/nodes/worker"),
        (DEPLOYMENTS.path("kafka", "eo"), "/apis/apps/v1/namespaces/kafka/deployments/eo"),
        (LEASES.path("kafka", "l"), "/apis/coordination.k8s.io/v1/namespaces/kafka/leases/l"),
        (KAFKAS.path("kafka", "demo", "status"), "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo/status"),
        (SELF_SUBJECT_ACCESS_REVIEWS.path(None), "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ],
)
def test_path(path: str, expected: str) -> None:
    assert path == expected


def test_a_name_cannot_lead_to_another_object() -> None:
    assert SECRETS.path("kafka", "../../other/secrets/x?y") == (
        "/api/v1/namespaces/kafka/secrets/..%2F..%2Fother%2Fsecrets%2Fx%3Fy"
    )


def test_api_version() -> None:
    assert (SECRETS.api_version, LEASES.api_version) == ("v1", "coordination.k8s.io/v1")


# Times as the API server writes them, and what is none.

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)


#: They read times that this collection has written, or that a person has.
ELSEWHERE = {"_ansible/arguments.py", "_kube/resources.py", "_issuing/pending/requests.py"}


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-06-01T12:00:00Z", NOON),
        ("2026-06-01T12:00:00.250000Z", NOON + timedelta(milliseconds=250)),
        ("2026-06-01T14:00:00+02:00", NOON),
        ("2026-06-01T12:00:00", None),
        ("soon", None),
        # Nothing can be added to the one or taken from the other.
        ("9999-12-31T23:59:59Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("", None),
        (None, None),
        (17, None),
    ],
)
def test_times_of_the_api_are_read(value: object, time: datetime | None) -> None:
    assert read_time(value) == time


DATE = "Mon, 01 Jun 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("sent", "received", "date", "ahead"),
    [
        (0, 0, DATE, 0),
        (0.9, 1.5, DATE, 0),
        (-3, 4, DATE, 0),
        (601, 602, DATE, 600),
        (-602, -600, DATE, -600),
        (0, 0, "", None),
        (0, 0, "soon", None),
        (0, 0, "Mon, 01 Jun 2026 12:00:00 -0000", None),
    ],
)
def test_how_far_this_clock_is_ahead(sent: float, received: float, date: str, ahead: int | None) -> None:
    """A server's time is rounded down to whole seconds, and what a request takes is no difference."""
    found = ahead_of_server(NOON + timedelta(seconds=sent), NOON + timedelta(seconds=received), date)
    assert found == (None if ahead is None else timedelta(seconds=ahead))


def test_no_other_module_reads_times_of_the_api_server() -> None:
    """Python 3.10, where modules may run and no test does, refuses these."""
    (folder,) = map(Path, module_utils.__path__)
    reading = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "fromisoformat"
    }
    assert reading == ELSEWHERE


@pytest.mark.parametrize(
    ("fields", "owned"),
    [
        ({"f:data": {"f:ca.crt": {}}}, True),
        pytest.param({"f:data": {"f:ca.crt": {"f:x": {}}}}, True, id="something in it"),
        ({"f:data": {"f:ca.key": {}}}, False),
        ({"f:metadata": {}}, False),
        pytest.param({"f:data": "no map"}, False, id="no map"),
        pytest.param(None, False, id="no fields"),
    ],
)
def test_a_program_owns_a_field_that_it_has_written(fields: object, owned: bool) -> None:
    found = {"metadata": {"managedFields": [{"manager": "other", "fieldsV1": fields}]}}
    (manager,) = managers_of(found)
    assert owns(manager, ("data", "ca.crt")) is owned


@pytest.mark.parametrize("found", [None, {}, {"metadata": None}, {"metadata": {"managedFields": None}}])
def test_an_object_without_notes_has_no_managers(found: dict[str, object] | None) -> None:
    assert list(managers_of(found)) == []
