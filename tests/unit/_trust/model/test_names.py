# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of objects and CAs as people read and write them, and counts."""

from __future__ import annotations

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import (
    finish_certificate,
    start_certificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import (
    Goal,
    Retire,
    Retirement,
    retire_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import (
    counted,
    first_told,
    flow_named,
    is_named,
    label,
    listed,
    named,
)

from ....tools.support.certificates import NOW, YEAR, key
from ..authorities import NEW, OLD
from ..builders import NAMES
from ..ledgers import a_journal


def test_objects_are_called_by_kind_namespace_and_name() -> None:
    assert (NAMES.pod("demo-nodes-0"), NAMES.secret("app")) == ("Pod kafka/demo-nodes-0", "Secret kafka/app")


def test_a_ca_is_called_by_its_subject_and_the_start_of_its_sha_256() -> None:
    assert named(OLD.certificate) == f"CN=cluster-ca v0,O=io.strimzi ({OLD.certificate.sha256[:12]})"


def with_subject(text: str) -> Certificate:
    """A certificate for a subject in the form of RFC 4514."""
    name, own = x509.Name.from_rfc4514_string(text), key(0)
    return finish_certificate(start_certificate(name, name, own.public_key, NOW, YEAR), own)


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("CN=cluster-ca v0,O=io.strimzi", "cluster-ca v0"),
        ("C=DE,CN=Example\\, Inc. Root CA,O=Example\\, Inc.", "Example, Inc. Root CA"),
        ("O=Example\\,CN=none", "O=Example\\,CN=none"),
        ("CN=cluster-ca v0,CN=Example", "cluster-ca v0"),
    ],
    ids=["alone", "with a comma in it", "none", "several"],
)
def test_lists_name_a_ca_by_its_common_name(subject: str, name: str) -> None:
    authority = with_subject(subject)
    assert authority.subject == subject
    assert label(authority) == f"{name} ({authority.sha256[:12]})"


@pytest.mark.parametrize("text", [OLD.certificate.fingerprint, OLD.certificate.sha256])
def test_a_ca_is_named_by_either_fingerprint_as_tools_print_them(text: str) -> None:
    pairs = (text[at : at + 2] for at in range(0, len(text), 2))
    assert is_named(OLD.certificate, text)
    assert is_named(OLD.certificate, ":".join(pairs).upper())
    assert not is_named(NEW.certificate, text)
    assert not is_named(OLD.certificate, text[:12])


@pytest.mark.parametrize(("number", "text"), [(0, "0 pods"), (1, "1 pod"), (2, "2 pods")])
def test_counted(number: int, text: str) -> None:
    assert counted(number, "pod") == text


@pytest.mark.parametrize(
    ("names", "text"), [("", ""), ("abcde", "a, b, c, d, e"), ("abcdef", "a, b, c, d, e and 1 more")]
)
def test_a_sentence_names_the_first_of_many(names: str, text: str) -> None:
    assert listed(list(names)) == text


@pytest.mark.parametrize(
    ("number", "more"), [(0, []), (20, []), (21, ["And 1 more user: ask."]), (22, ["And 2 more users: ask."])]
)
def test_a_call_tells_the_first_of_many_sentences(number: int, more: list[str]) -> None:
    sentences = [f"User {one} waits." for one in range(number)]
    assert list(first_told(sentences, "user", "ask")) == sentences[:20] + more


@pytest.mark.parametrize(
    ("journal", "name"),
    [
        (a_journal(Goal.CREATE), "first CA"),
        (a_journal(Goal.RENEW), "renewal"),
        (a_journal(), "replacement of the key"),
        (a_journal(Goal.RECOVER), "recover"),
        (a_journal(is_abort=True), "abort"),
    ],
)
def test_flows_have_the_names_that_people_give_them(journal: Journal, name: str) -> None:
    assert flow_named(journal) == name


@pytest.mark.parametrize(
    ("retire", "text"),
    [
        (Retire.NOW, "now"),
        (Retire.WHEN_RESTARTED, "when_restarted"),
        (Retire.WHEN_NEEDED, "when_needed"),
        (NOW, "2026-06-01T12:00:00Z"),
    ],
)
def test_when_nodes_give_up_a_ca_reads_as_the_option_takes_it(retire: Retirement, text: str) -> None:
    assert retire_text(retire) == text
