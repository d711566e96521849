# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second opinion on what was issued: the ``openssl`` program, which shares no code with the collection."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path


def _run(*arguments: str, content: bytes = b"") -> str:
    done = subprocess.run(["openssl", *arguments], input=content, capture_output=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode()


@cache
def describe(pem: bytes) -> str:
    """Subject, issuer and extensions of the first certificate."""
    return _run("x509", "-noout", "-text", "-nameopt", "oneline,-space_eq", content=pem)


def extensions(pem: bytes) -> dict[str, str]:
    """Value by name; a critical one begins with "critical"."""
    lines = describe(pem).split("X509v3 extensions:\n")[1].split("Signature Algorithm")[0].splitlines()
    found: dict[str, str] = {}
    for line in lines:
        name = line.strip()
        if name.startswith("X509v3 "):
            title, _colon, rest = name.removeprefix("X509v3 ").partition(":")
            current, found[title] = title, rest.strip()
        elif name:
            found[current] = f"{found[current]} {name}".strip()
    return found


def public_key_of_private(key: bytes) -> str:
    return _run("pkey", "-pubout", content=key)


def public_key_of_certificate(pem: bytes) -> str:
    return _run("x509", "-noout", "-pubkey", content=pem)


def verify(
    leaf: bytes, anchors: bytes, at: int, folder: Path, host: str = "", *, untrusted: bytes = b"", policy: str = ""
) -> bool:
    """Whether it verifies at this time (seconds since 1970) with nothing but these anchors, and what is sent behind it; and under this policy where one is
    required.
    """
    (folder / "leaf.pem").write_bytes(leaf)
    (folder / "anchors.pem").write_bytes(anchors)
    kind = "-verify_ip" if host.replace(".", "").isdigit() or ":" in host else "-verify_hostname"
    command = ["openssl", "verify", "-no-CApath", "-no-CAstore", "-attime", str(at)]
    command += [kind, host] if host else []
    command += ["-policy_check", "-explicit_policy", "-policy", policy] if policy else []
    if untrusted:
        (folder / "untrusted.pem").write_bytes(untrusted)
        command += ["-untrusted", str(folder / "untrusted.pem")]
    command += ["-CAfile", str(folder / "anchors.pem"), str(folder / "leaf.pem")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
