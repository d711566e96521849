# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a Certificate: what is wanted, which differences count, and how often the same one is corrected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.specification import (
    AGAIN_AFTER,
    Review,
    Terms,
    find_differences,
    manifest,
    wanted_spec,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CORRECTED, ClusterNames

from ....tools.support.certificates import NOW
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import CLIENT, USER, wish
from ....tools.support.memory_api import merge

Object = dict[str, Any]
SCOPE = ClusterNames("kafka", "demo")
REFERENCE = IssuerReference(CertManagerIssuer("corporate", "ClusterIssuer"), "kafka")
TERMS = Terms(SCOPE, REFERENCE, KeySpec(KeyAlgorithm.RSA, 2048), timedelta(days=365), timedelta(days=30))
NAME = "demo-kafka-0"
SPEC = wanted_spec(wish(name=NAME).order, TERMS)


def test_the_certificate_of_a_node_is_as_the_specification_has_it() -> None:
    """The example of the specification (External Certificate Manager, "Issuing Cluster CA end-entity certificates")."""
    made = manifest(wish(name=NAME).order, TERMS)
    assert made["metadata"] == {
        "name": NAME, "labels": {"app.kubernetes.io/managed-by": "trustops.strimzi", "strimzi.io/cluster": "demo"},
    }  # fmt: skip
    template = made["spec"].pop("secretTemplate")
    assert template["annotations"] == {"trustops.strimzi/kept-for": "demo-cluster-ca"}
    labels = template["labels"]
    assert labels["app.kubernetes.io/managed-by"] == "cert-manager"
    assert labels["strimzi.io/cluster"] == "demo"
    assert made["spec"] == {
        "secretName": "demo-kafka-0-cm",
        "privateKey": {"algorithm": "RSA", "size": 2048, "encoding": "PKCS8", "rotationPolicy": "Always"},
        "duration": "8760h",
        "renewBefore": "720h",
        "isCA": False,
        "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
        "subject": {"organizations": ["io.strimzi"]},
        "commonName": "demo-kafka",
        "dnsNames": ["demo-kafka-0.demo-kafka-brokers", "demo-kafka-bootstrap.kafka.svc"],
        "ipAddresses": ["192.0.2.4", "2001:db8::4"],
        "issuerRef": {"name": "corporate", "kind": "ClusterIssuer", "group": "cert-manager.io"},
    }


def test_a_pure_client_has_no_names_and_no_use_as_a_server() -> None:
    spec = wanted_spec(wish(CLIENT).order, replace(TERMS, validity=timedelta(minutes=90)))
    assert {"dnsNames", "ipAddresses"} & set(spec) == set()
    assert spec["usages"] == ["digital signature", "key encipherment", "client auth"]
    assert spec["duration"] == "5400s"


def stored(spec: Object, managed: Sequence[tuple[str, Object]] = (), **annotations: str) -> Object:
    """A Certificate as the API server has it. managed: the fields of ``spec`` that each manager owns."""
    fields = [
        {"manager": manager, "operation": "Update", "time": "2026-05-01T08:00:00Z", "fieldsV1": {"f:spec": own}}
        for manager, own in managed
    ]
    metadata = {"name": NAME, "namespace": "kafka", "annotations": annotations, "managedFields": fields}
    return {"metadata": metadata, "spec": spec}


def changed(changes: Object, base: Object = SPEC) -> Object:
    """The wanted content with these changes, as a merge patch has them."""
    spec: Object = json.loads(json.dumps(base))
    merge(spec, changes)
    return spec


SET = [
    ({"dnsNames": ["other.example"]}, ("dnsNames",)),
    ({"dnsNames": [*SPEC["dnsNames"], "other.example"]}, ("dnsNames",)),
    ({"ipAddresses": None}, ("ipAddresses",)),
    ({"issuerRef": {"kind": "Issuer"}}, ("issuerRef.kind",)),
    ({"duration": "24h", "renewBefore": "1h"}, ("duration", "renewBefore")),
    ({"duration": "a year"}, ("duration",)),
    ({"isCA": True}, ("isCA",)),
    ({"usages": ["any"]}, ("usages",)),
    ({"secretName": "demo-kafka-0"}, ("secretName",)),
    ({"secretTemplate": None}, tuple(
        f"secretTemplate.{part}.{name}"
        for part in ("annotations", "labels")
        for name in sorted(SPEC["secretTemplate"][part])
    )),
    ({"secretTemplate": {"labels": {"strimzi.io/cluster": "other"}}}, ("secretTemplate.labels.strimzi.io/cluster",)),
    ({"privateKey": {"rotationPolicy": "Never", "size": 4096}}, ("privateKey.rotationPolicy", "privateKey.size")),
    ({"subject": "a text"}, ("subject.organizations",)),
]  # fmt: skip
UNWANTED = [
    ({"additionalOutputFormats": [{"type": "DER"}]}, ("additionalOutputFormats",)),
    ({"keystores": {"jks": {"create": True}}}, ("keystores",)),
    ({"literalSubject": "CN=other"}, ("literalSubject",)),
    ({"subject": {"organizationalUnits": ["payments"]}}, ("subject.organizationalUnits",)),
    ({"emailAddresses": ["a@example"]}, ("emailAddresses",)),
    ({"uris": ["spiffe://example"]}, ("uris",)),
    ({"otherNames": [{"oid": "1.3.6.1.4.1.311.20.2.3", "utf8Value": "a"}]}, ("otherNames",)),
    ({"nameConstraints": {"critical": True}}, ("nameConstraints",)),
    ({"renewBeforePercentage": 5}, ("renewBeforePercentage",)),
    ({"renewal": {"policy": "Disabled"}}, ("renewal.policy",)),
    ({"secretTemplate": {"labels": {"strimzi.io/kind": "KafkaUser"}}}, ("secretTemplate.labels.strimzi.io/kind",)),
]


@pytest.mark.parametrize(("changes", "fields"), [*SET, *UNWANTED])
def test_a_patch_corrects_what_differs_and_nothing_else(changes: Object, fields: tuple[str, ...]) -> None:
    beside = {"secretTemplate": {"labels": {"team": "streaming"}}, "privateKey": {"unknown": 1}, "unknown": {"a": 1}}
    found = stored(changed({**beside, **changes} if changes.keys().isdisjoint(beside) else changes))
    assert tuple(difference.name for difference in find_differences(found, SPEC)) == fields
    patched = merge(json.loads(json.dumps(found)), Review.of(found, SPEC, NOW).patch)
    assert find_differences(patched, SPEC) == ()
    if changes.keys().isdisjoint(beside):
        assert patched["spec"]["unknown"] == {"a": 1}
        assert patched["spec"]["secretTemplate"]["labels"]["team"] == "streaming"


COMPLETIONS: tuple[Object, ...] = (
    {"revisionHistoryLimit": 3},
    {"encodeUsagesInRequest": True},
    {"signatureAlgorithm": "SHA384WithRSA"},
    {"unknownField": {"by": "a newer release"}},
    {"issuerRef": {"unknown": "a"}, "privateKey": {"unknown": "a"}},
    {"secretTemplate": {"labels": {"team": "streaming"}, "annotations": {"team": "streaming"}}},
    {"renewal": {"policy": "RenewBefore", "windows": [{"cron": "0 0 * * *", "windowDuration": "8h"}]}},
    {"keystores": {}, "additionalOutputFormats": [], "uris": []},
    # As clients in Go write it again.
    {"isCA": None, "duration": "8760h0m0s", "renewBefore": "720h0m0s"},
    {"usages": list(reversed(SPEC["usages"])), "dnsNames": list(reversed(SPEC["dnsNames"]))},
)


@pytest.mark.parametrize("changes", COMPLETIONS)
def test_what_others_complete_is_no_difference(changes: Object) -> None:
    review = Review.of(stored(changed(changes)), SPEC, NOW)
    assert (review.due, review.written_back, review.patch, review.description_of_written_back) == ((), (), {}, "")


def test_names_of_a_user_are_unwanted_where_it_has_none() -> None:
    spec = wanted_spec(wish(USER).order, TERMS)
    assert {"dnsNames", "ipAddresses", "subject"}.isdisjoint(spec)
    more = {"dnsNames": ["a.example"], "ipAddresses": ["192.0.2.1"], "subject": {"organizations": ["io.strimzi"]}}
    names = [difference.name for difference in find_differences(stored(changed(more, spec)), spec)]
    assert names == ["dnsNames", "ipAddresses", "subject.organizations"]


def test_the_password_of_a_keystore_is_shown_to_no_person() -> None:
    found = stored(changed({"keystores": {"jks": {"create": True, "password": "open sesame"}}}))
    (difference,) = find_differences(found, SPEC)
    assert "sesame" not in f"{difference} {difference.shown}"
    assert "sesame" not in str(Review.of(found, SPEC, NOW).patch)


POLICY = "kyverno-background-controller"
CHANGED = {"privateKey": {"size": 4096}}


def corrected(found: Object) -> Object:
    """After the correction of this Certificate, the same fields are different again."""
    note = Review.of(found, SPEC, NOW).patch["metadata"]["annotations"]
    return {**found, "metadata": {**found["metadata"], "annotations": note}}


def test_what_is_written_back_is_corrected_once_a_day(golden: GoldenFiles) -> None:
    owned = [(POLICY, {"f:privateKey": {"f:size": {}}})]
    again = corrected(stored(changed(CHANGED), owned))
    for now in (NOW, NOW + AGAIN_AFTER - timedelta(seconds=1), NOW - AGAIN_AFTER + timedelta(seconds=1)):
        review = Review.of(again, SPEC, now)
        assert (review.due, review.patch) == ((), {})
        assert [difference.name for difference in review.written_back] == ["privateKey.size"]
        golden.compare_said("issuers", review.description_of_written_back)
    later = Review.of(again, SPEC, NOW + AGAIN_AFTER)
    assert later.patch["spec"] == {"privateKey": {"size": 2048}}
    assert later.description_of_written_back == ""


def test_another_difference_is_corrected_at_once() -> None:
    again = corrected(stored(changed(CHANGED)))
    more = {**again, "spec": changed({**CHANGED, "duration": "24h"})}
    review = Review.of(more, SPEC, NOW)
    assert review.patch["spec"] == {"duration": SPEC["duration"]}
    noted = json.loads(review.patch["metadata"]["annotations"][CORRECTED])["fields"]
    assert noted == {"duration": SPEC["duration"], "privateKey.size": 2048}


def test_another_wanted_value_is_written_at_once() -> None:
    """The options of the caller have changed since the correction."""
    again = corrected(stored(changed({"duration": "24h"})))
    wanted = {**SPEC, "duration": "48h"}
    assert Review.of(again, wanted, NOW).patch["spec"] == {"duration": "48h"}


@pytest.mark.parametrize(
    "note", ["", "?", "[]", '{"at": "soon", "fields": {}}', '{"at": null, "fields": {"duration": 1}}', '{"at": 1}']
)
def test_a_note_that_cannot_be_read_holds_nothing_back(note: str) -> None:
    found = stored(changed(CHANGED), (), **{CORRECTED: note})
    assert Review.of(found, SPEC, NOW).patch["spec"] == {"privateKey": {"size": 2048}}


@pytest.mark.parametrize(
    ("case", "changes", "managed"),
    [
        ("a policy", CHANGED, [(POLICY, {"f:privateKey": {"f:size": {}}})]),
        ("a webhook", CHANGED, [(FIELD_MANAGER, {"f:privateKey": {"f:size": {}}})]),
        ("a default", CHANGED, [(FIELD_MANAGER, {"f:duration": {}})]),
        ("a removal", {"duration": None}, [(POLICY, {"f:privateKey": {}})]),
    ],
)
def test_the_writer_of_what_was_written_back(
    case: str, changes: Object, managed: list[tuple[str, Object]], golden: GoldenFiles
) -> None:
    review = Review.of(corrected(stored(changed(changes), managed)), SPEC, NOW)
    golden.compare_said("issuers", review.description_of_written_back, case)
