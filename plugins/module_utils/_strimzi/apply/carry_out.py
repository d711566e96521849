# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The functions that carry out the steps of this layer, by the type of the step. Among them are the writes of the
ledger, in an order for which a call can be killed after each (docs/storage.md, "Layouts"). Among them are also the
waits for clients outside the cluster: until the operator has brought the trusted CAs to them, and until they have had
the time to read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..._errors import OperatorSilent, TimedOut
from ..._kube.resources import PODS, SECRETS
from ..._kube.wait import wait_until
from ..._trust.model.clients import OutsideClient
from ..._trust.model.decision import Step
from ..._trust.model.ledger import Layout, Ledger
from ..._trust.model.steps.authority import (
    PrepareAgain,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    RestoreSecrets,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ..._trust.model.steps.leaves import AwaitKept, AwaitPickUp, AwaitReissue, PauseReissue, ResumeReissue
from ..._trust.model.steps.nodes import AwaitLeaves, AwaitVerdict, Pause, Resume, SetReplicas, StampPods
from ..._trust.model.steps.trust import (
    AwaitBundle,
    AwaitClients,
    AwaitOutside,
    DeleteLedger,
    Project,
    Publish,
    RemoveMarks,
    Withdraw,
    WriteBundle,
    WriteLedger,
)
from .. import names
from ..cluster.clients import CLIENT_PODS, observe_outside, reach_of
from ..cluster.observe import Observation
from ..ledger.layouts import Part, lay_out, ledger_parts
from ..names import KAFKA_NODE_POOLS
from ..secret_data import annotation, entries
from . import authority, backup, operator, stamping, user_pausing
from .work import (
    Action,
    Target,
    Work,
    Write,
    WriteVerb,
    as_stored,
    new_secret,
    public_fact,
    secret_patch,
    version,
    write_all,
)

Parts: TypeAlias = tuple[Part, ...]
Facts: TypeAlias = Mapping[str, Any]
_RECORDING = "record the states of the cluster's CAs"


def ledger_facts(ledger: Ledger | None) -> dict[str, str]:
    """The states of the CAs, in words for people."""
    return {public_fact(entry.certificate): entry.state.value for entry in (ledger.entries if ledger else ())}


def write_ledger(step: WriteLedger, observation: Observation) -> tuple[Write, ...]:
    """Write the parts of the ledger first, and delete its former parts last."""
    parts = lay_out(step.ledger, observation.scope)
    before, after = ledger_facts(observation.snapshot.ledger), ledger_facts(step.ledger)
    is_split = step.ledger.layout is step.before.layout is Layout.SPLIT
    put = _keep_split if is_split else _write_parts
    written = put(parts, observation, before, after)
    left = [
        name for name in ledger_parts(observation.secrets, observation.scope) if name not in {p.name for p in parts}
    ]
    return (*written, *(_delete_part(name, "the ledger is kept elsewhere", observation) for name in left))


def _write_parts(parts: Parts, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    return tuple(write for part in parts for write in _write_part(part, observation, before, after))


def _keep_split(parts: Parts, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    """The writes in the layout ``split``. A certificate comes before its state, and goes after it: no state is ever
    without its certificate.
    """
    states, certificates = parts
    present = observation.secrets[certificates.name]
    more = replace(certificates, entries={**_entries_to_remove(certificates, present), **certificates.entries})
    return (
        *_write_part(more, observation, {}, {}),
        *_write_part(states, observation, before, after),
        *_remove_superfluous(certificates, observation),
    )


def _entries_to_remove(part: Part, stored: Mapping[str, Any]) -> dict[str, bytes]:
    present = entries(stored)
    return {key: present[key] for key in part.superfluous(stored)}


def _remove_superfluous(part: Part, observation: Observation) -> tuple[Write, ...]:
    stored = observation.secrets[part.name]
    gone: dict[str, bytes | None] = dict.fromkeys(part.superfluous(stored))
    if not gone:
        return ()
    patch = secret_patch(gone)
    return (Write(WriteVerb.UPDATE, SECRETS, part.name, _RECORDING, patch, version(stored), {}, {}, of_ledger=True),)


def _write_part(part: Part, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    stored = observation.secret(part.name)
    if stored is None or part.name not in ledger_parts(observation.secrets, observation.scope):
        annotations = {name: value for name, value in part.annotations.items() if value}
        body = new_secret(observation.scope.labels, part.name, part.entries, annotations, part.type)
        return (Write(WriteVerb.CREATE, SECRETS, part.name, _RECORDING, body, before={}, after=after, of_ledger=True),)
    present = entries(stored)
    changed: dict[str, bytes | None] = {k: value for k, value in part.entries.items() if present.get(k) != value}
    changed.update(dict.fromkeys(part.superfluous(stored)))
    marks = {name: value for name, value in part.annotations.items() if annotation(stored, name) != value}
    if not changed and not marks:
        return ()
    patch = secret_patch(changed, marks)
    return (
        Write(WriteVerb.UPDATE, SECRETS, part.name, _RECORDING, patch, version(stored), before, after, of_ledger=True),
    )


def delete_ledger(observation: Observation) -> tuple[Write, ...]:
    name = observation.scope.trusted_certificates_secret
    why = "this collection has nothing to do with the CA any more"
    return (_delete_part(name, why, observation),) if observation.secret(name) else ()


def remove_marks(observation: Observation) -> tuple[Write, ...]:
    """Remove the marks: from the Kafka resource the name of the last request, from the Secret of the clients CA this
    collection's own generation beside the operator's.
    """
    scope = observation.scope
    certificate = observation.secret(scope.ca_certificate_secret)
    what, mark = "remove the annotations of this collection", names.CLIENTS_CA_GENERATION
    writes = [*operator.forget_request(observation)]
    if certificate is not None and annotation(certificate, mark) is not None:
        patch = secret_patch({}, {mark: None})
        writes.append(Write(WriteVerb.UPDATE, SECRETS, scope.ca_certificate_secret, what, patch, version(certificate)))
    return tuple(writes)


def _delete_part(name: str, why: str, observation: Observation) -> Write:
    facts, stored = ledger_facts(observation.snapshot.ledger), observation.secrets[name]
    return Write(WriteVerb.DELETE, SECRETS, name, why, None, version(stored), before=facts, after={}, of_ledger=True)


def set_replicas(step: SetReplicas, observation: Observation) -> tuple[Write, ...]:
    pool = observation.pools[step.pool]
    patch = {"spec": {"replicas": step.replicas}}
    return (
        Write(
            WriteVerb.UPDATE, as_stored(KAFKA_NODE_POOLS, pool), step.pool, step.sentence(), patch, version(pool),
            {"replicas": step.before}, {"replicas": step.replicas},
        ),
    )  # fmt: skip


#: Seconds between signs of life.
_SLICE = 5.0


class _Look:
    """Whether every client has its wanted CAs and has read them; checked after each event of their pods."""

    def __init__(self, observation: Observation, step: AwaitOutside, work: Work) -> None:
        #: If a resource has several connections to the cluster, it is several clients of one name.
        self._expected: dict[str, list[OutsideClient]] = {}
        for client in step.settled:
            if client.name in step.clients:
                self._expected.setdefault(client.name, []).append(client)
        self._work, self._trusting, seen = (
            work,
            observation.snapshot.outside_clients.named_places.trusting_secrets,
            observation.snapshot,
        )
        self._reach = reach_of(observation.scope, observation.kafka, seen.leaves.stored, seen.ca, seen.ledger)
        self._seen: tuple[OutsideClient, ...] = ()
        self._moved = False

    def __call__(self, _pods: object) -> bool:
        clients = observe_outside(self._work.client, self._reach, self._trusting)
        seen = tuple(client for client in clients if client.name in self._expected)
        self._moved, self._seen = bool(self._seen) and seen != self._seen, seen
        return all(
            not client.doubt and set(expected.trusts or ()) <= set(client.trusts or ())
            for name, connections in self._expected.items()
            for expected, client in zip(connections, (client for client in seen if client.name == name), strict=False)
        )

    def moved(self) -> bool:
        return self._moved


def await_outside(step: AwaitOutside, observation: Observation, work: Work) -> None:
    """Watch the pods of these clients: the operator restarts them when a copy changes. Raises OperatorSilent."""
    clients = ", ".join(step.clients)
    target = Target.in_words(clients)
    if work.dry_run:
        work.record(Action("wait", target, "the operator brings the trusted CAs to it", step.phase.value))
        return
    look = _Look(observation, step, work)
    begun = work.clock.monotonic()
    try:
        wait_until(
            work.client,
            PODS,
            work.scope.namespace,
            look,
            label_selector=CLIENT_PODS,
            timeout=work.settings.operator_timeout,
            monotonic=work.clock.monotonic,
            alive=work.renew_lease,
            # A Connect of many workers takes its time, so the time limit begins again with each change.
            restart_timeout=look.moved,
        )
    except TimedOut:
        limit = work.settings.operator_timeout.total_seconds()
        raise OperatorSilent(
            "The Cluster Operator",
            f"has not brought the trusted CAs to {clients} within {limit:.0f} s",
            "See in the status of each what keeps the operator from it, or give a waiver; then run the flow again, "
            "it continues where it stopped.",
        ) from None
    seconds = work.clock.monotonic() - begun
    work.record(Action("wait", target, "the operator brought the trusted CAs to it", step.phase.value, seconds=seconds))


def await_clients(step: AwaitClients, observation: Observation, work: Work) -> None:
    """Give clients the time to read the CA certificate Secret. After a kill the next run waits for the rest of it."""
    target = Target("Secret", work.scope.namespace, work.scope.ca_certificate_secret)
    what = "clients read the new CA"
    if work.dry_run:
        work.record(Action("wait", target, what, step.phase.value))
        return
    begun, left = work.clock.monotonic(), (step.earliest_use - work.clock.now()).total_seconds()
    work.tell(f"clients get {left:.0f} s to read {step.certificate.subject}")
    while (left := (step.earliest_use - work.clock.now()).total_seconds()) > 0:
        work.renew_lease()
        work.clock.sleep(min(left, _SLICE))
    work.record(Action("wait", target, what, step.phase.value, seconds=work.clock.monotonic() - begun))


#: A function that carries out one step and records its actions with the work.
CarryOut: TypeAlias = Callable[[Any, Observation, Work], None]


def _writing(make: Callable[[Any, Observation], tuple[Write, ...]]) -> CarryOut:
    """Carries out a step of writes only."""

    def carry_out(step: Step, observation: Observation, work: Work) -> None:
        write_all(make(step, observation), work, step.phase.value)

    return carry_out


def _write_ledger(step: WriteLedger, observation: Observation, work: Work) -> None:
    """From here on the ledger has the CA that was taken from the operator."""
    _writing(write_ledger)(step, observation, work)
    work.left_behind = replace(work.left_behind, unadopted_ca="")


def _publish(step: Publish, observation: Observation, work: Work) -> None:
    write_all(authority.publish(step, observation, work.clock.now()), work, step.phase.value)


CARRY_OUT: Mapping[type[Step], CarryOut] = {
    WriteLedger: _write_ledger,
    RemoveMarks: _writing(lambda step, observation: remove_marks(observation)),
    DeleteLedger: _writing(
        lambda step, observation: (*backup.delete_backups(observation), *delete_ledger(observation))
    ),
    Project: _writing(authority.project),
    Withdraw: _writing(authority.withdraw),
    WriteBundle: _writing(lambda step, observation: authority.write_bundle(observation)),
    Publish: _publish,
    AwaitBundle: operator.await_bundle,
    AwaitOutside: await_outside,
    AwaitClients: await_clients,
    PauseReissue: user_pausing.pause_reissue,
    ResumeReissue: user_pausing.resume_reissue,
    AwaitReissue: user_pausing.await_reissue,
    AwaitKept: user_pausing.await_kept,
    AwaitPickUp: user_pausing.await_pick_up,
    PrepareAgain: _writing(authority.prepare_again),
    Switch: _writing(authority.switch),
    PutBack: _writing(authority.put_back),
    RestoreSecrets: _writing(backup.restore_secrets),
    RestoreKey: _writing(authority.restore_key),
    RaiseKeyGeneration: _writing(authority.raise_key_generation),
    TidyKeys: _writing(authority.tidy_keys),
    SetGenerated: operator.set_generated,
    StampPods: stamping.stamp_pods,
    SetReplicas: _writing(set_replicas),
    Pause: operator.pause,
    Resume: operator.resume,
    AwaitLeaves: operator.await_issued,
    AwaitVerdict: operator.await_verdict,
}
