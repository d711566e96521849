# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call for a person who carries requests by hand: it shows them, writes them to files, and
puts certificates back.

The folder for requests has ``<leaf's Secret>.csr`` for each request, and its certificate under one of several endings.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._engine.looking import observe_existing, observe_operated
from .._errors import RequestError, StepError
from .._issuing.pending.by_hand import (
    BroughtCertificate,
    ImportedCertificate,
    RequestByHand,
    RequestElsewhere,
    requests_by_hand,
    requests_elsewhere,
    store_brought_certificates,
)
from .._leaves.request import Failure
from .._pki.requests import parse_request
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.node_pools import Growth
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.subjects import every_leaf
from .arguments import time_text
from .results import describe_cluster
from .tables import MOST_SPARE
from .trust_module import TrustModule

#: Endings, in lower case, of files with certificates that this module reads.
_CERTIFICATES = (".crt", ".cer", ".pem", ".der")
#: Endings of PKCS#7 files, which this module names and does not read.
_PKCS7 = (".p7b", ".p7c")
#: Requests are public, and often another person signs them.
_MODE = 0o644


@dataclass(frozen=True)
class RequestFolder:
    """The folder for the files."""

    #: The path on the machine where the module runs.
    path: Path

    @property
    def is_there(self) -> bool:
        return self.path.exists()

    @property
    def action(self) -> Action:
        return Action("create", Target("directory", "", str(self.path)), "folder for signing requests", "")

    def write(self) -> None:
        """Make the folder also if nothing is to be signed, so that the next step finds it. Raises StepError."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable("make", self.path, error) from None


@dataclass(frozen=True)
class RequestFile:
    """A request in its file."""

    #: The path on the machine where the module runs.
    path: Path
    #: The signing request, in PEM form.
    content: bytes

    @property
    def is_there(self) -> bool:
        return _content(self.path) == self.content

    @property
    def action(self) -> Action:
        before = _content(self.path)
        verb, facts = ("create", {}) if before is None else ("update", _facts(before))
        return Action(verb, Target("file", "", str(self.path)), "signing request", "", facts, _facts(self.content))

    def write(self) -> None:
        """Write the file in one go: a person or tool that signs every file there never finds half a request. Raises
        StepError.
        """
        try:
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self.content)
                    os.fchmod(file.fileno(), _MODE)
                os.replace(name, self.path)
            except OSError:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            raise _unusable("write", self.path, error) from None


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable("read", path, error) from None


def _unusable(attempt: str, path: Path, error: OSError) -> StepError:
    reason = (error.strerror or type(error).__name__).lower()
    return StepError(f"Failed to {attempt} {path}:", reason, "Give a directory that this module may use.")


def _facts(content: bytes) -> dict[str, Any]:
    """The facts that differ between two requests, for people."""
    try:
        request = parse_request(content)
    except RequestError:
        return {"request": "cannot be read"}
    return {
        "subject": request.subject.rfc4514_string(),
        "subject_alternative_names": sorted(request.subject_alternative_names),
        "public_key_sha256": request.public_key_sha256,
    }


def read_folder(folder: Path, leaves: Collection[str]) -> tuple[list[BroughtCertificate], list[str]]:
    """The certificates in the files that are named after these leaves' Secrets; and the other files with certificates,
    such as the CA's own. Raises StepError.
    """
    paths = _listed(folder)
    named = [path for path in paths if _is_read(path, leaves)]
    read = ((path, _content(path)) for path in named)
    brought = [BroughtCertificate(str(path), content) for path, content in read if content is not None]
    return brought, [str(path) for path in paths if path not in named]


def _is_read(path: Path, leaves: Collection[str]) -> bool:
    return path.stem in leaves and path.suffix.lower() in _CERTIFICATES


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() in (*_CERTIFICATES, *_PKCS7))
    except OSError as error:
        raise _unusable("read", folder, error) from None


class RequestsModule(TrustModule):
    """A call about the requests of a cluster."""

    def growth(self) -> Growth:
        """The most certificates that any run keeps for next nodes: this module handles the requests of every run."""
        return Growth(MOST_SPARE)

    def list_requests(self) -> dict[str, Any]:
        return self._describe(self._observe(self.work()))

    def export_requests(self) -> dict[str, Any]:
        work = self.work()
        seen, folder = self._observe(work), self._folder()
        wanted = [request for request in requests_by_hand(seen) if request.is_wanted]
        files = {request.secret: RequestFile(folder / f"{request.secret}.csr", request.csr) for request in wanted}
        new = {secret for secret, file in files.items() if not file.is_there}
        needed: tuple[RequestFolder | RequestFile, ...] = (RequestFolder(folder), *files.values())
        for request_file in needed:
            if not request_file.is_there:
                _write(request_file, work)
        exported = [
            {"secret": secret, "path": str(file.path), "changed": secret in new} for secret, file in files.items()
        ]
        return self._describe(seen, exported=exported)

    def import_certificates(self) -> dict[str, Any]:
        work = self.work()
        seen = self._observe(work, observe_operated)
        brought, others = self._read_certificates(seen)
        imported = store_brought_certificates(brought, seen, work)
        # The cluster as the next run will find it; if nothing was written, as it was seen before.
        after = observe_existing(work) if work.actions and not work.dry_run else seen
        return self._describe(
            after, imported=[_describe_imported(certificate) for certificate in imported], other_files=others
        )

    def _read_certificates(self, seen: Observation) -> tuple[Sequence[BroughtCertificate], list[str]]:
        """The certificates that the caller gives, and files that are not meant for this cluster."""
        given = self.params["certificates"]
        if given is not None:
            return [
                BroughtCertificate(f"certificate {number}", text.encode("utf-8"))
                for number, text in enumerate(given, 1)
            ], []
        return read_folder(self._folder(), _leaves(seen))

    def _folder(self) -> Path:
        if not self.params["directory"]:
            self.fail("directory: it is empty. Give a folder on the machine where the module runs.")
        return Path(self.params["directory"])

    def _observe(self, work: Work, see: Callable[[Work], Observation] = observe_existing) -> Observation:
        seen = see(work)
        self.hide_secrets(seen)
        source = seen.snapshot.source
        if source is not None and source.problem:
            self.fail(f"{source.name} {source.problem} {source.remedy}")
        return seen

    def _describe(
        self,
        seen: Observation,
        *,
        exported: Iterable[dict[str, Any]] = (),
        imported: Iterable[dict[str, Any]] = (),
        other_files: Iterable[str] = (),
    ) -> dict[str, Any]:
        return {
            **self.done_so_far(),
            "cluster": describe_cluster(seen.snapshot),
            "requests": [_request(request) for request in requests_by_hand(seen)],
            "requests_elsewhere": [_describe_elsewhere(request) for request in requests_elsewhere(seen)],
            "exported": list(exported),
            "imported": list(imported),
            "other_files": list(other_files),
        }


def _write(file: RequestFolder | RequestFile, work: Work) -> None:
    action = file.action
    if not work.dry_run:
        file.write()
    work.record(action)


def _leaves(seen: Observation) -> frozenset[str]:
    """The Secrets of all leaves, also of nodes that are gone, as long as a request is there."""
    return frozenset((*(leaf.secret for leaf in every_leaf(seen)), *seen.snapshot.leaves.requests))


def _request(request: RequestByHand) -> dict[str, Any]:
    signer = request.authority
    return {
        "secret": request.secret,
        "component": request.stored.component.value,
        "subject": request.subject,
        "subject_alternative_names": list(request.names),
        "public_key_sha256": request.public_key_sha256,
        "asked_at": time_text(request.asked_at),
        "authority": {"subject": signer.subject, "sha256": signer.sha256} if signer else None,
        "csr": request.csr.decode("utf-8"),
        "answered": request.is_answered,
        "problem": request.problem,
        "refused": request.refused,
        "waiting": request.waiting,
        "failed": _failed(request.failed),
    }


def _failed(failure: Failure | None) -> dict[str, Any] | None:
    return {"count": failure.count, "at": time_text(failure.at), "why": failure.reason} if failure else None


def _describe_elsewhere(request: RequestElsewhere) -> dict[str, Any]:
    return {"secret": request.secret, "issuer": request.issuer, "asked_at": time_text(request.asked_at)}


def _describe_imported(imported: ImportedCertificate) -> dict[str, Any]:
    return {
        "secret": imported.secret,
        "subject": imported.certificate.subject,
        "sha256": imported.certificate.sha256,
        "not_after": time_text(imported.certificate.not_after),
        "changed": imported.is_new,
    }
