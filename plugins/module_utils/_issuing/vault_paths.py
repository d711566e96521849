# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Paths of Vault's API, from names that people give."""

from __future__ import annotations

from urllib.parse import quote


def mount_path(mount: str) -> str:
    """A mount may lie below others: ``pki/kafka``."""
    return "/".join(quote(part, safe="") for part in mount.split("/") if part)


def sign_path(mount: str, issuer_ref: str, role: str) -> str:
    """By this issuer, whichever the mount takes by default."""
    return f"{issuer_path(mount, issuer_ref)}/sign/{quote(role, safe='')}"


def sign_intermediate_path(mount: str, issuer_ref: str) -> str:
    return f"{issuer_path(mount, issuer_ref)}/sign-intermediate"


def sign_self_issued_path(mount: str, issuer_ref: str) -> str:
    """Signs a certificate that its own key has signed, with its name byte by byte, its dates and its extensions."""
    return f"{issuer_path(mount, issuer_ref)}/sign-self-issued"


def cross_sign_path(mount: str) -> str:
    """Makes a request with a key that the mount has."""
    return f"{mount_path(mount)}/intermediate/cross-sign"


def issuer_path(mount: str, issuer_ref: str) -> str:
    return f"{mount_path(mount)}/issuer/{quote(issuer_ref, safe='')}"
