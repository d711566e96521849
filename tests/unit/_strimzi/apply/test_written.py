# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of what a call has written: which fields are gone again, since whose write, and how often; and other writers by name."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER, SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    Work,
    Write,
    WriteVerb,
    contains,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import (
    Field,
    Loss,
    Writer,
    find_other_writers,
    is_of_flows,
    owners_of,
    remedy_for,
    writers_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import KAFKAS, STRIMZI_POD_SETS

from ....tools.support.certificates import key, make
from ....tools.support.faults import Fault, FaultyApi, at_call
from ....tools.support.golden import GoldenFiles
from ....tools.support.other_hands import ARGO_CD
from ..bench import LABELS, SCOPE, Bench, Object, kafka, pod, secret


def leaf_pem(number: int) -> Certificate:
    return make(f"leaf {number}", key(number)).certificate


def encode(content: bytes) -> str:
    return base64.b64encode(content).decode()


KEY = key(1).reveal()
OWNED, LEFT_ALONE, PAUSED = "demo-cluster-ca-cert", "left-alone", "strimzi.io/pause-reconciliation"
OPERATOR = "strimzi-cluster-operator"
_OURS = {"next.crt": "bmV4dA==", "ca.crt": "b3Vycw=="}


class Call(Bench):
    """A call on a cluster with one Secret, and a program that writes back what was there before. done: the work of the call."""

    def __init__(self) -> None:
        super().__init__()
        self.create("kafkas", kafka(clusterCa={"generateCertificateAuthority": False}))
        self.create("secrets", secret(OWNED, {"ca.crt": b"before"}, {"note": "before"}))
        self.done = self.work()

    def write(
        self, body: Object, name: str = OWNED, *, resource: Any = SECRETS, verb: WriteVerb = WriteVerb.UPDATE
    ) -> None:
        found = self.api.find(resource.plural, "kafka", name)
        version = found["metadata"]["resourceVersion"] if found else None
        write_all(
            (Write(verb, resource, name, "a change", None if verb is WriteVerb.DELETE else body, version),),
            self.done,
            "prepare",
        )

    def writes_back(self, patch: Object, name: str = OWNED, *, plural: str = "secrets", by: str = ARGO_CD) -> None:
        root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
        answer = self.api.request(
            "PATCH", f"{root}/namespaces/kafka/{plural}/{name}", body=patch, query={"fieldManager": by},
            content_type="application/merge-patch+json",
        )  # fmt: skip
        assert answer.status == 200, answer.body

    def losses(self) -> tuple[Loss, ...]:
        return self.done.written.take_losses(self.observe(), self.client())

    def loss(self) -> Loss:
        (only,) = self.losses()
        return only


def test_fields_that_stay_are_no_loss() -> None:
    call = Call()
    call.write({"data": _OURS, "metadata": {"annotations": {"note": "ours"}}})
    call.writes_back({"data": {"another": "eA=="}, "metadata": {"annotations": {"its-own": "x"}}})
    assert call.losses() == ()


def test_fields_that_are_gone_are_named_with_their_writer_and_its_remedy(golden: GoldenFiles) -> None:
    call = Call()
    call.write({"data": _OURS, "metadata": {"annotations": {"note": "ours"}}})
    call.writes_back(
        {"data": {"next.crt": None, "ca.crt": "YmVmb3Jl"}, "metadata": {"annotations": {"note": "before"}}}
    )
    lost = call.loss()
    assert lost.object == f"Secret kafka/{OWNED}"
    assert [change.field for change in lost.changes] == [
        ("metadata", "annotations", "note"), ("data", "next.crt"), ("data", "ca.crt"),
    ]  # fmt: skip
    golden.compare_said("cluster", f"{lost.describe()}\n{lost.remedy}")
    assert (lost.times, lost.is_repeated, lost.by_operator) == (1, False, False)


def test_what_another_call_of_the_collection_writes_is_no_loss() -> None:
    """The flow on the other CA pauses the operator when this call has ended its own pause; a person brings a certificate while a flow waits."""
    call = Call()
    call.write({"metadata": {"annotations": {PAUSED: None}}}, "demo", resource=KAFKAS)
    call.writes_back({"metadata": {"annotations": {PAUSED: "true"}}}, "demo", plural="kafkas", by=FIELD_MANAGER)
    call.write({"data": _OURS})
    call.writes_back({"data": {"next.crt": "dHdv"}}, by=FIELD_MANAGER)
    assert call.losses() == ()
    call.writes_back({"data": {"next.crt": "dGhyZWU=", "ca.crt": "YmVmb3Jl"}})
    assert call.loss().what == "entries ca.crt, next.crt", "what another program changes after that is a loss again"


def test_a_field_that_the_call_has_removed_and_that_is_there_again_is_lost() -> None:
    call = Call()
    call.write({"data": {"ca.crt": None}})
    call.writes_back({"data": {"ca.crt": "YmVmb3Jl"}})
    assert call.loss().what == "entry ca.crt"


def test_each_loss_is_told_once_and_counts_by_its_object() -> None:
    """The second loss may be of another field."""
    call = Call()
    call.write({"data": _OURS})
    call.writes_back({"data": {"next.crt": None}})
    assert call.loss().times == 1
    assert call.losses() == ()
    call.write({"data": {"third.crt": "eA=="}})
    call.writes_back({"data": {"third.crt": None}})
    again = call.loss()
    assert (again.times, again.is_repeated) == (2, True)


def test_a_later_write_of_the_call_takes_the_place_of_an_earlier_one() -> None:
    call = Call()
    call.write({"data": {"next.crt": "b25l"}})
    call.write({"data": {"next.crt": "dHdv"}})
    assert call.losses() == ()


def test_the_operator_may_put_each_value_back_once() -> None:
    """A reconcile that was under way, with what it had read before each of two writes; the same once more is a repetition."""
    call = Call()
    for value in ("b25l", "dHdv"):
        call.write({"data": {"ca.crt": value}})
        call.writes_back({"data": {"ca.crt": "YmVmb3Jl"}}, by=OPERATOR)
        put_back = call.loss()
        assert (put_back.by_operator, put_back.is_repeated) == (True, False)
    call.write({"data": {"ca.crt": "dHdv"}})
    call.writes_back({"data": {"ca.crt": "YmVmb3Jl"}}, by=OPERATOR)
    assert call.loss().is_repeated


def test_the_trust_bundle_is_the_operators() -> None:
    call = Call()
    call.create("secrets", secret(SCOPE.trust_bundle_secret, {"ca.crt": b"before"}))
    call.write({"data": {"ca.crt": "b3Vycw=="}}, SCOPE.trust_bundle_secret)
    call.writes_back({"data": {"ca.crt": "YmVmb3Jl"}}, SCOPE.trust_bundle_secret, by=OPERATOR)
    assert call.losses() == ()
    call.write({"data": {"ca.crt": "b3Vycw=="}}, SCOPE.trust_bundle_secret)
    call.writes_back({"data": {"ca.crt": "YmVmb3Jl"}}, SCOPE.trust_bundle_secret)
    assert call.loss().object == f"Secret kafka/{SCOPE.trust_bundle_secret}"


def test_a_pause_that_is_taken_away() -> None:
    call = Call()
    call.write({"metadata": {"annotations": {PAUSED: "true"}}}, "demo", resource=KAFKAS)
    call.writes_back({"metadata": {"annotations": {PAUSED: None}}}, "demo", plural="kafkas")
    assert (call.loss().object, call.done.written.objects) == ("Kafka kafka/demo", {("Kafka", "kafka", "demo")})


def test_a_request_that_was_carried_out_is_no_loss() -> None:
    call = Call()
    call.write({"metadata": {"annotations": {"trustops.strimzi/reconcile-request": "true"}}})
    call.writes_back({"metadata": {"annotations": {"trustops.strimzi/reconcile-request": None}}})
    assert call.losses() == ()


def pods_of_set(stamp: str, labels: Object | None = None) -> Object:
    metadata = {"name": "demo-kafka-0", "labels": labels or {}, "annotations": {"strimzi.io/revision": stamp}}
    return {"spec": {"pods": [{"metadata": metadata, "spec": {"containers": [{"name": "kafka"}]}}]}}


def test_of_pods_in_a_pod_set_annotations_alone_are_written() -> None:
    """The operator or a policy engine may change everything else of them."""
    call = Call()
    call.create("strimzipodsets", {"metadata": {"name": "demo-kafka", "labels": LABELS}, **pods_of_set("before")})
    root = "/apis/core.strimzi.io/v1/namespaces/kafka/strimzipodsets/demo-kafka"

    def follows(stamp: str, labels: Object) -> None:
        answer = call.api.request(
            "PATCH", root, body=pods_of_set(stamp, labels), query={"fieldManager": ARGO_CD},
            content_type="application/merge-patch+json",
        )  # fmt: skip
        assert answer.status == 200

    call.write(pods_of_set("ours"), "demo-kafka", resource=STRIMZI_POD_SETS)
    follows("ours", {"team": "streaming"})
    assert call.losses() == ()
    follows("before", {"team": "streaming"})
    lost = call.loss()
    assert lost.what.endswith("demo-kafka-0].metadata.annotations.strimzi.io/revision")
    assert lost.writer.startswith(ARGO_CD)


def test_a_write_whose_answer_was_lost_is_seen_in_a_completed_list() -> None:
    found, wanted = pods_of_set("ours", {"team": "streaming"}), pods_of_set("ours")
    assert contains(found, wanted)
    assert not contains(pods_of_set("before"), wanted)
    assert not contains({"spec": {"pods": [*wanted["spec"]["pods"]] * 2}}, wanted)


def test_fields_of_a_spec_are_looked_at_one_by_one() -> None:
    call = Call()
    call.write({"spec": {"clusterCa": {"generateCertificateAuthority": True}}}, "demo", resource=KAFKAS)
    call.writes_back({"spec": {"clusterCa": {"validityDays": 30}}}, "demo", plural="kafkas")
    assert call.losses() == ()
    call.writes_back({"spec": {"clusterCa": {"generateCertificateAuthority": False}}}, "demo", plural="kafkas")
    assert call.loss().what == "field spec.clusterCa.generateCertificateAuthority"


# Fields of earlier calls of the collection are known by what the API server notes.


def test_an_entry_of_an_earlier_call_is_lost_too() -> None:
    call = Call()
    call.writes_back({"data": {"next.crt": "bmV4dA=="}}, by=FIELD_MANAGER)
    assert call.losses() == ()
    call.writes_back({"data": {"next.crt": None}, "metadata": {"annotations": {"its-own": "x"}}})
    lost = call.loss()
    assert (lost.what, lost.writers[0].manager, lost.is_noted) == ("entry next.crt", ARGO_CD, False)
    assert call.losses() == (), "each loss is told once"


def test_labels_are_lost_as_entries_are() -> None:
    call = Call()
    call.writes_back({"metadata": {"labels": {"strimzi.io/cluster": "demo"}}}, by=FIELD_MANAGER)
    call.write({"metadata": {"labels": {"strimzi.io/kind": "Kafka"}}})
    assert call.losses() == ()
    call.writes_back({"metadata": {"labels": {"strimzi.io/kind": None}}})
    assert call.loss().what == "label strimzi.io/kind"


@pytest.mark.parametrize(
    ("name", "by"), [("demo-kafka-0", OPERATOR), ("not-of-a-flow", ARGO_CD)], ids=["the operator's leaf", "no flow's"]
)
def test_what_an_earlier_call_wrote_is_no_loss_where_flows_do_not_rest_on_it(name: str, by: str) -> None:
    """The operator issues leaves again by rules of its own; and a call does not watch Secrets that flows do not write."""
    call = Call()
    call.create("secrets", secret(name, {f"{name}.crt": b""}))
    call.create("pods", pod("demo-kafka-0"))
    call.writes_back({"data": {f"{name}.crt": "YQ=="}}, name, by=FIELD_MANAGER)
    assert call.losses() == ()
    call.writes_back({"data": {f"{name}.crt": "Yg=="}}, name, by=by)
    assert call.losses() == ()


def test_certificates_that_people_bring_are_theirs() -> None:
    call = Call()
    name = "demo-issuing-kafka"
    call.create("secrets", secret(name, {}))
    call.writes_back({"data": {"a.issued": "YQ==", "a.requested": "YQ=="}}, name, by=FIELD_MANAGER)
    assert call.losses() == ()
    call.writes_back({"data": {"a.issued": "Yg=="}}, name, by="kubectl-edit")
    assert call.losses() == ()
    call.writes_back({"data": {"a.requested": "Yg=="}}, name)
    assert call.loss().what == "entry a.requested"


def test_what_was_read_while_another_run_was_at_work_is_forgotten() -> None:
    call = Call()
    call.writes_back({"data": {"next.crt": "bmV4dA=="}}, by=FIELD_MANAGER)
    assert call.losses() == ()
    call.done.written.forget()
    call.writes_back({"data": {"next.crt": None}})
    assert call.losses() == ()


def test_a_loss_that_a_step_reads_before_it_writes_the_entry_again_is_not_overlooked() -> None:
    call = Call()
    call.write({"data": _OURS})
    call.writes_back({"data": {"next.crt": None}})
    call.done.written.compare(("Secret", "kafka", OWNED), call.api.find("secrets", "kafka", OWNED))
    call.write({"data": _OURS})
    lost = call.loss()
    assert lost.what == "entry next.crt"
    assert not call.done.written.is_lost(lost), "the call has written it again"


def test_a_loss_lasts_until_it_is_written_again() -> None:
    call = Call()
    call.write({"data": _OURS})
    call.writes_back({"data": {"next.crt": None}})
    lost = call.loss()
    assert call.losses() == ()
    assert call.done.written.is_lost(lost)


CERTIFICATE, OTHER = (leaf_pem(number) for number in (1, 2))


@pytest.mark.parametrize(
    ("written", "now", "told"),
    [
        (CERTIFICATE.pem, None, f"certificate {CERTIFICATE.sha256[:12]}, now gone"),
        (CERTIFICATE.pem, OTHER.pem, f"certificate {CERTIFICATE.sha256[:12]}, now certificate {OTHER.sha256[:12]}"),
        (
            CERTIFICATE.pem + OTHER.pem, b"theirs",
            f"certificates {CERTIFICATE.sha256[:12]}, {OTHER.sha256[:12]}, now content that is not shown",
        ),
        (b"a password", b"another", "content that is not shown, now other content"),
        (KEY, None, "a private key, now gone"),
        (KEY, key(2).reveal(), "a private key, now another private key"),
        (CERTIFICATE.pem + KEY, None, "a private key, now gone"),
    ],
    ids=["gone", "another certificate", "a chain", "a password", "a key", "another key", "a key with its certificate"],
)  # fmt: skip
def test_both_states_are_told_without_what_is_secret(written: bytes, now: bytes | None, told: str) -> None:
    call = Call()
    call.write({"data": {"x": encode(written)}})
    call.writes_back({"data": {"x": None if now is None else encode(now)}})
    said = call.loss().describe()
    assert f"({told})" in said
    assert "a password" not in said
    assert KEY.decode().splitlines()[1] not in said


def test_values_of_annotations_are_told_and_the_state_of_a_ca(golden: GoldenFiles) -> None:
    call = Call()
    call.write({"data": {"a.state": encode(b"UNTRUSTED")}, "metadata": {"annotations": {"note": "ours"}}})
    call.writes_back({"data": {"a.state": encode(b"PHASE_OUT")}, "metadata": {"annotations": {"note": "theirs"}}})
    golden.compare_said("cluster", call.loss().describe())


def test_an_object_that_is_gone_and_one_that_is_back() -> None:
    call = Call()
    call.write(secret("made", {"a": b"b"}), "made", verb=WriteVerb.CREATE)
    call.remove("secrets", "made")
    assert (call.loss().object, call.losses()) == ("Secret kafka/made", ())
    call.write({}, OWNED, verb=WriteVerb.DELETE)
    assert call.losses() == ()
    call.create("secrets", secret(OWNED, {"ca.crt": b"before"}))
    assert call.loss().what == "the object itself"


def test_a_secret_that_has_lost_the_labels_by_which_it_is_listed_is_read_by_its_name() -> None:
    call = Call()
    call.write({"data": _OURS})
    call.losses()
    call.writes_back({"metadata": {"labels": {"strimzi.io/cluster": None}}})
    assert call.losses() == ()
    call.writes_back({"data": {"next.crt": None}})
    assert call.loss().what == "entry next.crt"


def test_a_pod_by_another_process_is_another_pod() -> None:
    call = Call()
    call.create("secrets", secret("demo-kafka-0", {}))
    call.create("pods", pod("demo-kafka-0"))
    from_call = {"metadata": {"annotations": {"strimzi.io/cluster-ca-cert-generation": "1"}}}
    call.done.written.note(("Pod", "kafka", "demo-kafka-0"), from_call, "an earlier process")
    assert call.losses() == ()
    assert call.losses() == ()


def test_written_values_are_remembered_by_digest() -> None:
    """Keys are among what is written, and nothing of them is in what is remembered (I7)."""
    call = Call()
    call.write({"data": {"ca.key": base64.b64encode(b"a private key").decode()}})
    remembered = repr(vars(call.done.written))
    assert "ca.key" in remembered
    assert base64.b64encode(b"a private key").decode() not in remembered
    assert "a private key" not in repr(call.done.written)


def _answer_lost(call: Call, write: Callable[[], None]) -> Work:
    """The write is done, and its answer is lost."""
    api = FaultyApi(call.api, at_call(1, Fault.LOST_ANSWER))
    call.done = call.work(transport=api)
    with pytest.raises(KubeError):
        write()
    return call.done


def test_a_write_whose_answer_was_lost_is_known_too() -> None:
    call = Call()
    _answer_lost(call, lambda: call.write({"data": _OURS}))
    assert call.losses() == ()
    call.writes_back({"data": {"next.crt": None}})
    assert call.loss().what == "entry next.crt"


def test_a_deletion_whose_answer_was_lost_is_known_too() -> None:
    call = Call()
    _answer_lost(call, lambda: call.write({}, verb=WriteVerb.DELETE))
    call.create("secrets", secret(OWNED, {"ca.crt": b"before"}))
    assert call.loss().what == "the object itself"


def test_a_write_that_was_not_done_is_none() -> None:
    call = Call()
    api = FaultyApi(call.api, at_call(1, Fault.TIMEOUT))
    call.done = call.work(transport=api)
    with pytest.raises(KubeError):
        call.write({"data": _OURS})
    assert (call.losses(), call.done.written.objects) == ((), frozenset())


# Other writers of an object: their names by what the API server notes, and the remedy for each.

CA: Field = ("data", "ca.crt")
NOTE: Field = ("metadata", "annotations", "note")


def noted(manager: str, *fields: Field, time: str = "2026-01-01T00:00:00Z", **more: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for field in fields:
        here = tree
        for part in field:
            here = here.setdefault(f"f:{part}", {})
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": tree, **more}


def managed(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "x", "managedFields": list(entries)}}


def managers(writers: tuple[Writer, ...]) -> list[str]:
    return [one.manager for one in writers]


@pytest.mark.parametrize(
    ("manager", "returns"),
    [
        ("argocd-controller", True),
        ("externalsecrets.external-secrets.io/x", True),
        ("kustomize-controller", True),
        ("helm", True),
        ("", True),
        ("kubectl", False),
        ("kubectl-client-side-apply", False),
        ("kubectlish", True),
        ("oc", False),
        ("ocm-agent", True),
        ("before-first-apply", False),
        ("kube-apiserver", False),
        ("strimzi-cluster-operator", False),
        ("strimzi-user-operator", False),
        ("trustops.strimzi", False),
    ],
)
def test_programs_that_may_write_again_are_told_from_others(manager: str, returns: bool) -> None:
    assert Writer(manager).returns is returns


def test_the_owner_of_a_field_has_written_it() -> None:
    found = managed(noted("argocd-controller", CA), noted("kubectl-edit", NOTE), noted("trustops.strimzi", NOTE))
    assert managers(writers_of(found, [CA])) == ["argocd-controller"]
    assert managers(owners_of(found, [("metadata", "annotations")])) == ["kubectl-edit"], "this collection is left out"


def test_of_several_the_last_comes_first() -> None:
    found = managed(noted("a", CA), noted("b", CA, time="2026-01-02T00:00:00Z"))
    assert list(map(str, writers_of(found, [CA]))) == [
        "b (Update, 2026-01-02T00:00:00Z)",
        "a (Update, 2026-01-01T00:00:00Z)",
    ]


def test_of_a_field_that_is_gone_a_program_is_suspected_before_a_person() -> None:
    found = managed(noted("kubectl-edit", ("data", "other")), noted("argocd-controller", ("spec", "x")))
    assert managers(writers_of(found, [CA])) == ["argocd-controller", "kubectl-edit"]


def test_writers_of_the_status_have_not_written_it() -> None:
    assert writers_of(managed(noted("someone", CA, subresource="status"))) == ()


@pytest.mark.parametrize("found", [None, {}, {"metadata": {}}, managed({})])
def test_where_nothing_is_noted_no_name_is_invented(found: dict[str, Any] | None) -> None:
    assert set(managers(writers_of(found, [CA]))) <= {""}


@pytest.mark.parametrize(
    ("case", "manager"),
    [
        ("Argo CD", "argocd-controller"),
        ("External Secrets", "externalsecrets.external-secrets.io/x"),
        ("Flux", "kustomize-controller"),
        ("Replicator", "kubernetes-replicator"),
        ("another", "something"),
    ],
)
def test_each_writer_has_its_remedy(case: str, manager: str, golden: GoldenFiles) -> None:
    remedy = remedy_for([Writer(manager), Writer(manager)])
    golden.compare_said("cluster", remedy, case)
    assert remedy.count("docs/other-writers.md") == 1


FIELDS: list[tuple[Field, bool]] = [
    *((("data", entry), True) for entry in ("ca.crt", "ca-2027-01-01T00-00-00Z.crt", "ca.key", "a.link.crt")),
    *((("data", entry), True) for entry in ("user.p12", "ca.password")),
    *((("data", f"{'a1' * 20}{ending}"), True) for ending in (".state", ".pods", ".TRUSTED_USED", ".usage", "")),
    *((("data", entry), True) for entry in ("demo-kafka-0.requested", "demo-kafka-0.pending", "secrets.json.gz")),
    *((("data", entry), False) for entry in ("note", "policy.note", "README")),
    (("metadata", "annotations", PAUSED), True),
    (("metadata", "annotations", "trustops.strimzi/journal"), True),
    (("metadata", "labels", "strimzi.io/kind"), True),
    (("metadata", "annotations", "policy.example/team"), False),
    (("metadata", "labels", "team"), False),
    (("metadata", "ownerReferences"), False),
    (("spec", "pods"), True),
    (("status",), False),
]  # fmt: skip


@pytest.mark.parametrize(("field", "expected"), FIELDS)
def test_fields_that_flows_write(field: Field, expected: bool) -> None:
    assert is_of_flows(field) is expected


@pytest.mark.parametrize(
    ("owned", "is_named"),
    [
        ({"f:metadata": {"f:labels": {".": {}, "f:team": {}}}, "f:data": {"f:note": {}}}, False),
        ({"f:metadata": {"f:annotations": {".": {}, "f:team": {}}}}, False),
        ({"f:metadata": {"f:annotations": {".": {}, f"f:{PAUSED}": {}}}}, True),
        ({"f:data": {".": {}, "f:ca.crt": {}}}, True),
        ({"f:spec": {"f:replicas": {}}}, True),
    ],
)  # fmt: skip
def test_a_program_that_completes_an_object_is_no_other_writer(owned: Object, is_named: bool) -> None:
    found = {"metadata": {"managedFields": [{"manager": ARGO_CD, "fieldsV1": owned}]}}
    assert [writer.manager for writer in find_other_writers(found)] == [ARGO_CD] * is_named
