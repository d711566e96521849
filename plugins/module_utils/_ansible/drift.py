# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How a CA differs from what the options of a task ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._pki.certificates import Certificate, parse_certificates
from .._trust.model.names import named

_PUT_IN_PLACE = "state=renewed puts a CA with the same key in place, state=replaced one with another key"


def drift_of(current: Certificate, options: Mapping[str, Any]) -> list[str]:
    """A sentence for each difference. Options that were not given are not compared."""
    return list(_differences(current, options))


def _differences(current: Certificate, options: Mapping[str, Any]) -> Iterator[str]:
    if options.get("certificate"):
        wanted = parse_certificates(options["certificate"].encode("utf-8"))[0]
        if wanted != current:
            yield f"certificate: {named(wanted)} is asked for, and {named(current)} is in use; {_PUT_IN_PLACE}."
        return
    for option, found in zip(("key_algorithm", "key_size"), current.key_type, strict=True):
        if options.get(option) is not None and options[option] != found:
            yield f"{option}: {options[option]} is asked for, and {current.subject} has {found}; state=replaced makes a new key."
    days = (current.not_after - current.not_before).days
    if options.get("validity_days") is not None and options["validity_days"] != days:
        yield f"validity_days: {options['validity_days']} is asked for, and {current.subject} has {days}; state=renewed gives it new dates."
    if options.get("path_length") is not None and options["path_length"] != current.path_length:
        has = "none" if current.path_length is None else current.path_length
        yield f"path_length: {options['path_length']} is asked for, and {current.subject} has {has}; state=renewed gives it that."
