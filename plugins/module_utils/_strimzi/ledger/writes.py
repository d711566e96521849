# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The writes of the ledger, in an order in which a call can be killed after each (docs/design.md, "Layouts")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..._kube.resources import SECRETS
from ..._trust.model.ledger import Layout, Ledger
from ..._trust.model.steps.trust import WriteLedger
from .. import names
from ..apply.work import Write, WriteVerb, new_secret, public_fact, secret_patch, version
from ..cluster.observe import Observation
from ..names import KAFKAS
from ..secret_data import annotation, entries
from .layouts import Part, lay_out, ledger_parts

Parts: TypeAlias = tuple[Part, ...]
Facts: TypeAlias = Mapping[str, Any]
_WHAT = "record the states of the cluster's CAs"


def ledger_facts(ledger: Ledger | None) -> dict[str, str]:
    """The states of the CAs, in words for people."""
    return {public_fact(entry.certificate): entry.state.value for entry in (ledger.entries if ledger else ())}


def write_ledger(step: WriteLedger, observation: Observation) -> tuple[Write, ...]:
    """Writes what the ledger consists of first, and deletes what it does not consist of any more last."""
    parts = lay_out(step.ledger, observation.scope)
    before, after = ledger_facts(observation.snapshot.ledger), ledger_facts(step.ledger)
    is_split = step.ledger.layout is step.before.layout is Layout.SPLIT
    put = _keep_split if is_split else _put_all
    written = put(parts, observation, before, after)
    left = [
        name for name in ledger_parts(observation.secrets, observation.scope) if name not in {p.name for p in parts}
    ]
    return (*written, *(_delete(name, "the ledger is kept elsewhere", observation) for name in left))


def _put_all(parts: Parts, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    return tuple(write for part in parts for write in _put(part, observation, before, after))


def _keep_split(parts: Parts, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    """A certificate comes before its state, and goes when its state has gone: no state is ever without its certificate."""
    states, certificates = parts
    held = observation.secrets[certificates.name]
    more = replace(certificates, entries={**_superfluous(certificates, held), **certificates.entries})
    return (
        *_put(more, observation, {}, {}),
        *_put(states, observation, before, after),
        *_take_away(certificates, observation),
    )


def _superfluous(part: Part, stored: Mapping[str, Any]) -> dict[str, bytes]:
    present = entries(stored)
    return {key: present[key] for key in part.superfluous(stored)}


def _take_away(part: Part, observation: Observation) -> tuple[Write, ...]:
    stored = observation.secrets[part.name]
    gone: dict[str, bytes | None] = dict.fromkeys(part.superfluous(stored))
    if not gone:
        return ()
    patch = secret_patch(gone)
    return (Write(WriteVerb.UPDATE, SECRETS, part.name, _WHAT, patch, version(stored), {}, {}),)


def _put(part: Part, observation: Observation, before: Facts, after: Facts) -> tuple[Write, ...]:
    stored = observation.secret(part.name)
    if stored is None or part.name not in ledger_parts(observation.secrets, observation.scope):
        annotations = {name: value for name, value in part.annotations.items() if value}
        body = new_secret(observation.scope.labels, part.name, part.entries, annotations, part.type)
        return (Write(WriteVerb.CREATE, SECRETS, part.name, _WHAT, body, before={}, after=after),)
    present = entries(stored)
    changed: dict[str, bytes | None] = {k: value for k, value in part.entries.items() if present.get(k) != value}
    changed.update(dict.fromkeys(part.superfluous(stored)))
    marks = {name: value for name, value in part.annotations.items() if annotation(stored, name) != value}
    if not changed and not marks:
        return ()
    patch = secret_patch(changed, marks)
    return (Write(WriteVerb.UPDATE, SECRETS, part.name, _WHAT, patch, version(stored), before, after),)


def delete_ledger(observation: Observation) -> tuple[Write, ...]:
    name = observation.scope.trusted_certificates_secret
    why = "this collection has nothing to do with the CA any more"
    return (_delete(name, why, observation),) if observation.secret(name) else ()


def remove_marks(observation: Observation) -> tuple[Write, ...]:
    """Of the Kafka resource the name of the last request, of the clients CA its generation, which this collection counts beside the operator's."""
    scope, kafka = observation.scope, observation.kafka
    certificate = observation.secret(scope.ca_certificate_secret)
    what, mark = "remove the annotations of this collection", names.CLIENTS_CA_GENERATION
    writes: list[Write] = []
    if kafka is not None and annotation(kafka, names.RECONCILE_REQUEST) is not None:
        patch = {"metadata": {"annotations": {names.RECONCILE_REQUEST: None}}}
        writes.append(Write(WriteVerb.UPDATE, KAFKAS, scope.cluster, what, patch))
    if certificate is not None and annotation(certificate, mark) is not None:
        patch = secret_patch({}, {mark: None})
        writes.append(Write(WriteVerb.UPDATE, SECRETS, scope.ca_certificate_secret, what, patch, version(certificate)))
    return tuple(writes)


def _delete(name: str, why: str, observation: Observation) -> Write:
    facts, stored = ledger_facts(observation.snapshot.ledger), observation.secrets[name]
    return Write(WriteVerb.DELETE, SECRETS, name, why, None, version(stored), before=facts, after={})
