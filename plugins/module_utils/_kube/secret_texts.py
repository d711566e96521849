# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Values of options that can be the content of a file, a private key or a token. Messages never quote them."""

from __future__ import annotations

import re

_LOGIN_IN_URL = re.compile(r"(?<=://)[^/\s]*@")
#: PEM, and PEM in base64 as it is in a kubeconfig.
_ARMOUR = ("-----BEGIN", "LS0tLS1CRUdJTi")
_LONGEST_SHOWN = 200
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{48,}=*")


def is_content(value: str) -> bool:
    """Whether a value is content although an option expects the path of a file."""
    text = value.strip()
    return "\n" in text or "\r" in text or text.startswith(("{", *_ARMOUR)) or any(mark in text for mark in _ARMOUR)


def may_be_shown(value: str) -> bool:
    """Whether a message may quote the value of an option: not if it can be a key or token in the wrong place."""
    return (
        value.isprintable()
        and len(value) <= _LONGEST_SHOWN
        and not is_content(value)
        and not _BASE64.fullmatch(value)
        and not has_login(value)
    )


def has_login(url: str) -> bool:
    """Whether a URL contains a user name or a password."""
    return _LOGIN_IN_URL.search("".join(url.split())) is not None


def without_logins(text: str, instead: str) -> str:
    """The text with ``instead`` in the place of each user name and password of a URL."""
    return _LOGIN_IN_URL.sub(f"{instead}@", text)
