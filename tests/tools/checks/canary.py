"""Looks for private keys in whatever a run left behind: output, logs, job events, temporary files.

``python -m tests.tools.checks.canary --key FILE --secrets FILE PATH ...`` prints where a key shows and in which form, never the
key itself; exit code 1 when one shows. ``--secrets`` takes the JSON of Secrets as the API lists them; ``-`` is standard input.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

_HEX = "hex of DER"
_PEM = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
#: Bytes of a key that are looked for at a time: 96 bits do not show up by chance, and half a line of PEM holds them.
_CHUNK = 12
#: The same for characters of PEM that were encoded once more; a multiple of three.
_TEXT_CHUNK = 15
#: The characters that a serialiser puts between or before those of a key: line ends, escaped or not, quotes, colons of hex.
_PACKING = re.compile(r"\\+[nrt]|[\s\\\"',:]+")
_ESCAPED = re.compile(r"\\+u00([0-9a-fA-F]{2})")


@dataclass(frozen=True)
class Finding:
    """A key showed in ``place``; ``form`` says how it was written."""

    place: str
    form: str


def private_keys(data: bytes) -> list[bytes]:
    """The PEM blocks of private keys in ``data``."""
    return _PEM.findall(data)


def private_keys_of_secrets(listed: Mapping[str, Any]) -> list[bytes]:
    """The PEM blocks in a Secret, or in a list of Secrets, as the API returns it."""
    values = [value for item in listed.get("items", [listed]) for value in (item.get("data") or {}).values()]
    return [key for value in values for key in private_keys(base64.b64decode(value))]


class Canary:
    """Knows some private keys by those parts of them that are in no certificate."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        """``keys`` are PEM, not encrypted, RSA or EC; anything else raises ValueError."""
        self._forms: dict[str, set[str]] = {}
        self._raw: set[bytes] = set()
        for pem in keys:
            for number in _secret_numbers(pem):
                self._learn(number)

    def _learn(self, number: int) -> None:
        secret = number.to_bytes((number.bit_length() + 7) // 8, "big")
        self._add("decimal", str(number)[:40])
        for start in range(len(secret) - _CHUNK + 1):
            # A group of three, which base64 makes four characters of, may begin at any byte.
            chunk = secret[start : start + _CHUNK]
            self._raw.add(chunk)
            self._add(_HEX, chunk.hex())
            self._add("PEM or base64 of DER", base64.b64encode(chunk).decode())
            self._add("base64url of DER", base64.urlsafe_b64encode(chunk).decode())
        for first in range(3):
            body = base64.b64encode(secret[first : len(secret) - (len(secret) - first) % 3])
            for start in range(len(body) - _TEXT_CHUNK + 1):
                self._add("base64 of PEM", base64.b64encode(body[start : start + _TEXT_CHUNK]).decode())

    def _add(self, form: str, needle: str) -> None:
        self._forms.setdefault(form, set()).add(needle)

    def forms_in(self, data: bytes) -> list[str]:
        """The forms in which a known key shows in ``data``; empty when none does."""
        found = ["DER"] if _any_in(self._raw, data) else []
        text = _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), data.decode("latin-1"))
        packed = _PACKING.sub("", text)
        haystacks = {_HEX: packed.lower()}
        return found + [form for form, needles in self._forms.items() if _any_in(needles, haystacks.get(form, packed))]

    def scan(self, paths: Iterable[Path]) -> Iterator[Finding]:
        """Looks through files, and through folders with all that is below them."""
        for path in paths:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file():
                    for form in self.forms_in(file.read_bytes()):
                        yield Finding(str(file), form)


def _any_in(needles: set[Any], haystack: str | bytes) -> bool:
    # Thousands of needles of one length: looking up every window costs one pass instead of one for each needle.
    length = len(next(iter(needles)))
    return any(haystack[start : start + length] in needles for start in range(len(haystack) - length + 1))


def _secret_numbers(pem: bytes) -> list[int]:
    key = serialization.load_pem_private_key(pem, password=None)
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = key.private_numbers()
        return [numbers.d, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp]
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return [key.private_numbers().private_value]
    raise ValueError(f"no such private key is known here: {type(key).__name__}")


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.checks.canary", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--key", action="append", default=[], metavar="FILE", help="PEM of private keys")
    parser.add_argument("--secrets", action="append", default=[], metavar="FILE", help="JSON of a list of Secrets")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    arguments = parser.parse_args()
    try:
        keys = [key for name in arguments.key for key in private_keys(_read(name))]
        keys += [key for name in arguments.secrets for key in private_keys_of_secrets(json.loads(_read(name)))]
    except (json.JSONDecodeError, binascii.Error):
        parser.error("--secrets is no JSON of Secrets")
    if not keys:
        parser.error("no private key to look for; a search for nothing finds nothing")
    if absent := [str(path) for path in arguments.paths if not path.exists()]:
        parser.error(f"nothing to look through: {', '.join(absent)}")
    findings = list(Canary(set(keys)).scan(arguments.paths))
    print(*(f"{finding.place}: a private key as {finding.form}" for finding in findings), sep="\n")
    print(f"{len(set(keys))} private keys looked for, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
