# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options about the form of a CA that no call would put into effect are refused; those that ask for what is there are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FlowOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import FLOW_NAMES, named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaUsers, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import (
    authority_is_as_asked,
    link_until_is_ahead,
)

from ....tools.support.certificates import HOUR, NOW, make
from ....tools.support.certificates import key as key_of
from ....tools.support.intents import an_intent, changed_intent
from .. import linked
from ..authorities import NEW, OLD, RENEWED, ROOT, chain_of
from ..builders import changed, cluster, prepared, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import leaves
from .refusals import RENEW, REPLACE_KEY, refusal, supplying

SETTLED = cluster()
OTHER, THEIRS = {"key_type": KeyType.RSA_2048}, make("Their CA", key_of(6), path_length=0)
LIFE = (NEW.certificate.not_after - NEW.certificate.not_before).days


def under_way(journal: Any = None) -> dict[str, Any]:
    return {
        "ca": secrets(prepared=(replace(prepared(NEW), chain=chain_of(NEW, ROOT)),)),
        "ledger": ledger(entry(OLD, generations={0}), entry(NEW), journal=journal or a_journal()),
    }  # fmt: skip


def before_a_journal() -> dict[str, Any]:
    """A CA is prepared, and the ledger still has the journal of the replacement before."""
    journal = a_journal(old=NEW, new=OLD, finished_at=NOW - HOUR)
    ca = secrets(prepared=(prepared(RENEWED), replace(prepared(NEW), chain=chain_of(NEW, ROOT))))
    return {"ca": ca, "ledger": ledger(entry(OLD, generations={0}), journal=journal)}


def ended(**fields: Any) -> dict[str, Any]:
    journal = a_journal(finished_at=NOW - HOUR, **fields)
    return {"ca": secrets(NEW), "ledger": ledger(entry(NEW, generations={0}), journal=journal), "leaves": leaves(NEW)}


def made(has: str, asked: str, option: str, again: str) -> str:
    return (
        f"the CA {named(NEW.certificate)}: has {has}, and an earlier call has made it (replacement of the key); the task asks for {asked}. Leave {option} "
        f"out, or {again}."
    )


UNDONE, ANEW = "undo the flow (abort) and begin it again", "have it done again, with fresh_for_hours=0"
CASES = [
    refusal(
        authority_is_as_asked,
        "the supplied CA: has key_type=ecdsa-p256; the task asks for rsa-2048. Leave key_type out, which is about a CA that is made here, or supply a CA "
        "that has it.",
        "the supplied CA: has path_length=0; the task asks for 1. Leave path_length out, which is about a CA that is made here, or supply a CA that has it.",
        name="a supplied one", intent=changed_intent(supplying(THEIRS), path_length=1, **OTHER),
    ),
    refusal(
        authority_is_as_asked, made("key_type=ecdsa-p256", "rsa-2048", "key_type", UNDONE),
        name="the flow is under way", intent=changed_intent(REPLACE_KEY, **OTHER), **under_way(),
    ),
    refusal(
        authority_is_as_asked, made("key_type=ecdsa-p256", "rsa-2048", "key_type", UNDONE),
        name="before a journal says so", intent=changed_intent(REPLACE_KEY, **OTHER), **before_a_journal(),
    ),
    refusal(
        authority_is_as_asked,
        f"the CA {named(RENEWED.certificate)}: has path_length=1, and an earlier call has made it ({FLOW_NAMES[Goal.RENEW]}); the task asks for 3. Leave "
        f"path_length out, or {UNDONE}.",
        name="a renewal, before a journal says so", intent=changed_intent(RENEW, path_length=3), ca=secrets(prepared=(prepared(NEW), prepared(RENEWED))),
    ),
    refusal(
        authority_is_as_asked, made("key_type=ecdsa-p256", "ecdsa-p384", "key_type", ANEW), made(f"validity_days={LIFE}", "9", "validity_days", ANEW),
        name="it has ended", intent=changed_intent(REPLACE_KEY, key_type=KeyType.ECDSA_P384, validity=timedelta(days=9)), **ended(),
    ),
    *(
        refusal(
            link_until_is_ahead,
            f"link_until: {until:%Y-%m-%d %H:%M:%S} UTC is over, so nodes would not lead on clients that know only the CA which is to be replaced. "
            "Give a later time, or none: nodes lead them on until that CA ends.",
            name=name, intent=changed_intent(REPLACE_KEY, link_until=until),
        )
        for name, until in (("over", NOW - HOUR), ("over at this moment", NOW))
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("intent", "fields"),
    [
        pytest.param(changed_intent(supplying(THEIRS), path_length=0, key_type=KeyType.ECDSA_P256), {}, id="as it is supplied"),
        pytest.param(changed_intent(supplying(THEIRS), validity=timedelta(days=9)), {}, id="leaves have that life"),
        pytest.param(changed_intent(REPLACE_KEY, **OTHER), {}, id="it is yet to be made"),
        pytest.param(changed_intent(REPLACE_KEY, key_type=KeyType.ECDSA_P256), under_way(), id="as it was made"),
        pytest.param(changed_intent(REPLACE_KEY, validity=timedelta(days=9)), under_way(), id="leaves that are still to come"),
        pytest.param(changed_intent(REPLACE_KEY, key_type=KeyType.ECDSA_P256, validity=timedelta(days=9)), before_a_journal(), id="before a journal says so"),
        pytest.param(changed_intent(RENEW, path_length=3), under_way(), id="another flow is under way"),
        pytest.param(
            changed_intent(REPLACE_KEY, **OTHER), under_way(a_journal(Goal.RENEW, new=RENEWED, options=FlowOptions(precedes_replacement=True))),
            id="it is renewed first",
        ),
        pytest.param(changed_intent(REPLACE_KEY, **OTHER), under_way(a_journal(is_abort=True)), id="it is undone"),
        pytest.param(changed_intent(REPLACE_KEY, fresh_for=timedelta(), **OTHER), ended(), id="it is made again"),
        pytest.param(an_intent(Goal.CREATE, path_length=3), {}, id="drift holds no call"),
        pytest.param(an_intent(Goal.RECONCILE, path_length=3), ended(), id="no rotation"),
    ],
)  # fmt: skip
def test_no_other_option_is_refused(intent: Intent, fields: dict[str, Any]) -> None:
    assert tuple(authority_is_as_asked(cluster(**fields), intent)) == ()


@pytest.mark.parametrize(
    ("snapshot", "goal", "until"),
    [
        pytest.param(SETTLED, Goal.REPLACE_KEY, NOW + HOUR, id="ahead"),
        pytest.param(SETTLED, Goal.REPLACE_KEY, None, id="nothing is said"),
        pytest.param(SETTLED, Goal.RENEW, NOW - HOUR, id="the key stays"),
        pytest.param(linked.PREPARED, Goal.REPLACE_KEY, NOW - HOUR, id="it is made already"),
        pytest.param(changed(SETTLED, users=CaUsers()), Goal.REPLACE_KEY, NOW - HOUR, id="leaves are sent alone"),
    ],
)
def test_elsewhere_link_until_does_not_count(snapshot: Snapshot, goal: Goal, until: datetime | None) -> None:
    assert list(link_until_is_ahead(snapshot, an_intent(goal, link_until=until))) == []
