# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The last net: every secret is made known to Ansible in every form in which it could appear, so that Ansible hides it.

Nothing secret is ever put into a result, message or diff in the first place (docs/design.md, "Secrecy").
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._strimzi.secret_data import entries

if TYPE_CHECKING:
    from .._strimzi.observe import Observation

_SECRET_SUFFIXES = (".key", ".password", ".p12")
_SENSITIVE = frozenset({"token", "password", "client-key-data", "id-token", "refresh-token", "client-secret"})


def forms_of(content: bytes) -> Iterator[str]:
    """The text, stripped, in base64, and line by line."""
    text = content.decode("latin-1")
    yield from (text, text.strip(), base64.b64encode(content).decode("ascii"))
    yield base64.b64encode(text.strip().encode("latin-1")).decode("ascii")
    yield from (line for line in text.splitlines() if len(line) > 20 and "-----" not in line)


def secrets_of(observation: Observation) -> Iterator[str]:
    """Every form of every key and password in the Secrets that were read."""
    for secret in observation.secrets.values():
        for name, content in entries(secret).items():
            if name.endswith(_SECRET_SUFFIXES) and content:
                yield from forms_of(content)


def secrets_in_kubeconfig(value: Any) -> Iterator[str]:
    """Credentials inside a kubeconfig that was given as a dictionary."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _SENSITIVE and isinstance(inner, str) and inner:
                yield inner
            yield from secrets_in_kubeconfig(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from secrets_in_kubeconfig(inner)
