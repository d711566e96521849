# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A probe that is shown to listeners gives no rights, is over soon, and leaves no usable key behind."""

from __future__ import annotations

import pickle
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake import listener
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_probe, make_stranger
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED

from .listeners import NOW, authority

CA, OTHER = authority("cluster-ca v0", 1), authority("cluster-ca v0", 2)


def test_a_probe_is_a_leaf_of_the_ca_that_gives_no_rights() -> None:
    probe = make_probe(CA.certificate, CA.key, now=NOW)
    leaf = probe.certificate
    assert leaf.signed_by(CA.certificate)
    assert (leaf.is_ca, leaf.key_usage_allows_signing, leaf.subject_alternative_names) == (False, False, frozenset())
    parsed = x509.load_der_x509_certificate(leaf.der)
    assert parsed.extensions.get_extension_for_class(x509.BasicConstraints).critical


def test_its_name_is_nobodys() -> None:
    """Components are O=io.strimzi, and a KafkaUser is a bare CN."""
    subject = make_probe(CA.certificate, CA.key, now=NOW).certificate.subject
    assert subject == "CN=CA trust probe (no user),O=trustops.strimzi"


def test_it_is_over_soon_and_bears_clocks_that_differ() -> None:
    leaf = make_probe(CA.certificate, CA.key, now=NOW).certificate
    assert leaf.not_before == NOW.replace(microsecond=0) - BACKDATED, "it begins as a leaf that is made now does"
    assert NOW + timedelta(minutes=30) < leaf.not_after <= NOW + timedelta(hours=2)


def test_every_probe_and_every_stranger_has_a_key_of_its_own() -> None:
    made = [make_probe(CA.certificate, CA.key, now=NOW) for _number in range(2)]
    strangers = [make_stranger(now=NOW) for _number in range(2)]
    keys = {probe.certificate.public_key_sha256 for probe in (*made, *strangers)}
    assert len(keys) == 4
    assert len({stranger.certificate.authority_key_identifier for stranger in strangers}) == 2


def test_a_key_of_another_ca_makes_no_probe() -> None:
    with pytest.raises(CertificateError):
        make_probe(CA.certificate, OTHER.key, now=NOW)


def test_no_usable_key_reaches_a_file_and_the_file_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[Path, bytes] = {}

    class Watched(type(Path())):  # type: ignore[misc]
        def write_bytes(self, data: Any) -> int:
            written[Path(self)] = bytes(data)
            return super().write_bytes(data)  # type: ignore[no-any-return]

    monkeypatch.setattr(listener, "Path", Watched)
    make_probe(CA.certificate, CA.key, now=NOW)
    assert len(written) == 1
    path, content = next(iter(written.items()))
    assert not path.exists()
    assert not path.parent.exists()
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in content
    with pytest.raises(TypeError, match="private key is encrypted"):
        serialization.load_pem_private_key(content[content.index(b"-----BEGIN ENC") :], None)


def test_a_probe_shows_nothing_of_itself() -> None:
    probe = make_probe(CA.certificate, CA.key, now=NOW)
    assert "PRIVATE" not in repr(probe)
    with pytest.raises(TypeError):
        pickle.dumps(probe)
