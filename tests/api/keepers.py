# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keepers of the key of a CA, on a bed: a person with files, cert-manager's own controllers, a Vault server."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

from ..tools.cluster.cert_manager import start_cert_manager
from ..tools.cluster.corporate_issuer import issuer
from ..tools.cluster.vault import vault_server
from ..tools.support.authorities import Authority
from ..tools.support.misissuing import requested
from ..tools.support.vault_mount import Administrator, SetUp, set_up_on
from .resources import put
from .running import Runner

Variables = Mapping[str, object]
_SECRET = "corporate"


class Keeper(Protocol):
    #: Whether it certifies the CA that comes after its own.
    introduces: bool

    def takes(self, authority: Authority) -> Variables:
        """It signs with this CA from now on. The variables of every playbook that may need certificates."""

    def work(self) -> None:
        """The work of its people between two runs."""


@dataclass
class Office:
    """A person who signs files."""

    runner: Runner
    folder: Path
    introduces: bool = False
    _authority: Authority | None = field(default=None, init=False)

    def takes(self, authority: Authority) -> Variables:
        self._authority = authority
        return {"strimzi_issuer": {"type": "external"}}

    def work(self) -> None:
        assert self._authority is not None
        where = {"strimzi_requests_dir": str(self.folder)}
        self.runner.flow("export_requests", **where).check()
        for request in self.folder.glob("*.csr"):
            template = requested(request.read_bytes(), self._authority, datetime.now(timezone.utc))
            request.with_suffix(".crt").write_bytes(b"".join(template.signed()))
        self.runner.flow("import_certificates", **where).check()
        for file in self.folder.iterdir():
            file.unlink()


@dataclass
class InCertManager:
    runner: Runner
    introduces: bool = False

    def takes(self, authority: Authority) -> Variables:
        secret = {"tls.crt": authority.pem, "tls.key": authority.keys[0].reveal()}
        put(self.runner, "Secret", _SECRET, {name: base64.b64encode(value).decode() for name, value in secret.items()})
        return {"strimzi_issuer": {"type": "cert_manager", "name": _SECRET}, "strimzi_issue_timeout": 60}

    def work(self) -> None:
        """Its controllers have done it."""


@dataclass
class InVault:
    ready: SetUp
    introduces: bool = True

    def takes(self, authority: Authority) -> Variables:
        bundle = (authority.keys[0].reveal() + authority.pem).decode()
        path = f"{self.ready.mount}/issuers/import/bundle"
        known = self.ready.administrator.write(path, {"pem_bundle": bundle})
        (reference,) = known["imported_issuers"]
        return {"strimzi_issuer": {**self.ready.options(), "name": reference}, "strimzi_validity_days": 90}

    def work(self) -> None:
        """It answers at once."""


@contextmanager
def by_hand(runner: Runner, folder: Path) -> Iterator[Keeper]:
    yield Office(runner, folder)


@contextmanager
def in_cert_manager(runner: Runner, _folder: Path) -> Iterator[Keeper]:
    namespace = runner.cluster.namespace
    start_cert_manager(runner.cluster.bed, approving=namespace)
    runner.cluster.kube.apply([issuer(_SECRET, namespace, {"ca": {"secretName": _SECRET}})])
    yield InCertManager(runner)


@contextmanager
def in_vault(_runner: Runner, _folder: Path) -> Iterator[Keeper]:
    with vault_server() as server, set_up_on(Administrator(server.url, server.token)) as ready:
        yield InVault(ready)


KEEPERS: dict[str, Callable[[Runner, Path], AbstractContextManager[Keeper]]] = {
    "external": by_hand,
    "cert-manager": in_cert_manager,
    "vault": in_vault,
}
