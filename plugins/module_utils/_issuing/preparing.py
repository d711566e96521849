# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preparing the next CA, with its link certificates."""

from __future__ import annotations

from dataclasses import replace

from .._strimzi import authority_writes
from .._strimzi.next_authority import NextAuthority, next_authority
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._strimzi.writes import write_all
from .._trust.model.steps.authority import PrepareAuthority
from .links import link_certificates, sign_by_issuer


def prepare(step: PrepareAuthority, observation: Observation, work: Work) -> None:
    """For a prediction no key is generated, and no issuer asked. Raises StepError, LinkUnavailable, KubeError."""
    made = None if work.dry_run else _linked(step, observation, work)
    write_all(authority_writes.prepare(step, made, observation), work, step.phase.value)


def _linked(step: PrepareAuthority, observation: Observation, work: Work) -> NextAuthority:
    made = next_authority(step, observation, work)
    if not step.linked:
        return made
    # Before anything is written: what an issuer refuses, or a kill prevents, leaves no trace here.
    return replace(made, links=link_certificates(step, made, observation, work, sign_by_issuer(work)))
