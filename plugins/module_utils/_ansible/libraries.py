# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Python libraries that modules need, and the message when one is missing or too old."""

from __future__ import annotations

import re
import sys

from ansible.module_utils.basic import missing_required_lib

from .._kube import _kubernetes
from .._pki import _cryptography


def missing_library() -> tuple[str, str | None] | None:
    """A message and, for a failed import, its traceback; None when everything is there."""
    for name, library, minimum, import_error in (
        ("kubernetes", _kubernetes.kubernetes, _kubernetes.MINIMUM_KUBERNETES, _kubernetes.KUBERNETES_IMPORT_ERROR),
        (
            "cryptography",
            _cryptography.cryptography,
            _cryptography.MINIMUM_CRYPTOGRAPHY,
            _cryptography.CRYPTOGRAPHY_IMPORT_ERROR,
        ),
    ):
        if library is None:
            return str(missing_required_lib(f"{name} >= {minimum}")), import_error
        if _numbers(library.__version__) < _numbers(minimum):
            return (
                f"The Python library {name} {library.__version__} of {sys.executable} is too old: {minimum} or later is "
                "needed. Install a newer one there, or let ansible_python_interpreter name a Python that has it."
            ), None
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
