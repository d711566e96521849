# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import hmac
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KeystoreError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki import keystores
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    PrivateKey,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keystores import (
    certificate_in_pkcs12,
    jks_keystore,
    jks_truststore,
    key_and_certificates,
    pkcs12_keystore,
    pkcs12_truststore,
)

from ...tools.support.certificates import NOW, key, make, rsa_key
from ...tools.support.golden import GoldenFiles

STORED = {
    "ca.crt": make("cluster-ca v1", key(1)).certificate,
    "ca-2027.crt": make("cluster-ca v0", key(0)).certificate,
}
KEY_RSA = rsa_key(2048)
KEYTOOL = shutil.which("keytool")
#: By options that make a Java process start with less CPU time.
RUN_KEYTOOL = [str(KEYTOOL), "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1"]


def test_holds_the_certificates_under_their_aliases() -> None:
    loaded = pkcs12.load_pkcs12(pkcs12_truststore(STORED, b"password"), b"password")
    assert loaded.key is None
    found = {(one.friendly_name or b"").decode(): one.certificate for one in loaded.additional_certs}
    assert {name: one.fingerprint(SHA256()).hex() for name, one in found.items()} == {
        name: one.sha256 for name, one in STORED.items()
    }


def test_a_key_with_its_certificate_and_what_lies_above_it() -> None:
    root = make("root", key(1))
    ca = make("clients-ca v1", key(2), root)
    own = make("orders", key(3), ca, ca=False)
    chain = (own.certificate, ca.certificate)
    loaded = pkcs12.load_pkcs12(pkcs12_keystore("orders", key(3), chain, b"password"), b"password")
    assert loaded.cert is not None
    assert loaded.key is not None
    assert loaded.cert.friendly_name == b"orders"
    found = [loaded.cert.certificate, *(one.certificate for one in loaded.additional_certs)]
    assert [one.fingerprint(SHA256()).hex() for one in found] == [one.sha256 for one in chain]
    assert loaded.key.public_key() == key(3).for_signing().public_key()


def test_is_closed_with_the_password() -> None:
    with pytest.raises(ValueError, match="password"):
        pkcs12.load_pkcs12(pkcs12_truststore(STORED, b"password"), b"other")


CREATED = NOW + timedelta(milliseconds=1500)


class Jks:
    """Reads what Java's ``JavaKeyStore`` would, in its order, and no more than that."""

    def __init__(self, store: bytes) -> None:
        self._left = store

    @property
    def rest(self) -> bytes:
        return self._left

    def der(self, tag: int) -> int:
        """The length of the content behind this tag."""
        assert self.number(1) == tag
        size = self.number(1)
        if size < 0x80:
            return size
        assert self.rest[0] > (0x7F if size == 0x81 else 0), "no longer than needed"
        return self.number(size - 0x80)

    def number(self, size: int) -> int:
        return int.from_bytes(self.content(size), "big")

    def text(self) -> str:
        return self.content(self.number(2)).decode("ascii")

    def content(self, size: int) -> bytes:
        assert len(self._left) >= size
        found, self._left = self._left[:size], self._left[size:]
        return found

    def trusted(self) -> tuple[int, str, int, str, bytes]:
        return self.number(4), self.text(), self.number(8), self.text(), self.content(self.number(4))


def test_the_old_format_of_java_holds_the_same() -> None:
    store = jks_truststore(STORED, b"password", CREATED)
    reader = Jks(store)
    assert (reader.number(4), reader.number(4), reader.number(4)) == (0xFEEDFEED, 2, len(STORED))
    moment = 1_780_315_201_500
    assert datetime.fromtimestamp(moment / 1000, CREATED.tzinfo) == CREATED
    for name, one in STORED.items():
        assert reader.trusted() == (2, name, moment, "X.509", one.der)
    guarded = "password".encode("utf-16-be") + b"Mighty Aphrodite" + store[:-20]
    assert reader.content(20) == hashlib.sha1(guarded).digest()
    with pytest.raises(AssertionError):
        reader.content(1)


@pytest.mark.parametrize(
    "own",
    [KEY_RSA, key(3), PrivateKey(ec.generate_private_key(ec.SECP521R1()))],
    ids=["rsa", "ecdsa", "of middle length"],
)
def test_a_key_in_the_old_format_of_java_opens_with_the_password(own: PrivateKey) -> None:
    """As ``sun.security.provider.KeyProtector`` opens it."""
    ca = make("clients-ca v1", key(2))
    chain = (make("Orders", own, ca, ca=False).certificate, ca.certificate)
    store = jks_keystore("Orders", own, chain, b"password", CREATED)
    reader, wide = Jks(store), "password".encode("utf-16-be")
    assert [reader.number(4) for _time in range(4)] == [0xFEEDFEED, 2, 1, 1]
    assert (reader.text(), reader.number(8)) == ("orders", 1_780_315_201_500)
    protected = Jks(reader.content(reader.number(4)))
    assert protected.der(0x30) == len(protected.rest)
    assert protected.content(16).hex() == "300e060a2b060104012a021101010500"
    assert protected.der(0x04) == len(protected.rest)
    last, hidden, digest = protected.content(20), protected.rest[:-20], protected.rest[-20:]
    plain = b""
    for at in range(0, len(hidden), 20):
        last = hashlib.sha1(wide + last).digest()
        plain += bytes(byte ^ other for byte, other in zip(hidden[at : at + 20], last, strict=False))
    assert PrivateKey(serialization.load_der_private_key(plain, None)) == own  # type: ignore[arg-type]
    assert digest == hashlib.sha1(wide + plain).digest()
    assert reader.number(4) == 2
    assert [(reader.text(), reader.content(reader.number(4))) for _time in chain] == [
        ("X.509", one.der) for one in chain
    ]
    assert reader.rest == hashlib.sha1(wide + b"Mighty Aphrodite" + store[:-20]).digest()


@pytest.mark.parametrize("size", [1, 127, 128, 255, 256])
def test_a_length_takes_no_more_bytes_than_it_needs(size: int) -> None:
    written = Jks(keystores._der(0x04, bytes(size)))
    assert written.der(0x04) == size == len(written.rest)


def test_the_old_format_can_be_made_where_sha_1_may_guard_nothing_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under FIPS 140: the format leaves no choice, and the store contains no secret."""
    allowed = hashlib.sha1

    def strict(content: bytes, *, usedforsecurity: bool = True) -> Any:
        if usedforsecurity:
            raise ValueError("disabled for FIPS")
        return allowed(content, usedforsecurity=False)

    expected = jks_truststore(STORED, b"password", CREATED)
    monkeypatch.setattr(hashlib, "sha1", strict)
    assert jks_truststore(STORED, b"password", CREATED) == expected


@pytest.mark.skipif(KEYTOOL is None, reason="needs keytool")
@pytest.mark.parametrize("form", ["PKCS12", "JKS"])
def test_java_reads_trusted_certificates(tmp_path: Path, form: str) -> None:
    stores = {
        "PKCS12": pkcs12_truststore(STORED, b"password"),
        "JKS": jks_truststore(STORED, b"password", CREATED),
    }
    (tmp_path / "ca").write_bytes(stores[form])
    command = [*RUN_KEYTOOL, "-list", "-keystore", "ca", "-storetype", form, "-storepass", "password"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("trustedCertEntry") == len(STORED)
    assert all(alias in done.stdout for alias in STORED)


@pytest.mark.skipif(KEYTOOL is None, reason="needs keytool")
def test_java_reads_a_key_in_its_old_format(tmp_path: Path) -> None:
    """And gives it out, with its chain, in a format that others read."""
    ca = make("clients-ca v1", key(2))
    own = make("Orders", key(3), ca, ca=False)
    chain = (own.certificate, ca.certificate)
    (tmp_path / "old").write_bytes(jks_keystore("Orders", key(3), chain, b"password", CREATED))
    command = [*RUN_KEYTOOL, "-importkeystore", "-srckeystore", "old", "-srcstoretype", "JKS", "-srcalias", "Orders"]
    command += [
        "-destkeystore",
        "new",
        "-deststoretype",
        "PKCS12",
        "-srcstorepass",
        "password",
        "-deststorepass",
        "password",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    found, certificate, above = pkcs12.load_key_and_certificates((tmp_path / "new").read_bytes(), b"password")
    assert found is not None
    assert certificate is not None
    assert PrivateKey(found) == key(3)  # type: ignore[arg-type]
    assert [one.fingerprint(SHA256()).hex() for one in (certificate, *above)] == [one.sha256 for one in chain]


class TestOpening:
    """A keystore with a private key and its certificate."""

    LEAF = make("orders", key(5), make("Root", key(0)), ca=False)

    def stored(self, own: PrivateKey | None, *, with_certificate: bool = True) -> bytes:
        certificate = x509.load_der_x509_certificate(self.LEAF.certificate.der) if with_certificate else None
        how = serialization.BestAvailableEncryption(b"secret")
        content = None if own is None else own.for_signing()
        return pkcs12.serialize_key_and_certificates(b"orders", content, certificate, None, how)

    def test_the_certificate_of_the_key_is_found(self) -> None:
        assert certificate_in_pkcs12(self.stored(self.LEAF.key), b"secret") == self.LEAF.certificate.sha256

    def test_a_keystore_as_the_user_operator_has_openssl_make_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, content in (("crt", self.LEAF.certificate.pem), ("key", self.LEAF.key.reveal())):
            (tmp_path / name).write_bytes(content)
        made = ["openssl", "pkcs12", "-export", "-in", "crt", "-inkey", "key", "-name", "orders", "-out", "p12"]
        made += ["-certpbe", "aes-128-cbc", "-keypbe", "aes-128-cbc", "-macalg", "sha256", "-passout", "pass:secret"]
        subprocess.run(made, cwd=tmp_path, check=True)
        monkeypatch.delattr(keystores, "_open_by_library")
        assert certificate_in_pkcs12((tmp_path / "p12").read_bytes(), b"secret") == self.LEAF.certificate.sha256

    @pytest.mark.parametrize("own", [KEY_RSA, key(5)], ids=["rsa", "ecdsa"])
    @pytest.mark.parametrize("password", [b"secret", b"s" * 31, b"s" * 32], ids=["short", "a block", "more"])
    def test_a_usual_one_is_not_opened_by_the_library(
        self, monkeypatch: pytest.MonkeyPatch, own: PrivateKey, password: bytes
    ) -> None:
        """It takes a twentieth of a second for each."""
        leaf, ca = (make(name, one, ca=name == "ca").certificate for name, one in (("orders", own), ("ca", key(1))))
        monkeypatch.delattr(keystores, "_open_by_library")
        stored = pkcs12_keystore("orders", own, (leaf, ca), password)
        assert certificate_in_pkcs12(stored, password) == leaf.sha256

    def test_of_two_certificates_of_its_key_the_library_says_which_it_is(self) -> None:
        own, other = (make(name, key(5), make("Root", key(0)), ca=False).certificate for name in ("orders", "other"))
        for first, second in ((own, other), (other, own)):
            stored = pkcs12_keystore("orders", key(5), (first, second), b"secret")
            assert certificate_in_pkcs12(stored, b"secret") == keystores._open_by_library(stored, b"secret")

    @pytest.mark.parametrize("change", [1, -1])
    @pytest.mark.parametrize("named", ["_DATA", "_ENCRYPTED", "_PBES2", "_PBKDF2", "_HMAC_SHA256", "_AES"])
    def test_a_part_of_another_kind_is_not_read(self, named: str, change: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """The identifier of the kind differs by one, in a file that is otherwise as it was made."""
        monkeypatch.setattr(hmac, "compare_digest", lambda *_digests: True)
        stored, found = self.stored(self.LEAF.key), getattr(keystores, named)
        name: bytes = next(iter(found)) if named == "_AES" else found
        assert key_and_certificates(stored, b"secret") == (self.LEAF.key, (self.LEAF.certificate,))
        # The first kind is that of the file itself.
        start = stored.index(name) + 1 if named == "_DATA" else 0
        changed = stored[:start] + stored[start:].replace(name, name[:-1] + bytes([name[-1] + change]))
        with pytest.raises(KeystoreError):
            key_and_certificates(changed, b"secret")

    def test_a_bag_with_another_kind_of_certificate_is_not_read(self) -> None:
        name, content = keystores._X509, keystores._der(0xA0, keystores._der(0x04, b"content"))
        assert keystores._bag_certificate((0x30, keystores._der(0x06, name) + content)) == b"content"
        for change in (1, -1):
            other = name[:-1] + bytes([name[-1] + change])
            with pytest.raises(KeystoreError):
                keystores._bag_certificate((0x30, keystores._der(0x06, other) + content))

    def test_of_two_keys_none_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hmac, "compare_digest", lambda *_digests: True)
        version, (_tag, safe), mac = keystores._sequence(keystores._read_single(self.stored(self.LEAF.key)))
        kind, inside = keystores._values(safe)
        parts = keystores._of(0x30, keystores._read_single(keystores._octets(keystores._unwrap(inside))))
        for count in (1, 2):
            stored = keystores._der(0xA0, keystores._der(0x04, keystores._der(0x30, parts * count)))
            file = (
                keystores._der(*version) + keystores._der(0x30, keystores._der(*kind) + stored) + keystores._der(*mac)
            )
            if count == 1:
                assert key_and_certificates(keystores._der(0x30, file), b"secret")[0] == self.LEAF.key
                continue
            with pytest.raises(KeystoreError):
                key_and_certificates(keystores._der(0x30, file), b"secret")

    def test_a_value_without_a_length_is_not_read(self) -> None:
        for size in (1, 127, 128, 129, 255, 256):
            assert keystores._values(keystores._der(0x04, bytes(size))) == [(0x04, bytes(size))]
        with pytest.raises(KeystoreError):
            keystores._values(b"\x04\x80" + bytes(128))

    def test_a_file_that_takes_long_to_open_is_not_read(self) -> None:
        most = 100_000
        assert keystores._iterations((0x02, most.to_bytes(4, "big"))) == most
        assert keystores._iterations((0x02, b"\x01")) == 1
        # No more than these; not below zero; and no value of another kind.
        for value in ((0x02, (most + 1).to_bytes(4, "big")), (0x02, b"\xff"), (0x01, b"\x01"), (0x03, b"\x01")):
            with pytest.raises(KeystoreError):
                keystores._iterations(value)

    @pytest.mark.parametrize("tag", [0x03, 0x05])
    def test_a_value_of_another_kind_is_not_read(self, tag: int) -> None:
        assert keystores._octets((0x04, b"content")) == b"content"
        with pytest.raises(KeystoreError):
            keystores._octets((tag, b"content"))

    @pytest.mark.filterwarnings("ignore:PKCS#12 bundle could not be parsed as DER")
    @pytest.mark.parametrize("password", [b"secret", b"another", b"", b"s\xc3\xa9cret", b"\xff"])
    def test_a_damaged_keystore_is_judged_as_the_library_judges_it(self, password: bytes) -> None:
        """A byte differs, or all bytes from there on are missing."""
        builder = serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(5).hmac_hash(SHA256())
        how = builder.key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC).build(b"secret")
        certificate = x509.load_der_x509_certificate(self.LEAF.certificate.der)
        stored = pkcs12.serialize_key_and_certificates(b"orders", key(5).for_signing(), certificate, None, how)
        assert _told(certificate_in_pkcs12, stored, b"secret") == self.LEAF.certificate.sha256
        edges = (*range(40), *range(40, len(stored) - 70, 9), *range(len(stored) - 70, len(stored)))
        for at in edges if password == b"secret" else edges[:1]:
            for spoilt in (stored[:at], stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]):
                assert _told(certificate_in_pkcs12, spoilt, password) == _told(
                    keystores._open_by_library, spoilt, password
                )
        assert _told(certificate_in_pkcs12, stored, password) == _told(keystores._open_by_library, stored, password)

    @pytest.mark.parametrize("password", [b"another", b""])
    def test_another_password_after_the_right_one(self, password: bytes, golden: GoldenFiles) -> None:
        stored = self.stored(self.LEAF.key)
        certificate_in_pkcs12(stored, b"secret")
        for _time in range(2):
            with pytest.raises(KeystoreError) as refused:
                certificate_in_pkcs12(stored, password)
            golden.compare_said("certificates", refused.value)

    def test_content_that_is_no_keystore_is_refused(self, golden: GoldenFiles) -> None:
        with pytest.raises(KeystoreError) as refused:
            certificate_in_pkcs12(b"nothing", b"secret")
        golden.compare_said("certificates", refused.value)

    def test_a_keystore_without_the_key_of_its_certificate_or_without_that(self, golden: GoldenFiles) -> None:
        for stored in (self.stored(None), self.stored(self.LEAF.key, with_certificate=False)):
            with pytest.raises(KeystoreError) as refused:
                certificate_in_pkcs12(stored, b"secret")
            golden.compare_said("certificates", refused.value)


def _told(read: Callable[[bytes, bytes], str], content: bytes, password: bytes) -> str:
    try:
        return read(content, password)
    except KeystoreError as error:
        return str(error)


@pytest.mark.skipif(KEYTOOL is None, reason="needs keytool")
def test_java_reads_a_key_with_its_chain(tmp_path: Path) -> None:
    ca = make("clients-ca v1", key(2))
    own = make("orders", key(3), ca, ca=False)
    chain = (own.certificate, ca.certificate)
    (tmp_path / "user.p12").write_bytes(pkcs12_keystore("orders", key(3), chain, b"password"))
    command = [*RUN_KEYTOOL, "-list", "-v", "-keystore", "user.p12", "-storetype", "PKCS12", "-storepass", "password"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Alias name: orders" in done.stdout
    assert "Entry type: PrivateKeyEntry" in done.stdout
    assert "Certificate chain length: 2" in done.stdout
