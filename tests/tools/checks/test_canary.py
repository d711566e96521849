"""The canary finds a key in every form in which one can slip out, and nothing where only public parts show."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from . import canary

ROOT = Path(__file__).resolve().parents[3]
KEYS = {"rsa": rsa.generate_private_key(65537, 2048), "ec": ec.generate_private_key(ec.SECP256R1())}


def pem(kind: str, encoding: PrivateFormat = PrivateFormat.PKCS8) -> bytes:
    return KEYS[kind].private_bytes(Encoding.PEM, encoding, NoEncryption())


def der(kind: str) -> bytes:
    return KEYS[kind].private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def certificate(kind: str) -> x509.Certificate:
    name = x509.Name([])
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    builder = x509.CertificateBuilder(name, name, KEYS[kind].public_key(), 1, now, now + timedelta(days=1))
    return builder.sign(KEYS[kind], hashes.SHA256())


def wrapped(data: bytes, width: int) -> bytes:
    text = base64.b64encode(data)
    return b"\n".join(text[start : start + width] for start in range(0, len(text), width))


def in_result(data: bytes) -> bytes:
    return json.dumps({"msg": data.decode()}).encode()


FORMS: dict[str, Callable[[str], bytes]] = {
    "raw": pem,
    "stripped": lambda kind: pem(kind).strip(),
    "without header": lambda kind: b"\n".join(pem(kind).splitlines()[1:-1]),
    "traditional": lambda kind: pem(kind, PrivateFormat.TraditionalOpenSSL),
    "JSON": lambda kind: in_result(pem(kind)),
    "JSON in JSON": lambda kind: in_result(in_result(pem(kind))),
    "JSON with escaped slashes": lambda kind: in_result(pem(kind)).replace(b"/", rb"\/").replace(b"+", rb"\u002b"),
    "repr": lambda kind: repr(pem(kind)).encode(),
    "indented": lambda kind: b"\n".join(b"    | " + line for line in pem(kind).splitlines()),
    "base64": lambda kind: base64.b64encode(pem(kind)),
    "base64 of stripped": lambda kind: base64.b64encode(pem(kind).strip()),
    "base64 after a prefix": lambda kind: base64.b64encode(b"x" + pem(kind)),
    "base64 after two": lambda kind: base64.b64encode(b"xy" + pem(kind)),
    "base64, wrapped": lambda kind: wrapped(pem(kind), 76),
    "base64 of DER": lambda kind: base64.b64encode(der(kind)),
    "base64 of DER, narrow": lambda kind: wrapped(der(kind), 20),
    "base64url of DER": lambda kind: base64.urlsafe_b64encode(der(kind)),
    "hex": lambda kind: der(kind).hex().encode(),
    "hex, upper case, colons": lambda kind: der(kind).hex(":").upper().encode(),
    "DER": der,
    "decimal": lambda kind: str(canary._secret_numbers(pem(kind))[0]).encode(),
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("form", FORMS)
def test_finds_the_key(kind: str, form: str) -> None:
    text = b"TASK [x] ****\nfatal: [localhost] => " + FORMS[form](kind) + b"\nPLAY RECAP\n"
    assert canary.Canary([pem(kind)]).forms_in(text)


def test_finds_a_single_line_of_the_secret_part() -> None:
    lines = pem("rsa").splitlines()[1:-1]
    watch = canary.Canary([pem("rsa")])
    # The first lines hold the modulus, which is in the certificate as well, and the last may be short.
    secret = lines[len(lines) // 4 : -1]
    assert len(secret) > 10
    assert all(watch.forms_in(b"msg: " + line) for line in secret)
    assert all(watch.forms_in(base64.b64encode(line)) for line in secret)


@pytest.mark.parametrize("kind", KEYS)
def test_public_parts_are_no_finding(kind: str) -> None:
    public = KEYS[kind].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    shown = certificate(kind).public_bytes(Encoding.PEM)
    watch = canary.Canary([pem(kind)])
    for text in (public, shown, base64.b64encode(shown), base64.b64encode(b"x" + shown), shown.hex().encode()):
        assert watch.forms_in(text) == []


def test_another_key_is_no_finding() -> None:
    other = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert canary.Canary([pem("rsa"), pem("ec")]).forms_in(other) == []


def test_reads_the_keys_of_secrets() -> None:
    data = {"ca.key": base64.b64encode(pem("ec")).decode(), "ca.crt": base64.b64encode(b"no key").decode()}
    found = canary.private_keys_of_secrets({"items": [{"data": data}, {"data": None}, {}]})
    assert [load_pem_private_key(key, None).private_numbers() for key in found] == [KEYS["ec"].private_numbers()]


@pytest.mark.parametrize(("leak", "code"), [(b"all is well", 0), (pem("ec"), 1)])
def test_command(tmp_path: Path, leak: bytes, code: int) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.json").write_bytes(leak)
    key = tmp_path / "key.pem"
    key.write_bytes(pem("ec"))
    command = [sys.executable, "-m", "tests.tools.checks.canary", "--key", str(key), str(tmp_path / "events")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("1.json" in done.stdout) == bool(code)
    assert not canary.Canary([pem("ec")]).forms_in(done.stdout.encode())


def test_a_search_for_nothing_is_an_error(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_bytes(b"none")
    command = [sys.executable, "-m", "tests.tools.checks.canary", "--key", str(key), str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 2
