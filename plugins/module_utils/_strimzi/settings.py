# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The settings of a call: how long it waits, and facts about other programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .cluster.observe import NO_SURROUNDINGS, Surroundings
from .issuer_settings import ExternalIssuer, IssuerSettings

_EXTERNAL = ExternalIssuer()


@dataclass(frozen=True, repr=False)
class Settings:
    """Limits of time, which are no delays, and the programs around a call."""

    #: Limit for one reaction of the operator.
    operator_timeout: timedelta = timedelta(seconds=300)
    #: Limit for one pod to come back.
    pod_timeout: timedelta = timedelta(seconds=600)
    #: The name of this call, in the Lease and on a pause.
    holder: str = "trustops.strimzi"
    #: Host:port of brokers, for the direct strategy; empty for the cluster's own Service.
    kafka_bootstrap: tuple[str, ...] = ()
    #: The statements of the caller about the surroundings of the cluster.
    surroundings: Surroundings = NO_SURROUNDINGS
    #: The issuer of leaves of a CA whose key is kept elsewhere.
    issuer: IssuerSettings = _EXTERNAL
