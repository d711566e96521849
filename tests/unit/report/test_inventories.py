# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventories of the report: users with their certificates, clients outside the cluster, and listeners whose owner sees to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ..filter.runs import NEW, OLD, ca, facts, label, nodes, rotation, seen, with_digests
from .pages import page_of, write_pages

ENDS = "2027-01-01T00:00:00Z"


def certificate(**changed: Any) -> dict[str, Any]:
    issuer = "CN=clients-ca v0,O=io.strimzi"
    usual = {
        "subject": "CN=orders",
        "issuer": issuer,
        "ca": label(NEW),
        "sha256": "77",
        "not_after": ENDS,
        "problem": "",
    }
    return {**usual, **changed}


def user(name: str, kind: str, found: dict[str, Any] | None, *readers: tuple[str, bool | None]) -> dict[str, Any]:
    read_by = [{"name": reader, "up_to_date": fresh} for reader, fresh in readers]
    return {"name": name, "namespace": "kafka", "authentication": kind, "certificate": found, "presenters": read_by}


SEEN = {
    "users": [
        user("orders", "tls", certificate(), ("Pod kafka/a", True), ("Pod kafka/b", False), ("Pod kafka/c", None)),
        user("lost", "tls", certificate(ca="", sha256="", not_after=None, issuer="", problem="is missing")),
        user("scram", "scram-sha-512", None),
    ],
    "named_certificates": [
        {"secret": "Secret apps/partner entry tls.crt", "certificate": certificate(ca=""), "presenters": []}
    ],
    "users_by_ca": [],
}  # fmt: skip


def test_every_user_is_in_every_form_of_the_report(tmp_path: Path, golden: GoldenFiles) -> None:
    found = facts([*rotation(), SEEN])
    first, lost, scram, named = found["users"]
    assert (first["name"], first["issuer"], first["not_after"]) == ("KafkaUser kafka/orders", label(NEW), ENDS)
    assert first["read_by"] == SEEN["users"][0]["presenters"]
    assert (lost["problem"], scram["authentication"], scram["issuer"]) == ("is missing", "scram-sha-512", "")
    assert named["issuer"] == "CN=clients-ca v0,O=io.strimzi"
    write_pages(tmp_path / "report", found)
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    texts = [text for text in page_of(tmp_path / "report").texts if text.startswith(("Pod kafka/b", "Secret apps/"))]
    rows = [line for line in lines if line.startswith(("| KafkaUser", "| Secret apps"))]
    golden.compare("report_parts", golden.test, "\n".join([*rows, *texts]))
    assert {"KafkaUser kafka/orders", "All 4"} <= set(page_of(tmp_path / "report").texts)


def test_an_inventory_is_no_call_of_the_flow() -> None:
    with_users, without = facts([*rotation(), SEEN]), facts(rotation())
    assert without["users"] == []
    assert {**with_users, "users": []} == without


@pytest.mark.parametrize("heading", ["Certificates of users", "outside the cluster", "log in"])
def test_a_report_has_no_table_of_objects_that_no_call_has_seen(written: Path, heading: str) -> None:
    assert heading not in (written / "done" / "report.md").read_text()


# Clients outside the cluster in the report: an audit finds who was let pass, until when and why.

CLIENTS = [
    with_digests({"client": "KafkaBridge kafka/bridge", "trusts": [label(OLD), label(NEW)], "doubt": "", "waiver": None}),
    with_digests({
        "client": "KafkaConnect kafka/connect", "trusts": [], "doubt": "no copy",
        "waiver": {"until": "2026-12-24T18:00:00Z", "reason": "moves in week 51"},
    }),
]  # fmt: skip


def test_every_client_with_its_waiver_is_in_every_form(tmp_path: Path, golden: GoldenFiles) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), outside=CLIENTS)))
    assert found["outside"] == CLIENTS
    write_pages(tmp_path / "report", found)
    told = "until 2026-12-24T18:00:00Z: moves in week 51"
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    golden.compare("report_parts", golden.test, "\n".join(line for line in lines if line.startswith("| Kafka")))
    assert {"KafkaConnect kafka/connect", "KafkaBridge kafka/bridge", told} <= set(page_of(tmp_path / "report").texts)


def test_a_waiver_that_stands_beside_no_client_is_in_every_form(tmp_path: Path, golden: GoldenFiles) -> None:
    waiver = {"client": "the clock", "until": "2026-12-24T18:00:00Z", "reason": "NTP"}
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), waivers=[waiver])))
    assert found["waivers"] == [waiver]
    write_pages(tmp_path / "report", found)
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    golden.compare("report_parts", golden.test, "\n".join(line for line in lines if line.startswith("| the clock")))
    assert set(waiver.values()) <= set(page_of(tmp_path / "report").texts)


PRESENTERS = {
    "count": 7,
    "others": [
        with_digests({
            "name": "Pod kafka/billing", "presents": [label(OLD)], "evidence": "it has not read it", "awaits_certificate": False,
            "waiver": None,
        }),
        with_digests({
            "name": "KafkaUser kafka/partner", "presents": [], "evidence": "issued elsewhere", "awaits_certificate": False,
            "waiver": {"until": "2026-12-24T18:00:00Z", "reason": "told by phone"},
        }),
    ],
}  # fmt: skip


def test_a_client_that_presents_another_certificate_is_in_every_form(tmp_path: Path, golden: GoldenFiles) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), presenters=PRESENTERS)))
    assert found["presenters"] == PRESENTERS
    write_pages(tmp_path / "report", found)
    told = "until 2026-12-24T18:00:00Z: told by phone"
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    rows = (line for line in lines if line.startswith(("With certificates", "| KafkaUser")))
    golden.compare("report_parts", golden.test, "\n".join(rows))
    assert {"Pod kafka/billing", "KafkaUser kafka/partner", told} <= set(page_of(tmp_path / "report").texts)


# Listeners whose owner decides whom they trust are in the report, for the user who has to see to them.

TOLD = "Kafka kafka/demo: this collection neither asks nor reloads listener own (9094)."


def test_unmanaged_listeners_are_in_every_form(tmp_path: Path) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), unmanaged=[TOLD])))
    assert found["unmanaged"] == [TOLD]
    write_pages(tmp_path / "report", found)
    assert f"- {TOLD}" in (tmp_path / "report" / "report.md").read_text().splitlines()
    assert TOLD in page_of(tmp_path / "report").texts


def test_a_cluster_without_any() -> None:
    assert facts(rotation())["unmanaged"] == []
