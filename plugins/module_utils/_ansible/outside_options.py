# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The options about clients outside the cluster. A mistake in them is reported before anything is read or written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from .._errors import OptionsError
from .._strimzi.outside_clients import Outside
from .._trust.model.clients import Waiver
from .._trust.model.named import NamedSecret, UserNamespace

#: ``[namespace/]name[:entry]``, each as Kubernetes allows it.
_SECRET = re.compile(r"^(?:([a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)(?::([A-Za-z0-9._-]+))?$")


def outside_of(options: Mapping[str, Any]) -> Outside:
    """Raises OptionsError."""
    return Outside(
        _secrets("trusting_secrets", options),
        tuple(map(_waiver, options.get("waivers") or ())),
        _secrets("presenting_secrets", options),
        _user_namespaces(options),
    )


def _secrets(option: str, options: Mapping[str, Any]) -> tuple[NamedSecret, ...] | None:
    given = options.get(option)
    return None if given is None else tuple(_secret(option, text, options["namespace"]) for text in given)


def _user_namespaces(options: Mapping[str, Any]) -> tuple[UserNamespace, ...] | None:
    given = options.get("user_namespaces")
    return None if given is None else tuple(UserNamespace(one["namespace"], one["secret_prefix"]) for one in given)


def _secret(option: str, text: str, namespace: str) -> NamedSecret:
    found = _SECRET.match(text.strip())
    if found is None:
        raise OptionsError(
            f"{option}:", f"{text!r} is not the name of a Secret", "Give name, namespace/name or namespace/name:entry."
        )
    return NamedSecret(found.group(1) or namespace, found.group(2), found.group(3))


def _waiver(given: Mapping[str, str]) -> Waiver:
    return Waiver(" ".join(given["client"].split()), _time(given["until"], given["client"]), given["reason"])


def time_of(text: str) -> datetime:
    """ISO 8601, UTC where no offset is given. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)


def _time(text: str, client: str) -> datetime:
    try:
        return time_of(text)
    except ValueError:
        raise OptionsError(
            "waivers:",
            f"{text!r} is not a time until when {client} can be waived",
            "Give one such as 2026-12-24T18:00:00Z.",
        ) from None
