# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The record of what a flow was told, namely where to look and where to stop: in the journal, and before that is opened beside the prepared CA."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .._trust.model.goals import Phase
from .._trust.model.ledger import Stop
from .._trust.model.named import NOTHING_NAMED, Named, NamedSecret, UserNamespace
from . import names
from .secret_data import annotation

#: How times are written.
TIME = "%Y-%m-%dT%H:%M:%S.%f%z"
_TRUSTING, _PRESENTING, _USER_NAMESPACES = "trustingSecrets", "presentingSecrets", "userNamespaces"


def encode_named(named: Named) -> dict[str, Any] | None:
    """None where nothing is named."""
    record = {
        _TRUSTING: [_secret_record(one) for one in named.trusting],
        _PRESENTING: [_secret_record(one) for one in named.presenting],
        _USER_NAMESPACES: [{"name": one.name, "secretPrefix": one.secret_prefix} for one in named.user_namespaces],
    }
    return {key: value for key, value in record.items() if value} or None


def _secret_record(secret: NamedSecret) -> dict[str, str]:
    entry = {} if secret.entry is None else {"entry": secret.entry}
    return {"namespace": secret.namespace, "name": secret.name, **entry}


def decode_named(record: object) -> Named:
    """None is nothing. Raises TypeError, ValueError for what this collection would not have written: unread, something would be looked at no more."""
    if record is None:
        return NOTHING_NAMED
    if not isinstance(record, dict) or not record.keys() <= {_TRUSTING, _PRESENTING, _USER_NAMESPACES}:
        raise ValueError
    return Named(
        tuple(NamedSecret(**_texts(one)) for one in _records(record, _TRUSTING)),
        tuple(NamedSecret(**_texts(one)) for one in _records(record, _PRESENTING)),
        tuple(_namespace(_texts(one)) for one in _records(record, _USER_NAMESPACES)),
    )


def _records(record: Mapping[str, Any], key: str) -> list[object]:
    found = record.get(key, [])
    if not isinstance(found, list):
        raise TypeError
    return found


def _texts(record: object) -> dict[str, str]:
    if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
        raise TypeError
    return record


def _namespace(record: Mapping[str, str]) -> UserNamespace:
    if record.keys() != {"name", "secretPrefix"}:
        raise ValueError
    return UserNamespace(record["name"], record["secretPrefix"])


def encode_stop(stop: Stop | None) -> dict[str, str] | None:
    """None where the flow goes on to its end."""
    return None if stop is None else {"after": stop.after.value, "askedAt": stop.asked_at.strftime(TIME)}


def decode_stop(record: object) -> Stop | None:
    """None is none. Raises KeyError, TypeError, ValueError for what this collection would not have written: unread, the flow would go on."""
    if record is None:
        return None
    known = _texts(record)
    return Stop(Phase(known["after"]), datetime.strptime(known["askedAt"], TIME))


def stop_beside(key_secret: Mapping[str, Any] | None) -> Stop | None:
    """Where the flow which prepared a CA in this Secret was told to stop. Raises KeyError, TypeError, ValueError."""
    text = annotation(key_secret, names.STOP)
    return decode_stop(None if text is None else json.loads(text))


def named_beside(key_secret: Mapping[str, Any] | None) -> Named:
    """The places that the flow which prepared a CA in this Secret was told to look at. Raises TypeError, ValueError."""
    text = annotation(key_secret, names.NAMED)
    return decode_named(None if text is None else json.loads(text))


def is_to_replace(key_secret: Mapping[str, Any] | None) -> bool:
    """Whether the flow which prepared a CA in this Secret renews it so that its key can be replaced."""
    return annotation(key_secret, names.TO_REPLACE) == "true"


def marks_of(
    named: Named, stop: Stop | None, key_secret: Mapping[str, Any] | None, *, to_replace: bool = False
) -> dict[str, str | None]:
    """The annotations of this Secret that say it, where they have to change."""
    records: dict[str, object] = {
        names.NAMED: encode_named(named),
        names.STOP: encode_stop(stop),
        names.TO_REPLACE: to_replace or None,
    }
    texts = {mark: None if record is None else json.dumps(record, sort_keys=True) for mark, record in records.items()}
    return {mark: text for mark, text in texts.items() if text != annotation(key_secret, mark)}
