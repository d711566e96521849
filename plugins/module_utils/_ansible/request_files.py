# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A folder in which a person finds requests and leaves certificates: ``<leaf's Secret>.csr``, and ``.crt`` or ``.pem``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._errors import RequestError, StepError
from .._issuing.put_back import Brought
from .._pki.requests import parse_request
from .._strimzi.actions import Action

_CERTIFICATES = (".crt", ".pem")
#: Requests are public, and often signed by another person than the one who exports them.
_MODE = 0o644


@dataclass(frozen=True)
class RequestFolder:
    """The folder for the files."""

    path: Path

    @property
    def is_there(self) -> bool:
        return self.path.exists()

    @property
    def action(self) -> Action:
        return Action("create", f"directory {self.path}", "folder for signing requests", "")

    def write(self) -> None:
        """Make the folder also where nothing is to be signed, so that the next step finds it. Raises StepError."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable("make", self.path, error) from None


@dataclass(frozen=True)
class RequestFile:
    """A request in its file."""

    path: Path
    content: bytes

    @property
    def is_there(self) -> bool:
        return _content(self.path) == self.content

    @property
    def action(self) -> Action:
        before = _content(self.path)
        verb, facts = ("create", {}) if before is None else ("update", _facts(before))
        return Action(verb, f"file {self.path}", "signing request", "", facts, _facts(self.content))

    def write(self) -> None:
        """Write the file in one go: a person or tool that signs every file there never finds half a request. Raises StepError."""
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


def certificates_in(folder: Path, leaves: Iterable[str]) -> Iterator[Brought]:
    """leaves: Secrets of leaves; a file named after none of them, as the CA's own certificate, is let be. Raises StepError."""
    wanted = frozenset(leaves)
    for path in _listed(folder):
        content = _content(path) if path.stem in wanted else None
        if content is not None:
            yield Brought(str(path), content)


def let_be(folder: Path, leaves: Iterable[str]) -> list[str]:
    """The certificates there that are named after no leaf. Raises StepError."""
    wanted = frozenset(leaves)
    return [str(path) for path in _listed(folder) if path.stem not in wanted]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in _CERTIFICATES)
    except OSError as error:
        raise _unusable("read", folder, error) from None
