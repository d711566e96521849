# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Secrets with requests for leaves, ``<cluster>-issuing-<component>``, with the entries ``<leaf's
Secret>.<requested|issued|pending>`` (CA abstraction, "End-entity Secrets"), and the private keys of the next
certificates.

``requested`` is a record of the request. ``issued`` is the answer of a person, as PEM, unchecked. ``pending`` is the
checked certificate with its chain: it waits for its use. The private key lies in a Secret of its own: RBAC can keep a
person with requests from keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, datetime
from typing import Any

from ..._errors import CertificateError, PrivateKeyError, StepError, printable
from ..._kube.resources import SECRETS
from ..._leaves.request import Failure, Keys, KnownKey, RotationPolicy, Take, choose
from ..._pki.certificates import Chain, encode_certificates, parse_chain
from ..._pki.keys import PrivateKey, generate_keys, load_stored_key
from ..._strimzi.apply.work import Work, Write, WriteVerb, new_secret, secret_patch, version
from ..._strimzi.cluster.ca_secrets import usable_key
from ..._strimzi.cluster.leaves import LeafSecret
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.names import ClusterNames
from ..._strimzi.secret_data import IN_PORTIONS, MAKE_SMALLER, check_room, entries
from ..._trust.model.components import Component

_AT_A_TIME = 8


def new_keys(count: int, work: Work) -> Iterator[PrivateKey]:
    """New keys, so few at a time that the Lease does not run out meanwhile: primes for a hundred nodes take a minute or
    more.
    """
    for begun in range(0, count, _AT_A_TIME):
        yield from generate_keys(work.wishes.issuing.leaf_key, min(_AT_A_TIME, count - begun))
        work.renew_lease()


def keys_of(
    leaves: Sequence[LeafSecret], following: Mapping[str, PrivateKey], observation: Observation, work: Work
) -> dict[str, PrivateKey]:
    """The keys by the Secret of the leaf; ``following`` are the stored next keys. Raises StepError if keys are not to
    be made again, and the key of a leaf cannot be used.
    """
    used = keys_in_use(observation)
    keys: dict[str, PrivateKey] = {}
    for leaf in leaves:
        present, problem = (
            _present(leaf, observation, work) if work.wishes.issuing.rotation is RotationPolicy.NEVER else (None, "")
        )
        next_key = following.get(leaf.secret)
        choice = choose(
            Keys(describe_key(next_key), present.public_key_sha256 if present else None, problem, used),
            work.wishes.issuing.leaf_key,
            work.wishes.issuing.rotation,
        )
        if choice.take is Take.NONE:
            raise _kept_and_unusable(leaf, choice.reason, observation)
        taken = {Take.PRESENT: present, Take.FOLLOWING: next_key}.get(choice.take)
        if taken is not None:
            keys[leaf.secret] = taken
    missing = [leaf.secret for leaf in leaves if leaf.secret not in keys]
    return {**keys, **dict(zip(missing, new_keys(len(missing), work), strict=True))}


def _present(leaf: LeafSecret, observation: Observation, work: Work) -> tuple[PrivateKey | None, str]:
    """The key of the stored leaf, and why a present key cannot be used."""
    secret = observation.secrets.get(leaf.secret)
    if leaf.secret in observation.served_users:
        # Of users nothing private is kept in memory.
        secret = work.client.get_or_none(SECRETS, leaf.namespace, leaf.secret)
    content = entries(secret).get(f"{leaf.entry}.key")
    if content is None:
        return None, f"it has no entry {leaf.entry}.key" if secret is not None else ""
    try:
        return load_stored_key(content), ""
    except PrivateKeyError as error:
        return None, f"{leaf.entry}.key is {error}"


def describe_key(key: PrivateKey | None) -> KnownKey | None:
    return None if key is None else KnownKey(key.public_key_sha256, key.spec)


def keys_in_use(observation: Observation) -> frozenset[str]:
    """The public halves of the keys of stored leaves."""
    return frozenset(leaf.chain[0].public_key_sha256 for leaf in observation.snapshot.every_leaf if leaf.chain)


def _kept_and_unusable(leaf: LeafSecret, why: str, observation: Observation) -> StepError:
    return StepError(
        f"The key in Secret {observation.scope.namespace}/{leaf.secret}",
        f"is to be kept (rotation_policy=never), and cannot be used: {why}",
        "Put a usable key there, in PEM form and unencrypted, or have new keys made: rotation_policy=always.",
    )


TYPE = "strimzi.io/issuing"
REQUESTED, ISSUED, PENDING, _KEY = "requested", "issued", "pending", "key"
_STATES = (REQUESTED, ISSUED, PENDING)
#: The errors of reading foreign content; JSON knows infinite numbers, and lists of any depth.
_UNREADABLE = (CertificateError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)

Object = Mapping[str, Any]


@dataclass(frozen=True)
class RequestRecord:
    """A request for a certificate, as a Secret records it."""

    #: Reference of the issuer.
    issuer: str
    #: Fingerprint of the CA that has to sign.
    authority: str
    #: SHA-256 of the requested public key.
    key: str
    #: SHA-256 of the requested names.
    names: str
    #: When the issuer got the request, in UTC.
    asked_at: datetime
    #: Token of the issuer.
    token: str
    #: Whether the issuer may still answer.
    is_open: bool = True
    #: The failures of this and earlier requests for the leaf; None if none has failed.
    failure: Failure | None = None
    #: When the first request of the row went out, in UTC: no accepted certificate has ended the row since. None if this
    #: is the first.
    since: datetime | None = None


@dataclass(frozen=True)
class PendingLeaf:
    """The leaf of a request, checked."""

    #: The certificate, and the CAs behind it.
    chain: Chain
    #: The record of the request while its issuer keeps objects for it; None if the issuer keeps none.
    record: RequestRecord | None = None


@dataclass(frozen=True)
class StoredRequest:
    """The stored data about the next certificate of an end entity."""

    #: The Secret of the leaf; its name names the end entity.
    secret: str
    #: The component with the leaf.
    component: Component
    #: The record about the request; None if no issuer has got one yet.
    record: RequestRecord | None = None
    #: The certificate from a person, before any check.
    issued: bytes | None = None
    #: The certificate with its chain, after every check.
    pending: Chain | None = None
    #: The reason why the stored request is unreadable, as a part of a sentence; empty if it is readable.
    problem: str = ""

    @property
    def is_unasked(self) -> bool:
        """Whether there is a key and nothing else: a run was killed before it asked."""
        return self.record is None and self.pending is None and not self.problem


def read_requests(scope: ClusterNames, secrets: Mapping[str, Object]) -> dict[str, StoredRequest]:
    """The stored requests by the Secret of the leaf. If entries lie in the Secret of another component by mistake, they
    do not hide a request.
    """
    requests: dict[str, StoredRequest] = {}
    for component in Component:
        stored = entries(secrets.get(scope.issuing_secret(component.value)))
        keys = entries(secrets.get(scope.next_keys_secret(component.value)))
        for name in sorted({*_entries_of(stored, _STATES), *_entries_of(keys, (_KEY,))}):
            if name not in requests or requests[name].is_unasked:
                requests[name] = _read(StoredRequest(name, component), stored)
    return requests


def _entries_of(stored: Iterable[str], kinds: tuple[str, ...]) -> Iterator[str]:
    for entry in stored:
        name, dot, kind = entry.rpartition(".")
        if dot and kind in kinds:
            yield name


def _read(request: StoredRequest, stored: Mapping[str, bytes]) -> StoredRequest:
    name = request.secret
    pending, requested = stored.get(f"{name}.{PENDING}"), stored.get(f"{name}.{REQUESTED}")
    unreadable = "its record cannot be read"
    try:
        request = replace(request, record=None if requested is None else _decode(requested))
    except _UNREADABLE:
        # A leaf does not need its request any more after the checks.
        if pending is None:
            return replace(request, problem=unreadable)
    if pending is None:
        return replace(request, issued=stored.get(f"{name}.{ISSUED}"))
    try:
        return replace(request, pending=parse_chain(pending))
    except CertificateError:
        return replace(request, problem=unreadable)


def entries_of(leaf: str) -> tuple[str, ...]:
    """Every possible entry about a leaf, in both Secrets."""
    return tuple(f"{leaf}.{kind}" for kind in (*_STATES, _KEY))


class NextKeys:
    """The private keys for requests. Each Secret contains the keys of all its leaves, so it is decoded once."""

    def __init__(self, scope: ClusterNames, secrets: Mapping[str, Object]) -> None:
        self._stored = {
            component: entries(secrets.get(scope.next_keys_secret(component.value))) for component in Component
        }
        self._loaded: dict[tuple[Component, str], PrivateKey | None] = {}

    def of(self, component: Component, leaf: str) -> PrivateKey | None:
        """The key for the leaf of this Secret; None if there is none, or it is unusable."""
        loaded_key = (component, leaf)
        if loaded_key not in self._loaded:
            self._loaded[loaded_key] = usable_key(self._stored[component].get(f"{leaf}.{_KEY}"))
        return self._loaded[loaded_key]


def _decode(content: bytes) -> RequestRecord:
    """The record in a text. Raises an error of ``_UNREADABLE`` if another writer wrote it."""
    read = json.loads(content)
    failed = read.get("failed")
    failure = Failure(int(failed["count"]), _time(failed["at"]), printable(str(failed["why"]))) if failed else None
    return RequestRecord(
        str(read["issuer"]), str(read["authority"]), str(read["publicKey"]), str(read["names"]), _time(read["askedAt"]),
        _token(read["request"]), bool(read["open"]), failure, _time(since) if (since := read.get("since")) else None,
    )  # fmt: skip


def _time(text: str) -> datetime:
    """A recorded time. In the last year of datetime, no time can be added to it."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.year == MAXYEAR:
        raise ValueError(text)
    return time


def _token(value: object) -> str:
    """A recorded token. Raises ValueError if it has no form in bytes, because issuers get its bytes."""
    return str(value).encode("utf-8").decode("utf-8")


def _encode(record: RequestRecord) -> bytes:
    failure = record.failure
    fields = {
        "issuer": record.issuer,
        "authority": record.authority,
        "publicKey": record.key,
        "names": record.names,
        "askedAt": record.asked_at.isoformat(),
        "since": record.since.isoformat() if record.since else None,
        "open": record.is_open,
        "failed": {"count": failure.count, "at": failure.at.isoformat(), "why": failure.reason} if failure else None,
        "request": record.token,
    }
    return json.dumps(fields, indent=1).encode("utf-8")


def write_records(
    scope: ClusterNames,
    secrets: Mapping[str, Object],
    component: Component,
    changed: Mapping[str, RequestRecord | PendingLeaf | None],
) -> Write:
    """The write of records by the Secret of the leaf: the record of its request, or the certificate with its chain;
    None removes all of it.
    """
    name = scope.issuing_secret(component.value)
    data: dict[str, bytes | None] = {}
    for leaf, value in changed.items():
        data |= {f"{leaf}.{state}": None for state in _STATES}
        record = value.record if isinstance(value, PendingLeaf) else value
        if record is not None:
            data[f"{leaf}.{REQUESTED}"] = _encode(record)
        if isinstance(value, PendingLeaf):
            data[f"{leaf}.{PENDING}"] = encode_certificates(value.chain)
    what = f"requests for certificates of {', '.join(sorted(changed))}"
    return _written(scope, secrets, name, data, what, TYPE)


def write_issued(
    scope: ClusterNames, secrets: Mapping[str, Object], component: Component, answers: Mapping[str, Chain]
) -> Write:
    """The write of a person's answers by the Secret of the leaf: the certificate with its chain."""
    data: dict[str, bytes | None] = {f"{leaf}.{ISSUED}": encode_certificates(chain) for leaf, chain in answers.items()}
    what = f"certificates for {', '.join(sorted(answers))}"
    return _written(scope, secrets, scope.issuing_secret(component.value), data, what, TYPE, IN_PORTIONS)


def write_keys(
    scope: ClusterNames, secrets: Mapping[str, Object], component: Component, changed: Mapping[str, bytes | None]
) -> Write:
    """The write of the next private keys by the Secret of the leaf; None removes a key."""
    data = {f"{leaf}.{_KEY}": key for leaf, key in changed.items()}
    what = f"next keys of {', '.join(sorted(changed))}"
    return _written(scope, secrets, scope.next_keys_secret(component.value), data, what, "Opaque")


def _written(
    scope: ClusterNames,
    secrets: Mapping[str, Object],
    name: str,
    data: Mapping[str, bytes | None],
    what: str,
    kind: str,
    remedy: str = MAKE_SMALLER,
) -> Write:
    existing, kept = secrets.get(name), {key: value for key, value in data.items() if value is not None}
    if existing is None:
        check_room(f"{scope.namespace}/{name}", what, kept, remedy)
        return Write(WriteVerb.CREATE, SECRETS, name, what, {**new_secret(scope.labels, name, kept, {}), "type": kind})
    stored = (existing.get("data") or {}).keys()
    if not kept and not stored - data.keys():
        return Write(WriteVerb.DELETE, SECRETS, name, what, resource_version=version(existing))
    present = {key: value for key, value in data.items() if key in kept or key in stored}
    check_room(f"{scope.namespace}/{name}", what, {**entries(existing), **dict.fromkeys(present, b""), **kept}, remedy)
    return Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(present), version(existing))
