# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The tables of the options that several modules have. Each table has a block of its name in a documentation fragment,
which gets the facts of each option from here.
"""

from __future__ import annotations

from dataclasses import replace

from .._pki.keys import KeyType
from .._strimzi.cluster.clients import OutsideOptions
from .._strimzi.cluster.observe import Surroundings
from .._strimzi.names import CaKind, ClusterNames
from .._strimzi.settings import Settings
from .._trust.model.goals import Goal
from .._trust.model.intent import (
    NewCa,
    Parameters,
    Records,
)
from .._trust.model.ledger import UpkeepOptions, WhenDue
from .arguments import (
    DAYS,
    FLAG,
    HOURS,
    NUMBER,
    SECONDS,
    TEXT,
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
    CA_SOURCE,
    DNS_DOMAIN,
    KEY_POLICY,
    MOST_DAYS,
    NAMED_SECRETS,
    USER_NAMESPACES,
    Evidence,
)

#: The greatest number of spare leaves of a pool. Each is a key in a Secret, and all nodes together have two such
#: Secrets.
MOST_SPARE = 100
#: Seconds of a year, the longest time that an option takes.
YEAR = 365 * 24 * 3600

CLUSTER = ArgumentSpec(
    {
        "cluster": Option(TEXT, Field(ClusterNames, "cluster"), required=True),
        "namespace": Option(TEXT, Field(ClusterNames, "namespace"), required=True),
        "audit": Option(FLAG, Field(Records, "audits")),
    }
)

#: The option that says which CA of a cluster a module is about.
CA = ArgumentSpec({"ca": Option(one_of(CaKind), Field(ClusterNames, "ca"))})

#: The object with the CAs that a cluster is to trust.
SOURCE = ArgumentSpec({"ca_source": Option(CA_SOURCE, Field(Surroundings, "source"))})

DOMAIN = ArgumentSpec({"dns_domain": Option(DNS_DOMAIN, Field(Surroundings, "dns_domain"))})

#: The rules that certificates have to meet.
POLICY = ArgumentSpec({"key_policy": Option(KEY_POLICY, Field(NewCa, "policy"), no_log=False)})

#: The Secrets and namespaces of users that present certificates of the clients CA, beside the users of the cluster's
#: User Operator.
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
PATIENCE = ArgumentSpec({"operator_timeout": Option(SECONDS, Field(Settings, "operator_timeout"), least=1, most=YEAR)})

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
