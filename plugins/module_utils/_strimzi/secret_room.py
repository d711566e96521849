# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a Secret is small enough for Kubernetes to store it."""

from __future__ import annotations

from collections.abc import Mapping

from .._errors import StepError
from .._trust.preconditions.cluster import SECRET_LIMIT

#: The remedy where the certificates of a component do not find room in one Secret.
MAKE_ROOM = "Have them issued by a CA whose key is ECDSA, or with fewer CAs above it; and set spare_leaves to 0."
#: The remedy for a person who brings certificates by hand.
IN_PORTIONS = "Bring fewer at once, and run the flow before the next ones: what it has taken needs less room."


def check_room(secret: str, what: str, data: Mapping[str, bytes], remedy: str) -> None:
    """secret: with its namespace. data: all that it would hold. The API server would refuse it too, and say less. Raises StepError."""
    total = sum(map(len, data.values()))
    if total > SECRET_LIMIT:
        raise StepError(
            f"Secret {secret}",
            f"would hold {total} bytes with {what}; Kubernetes allows {SECRET_LIMIT}",
            f"Nothing of this was written. {remedy}",
        )
