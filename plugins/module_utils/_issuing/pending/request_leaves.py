# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Requesting leaves from an issuer, recording its answers, and waiting for them.

Requests, keys and certificates of all leaves of a component lie in two Secrets until they are used, and none is used
before all are there. Whether they find room is computed beforehand, so that no issuer works in vain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from typing import Any

from ..._errors import CertificateError, IssuerUnavailable, KubeError, StepError
from ..._kube.resources import SECRETS
from ..._leaves.request import Failure, Wanted, request_name
from ..._pki.certificates import Chain
from ..._pki.keys import KeyAlgorithm, KeySpec, PrivateKey
from ..._pki.requests import build_request
from ..._strimzi.apply.work import Action, Target, Work, Write, WriteVerb, write_all
from ..._strimzi.cluster.leaves import LeafSecret
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.cluster.subjects import LeafSubject, every_leaf, subject_for
from ..._strimzi.secret_data import MAKE_SMALLER, size
from ..._trust.model.components import Component
from ..._trust.model.names import counted
from ..._trust.model.snapshot import SECRET_LIMIT
from ..._trust.model.steps.leaves import AskForLeaves, AwaitIssuer, CollectLeaves, ForgetRequests
from ..acceptance import refuse_unmakeable
from ..external.issuer import External
from ..issuer import Issuer, LeafOrder, Refused, RenewingIssuer
from ..kinds import issuer_of
from .pending import names_digest, recorded_token, standing_order, with_requests
from .requests import (
    NextKeys,
    PendingLeaf,
    RequestRecord,
    StoredRequest,
    entries_of,
    keys_of,
    read_requests,
    write_keys,
    write_records,
)

#: Bytes of the record of a request beside its names: digests, times, the name of an object.
_RECORD_BYTES = 480
#: Bytes of a certificate, without subject, names, key and signature: validity, serial number, key identifiers, usages.
_BARE_BYTES = 260
#: Bytes of a certificate signing request, without subject, names, key and signature.
_BARE_REQUEST_BYTES = 10


def foresee_room(
    leaves: Sequence[LeafSecret], authority: Chain, issuer: Issuer, key: KeySpec, observation: Observation
) -> None:
    """Raises StepError if a Secret has no room for the requests for all these leaves of one component."""
    if not leaves:
        return
    scope, component = observation.scope, leaves[0].component
    subjects = {leaf.secret: subject_for(leaf, observation) for leaf in leaves}
    answers = {name: _answer_bytes(subject, authority, issuer, key) for name, subject in subjects.items()}
    keys = dict.fromkeys(subjects, _key_bytes(key))
    for secret, added in (
        (scope.issuing_secret(component.value), answers),
        (scope.next_keys_secret(component.value), keys),
    ):
        kept = _size_without(observation.secrets.get(secret), added)
        wanted = kept + sum(len(name) + count for name, count in added.items())
        if wanted > SECRET_LIMIT:
            fitting = max(0, (SECRET_LIMIT - kept) * len(added) // max(1, wanted - kept))
            raise StepError(
                f"Secret {scope.namespace}/{secret}",
                f"has room for about {fitting} of {counted(len(added), 'certificate')} that are to "
                f"come: they take about {wanted} bytes until they are used, and Kubernetes allows {SECRET_LIMIT}",
                f"The run has requested nothing. {MAKE_SMALLER}",
            )


def _size_without(secret: Mapping[str, Any] | None, leaves: Iterable[str]) -> int:
    """Bytes of a Secret without the entries of these leaves: they are written again."""
    if secret is None:
        return 0
    replaced = {entry for leaf in leaves for entry in entries_of(leaf)}
    left = {entry: value for entry, value in (secret.get("data") or {}).items() if entry not in replaced}
    return size({"data": left})


def _answer_bytes(subject: LeafSubject, authority: Chain, issuer: Issuer, key: KeySpec) -> int:
    """Bytes of a certificate with its chain, and the record beside it. If a person carries requests, a run removes the
    request as soon as it takes the certificate, so only one of them lies there.
    """
    own = _subject_bytes(subject) + _public_key_bytes(key)
    leaf = _pem_bytes(_BARE_BYTES + own + len(authority[0].subject_der) + _signature_bytes(*authority[0].key_type))
    chain = leaf + sum(len(certificate.pem) for certificate in authority)
    if isinstance(issuer, External):
        request = _pem_bytes(_BARE_REQUEST_BYTES + own + _signature_bytes(key.algorithm.value, key.size))
        return max(_RECORD_BYTES + request, chain)
    return _RECORD_BYTES + chain


def _subject_bytes(subject: LeafSubject) -> int:
    name = subject.distinguished_name
    return len(name.common_name) + len(name.organization or "") + sum(len(host) + 2 for host in subject.names)


def _public_key_bytes(key: KeySpec) -> int:
    return key.size // 8 + 38 if key.algorithm is KeyAlgorithm.RSA else key.size // 4 + 27


def _signature_bytes(algorithm: str, size_: int) -> int:
    """The length of a signature; for an ECDSA signature, the greatest possible length."""
    return size_ // 8 if algorithm == KeyAlgorithm.RSA.value else size_ // 4 + 9


def _key_bytes(key: KeySpec) -> int:
    """Bytes of a key as PKCS#8 in PEM form. An RSA key contains its factors and their inverses beside modulus and
    exponent.
    """
    return _pem_bytes(key.size * 9 // 16 + 70 if key.algorithm is KeyAlgorithm.RSA else key.size // 2 + 14)


def _pem_bytes(der: int) -> int:
    """The length in PEM form: with lines of 64 characters, and the first and the last line."""
    encoded = (der + 2) // 3 * 4
    return encoded + encoded // 64 + 56


#: Requests between two writes of their records: after a kill, the next run asks for these once more.
_AT_A_TIME = 20
#: Seconds between two looks at what an issuer has done: doubled from the first to the last.
_FIRST_LOOK, _LAST_LOOK = 1.0, 15.0
#: The run shows after so many seconds what it waits for. If an issuer signs by itself, it has done so by then.
_TELL_AFTER = 40.0


def ask_for_leaves(step: AskForLeaves, observation: Observation, work: Work) -> None:
    """Make keys and request leaves. Keys come first: a certificate without its key is worthless. Raises
    IssuerUnavailable, StepError, KubeError.
    """
    issuer, wanted = issuer_of(work), _by_component(step.secrets, observation)
    for leaves in wanted.values():
        foresee_room(leaves, step.issuer, issuer, work.wishes.issuing.leaf_key, observation)
    for component, leaves in wanted.items():
        if work.dry_run:
            name = observation.scope.issuing_secret(component.value)
            verb = WriteVerb.UPDATE if name in observation.secrets else WriteVerb.CREATE
            what = f"requests for certificates of {', '.join(leaf.secret for leaf in leaves)}"
            write_all((Write(verb, SECRETS, name, what),), work, step.phase.value)
            continue
        for begun in range(0, len(leaves), _AT_A_TIME):
            if begun:
                # The last write has changed the Secrets of the next write.
                observation = _read_again(component, observation, work)
            _ask(component, leaves[begun : begun + _AT_A_TIME], issuer, step, observation, work)


def _read_again(component: Component, observation: Observation, work: Work) -> Observation:
    """The observation with the two Secrets of this component as they are now; a run of hundreds of leaves changes
    nothing else.
    """
    scope = observation.scope
    names = (scope.issuing_secret(component.value), scope.next_keys_secret(component.value))
    read = {name: work.client.get_or_none(SECRETS, scope.namespace, name) for name in names}
    others = {name: secret for name, secret in observation.secrets.items() if name not in names}
    return replace(
        observation, secrets={**others, **{name: secret for name, secret in read.items() if secret is not None}}
    )


def _by_component(secrets: tuple[str, ...], observation: Observation) -> dict[Component, list[LeafSecret]]:
    leaves = sorted(
        (leaf for leaf in every_leaf(observation) if leaf.secret in secrets), key=lambda leaf: leaf.component
    )
    return {
        component: list(of_component) for component, of_component in groupby(leaves, key=lambda leaf: leaf.component)
    }


def _ask(
    component: Component,
    leaves: list[LeafSecret],
    issuer: Issuer,
    step: AskForLeaves,
    observation: Observation,
    work: Work,
) -> None:
    scope, secrets = observation.scope, observation.secrets
    stored = read_requests(scope, secrets)
    keys: dict[str, PrivateKey] = {}
    if not isinstance(issuer, RenewingIssuer):
        kept = NextKeys(scope, secrets)
        following = {leaf.secret: key for leaf in leaves if (key := kept.of(component, leaf.secret))}
        keys = keys_of(leaves, following, observation, work)
        write_all((_keys_written(component, keys, observation),), work, step.phase.value)
    # All orders first: if a name fits into no certificate, the run fails before an issuer signs the others for nothing.
    earlier = {leaf.secret: _find_earlier(leaf, stored.get(leaf.secret), issuer, step, observation) for leaf in leaves}
    orders = {
        leaf.secret: _order(leaf, keys.get(leaf.secret), earlier[leaf.secret], issuer, step, observation, work)
        for leaf in leaves
    }  # fmt: skip
    _forget_answered((stored[leaf.secret] for leaf in leaves if leaf.secret in stored), issuer)
    records: dict[str, RequestRecord] = {}
    try:
        for name, order in orders.items():
            records[name] = _request(order, keys.get(name), earlier[name], issuer, step.issuer[0].fingerprint, work)
            work.renew_lease()
    except (IssuerUnavailable, KubeError):
        # With their records, the next run does not request the same leaves again. If a call has lost its Lease, it
        # writes nothing: another run is at work.
        with suppress(KubeError):
            if records:
                _record_requests(component, records, step, observation, work)
        raise
    _record_requests(component, records, step, observation, work)


def _record_requests(
    component: Component, records: Mapping[str, RequestRecord], step: AskForLeaves, observation: Observation, work: Work
) -> None:
    write_all((write_records(observation.scope, observation.secrets, component, records),), work, step.phase.value)


def _keys_written(component: Component, keys: Mapping[str, PrivateKey], observation: Observation) -> Write:
    return write_keys(
        observation.scope, observation.secrets, component, {name: key.reveal() for name, key in keys.items()}
    )


def _forget_answered(stored: Iterable[StoredRequest], issuer: Issuer) -> None:
    """Have the issuer forget served requests and requests for something else. If two issuers keep requests in one
    place, requests to the earlier issuer go too. All go in a single call: an issuer may have to look through its whole
    store.
    """
    records = (request.record for request in stored if request.record is not None)
    issuer.forget(tuple(map(recorded_token, records)))


def _find_earlier(
    leaf: LeafSecret, stored: StoredRequest | None, issuer: Issuer, step: AskForLeaves, observation: Observation
) -> RequestRecord | None:
    """The last request of the row that the next request continues. None if it is the first of a row: a certificate was
    accepted since, or the next request is for another issuer, another CA or other names. Earlier failures say nothing
    about these.
    """
    record = stored.record if stored is not None and stored.pending is None else None
    wanted = (issuer.reference, step.issuer[0].fingerprint, names_digest(subject_for(leaf, observation)))
    return record if record is not None and (record.issuer, record.authority, record.names) == wanted else None


def _order(
    leaf: LeafSecret, key: PrivateKey | None, earlier: RequestRecord | None, issuer: Issuer, step: AskForLeaves,
    observation: Observation, work: Work
) -> LeafOrder:  # fmt: skip
    """The order for a leaf. The key is None if the issuer makes it. Raises StepError."""
    if key is None:
        return standing_order(leaf, step.issuer, observation, work)
    subject = subject_for(leaf, observation)
    try:
        csr = build_request(subject.distinguished_name, subject.names, key)
    except CertificateError as error:
        raise refuse_unmakeable(leaf.secret, error) from None
    wanted = Wanted(issuer.reference, step.issuer[0].fingerprint)
    failed = earlier.failure if earlier is not None else None
    name = request_name(leaf.secret, key.public_key_sha256, names_digest(subject), wanted, failed)
    return LeafOrder(name, subject, csr, work.validity(observation))


def _request(
    order: LeafOrder, key: PrivateKey | None, earlier: RequestRecord | None, issuer: Issuer, authority: str, work: Work
) -> RequestRecord:
    """Send the request. Returns its record. The CA to sign is named by its fingerprint."""
    answer, now = issuer.request(order), work.clock.now()
    failed = earlier.failure if earlier is not None else None
    since = (earlier.since or earlier.asked_at) if earlier is not None else None
    if isinstance(answer, Refused):
        failed = Failure.after(failed, now, f"{answer.reason} {answer.remedy}")
    token = "" if isinstance(answer, Refused) else answer.value.decode("utf-8")
    return RequestRecord(
        issuer.reference, authority, key.public_key_sha256 if key else "", names_digest(order.subject), now, token,
        not isinstance(answer, Refused), failed, since,
    )  # fmt: skip


def collect_leaves(step: CollectLeaves, observation: Observation, work: Work) -> None:
    """Record answers and failures, one write for each component. If keys come with certificates, they are stored first.
    After a kill, the next run finds the issuer's objects by the record, until ``forget_requests`` removes both.
    """
    stored, requests = read_requests(observation.scope, observation.secrets), observation.snapshot.leaves.requests
    remembers = issuer_of(work, stored.values()).remembers
    changed: dict[Component, dict[str, RequestRecord | PendingLeaf | None]] = {}
    for name in step.secrets:
        stored_request, request = stored[name], requests[name]
        record = stored_request.record and replace(stored_request.record, is_open=False, failure=request.failure)
        answer = request.answer
        value = record if answer is None else PendingLeaf(answer, record if remembers else None)
        changed.setdefault(stored_request.component, {})[name] = value
    for component, values in changed.items():
        brought = {
            name: key for name, key in observation.issued_keys.items() if name in values and requests[name].answer
        }
        keys = (_keys_written(component, brought, observation),) if brought else ()
        records = write_records(observation.scope, observation.secrets, component, values)
        write_all((*keys, records), work, step.phase.value)


def await_issuer(step: AwaitIssuer, observation: Observation, work: Work) -> None:
    """Look again and again until every request has an answer, but not longer than the caller wants. The run does not
    own the Lease meanwhile.
    """
    issuer = Target.in_words(step.external_issuer)
    what = f"{step.external_issuer} issues {counted(len(step.secrets), 'certificate')}"
    if work.dry_run:
        work.record(Action("wait", issuer, what, step.phase.value))
        return
    begun, pause, is_shown = work.clock.monotonic(), _FIRST_LOOK, False
    while _is_awaited(step, observation) and (left := (step.deadline - work.clock.now()) / timedelta(seconds=1)) > 0:
        work.clock.sleep(min(pause, left))
        pause = min(2 * pause, _LAST_LOOK)
        observation = with_requests(work.observe(), work)
        if not is_shown and work.clock.monotonic() - begun >= _TELL_AFTER:
            is_shown = _tell_what_is_awaited(step, observation, work)
    work.record(Action("wait", issuer, what, step.phase.value, seconds=work.clock.monotonic() - begun))


def _is_awaited(step: AwaitIssuer, observation: Observation) -> bool:
    requests = observation.snapshot.leaves.requests
    return any(name in requests and requests[name].is_open for name in step.secrets)


def _tell_what_is_awaited(step: AwaitIssuer, observation: Observation, work: Work) -> bool:
    """Show what the first of the open requests waits for: it tells a person what to do. Returns whether there was
    anything to show.
    """
    requests = observation.snapshot.leaves.requests
    waiting = [
        request for name in step.secrets if (request := requests.get(name)) and request.is_open and request.waiting
    ]
    if waiting:
        work.tell(
            f"{counted(len(waiting), 'certificate')} still to come from {step.external_issuer}: {waiting[0].waiting}"
        )
    return bool(waiting)


def forget_requests(step: ForgetRequests, observation: Observation, work: Work) -> None:
    """First have the issuer forget them, then remove the keys, then the records. After a kill in between, the next run
    finds the records again.
    """
    scope, secrets = observation.scope, observation.secrets
    stored = read_requests(scope, secrets)
    gone = [stored[name] for name in step.secrets if name in stored]
    if not work.dry_run:
        _forget_answered(gone, issuer_of(work, stored.values()))
    for component in dict.fromkeys(request.component for request in gone):
        nothing = {request.secret: None for request in gone if request.component is component}
        keys, records = scope.next_keys_secret(component.value), scope.issuing_secret(component.value)
        writes = (
            write_keys(scope, secrets, component, nothing) if keys in secrets else None,
            write_records(scope, secrets, component, nothing) if records in secrets else None,
        )
        write_all(tuple(filter(None, writes)), work, step.phase.value)
