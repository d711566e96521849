# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The tables of the options that several modules have. Each table has a block of its name in a documentation fragment,
which gets the facts of each option from here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from .._issuing.kinds import ISSUER, issuer_settings
from .._leaves.request import RotationPolicy
from .._pki.keys import KeyAlgorithm, KeySpec, KeyType
from .._strimzi.clients import OutsideOptions
from .._strimzi.cluster.node_pools import Growth
from .._strimzi.cluster.observe import Surroundings
from .._strimzi.names import CaKind, ClusterNames
from .._strimzi.settings import Settings
from .._trust.model.goals import Goal, Phase
from .._trust.model.intent import (
    Extent,
    Issuing,
    NewCa,
    NewRoots,
    Pace,
    Parameters,
    Records,
    Spread,
    Strategy,
    WantedTrust,
)
from .._trust.model.ledger import UpkeepOptions, WhenDue
from .arguments import (
    DAYS,
    DICTIONARY,
    FLAG,
    HOURS,
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
    options_inside,
    read_part,
    word_of,
)
from .options import (
    BOOTSTRAP,
    CA_SOURCE,
    DNS_DOMAIN,
    KEY_POLICY,
    MOST_DAYS,
    NAMED_SECRETS,
    RETIREMENT,
    SHA_256_FINGERPRINTS,
    USER_NAMESPACES,
    WAIVERS,
    Evidence,
)

#: The greatest number of spare leaves of a pool. Each is a key in a Secret, and all nodes together have two such
#: Secrets.
MOST_SPARE = 100
#: The queue of the User Operator drops what does not fit in (docs/operator.md, "Users").
_MOST_USERS = 500
_YEAR = 365 * 24 * 3600

CLUSTER = ArgumentSpec(
    {
        "cluster": Option(TEXT, Field(ClusterNames, "cluster"), required=True),
        "namespace": Option(TEXT, Field(ClusterNames, "namespace"), required=True),
        "audit": Option(FLAG, Field(Records, "audits")),
    }
)

#: The option that says which CA of a cluster a module is about.
CA = ArgumentSpec({"ca": Option(one_of(CaKind), Field(ClusterNames, "ca"))})

#: Where the CAs lie that a cluster is to trust.
SOURCE = ArgumentSpec({"ca_source": Option(CA_SOURCE, Field(Surroundings, "source"))})

DOMAIN = ArgumentSpec({"dns_domain": Option(DNS_DOMAIN, Field(Surroundings, "dns_domain"))})

#: The rules that certificates have to meet.
POLICY = ArgumentSpec({"key_policy": Option(KEY_POLICY, Field(NewCa, "policy"), no_log=False)})

#: The namespaces of users that present certificates of the clients CA, beside the users of the cluster's User Operator.
PRESENTING = ArgumentSpec(
    {
        "presenting_secrets": Option(NAMED_SECRETS, Field(OutsideOptions, "presenting_secrets"), no_log=False),
        "user_namespaces": Option(USER_NAMESPACES, Field(OutsideOptions, "user_namespaces")),
    }
)

#: The ways to running nodes.
LOOK = ArgumentSpec(
    {
        "evidence": Option(one_of(Evidence), default=Evidence.AUTO),
        "pod_access": Option(word_of("port_forward", "direct"), default="port_forward"),
    }
)

#: How long a call waits for the operator.
PATIENCE = ArgumentSpec({"operator_timeout": Option(SECONDS, Field(Settings, "operator_timeout"), least=1, most=_YEAR)})


def _deadline(seconds: int, call: Call) -> datetime | None:
    return call.now + timedelta(seconds=seconds) if seconds else None


def _last_phase(phase: str, call: Call) -> Phase | None:
    """The phase after which the flow stops. It stops after no phase where the caller allows all of them."""
    return None if phase == Phase.RETIRE.value else Phase(phase)


#: The options of every module that takes part in a flow, so that all of them decide the same.
FLOW = ArgumentSpec(
    {
        **LOOK.table,
        "node_answers": Option(TEXT),
        "restart_count": Option(DICTIONARY),
        "spread": Option(one_of(Spread), Field(Pace, "spread")),
        "strategy": Option(one_of(Strategy), Field(Pace, "strategy")),
        "kafka_bootstrap": Option(BOOTSTRAP, Field(Settings, "kafka_bootstrap")),
        "retire": Option(RETIREMENT, Field(Pace, "retire")),
        "client_grace": Option(SECONDS, Field(Pace, "client_grace"), least=0, most=_YEAR),
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
            Kind({"type": "int"}, _deadline, lambda deadline: 0), Field(Issuing, "issuer_deadline"), least=0, most=_YEAR
        ),
        # A call without the option keeps none.
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
        "pod_timeout": Option(SECONDS, Field(Settings, "pod_timeout"), least=1, most=_YEAR),
        "progress_file": Option(PATH),
    },
)

#: The options that name the CA of a renewal or replacement, so that a second run does nothing.
REPLACED = ArgumentSpec(
    {
        "replaces": Option(TEXT, Field(Parameters, "replaces")),
        "fresh_for_hours": Option(HOURS, Field(Parameters, "fresh_for"), least=0, most=MOST_DAYS * 24),
    }
)

#: The option that names the CA of an adoption, so that it cannot be meant by accident, and whether it is to be renewed.
ADOPTED = ArgumentSpec(
    {
        "adopts": Option(TEXT, Field(Parameters, "adopts")),
        "raise_path_length": Option(FLAG, Field(Parameters, "raise_path_length")),
    }
)

#: The options of a CA that is handed back: whether the operator may renew it at once, and whether it stays
#: user-managed.
HANDED_BACK = ArgumentSpec(
    {
        "operator_may_renew": Option(FLAG, Field(Parameters, "operator_may_renew")),
        "keep_ca": Option(FLAG, Field(Parameters, "keeps_authority")),
    }
)

RENEWAL = ArgumentSpec({"renew_before_days": Option(DAYS, Field(Parameters, "renew_before"), least=0, most=MOST_DAYS)})

_WINDOW = {"ca_renewal_days": Option(DAYS, Field(UpkeepOptions, "window"), least=1, most=MOST_DAYS)}
_AS_SPECIFIED = "specified"
_KEPT_UP = [_AS_SPECIFIED, WhenDue.RENEW.value, WhenDue.REPLACE_KEY.value]


def _upkeep(policy: str, call: Call) -> UpkeepOptions:
    due = None if policy == _AS_SPECIFIED else WhenDue(policy)
    return replace(read_part(UpkeepOptions, _WINDOW, call.options, call.now), policy=due)


#: The options that choose between renewing and replacing a CA in its time for renewal.
UPKEEP = ArgumentSpec(
    {
        "ca_renewal": Option(
            Kind({"type": "str", "choices": [*_KEPT_UP, WhenDue.NONE.value]}, _upkeep),
            Field(Parameters, "upkeep"),
        ),
        **_WINDOW,
    },
    only_with=(OnlyWith("ca_renewal_days", "ca_renewal", tuple(_KEPT_UP)),),
)

GOAL = ArgumentSpec({"goal": Option(one_of(Goal))})

#: How long new certificates are valid.
VALIDITY = ArgumentSpec({"validity_days": Option(DAYS, Field(NewCa, "validity"), least=1, most=MOST_DAYS)})

AUTHORITY = ArgumentSpec(
    {
        **VALIDITY.table,
        "key_type": Option(one_of(KeyType), Field(NewCa, "key_type")),
        "path_length": Option(NUMBER, Field(NewCa, "path_length"), least=0, most=100),
        "certificate": Option(TEXT),
        "private_key": Option(TEXT, no_log=True),
        "certificate_from": Option(
            options_inside(
                {"secret": Option(TEXT, required=True, no_log=False), "namespace": Option(TEXT)},
            )
        ),
    },
    mutually_exclusive=(("certificate", "ca_source", "certificate_from"),),
    required_by={"private_key": ("certificate",)},
)
