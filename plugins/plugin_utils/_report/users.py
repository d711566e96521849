# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The inventory of those who log in with certificates of the clients CA: whose each is, who issued it, when it ends, who reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]


def describe_users(seen: Facts) -> list[dict[str, Any]]:
    """seen: the result of ``strimzi_user_info``. An entry for each user, and for each certificate in a Secret that a person has named."""
    users = (_user(f"KafkaUser {one['namespace']}/{one['name']}", one) for one in seen.get("users") or ())
    return [*users, *(_user(one["secret"], one) for one in seen.get("named_certificates") or ())]


def _user(name: str, one: Facts) -> dict[str, Any]:
    """authentication: empty of a certificate in a named Secret."""
    certificate: Facts = one["certificate"] or {}
    return {
        "name": name,
        "authentication": one.get("authentication", ""),
        "subject": certificate.get("subject", ""),
        "issuer": certificate.get("ca") or certificate.get("issuer", ""),
        "sha256": certificate.get("sha256", ""),
        "not_after": certificate.get("not_after"),
        "read_by": list(one["presenters"]),
        "problem": certificate.get("problem", ""),
    }


def rows_of(users: Sequence[Facts]) -> list[dict[str, Any]]:
    """As they are shown."""
    return [
        {
            "name": one["name"],
            "issuer": one["issuer"] or "none",
            "not_after": one["not_after"] or "-",
            "read_by": [_reader(reader) for reader in one["read_by"]],
            "problem": one["problem"],
        }
        for one in users
    ]


def _reader(reader: Facts) -> str:
    if reader["up_to_date"] is None:
        return f"{reader['name']} (not known whether since it changed)"
    return str(reader["name"]) if reader["up_to_date"] else f"{reader['name']} (not since it changed)"
