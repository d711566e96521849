# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The forms in which certificates come: what a JVM cannot read is told by its name. ``tests/verifiers`` asks a JVM."""

from __future__ import annotations

import base64
from itertools import count

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.pem_forms import form_of, why_not_for_a_jvm

from ...tools.operator import certs
from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.pem_forms import NO_TEXTS, TEXTS, Form


@pytest.mark.parametrize("form", TEXTS, ids=str)
def test_forms_of_pem_that_a_jvm_cannot_read_are_named(form: Form) -> None:
    found = [one.der for one in parse_certificates(form.content)]
    assert why_not_for_a_jvm(form.content, found) == form.why
    # The operator double reads as a JVM does.
    assert (len(certs.load(form.content)) == len(found)) is (form.why == "")


@pytest.mark.parametrize("form", NO_TEXTS, ids=str)
def test_a_text_that_is_no_pem_is_named(form: Form, golden: GoldenFiles) -> None:
    assert form_of(form.content) == form.why
    with pytest.raises(CertificateError) as refused:
        parse_certificates(form.content)
    golden.compare_said("certificates", str(refused.value).replace(form.why, "<form>"))


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", base64.b64encode(TEXTS[0].content) + b"!", b"-----BEGIN CERTIFICATE-----\nnothing\n", b"\xff\x00"],
)
def test_of_anything_else_nothing_is_guessed(content: bytes) -> None:
    assert form_of(content) == ""


def test_fewer_certificates_than_there_are_are_not_enough() -> None:
    one = TEXTS[1].content
    assert why_not_for_a_jvm(one, [parse_certificates(one)[0].der]) != ""


def test_a_block_of_broken_base64_is_read_by_no_jvm() -> None:
    one = TEXTS[1].content
    found = [certificate.der for certificate in parse_certificates(one)]
    for end in (b"AAAA", b"AAAAA"):
        assert why_not_for_a_jvm(one + b"-----BEGIN X-----\n" + end + b"\n-----END X-----\n", found) != ""


def test_a_jvm_reads_no_block_with_text_behind_its_padding() -> None:
    # The length of a signature varies by chance.
    made = (make("a" * length, key(1)).certificate for length in count(1))
    padded = next(one for one in made if b"=" in one.pem)
    assert why_not_for_a_jvm(padded.pem, [padded.der]) == ""
    assert why_not_for_a_jvm(padded.pem.replace(b"=\n-", b"=\nAAAA\n-"), [padded.der]) != ""
