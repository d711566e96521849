# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Places outside the cluster that nothing in it leads to: a person names them, and flows look there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NamedSecret:
    """A Secret that a person has named. entry: its only entry that counts; None for all of them."""

    namespace: str
    name: str
    entry: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def text(self) -> str:
        """The name as a person gives it."""
        entry = f":{self.entry}" if self.entry else ""
        return f"{self.namespace}/{self.name}{entry}"

    @property
    def label(self) -> str:
        entry = f" entry {self.entry}" if self.entry else ""
        return f"Secret {self.namespace}/{self.name}{entry}"


@dataclass(frozen=True)
class UserNamespace:
    """A namespace with users of the cluster, or with programs that log in as them. secret_prefix: begins the names of their Secrets."""

    name: str
    secret_prefix: str = ""


@dataclass(frozen=True)
class Named:
    """Everything that a person has named. trusting: Secrets from which clients read the cluster CA. presenting: Secrets with certificates of the
    clients CA by which they log in. user_namespaces: those beside the one that is found.
    """

    trusting: tuple[NamedSecret, ...] = ()
    presenting: tuple[NamedSecret, ...] = ()
    user_namespaces: tuple[UserNamespace, ...] = ()


NOTHING_NAMED = Named()
