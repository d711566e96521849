# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger as entries of a Secret (docs/storage.md, "Ledger"): ``<fingerprint>.crt`` and ``<fingerprint>.state`` for
each CA, and further entries:

``<fp>.generations``  generations that mean this CA, comma-separated
``<fp>.pods``         UIDs of pods still to be replaced, one a line; absent: not read back yet
``<fp>.published``    when the CA was read back from the trust bundle
``<fp>.cleared``      when the last certificate of its name and key that allows no CA below it left what clients read
``<fp>.knowing``      UIDs of the pods that existed when the CA was read to have left what processes read, one a line
``<fp>.leaves``       hashes of leaves of this CA that running pods are annotated with, one a line
``<fp>.removed``      certificate of a CA that left the trust and may still be trusted by ``<fp>.pods``
``<fp>.returned``     ``true`` if the CA of ``<fp>.removed`` was read to be back where processes read CAs
``<fp>.leaf``         former leaf: its Secret does not contain it, and listeners of ``<fp>.pods`` may still present it
``<fp>.lingering``    UIDs of pods whose listeners have read again, and whose other channels have not, one a line
annotation ``trustops.strimzi/journal``  the flow in flight or last finished, as JSON
annotation ``trustops.strimzi/upkeep``   what is done with the CA in use in its time for renewal, as JSON
annotation ``trustops.strimzi/replaced`` fingerprints of the CAs that earlier flows have replaced, as JSON
annotation ``trustops.strimzi/user-namespaces`` namespaces in which users of the CA were seen, as JSON

The journal also records where the flow is to look and where to stop, when nodes give up the replaced CA, and whether
upkeep has begun the flow. Before the journal is opened, these stand beside the prepared CA.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeAlias

from ..._errors import CertificateError
from ..._kube.resources import read_json
from ..._pki.certificates import Certificate, encode_certificates, parse_certificates, parse_chain
from ..._trust.model.clients import NO_NAMED_PLACES, NamedPlaces, NamedSecret, UserNamespace
from ..._trust.model.goals import Goal, Phase, Retire, Retirement
from ..._trust.model.ledger import (
    Beginning,
    FlowOptions,
    FormerLeaf,
    Journal,
    Ledger,
    LedgerEntry,
    Outgoing,
    RememberedCertificate,
    RemovedEntry,
    Stop,
    TrustState,
    Upkeep,
    WhenDue,
)
from .. import names
from ..secret_data import annotation, whole_number

#: How times are written.
TIME = "%Y-%m-%dT%H:%M:%S.%f%z"
_TRUSTING, _PRESENTING, _USER_NAMESPACES = "trustingSecrets", "presentingSecrets", "userNamespaces"


def encode_named(named: NamedPlaces) -> dict[str, Any] | None:
    """The record of named places; None if nothing is named."""
    record = {
        _TRUSTING: [_secret_record(secret) for secret in named.trusting_secrets],
        _PRESENTING: [_secret_record(secret) for secret in named.presenting_secrets],
        _USER_NAMESPACES: _namespace_records(named.user_namespaces),
    }
    return {key: value for key, value in record.items() if value} or None


def _namespace_records(namespaces: Iterable[UserNamespace]) -> list[dict[str, str]]:
    return [{"name": namespace.name, "secretPrefix": namespace.secret_prefix} for namespace in namespaces]


def _secret_record(secret: NamedSecret) -> dict[str, str]:
    entry = {} if secret.entry is None else {"entry": secret.entry}
    return {"namespace": secret.namespace, "name": secret.name, **entry}


def decode_named(record: object) -> NamedPlaces:
    """The places in a record; no places if the record is None. Raises TypeError, ValueError if this collection would
    not have written it: to ignore it would mean that no call looks at its places any more.
    """
    if record is None:
        return NO_NAMED_PLACES
    if not isinstance(record, dict) or not record.keys() <= {_TRUSTING, _PRESENTING, _USER_NAMESPACES}:
        raise ValueError
    return NamedPlaces(
        tuple(NamedSecret(**_texts(entry)) for entry in _records(record, _TRUSTING)),
        tuple(NamedSecret(**_texts(entry)) for entry in _records(record, _PRESENTING)),
        tuple(_namespace(_texts(entry)) for entry in _records(record, _USER_NAMESPACES)),
    )


def _records(record: Mapping[str, Any], key: str) -> list[object]:
    records = record.get(key, [])
    if not isinstance(records, list):
        raise TypeError
    return records


def _texts(record: object) -> dict[str, str]:
    if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
        raise TypeError
    return record


def _namespace(record: Mapping[str, str]) -> UserNamespace:
    if record.keys() != {"name", "secretPrefix"}:
        raise ValueError
    return UserNamespace(record["name"], record["secretPrefix"])


def encode_stop(stop: Stop | None) -> dict[str, str] | None:
    """The record of a stop; None if the flow goes on to its end."""
    return None if stop is None else {"after": stop.after.value, "askedAt": stop.asked_at.strftime(TIME)}


def decode_stop(record: object) -> Stop | None:
    """The stop in a record; None if the record is null. Raises KeyError, TypeError, ValueError if it has another form:
    to ignore it would let the flow go on.
    """
    if record is None:
        return None
    fields = _texts(record)
    return Stop(Phase(fields["after"]), _read_time(fields["askedAt"]))


def _record(text: str) -> dict[str, Any]:
    """The record in an annotation. Raises ValueError if the text contains none: to ignore it would let a flow go on
    past its stop.
    """
    record = read_json(text)
    if not isinstance(record, dict):
        raise ValueError
    return record


def read_flow_options(key_secret: Mapping[str, Any] | None) -> tuple[FlowOptions, list[str]]:
    """The options of the flow that prepared a CA in this Secret, and sentences about unreadable annotations."""
    named, unread = _read_named_beside(key_secret)
    stop, unread_stop = _read_stop_beside(key_secret)
    to_replace = annotation(key_secret, names.TO_REPLACE) == "true"
    return FlowOptions(named, stop, to_replace), [*unread, *unread_stop]


def _read_stop_beside(key_secret: Mapping[str, Any] | None) -> tuple[Stop | None, list[str]]:
    """The phase after which the flow that prepared a CA in this Secret stops, and the problem if it cannot be read."""
    text = annotation(key_secret, names.STOP)
    try:
        return None if text is None else decode_stop(_record(text)), []
    except (KeyError, ValueError, TypeError):
        return None, [f"the annotation {names.STOP} beside the key does not say where a flow is to stop."]


def _read_named_beside(key_secret: Mapping[str, Any] | None) -> tuple[NamedPlaces, list[str]]:
    """The places at which the flow that prepared a CA in this Secret looks, and the problem if they cannot be read."""
    text = annotation(key_secret, names.NAMED)
    try:
        return NO_NAMED_PLACES if text is None else decode_named(_record(text)), []
    except (ValueError, TypeError):
        return NO_NAMED_PLACES, [f"the annotation {names.NAMED} beside the key does not say where a flow is to look."]


def read_beginning(key_secret: Mapping[str, Any] | None) -> tuple[Beginning | None, list[str]]:
    """The beginning of the flow that prepared a CA in this Secret, and the problem if it cannot be read. None: no call
    has recorded it.
    """
    text = annotation(key_secret, names.BEGINNING)
    try:
        return None if text is None else _decode_beginning(_record(text)), []
    except (KeyError, ValueError, TypeError):
        return None, [f"the annotation {names.BEGINNING} beside the key does not say how a flow was begun."]


def record_marks(
    options: FlowOptions, beginning: Beginning | None, key_secret: Mapping[str, Any] | None
) -> dict[str, str | None]:
    """The annotations of this Secret for these options and this beginning, as far as they have to change."""
    records: dict[str, object] = {
        names.NAMED: encode_named(options.named_places),
        names.STOP: encode_stop(options.stop),
        names.TO_REPLACE: options.precedes_replacement or None,
        names.BEGINNING: None if beginning is None else _encode_beginning(beginning),
    }
    texts = {mark: None if record is None else json.dumps(record, sort_keys=True) for mark, record in records.items()}
    return {mark: text for mark, text in texts.items() if text != annotation(key_secret, mark)}


def _decode_beginning(record: Mapping[str, Any]) -> Beginning:
    """The beginning in a record. Raises KeyError, TypeError, ValueError if it has another form."""
    if not isinstance(record["retire"], str):
        raise TypeError
    return Beginning(_decode_retirement(record), record.get("upkeep") is True)


def _encode_beginning(beginning: Beginning) -> dict[str, object]:
    return {**_encode_retirement(beginning.retire), **({"upkeep": True} if beginning.is_upkeep else {})}


def _encode_retirement(retire: Retirement) -> dict[str, object]:
    if isinstance(retire, Retire):
        return {"retire": retire.value}
    return {"retire": Retire.WHEN_RESTARTED.value, "retireBy": retire.strftime(TIME)}


OWN_SUFFIXES = (
    ".crt", ".state", ".generations", ".pods", ".published", ".cleared", ".knowing", ".leaves", ".removed", ".leaf",
    ".returned", ".lingering",
)  # fmt: skip
#: Entries with a certificate; every other entry stands beside one of them.
_CERTIFICATES = ("crt", "removed", "leaf")


#: The annotations of a ledger, by their names; None if the ledger lacks the annotation.
Marks: TypeAlias = Mapping[str, str | None]


class _Foreign(Exception):
    """An entry of another writer; the text says which and why."""


@dataclass(frozen=True)
class Entries:
    """The entries of a ledger, from whatever Secrets."""

    #: The content of each entry, by ``<fingerprint>.<suffix>``.
    data: Mapping[str, bytes]
    #: The real name of an entry, if its Secret has another name for it.
    stored_names: Mapping[str, str] = field(default_factory=dict)

    def words(self, fingerprint: str, suffix: str) -> frozenset[str] | None:
        content = self.data.get(f"{fingerprint}.{suffix}")
        return None if content is None else frozenset(content.decode("ascii", "replace").split())

    def name(self, key: str) -> str:
        """How messages name the entry."""
        return self.stored_names.get(key, key)


def marks_of(secret: Mapping[str, Any]) -> Marks:
    """The annotations of a ledger in its Secret."""
    return {
        name: annotation(secret, name) for name in (names.JOURNAL, names.UPKEEP, names.REPLACED, names.USER_NAMESPACES)
    }


def decode_ledger(stored: Entries, marks: Marks) -> Ledger:
    """The ledger, with a problem for each entry and annotation of another writer."""
    entries, removed, former, problems = [], [], [], []
    for key in sorted(stored.data):
        try:
            if key.endswith(".crt"):
                entries.append(_decode_entry(key.removesuffix(".crt"), stored))
            elif key.endswith(".removed"):
                is_back = f"{key.removesuffix('.removed')}.returned" in stored.data
                removed.append(RemovedEntry(*_decode_remembered(key, stored), is_back))
            elif key.endswith(".leaf"):
                former.append(FormerLeaf(*_decode_remembered(key, stored)))
            elif _is_orphan(key, stored.data):
                raise _Foreign(f"{stored.name(key)} has no certificate beside it")
        except _Foreign as error:
            problems.append(f"{error}.")
    flow, upkeep = None, None
    replaced: tuple[str, ...] = ()
    namespaces: tuple[UserNamespace, ...] = ()
    try:
        flow = _decode_journal(marks[names.JOURNAL])
        upkeep = _decode_upkeep(marks[names.UPKEEP])
        replaced = _decode_replaced(marks[names.REPLACED])
        namespaces = _decode_namespaces(marks[names.USER_NAMESPACES])
    except _Foreign as error:
        problems.append(f"{error}.")
    return Ledger(
        tuple(entries),
        tuple(removed),
        flow,
        tuple(problems),
        tuple(former),
        upkeep=upkeep,
        replaced_cas=replaced,
        user_namespaces=namespaces,
    )


def _is_orphan(key: str, data: Mapping[str, bytes]) -> bool:
    """Whether an entry is about a CA whose certificate is missing: another writer has taken it away."""
    stem, _dot, suffix = key.rpartition(".")
    owners = {
        "lingering": ("removed", "leaf"), "returned": ("removed",), "pods": _CERTIFICATES,
        **dict.fromkeys(("state", "generations", "published", "cleared", "knowing", "leaves"), ("crt",)),
    }  # fmt: skip
    return suffix in owners and not any(f"{stem}.{owner}" in data for owner in owners[suffix])


def _decode_entry(fingerprint: str, stored: Entries) -> LedgerEntry:
    name, data = stored.name(f"{fingerprint}.crt"), stored.data
    try:
        chain = parse_chain(data[f"{fingerprint}.crt"])
    except CertificateError as error:
        raise _Foreign(f"{name} cannot be read: {error}") from None
    if chain[0].fingerprint != fingerprint:
        raise _Foreign(f"{name} contains the certificate {chain[0].fingerprint} ({chain[0].subject})")
    text = data.get(f"{fingerprint}.state", b"").decode("ascii", "replace").strip()
    if text not in TrustState.__members__:
        state = stored.name(f"{fingerprint}.state")
        raise _Foreign(f"{state} is {text!r}, which is no state of the trust state machine")
    return LedgerEntry(
        chain, TrustState(text), _decode_generations(fingerprint, data), stored.words(fingerprint, "pods"),
        _decode_time(fingerprint, "published", data), stored.words(fingerprint, "leaves") or frozenset(),
        _decode_time(fingerprint, "cleared", data), stored.words(fingerprint, "knowing"),
    )  # fmt: skip


def _decode_generations(fingerprint: str, data: Mapping[str, bytes]) -> frozenset[int]:
    text = data.get(f"{fingerprint}.generations", b"").decode("ascii", "replace")
    numbers = [whole_number(part.strip()) for part in text.split(",") if part.strip()]
    if None in numbers:
        raise _Foreign(f"{fingerprint}.generations is not a list of numbers")
    return frozenset(number for number in numbers if number is not None)


@lru_cache(maxsize=1024)
def _read_time(text: str) -> datetime:
    """A recorded time. Raises TypeError, ValueError. A call reads the same times at each of its looks."""
    return datetime.strptime(text, TIME)


def _decode_time(fingerprint: str, suffix: str, data: Mapping[str, bytes]) -> datetime | None:
    content = data.get(f"{fingerprint}.{suffix}")
    try:
        return None if content is None else _read_time(content.decode("ascii", "replace").strip())
    except ValueError:
        raise _Foreign(f"{fingerprint}.{suffix} is no time") from None


def _decode_remembered(key: str, stored: Entries) -> tuple[Certificate, frozenset[str], frozenset[str]]:
    """A certificate that is stored no more, and the pods that still know it: awaiting, and lingering."""
    fingerprint, name = key.rpartition(".")[0], stored.name(key)
    try:
        certificate = parse_certificates(stored.data[key])[0]
    except CertificateError as error:
        raise _Foreign(f"{name} cannot be read: {error}") from None
    if certificate.fingerprint != fingerprint:
        raise _Foreign(f"{name} contains the certificate {certificate.fingerprint} ({certificate.subject})")
    awaiting = stored.words(fingerprint, "pods")
    if awaiting is None:
        # Read as "no pods", this entry would be forgotten while pods still know the certificate.
        raise _Foreign(f"{fingerprint}.pods is missing: which pods still know {certificate.subject} is not known")
    return certificate, awaiting, stored.words(fingerprint, "lingering") or frozenset()


def _decode_journal(text: str | None) -> Journal | None:
    if text is None:
        return None
    try:
        record = _record(text)
        return Journal(
            goal=Goal(record["goal"]),
            replaces=_decode_name(record.get("replaces")),
            replaces_sha256=_decode_name(record.get("replacesSha256")),
            successor=_decode_name(record.get("successor")),
            started_at=_read_time(record["startedAt"]),
            finished_at=_read_time(record["finishedAt"]) if record.get("finishedAt") else None,
            retire=_decode_retirement(record),
            is_abort=record.get("abort") is True,
            unsure_pods=frozenset(map(str, record["unsure"])) if "unsure" in record else None,
            options=FlowOptions(
                decode_named(record.get("named")), decode_stop(record.get("stop")), record.get("toReplace") is True
            ),
            outgoing_certificates=_decode_outgoing(record["outgoing"]) if "outgoing" in record else None,
            earlier_fingerprints=frozenset(map(str, record.get("renewed", ()))),
            is_upkeep=record.get("upkeep") is True,
            read_since=_read_time(record["readSince"]) if record.get("readSince") else None,
        )
    except (ValueError, KeyError, TypeError):
        raise _Foreign(f"the annotation {names.JOURNAL} is not a journal") from None


def _decode_retirement(record: Mapping[str, Any]) -> Retirement:
    retire = Retire(record.get("retire", Retire.NOW.value))
    latest = _read_time(record["retireBy"]) if record.get("retireBy") else None
    return retire if latest is None or retire is Retire.NOW else latest


def _decode_upkeep(text: str | None) -> Upkeep | None:
    if text is None:
        return None
    try:
        record = _record(text)
        before_end = timedelta(days=record["days"])
        return Upkeep(WhenDue(record["policy"]), before_end, _read_time(record["since"]))
    except (ValueError, KeyError, TypeError, OverflowError):
        raise _Foreign(f"the annotation {names.UPKEEP} is no record of this collection") from None


def _decode_replaced(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    fingerprints = read_json(text)
    if not isinstance(fingerprints, list) or not all(isinstance(fingerprint, str) for fingerprint in fingerprints):
        raise _Foreign(f"the annotation {names.REPLACED} is no list of fingerprints")
    return tuple(fingerprints)


def _decode_namespaces(text: str | None) -> tuple[UserNamespace, ...]:
    """The recorded namespaces. If a record of another form were read as nothing, the users there would vanish."""
    if text is None:
        return ()
    try:
        return decode_named({_USER_NAMESPACES: read_json(text)}).user_namespaces
    except (ValueError, TypeError):
        raise _Foreign(f"the annotation {names.USER_NAMESPACES} is no list of namespaces") from None


def _decode_outgoing(record: Mapping[str, Any]) -> Outgoing:
    ends_at = _read_time(record["endsAt"])
    return Outgoing(frozenset(map(str, record["readers"])), ends_at, record["switched"] is True)


def _encode_outgoing(outgoing: Outgoing) -> dict[str, object]:
    ends_at = outgoing.ends_at.strftime(TIME)
    return {"readers": sorted(outgoing.readers), "endsAt": ends_at, "switched": outgoing.is_complete}


def _decode_name(value: object) -> str | None:
    """The name of a CA, if there is one. Raises TypeError for a value of another kind."""
    if value is not None and not isinstance(value, str):
        raise TypeError
    return value


def encode_ledger(ledger: Ledger) -> dict[str, bytes]:
    """The entries of the ledger, without its annotations."""
    data: dict[str, bytes] = {}
    for entry in ledger.entries:
        data[f"{entry.fingerprint}.crt"] = encode_certificates(entry.chain)
        data[f"{entry.fingerprint}.state"] = entry.state.value.encode("ascii")
        if entry.generations:
            data[f"{entry.fingerprint}.generations"] = ",".join(map(str, sorted(entry.generations))).encode("ascii")
        if entry.awaited_pods is not None:
            data[f"{entry.fingerprint}.pods"] = _encode_uids(entry.awaited_pods)
        if entry.published_at is not None:
            data[f"{entry.fingerprint}.published"] = entry.published_at.strftime(TIME).encode("ascii")
        if entry.cleared_at is not None:
            data[f"{entry.fingerprint}.cleared"] = entry.cleared_at.strftime(TIME).encode("ascii")
        if entry.knowing_pods is not None:
            data[f"{entry.fingerprint}.knowing"] = _encode_uids(entry.knowing_pods)
        if entry.leaf_hashes:
            data[f"{entry.fingerprint}.leaves"] = _encode_uids(entry.leaf_hashes)
    left: dict[RememberedCertificate, str] = {
        **dict.fromkeys(ledger.removed_cas, "removed"),
        **dict.fromkeys(ledger.former_leaves, "leaf"),
    }
    for left_entry, suffix in left.items():
        data[f"{left_entry.fingerprint}.{suffix}"] = left_entry.certificate.pem
        data[f"{left_entry.fingerprint}.pods"] = _encode_uids(left_entry.awaited_pods)
        if left_entry.lingering_pods:
            data[f"{left_entry.fingerprint}.lingering"] = _encode_uids(left_entry.lingering_pods)
        if isinstance(left_entry, RemovedEntry) and left_entry.is_back:
            data[f"{left_entry.fingerprint}.returned"] = b"true"
    return data


def _encode_uids(uids: frozenset[str]) -> bytes:
    return "\n".join(sorted(uids)).encode("ascii")


def encode_marks(ledger: Ledger) -> Marks:
    """The annotations of the ledger."""
    return {
        names.JOURNAL: _encode_journal(ledger.journal),
        names.UPKEEP: _encode_upkeep(ledger.upkeep),
        names.REPLACED: json.dumps(ledger.replaced_cas) if ledger.replaced_cas else None,
        names.USER_NAMESPACES: json.dumps(_namespace_records(ledger.user_namespaces))
        if ledger.user_namespaces
        else None,
    }


def _encode_upkeep(upkeep: Upkeep | None) -> str | None:
    if upkeep is None:
        return None
    days, since = upkeep.window // timedelta(days=1), upkeep.since.strftime(TIME)
    return json.dumps({"policy": upkeep.policy.value, "days": days, "since": since}, sort_keys=True)


def _encode_journal(journal: Journal | None) -> str | None:
    if journal is None:
        return None
    record = {
        "goal": journal.goal.value,
        "replaces": journal.replaces,
        "replacesSha256": journal.replaces_sha256,
        "successor": journal.successor,
        "startedAt": journal.started_at.strftime(TIME),
        "finishedAt": journal.finished_at.strftime(TIME) if journal.finished_at else None,
        **_encode_retirement(journal.retire),
        "abort": journal.is_abort or None,
        "unsure": sorted(journal.unsure_pods) if journal.unsure_pods is not None else None,
        "named": encode_named(journal.options.named_places),
        "outgoing": _encode_outgoing(journal.outgoing_certificates)
        if journal.outgoing_certificates is not None
        else None,
        "renewed": sorted(journal.earlier_fingerprints) or None,
        "stop": encode_stop(journal.options.stop),
        "toReplace": journal.options.precedes_replacement or None,
        "upkeep": journal.is_upkeep or None,
        "readSince": journal.read_since.strftime(TIME) if journal.read_since else None,
    }
    return json.dumps({key: value for key, value in record.items() if value is not None}, sort_keys=True)
