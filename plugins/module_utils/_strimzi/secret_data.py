# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Data and annotations of Secrets: base64 in, base64 out, and whether a Secret is small enough for Kubernetes
to store it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from .._errors import StepError
from .._trust.model.snapshot import SECRET_LIMIT

_DIGITS = re.compile(r"[0-9]{1,10}")
#: The largest number for the operator, a Java program.
_LARGEST = 2**31 - 1


def entries(secret: Mapping[str, Any] | None) -> dict[str, bytes]:
    """The decoded data of a Secret; if an entry is not base64, it is left out."""
    decoded = {}
    for key, value in ((secret or {}).get("data") or {}).items():
        try:
            decoded[key] = _decode(value or "")
        except (binascii.Error, ValueError):
            continue
    return decoded


def _decode(value: str) -> bytes:
    return base64.b64decode(value, validate=True)


def encode(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def size(secret: Mapping[str, Any]) -> int:
    """The bytes of a Secret towards the limit of 1 MiB."""
    return sum(len(key) + len(value) for key, value in entries(secret).items())


def annotation(resource: Mapping[str, Any] | None, name: str) -> str | None:
    return (((resource or {}).get("metadata") or {}).get("annotations") or {}).get(name)


def is_true(resource: Mapping[str, Any] | None, name: str) -> bool:
    """Whether an annotation says yes, in upper or lower case, as the operators read it (Strimzi,
    ``Annotations.booleanAnnotation``).
    """
    return (annotation(resource, name) or "").lower() == "true"


def missing_labels(resource: Mapping[str, Any], wanted: Mapping[str, str]) -> tuple[str, ...]:
    """The wanted labels that the resource lacks, as "<name>=<value>"."""
    has = resource["metadata"].get("labels") or {}
    return tuple(f"{name}={value}" for name, value in wanted.items() if has.get(name) != value)


def integer_annotation(resource: Mapping[str, Any] | None, name: str) -> int | None:
    """An annotation as a number; None if it is missing or no number."""
    value = annotation(resource, name)
    return None if value is None else whole_number(value)


def whole_number(text: str) -> int | None:
    """A number in the operator's range; None for any other text, also for a text of thousands of digits."""
    number = int(text) if _DIGITS.fullmatch(text) else None
    return None if number is None or number > _LARGEST else number


#: The remedy if the certificates of a component do not find room in one Secret.
MAKE_SMALLER = "Have them issued by a CA whose key is ECDSA, or with fewer CAs above it; and set spare_leaves to 0."
#: The remedy for a person with certificates to bring by hand.
IN_PORTIONS = (
    "Bring fewer at once, and run the flow before you bring more: certificates that it has taken need less room."
)


def check_room(secret: str, what: str, data: Mapping[str, bytes], remedy: str) -> None:
    """Raises StepError if a Secret, named with its namespace, would contain too much: ``data`` is its whole future
    content. The API server would refuse it too, and say less.
    """
    total = sum(map(len, data.values()))
    if total > SECRET_LIMIT:
        raise StepError(
            f"Secret {secret}",
            f"would contain {total} bytes with {what}; Kubernetes allows {SECRET_LIMIT}",
            f"Nothing of this was written. {remedy}",
        )
