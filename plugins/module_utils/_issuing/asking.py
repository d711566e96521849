# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Asking an issuer for leaves, recording its answers, and waiting for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import groupby

from .._kube.resources import SECRETS
from .._leaves.life import Failure
from .._pki.certificates import CertificateError, Chain
from .._pki.keys import PrivateKey
from .._pki.requests import build_request
from .._strimzi.actions import Action
from .._strimzi.leaf_requests import NextKeys, RequestRecord, StoredRequest, read_requests, write_keys, write_records
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation, observe
from .._strimzi.work import Work
from .._strimzi.writes import Write, WriteVerb, write_all
from .._trust.model.snapshot import Component
from .._trust.model.steps.requests import AskForLeaves, AwaitIssuer, CollectLeaves, ForgetRequests
from .acceptance import not_made
from .configured import issuer_of
from .entities import every_leaf, subject_for
from .issuer import Issuer, LeafOrder, Refused
from .new_keys import new_keys
from .pending import names_digest, recorded_token, with_requests

#: Requests between two writes of their records: what a kill makes us ask for once more.
_AT_A_TIME = 20
#: Seconds between two looks at what an issuer has done: doubled from the first to the last.
_FIRST_LOOK, _LAST_LOOK = 1.0, 15.0


def ask_for_leaves(step: AskForLeaves, observation: Observation, work: Work) -> None:
    """Keys first: a certificate whose key is lost is worthless. Raises IssuerUnavailable, LeafRefused, KubeError."""
    issuer = issuer_of(work)
    for component, leaves in _by_component(step.secrets, observation).items():
        if work.dry_run:
            name = observation.scope.issuing_secret(component.value)
            verb = WriteVerb.UPDATE if name in observation.secrets else WriteVerb.CREATE
            what = f"requests for certificates of {', '.join(leaf.secret for leaf in leaves)}"
            write_all((Write(verb, SECRETS, name, what),), work, step.phase.value)
            continue
        for begun in range(0, len(leaves), _AT_A_TIME):
            if begun:
                # The last write has changed what the next one is decided on.
                observation = _read_again(component, observation, work)
            _ask(component, leaves[begun : begun + _AT_A_TIME], issuer, step, observation, work)


def _read_again(component: Component, observation: Observation, work: Work) -> Observation:
    """The observation with the two Secrets of this component as they are now; a run of hundreds of leaves changes nothing else."""
    scope = observation.scope
    names = (scope.issuing_secret(component.value), scope.next_keys_secret(component.value))
    found = {name: work.client.get_or_none(SECRETS, scope.namespace, name) for name in names}
    others = {name: secret for name, secret in observation.secrets.items() if name not in names}
    return replace(observation, secrets={**others, **{name: one for name, one in found.items() if one is not None}})


def _by_component(secrets: tuple[str, ...], observation: Observation) -> dict[Component, list[LeafSecret]]:
    leaves = sorted(
        (leaf for leaf in every_leaf(observation) if leaf.secret in secrets), key=lambda leaf: leaf.component
    )
    return {component: list(found) for component, found in groupby(leaves, key=lambda leaf: leaf.component)}


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
    keys = _keys(component, leaves, stored, observation, work)
    write_all(
        (write_keys(scope, secrets, component, {name: key.reveal() for name, key in keys.items()}),),
        work,
        step.phase.value,
    )
    records = {}
    for leaf in leaves:
        before = stored.get(leaf.secret)
        _give_up(before, issuer)
        records[leaf.secret] = _record(leaf, keys[leaf.secret], before, issuer, step, observation, work)
        work.alive()
    write_all((write_records(scope, secrets, component, records),), work, step.phase.value)


def _keys(
    component: Component,
    leaves: list[LeafSecret],
    stored: Mapping[str, StoredRequest],
    observation: Observation,
    work: Work,
) -> dict[str, PrivateKey]:
    """A key that belongs to no request and no certificate is what a killed run has left. With it the issuer is asked by the same
    name, and finds what it was asked for already.
    """
    found: dict[str, PrivateKey] = {}
    kept = NextKeys(observation.scope, observation.secrets)
    for leaf in leaves:
        left = kept.of(component, leaf.secret)
        if left is not None and _is_left_over(left, stored[leaf.secret]):
            found[leaf.secret] = left
    missing = [leaf.secret for leaf in leaves if leaf.secret not in found]
    return {**found, **dict(zip(missing, new_keys(len(missing), work), strict=True))}


def _is_left_over(key: PrivateKey, stored: StoredRequest) -> bool:
    if stored.record is not None:
        return key.public_key_sha256 != stored.record.key
    return not stored.problem and not (stored.issued and key.matches(stored.issued[0]))


def _give_up(before: StoredRequest | None, issuer: Issuer) -> None:
    """A request for something else is not left with its issuer; another issuer is not asked to forget it."""
    if before is not None and before.record is not None and before.record.issuer == issuer.reference:
        issuer.forget((recorded_token(before.record),))


def _record(
    leaf: LeafSecret, key: PrivateKey, before: StoredRequest | None, issuer: Issuer, step: AskForLeaves, observation: Observation,
    work: Work,
) -> RequestRecord:  # fmt: skip
    subject = subject_for(leaf, observation)
    try:
        csr = build_request(subject.distinguished_name, subject.names, key)
    except CertificateError as error:
        raise not_made(leaf.secret, error) from None
    order = LeafOrder(f"{leaf.secret}-{key.public_key_sha256[:10]}", subject, csr, work.settings.validity)
    answer, now = issuer.request(order), work.clock.now()
    failed = before.record.failure if before and before.record else None
    if isinstance(answer, Refused):
        failed = Failure.after(failed, now, f"{answer.why} {answer.remedy}")
    token = "" if isinstance(answer, Refused) else answer.value.decode("utf-8")
    return RequestRecord(
        issuer.reference, step.issuer[0].fingerprint, key.public_key_sha256, names_digest(subject), now, token,
        not isinstance(answer, Refused), failed,
    )  # fmt: skip


def collect_leaves(step: CollectLeaves, observation: Observation, work: Work) -> None:
    """Record answers and failures, one write for each component."""
    stored, requests = read_requests(observation.scope, observation.secrets), observation.snapshot.requests
    changed: dict[Component, dict[str, RequestRecord | Chain | None]] = {}
    for name in step.secrets:
        found, request = stored[name], requests[name]
        value: RequestRecord | Chain | None = request.answer
        if value is None and found.record is not None:
            value = replace(found.record, is_open=False, failure=request.failure)
        changed.setdefault(found.component, {})[name] = value
    writes = (write_records(observation.scope, observation.secrets, *one) for one in changed.items())
    write_all(tuple(writes), work, step.phase.value)
    if not work.dry_run:
        # Their records are gone: nobody would find these requests again.
        issuer = issuer_of(work, stored.values())
        for name in step.secrets:
            if requests[name].answer is not None:
                _give_up(stored[name], issuer)


def await_issuer(step: AwaitIssuer, observation: Observation, work: Work) -> None:
    """Look again and again until every request has an answer, but not longer than the caller wants."""
    what = f"{step.asked} issues {len(step.secrets)} certificates"
    if work.dry_run:
        work.record(Action("wait", step.asked, what, step.phase.value))
        return
    begun, pause = work.clock.monotonic(), _FIRST_LOOK
    while _is_awaited(step, observation) and (left := (step.until - work.clock.now()) / timedelta(seconds=1)) > 0:
        work.alive()
        work.clock.sleep(min(pause, left))
        pause = min(2 * pause, _LAST_LOOK)
        seen = observe(work.client, work.scope, work.clock.now(), work.settings.outside)
        observation = with_requests(seen, work)
    work.record(Action("wait", step.asked, what, step.phase.value, seconds=work.clock.monotonic() - begun))


def _is_awaited(step: AwaitIssuer, observation: Observation) -> bool:
    requests = observation.snapshot.requests
    return any(name in requests and requests[name].is_open for name in step.secrets)


def forget_requests(step: ForgetRequests, observation: Observation, work: Work) -> None:
    """First with the issuer, then the keys, then the records: a kill in between leaves something that is found again."""
    scope, secrets = observation.scope, observation.secrets
    stored = read_requests(scope, secrets)
    gone = [stored[name] for name in step.secrets if name in stored]
    if not work.dry_run:
        issuer = issuer_of(work, stored.values())
        for one in gone:
            _give_up(one, issuer)
    for component in dict.fromkeys(one.component for one in gone):
        nothing = {one.secret: None for one in gone if one.component is component}
        keys, records = scope.next_keys_secret(component.value), scope.issuing_secret(component.value)
        writes = (
            write_keys(scope, secrets, component, nothing) if keys in secrets else None,
            write_records(scope, secrets, component, nothing) if records in secrets else None,
        )
        write_all(tuple(filter(None, writes)), work, step.phase.value)
