"""Looking at many users: how long each takes, and how much memory they need; and replacing their CA: processor time and bytes of all calls.

The figures of 10,000 users through a whole replacement: ``python -m tests.tools.bench.user_replacement 10000``, which takes many minutes; and
``... 10000 restored``, where another program has written the Secrets of users.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._pki import keystores
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, generate_key

from ..cluster.bed import ROOT
from ..support.certificates import make
from .measurement import Measurement, Wanted
from .pairs import alternate, ratio, seconds

FEW, MANY = 1_000, 10_000
ROUNDS = 3
#: Users whose CA is replaced.
FLEET = 300


def look(number: int) -> dict[str, float]:
    return _run("many_users", number)


def replaced(*how: str) -> dict[str, dict[str, float]]:
    """Seconds of a processor and bytes of a call that has nothing to do (``idle``), and of a whole replacement."""
    return _run("user_replacement", FLEET, *how)


def _run(module: str, number: int, *how: str) -> Any:
    command = [sys.executable, "-m", f"tests.tools.bench.{module}", str(number), *how]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure() -> Iterator[Measurement]:
    few, many = look(FEW), look(MANY)
    yield Measurement("users-memory-10000-vs-1000", many["peak"] / few["peak"], Wanted.AT_MOST, 2.0)
    pairs = alternate(lambda: look(MANY)["seconds"] / MANY, lambda: look(FEW)["seconds"] / FEW, ROUNDS)
    yield Measurement("users-time-each-10000-vs-1000", ratio(pairs), Wanted.AT_MOST, 1.2)
    remembered, forgotten = replaced(), replaced("forgetting")
    for what in ("seconds", "bytes"):
        saved = remembered["whole"][what] / forgotten["whole"][what]
        yield Measurement(f"users-replacement-{what}-remembered-vs-not", saved, Wanted.AT_MOST, 0.9)
    each = remembered["whole"]["bytes"] / FLEET / 1000
    yield Measurement("users-replacement-read-each", each, Wanted.AT_MOST, 150.0, "kb")
    # 15 seconds for 10,000 users.
    for name, found in (("users-idle-call-each", remembered), ("users-idle-call-each-restored", replaced("restored"))):
        yield Measurement(name, found["idle"]["seconds"] / FLEET * 1000, Wanted.AT_MOST, 1.5, "ms")
    yield Measurement("users-keystore-read-here-vs-library", ratio(_opened()), Wanted.AT_MOST, 0.2)


def _opened() -> list[tuple[float, float]]:
    """A keystore as OpenSSL makes it, opened here and by the library."""
    key = generate_key(KeySpec(KeyAlgorithm.RSA, 2048))
    leaf = x509.load_der_x509_certificate(make("user", key).certificate.der)
    builder = serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(2048).hmac_hash(SHA256())
    how = builder.key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC).build(b"password")
    stored = pkcs12.serialize_key_and_certificates(b"user", key.for_signing(), leaf, None, how)

    def timed(read: Callable[[bytes, bytes], str]) -> float:
        return seconds(lambda: [read(stored, b"password") for _time in range(20)])

    return alternate(lambda: timed(keystores.certificate_in_pkcs12), lambda: timed(keystores._opened), ROUNDS)
