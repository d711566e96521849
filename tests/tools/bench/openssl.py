"""A leaf the way the operator makes it: openssl processes and temporary files (docs/operator.md, "Certificates")."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

_CONFIGURATION = """\
[req]
distinguished_name = subject
prompt = no
[subject]
O = io.strimzi
CN = {common_name}
[leaf]
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = @names
[names]
{names}
"""


class OpenSsl:
    """Use as a context manager; its folder goes with it."""

    def __init__(self, authority: bytes, authority_key: bytes) -> None:
        self._folder = tempfile.TemporaryDirectory()
        (self._path("ca.crt")).write_bytes(authority)
        (self._path("ca.key")).write_bytes(authority_key)

    def __enter__(self) -> OpenSsl:
        return self

    def __exit__(self, *reason: object) -> None:
        self._folder.cleanup()

    def issue(self, common_name: str, names: list[str]) -> tuple[bytes, bytes]:
        """Certificate and key; a keystore is made as well, as the operator does by default even for nodes."""
        listed = "\n".join(f"DNS.{number} = {name}" for number, name in enumerate(names, 1))
        self._path("leaf.conf").write_text(_CONFIGURATION.format(common_name=common_name, names=listed))
        self._run("req -new -batch -nodes -newkey rsa:2048 -config leaf.conf -keyout leaf.key -out leaf.csr")
        self._run(
            "x509 -req -sha512 -days 365 -in leaf.csr -CA ca.crt -CAkey ca.key -CAcreateserial "
            "-extfile leaf.conf -extensions leaf -out leaf.crt"
        )
        self._run("pkcs12 -export -in leaf.crt -inkey leaf.key -name leaf -passout pass:bench -out leaf.p12")
        return self._path("leaf.crt").read_bytes(), self._path("leaf.key").read_bytes()

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / name

    def _run(self, arguments: str) -> None:
        subprocess.run(["openssl", *arguments.split()], cwd=self._folder.name, check=True, capture_output=True)
