# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The table of the options of every module that takes part in a flow. It stands apart from the tables of other options,
because its row of the issuer brings the code of all issuers with it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from .._issuing.kinds import ISSUER, issuer_settings
from .._leaves.request import RotationPolicy
from .._pki.keys import KeyAlgorithm, KeySpec
from .._strimzi.cluster.clients import OutsideOptions
from .._strimzi.cluster.node_pools import Growth
from .._strimzi.settings import Settings
from .._trust.model.goals import Phase
from .._trust.model.intent import (
    Extent,
    Issuing,
    NewRoots,
    Pace,
    Records,
    Spread,
    Strategy,
    WantedTrust,
)
from .arguments import (
    DICTIONARY,
    FLAG,
    NUMBER,
    PATH,
    SECONDS,
    TEXT,
    TIME,
    ArgumentSpec,
    Call,
    Field,
    Kind,
    OnlyWith,
    Option,
    one_of,
)
from .options import (
    BATCH_LIMIT,
    BOOTSTRAP,
    NAMED_SECRETS,
    RETIREMENT,
    SHA_256_FINGERPRINTS,
    WAIVERS,
)
from .tables import DOMAIN, LOOK, MOST_SPARE, PATIENCE, POLICY, PRESENTING, SOURCE, YEAR

#: The queue of the User Operator drops what does not fit in (docs/operator.md, "Users").
_MOST_USERS = 500


def _deadline(seconds: int, call: Call) -> datetime | None:
    return call.now + timedelta(seconds=seconds) if seconds else None


def _last_phase(phase: str, call: Call) -> Phase | None:
    """The phase after which the flow stops. It stops after no phase if the caller allows all of them."""
    return None if phase == Phase.RETIRE.value else Phase(phase)


#: The options of every module that takes part in a flow, so that all of them decide the same.
FLOW = ArgumentSpec(
    {
        **LOOK.table,
        "node_answers": Option(TEXT),
        "restart_count": Option(DICTIONARY),
        "spread": Option(one_of(Spread), Field(Pace, "spread")),
        "strategy": Option(one_of(Strategy), Field(Pace, "strategy")),
        "batch": Option(BATCH_LIMIT, Field(Pace, "batch")),
        "kafka_bootstrap": Option(BOOTSTRAP, Field(Settings, "kafka_bootstrap")),
        "retire": Option(RETIREMENT, Field(Pace, "retire")),
        "client_grace": Option(SECONDS, Field(Pace, "client_grace"), least=0, most=YEAR),
        "link_until": Option(TIME, Field(Pace, "link_until")),
        "user_batch": Option(NUMBER, Field(Pace, "user_batch"), least=1, most=_MOST_USERS),
        "client_bundle": Option(FLAG, Field(WantedTrust, "publishes_bundle")),
        "trusting_secrets": Option(NAMED_SECRETS, Field(OutsideOptions, "trusting_secrets"), no_log=False),
        **PRESENTING.table,
        "waivers": Option(WAIVERS, Field(OutsideOptions, "waivers")),
        "issuer": Option(
            Kind(ISSUER, lambda options, call: issuer_settings(options), lambda settings: None),
            Field(Settings, "issuer"),
        ),
        "rotation_policy": Option(one_of(RotationPolicy), Field(Issuing, "rotation")),
        "leaf_key_size": Option(
            Kind(
                {"type": "int", "choices": [2048, 3072, 4096]},
                lambda bits, call: KeySpec(KeyAlgorithm.RSA, bits),
                lambda spec: spec.size,
            ),
            Field(Issuing, "leaf_key"),
            no_log=False,
        ),
        **POLICY.table,
        **SOURCE.table,
        "trust_new_roots": Option(one_of(NewRoots), Field(WantedTrust, "new_roots")),
        "confirm_roots": Option(SHA_256_FINGERPRINTS, Field(WantedTrust, "confirmed_roots")),
        "retry_failed": Option(
            Kind({"type": "bool"}, lambda now, call: call.now if now else None, lambda moment: moment is not None),
            Field(Issuing, "retry_requested_at"),
        ),
        "issue_timeout": Option(
            Kind({"type": "int"}, _deadline, lambda deadline: 0), Field(Issuing, "issuer_deadline"), least=0, most=YEAR
        ),
        # A module without the option keeps none, so the default stands here and not at the field.
        "spare_leaves": Option(NUMBER, Field(Growth, "spare"), default=1, least=0, most=MOST_SPARE),
        **DOMAIN.table,
        "until_phase": Option(
            Kind(one_of(Phase).facts, _last_phase, lambda phase: (phase or Phase.RETIRE).value),
            Field(Extent, "stop_after"),
        ),
        "continue_stopped": Option(FLAG, Field(Extent, "continue_stopped")),
        "ignore_maintenance_windows": Option(FLAG, Field(Pace, "ignores_windows")),
        "backup": Option(FLAG, Field(Records, "backs_up")),
        **PATIENCE.table,
        "pod_timeout": Option(SECONDS, Field(Settings, "pod_timeout"), least=1, most=YEAR),
        "progress_file": Option(PATH),
    },
    only_with=(OnlyWith("batch", "strategy", (Strategy.DIRECT.value,)),),
)
