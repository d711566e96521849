# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Carrying out the steps that go with the work of every face: books, left-over keys, pauses."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import operator, trust_writes
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ca_secrets import BRIDGE_SUFFIX
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import (
    Write,
    WriteVerb,
    secret_patch,
    version,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    Pause,
    Resume,
    Step,
    TidyKeys,
    WriteLedger,
)


def carry_out_shared(step: Step, observation: Observation, work: Work) -> list[Action]:
    """One of ``SHARED``. Raises TypeError for a step that belongs to one face alone."""
    if isinstance(step, WriteLedger):
        return write_all(trust_writes.write_ledger(step, observation), work, step.phase.value)
    if isinstance(step, TidyKeys):
        return write_all(_tidy(step, observation), work, step.phase.value)
    if isinstance(step, Pause):
        return operator.pause(step, observation, work)
    if isinstance(step, Resume):
        return operator.resume(step, observation, work)
    raise TypeError(f"{type(step).__name__} is not carried out here")


def _tidy(step: TidyKeys, observation: Observation) -> tuple[Write, ...]:
    name = observation.scope.ca_key_secret
    existing = observation.secrets[name]
    present = entries(existing)
    names_ = [f"{fp}{suffix}" for fp in step.prepared for suffix in (".crt", BRIDGE_SUFFIX)]
    names_ += [f"{fp}.key" for fp in step.prepared | step.kept_keys]
    gone: dict[str, bytes | None] = {key: None for key in names_ if key in present}
    if not gone:
        return ()
    what = "remove keys that are no longer needed"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(gone), version(existing)),)
