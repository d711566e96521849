# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Trust": who restarts before the leaves of a CA are used, and who does not have to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps, steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust

from ....tools.support.certificates import DAY, NOW, Entity, key, make
from .. import linked, unlinked
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, link_of
from ..builders import changed, cluster, others, prepared, secrets
from ..ledgers import ALL, PHASE_OUT, UNTRUSTED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of
from .asking import situation, turns

NEW_NAME, OLD_NAME = named(NEW.certificate), OLD.certificate.subject
EXPORTER = a_pod("exporter", component=Component.KAFKA_EXPORTER, leaves=(PODS[0],))
#: As the operator makes it: OpenSSL and Go allow no CA below it.
SHORT = make("cluster-ca v0", key(0), path_length=0)
ENDED = cross_certify(NEW.certificate, OLD.certificate, OLD.key, not_before=NOW - 2 * DAY, validity=DAY)


def roll(uids: frozenset[str], because: str = "", about: Entity = NEW) -> Steps:
    return (
        Roll(reason=RollReason.TRUST, uids=uids, authority=about.certificate, phase=Phase.TRUST, because=because),
    )  # fmt: skip


def first(why: str) -> str:
    return f"{NEW_NAME} is trusted everywhere before it is used: {why}"


def test_pods_restart_for_trust_where_no_link_certificate_introduces_the_ca() -> None:
    """Behind a link certificate no pod restarts for trust alone, and a renewal is trusted like its predecessor."""
    because = first("it was prepared without a link certificate.")
    assert turns(restart_to_trust) == {
        "unlinked READ_BACK": roll(uids_of(), because),
        "unlinked HALF_RESTARTED": roll(uids_of(*PODS[1:]), because),
    }


def beside_an_exporter(old: Entity, *, learned: bool = False, link: Certificate | None = None) -> Snapshot:
    """learned: it has started since the next CA is in the trust. link: another one than the usual."""
    awaiting = uids_of() if learned else uids_of() | {EXPORTER.uid}
    return cluster(
        ca=secrets(old, other_entries=others(NEW), prepared=(prepared(NEW, link or link_of(NEW, old)),)),
        pods=(*pods(), EXPORTER),
        leaves=leaves(old),
        ledger=ledger(
            entry(old, generations={0}),
            entry(NEW, UNTRUSTED, awaited_pods=awaiting),
            journal=a_journal(old=old),
        ),
    )


def knowing(*entries: LedgerEntry, beside: tuple[Entity, ...] = ()) -> Snapshot:
    return cluster(ca=secrets(other_entries=others(*beside)), ledger=ledger(entry(OLD, generations={0}), *entries))


LEARNS = f"{NEW_NAME} is made known first, by a restart, to pod exporter ({{}})."


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(beside_an_exporter(OLD), (), id="every pod accepts the link"),
        pytest.param(
            beside_an_exporter(SHORT),
            roll(
                frozenset({EXPORTER.uid}),
                LEARNS.format(f"{OLD_NAME} allows 0 CAs below it (path length constraint), and there are 1"),
            ), id="a Go program that would refuse it restarts alone",
        ),
        pytest.param(beside_an_exporter(SHORT, learned=True), (), id="it has learned the next CA"),
        pytest.param(
            replace(unlinked.READ_BACK, ca=replace(unlinked.READ_BACK.ca, key=None)),
            roll(uids_of(), first(f"the key of {OLD_NAME} is not at hand to certify the new CA.")), id="no link: no key",
        ),
        pytest.param(
            beside_an_exporter(OLD, link=ENDED),
            roll(
                uids_of() | {EXPORTER.uid},
                first(
                    f"pod {PODS[0]} would refuse its link certificate: {NEW.certificate.subject} expired on 2026-05-31 "
                    "12:00:00 UTC."
                ),
            ), id="no link: a node refuses it",
        ),
        pytest.param(
            replace(
                linked.PHASED_OUT,
                ledger=linked.PHASED_OUT.ledger_or_empty.with_entry(entry(NEW, ALL, awaited_pods={uid_of("topics", 1)})),
            ),
            roll(frozenset({uid_of("topics", 1)})), id="all use it, and one was started before it was in the bundle",
        ),
        pytest.param(
            changed(
                linked.PHASED_OUT,
                ledger=linked.PHASED_OUT.ledger_or_empty.with_entry(entry(NEW, ALL, awaited_pods={uid_of("topics", 1)})),
                leaves=(*linked.PHASED_OUT.leaves.stored, a_leaf("late")),
            ),
            (), id="the same, and a leaf has yet to take the place of an older one",
        ),
        pytest.param(
            knowing(entry(THIRD, UNTRUSTED, awaited_pods=uids_of()), beside=(THIRD,)), roll(uids_of(), about=THIRD),
            id="another CA than the next one",
        ),
        pytest.param(
            knowing(
                entry(ROOT), entry(chain_of(INTERMEDIATE, ROOT), UNTRUSTED, awaited_pods=uids_of()),
                beside=(ROOT, INTERMEDIATE),
            ),
            roll(uids_of(), about=INTERMEDIATE), id="accepted with its chain, and not alone",
        ),
        pytest.param(knowing(entry(THIRD, PHASE_OUT, awaited_pods=uids_of())), (), id="one on its way out"),
        pytest.param(knowing(entry(RENEWED, UNTRUSTED, awaited_pods=uids_of()), beside=(RENEWED,)), (), id="a renewal"),
        pytest.param(knowing(entry(THIRD, UNTRUSTED, awaited_pods={"gone"}), beside=(THIRD,)), (), id="they are gone"),
        pytest.param(knowing(entry(THIRD, UNTRUSTED, awaited_pods=None)), (), id="not read back yet"),
    ],
)  # fmt: skip
def test_pods_that_restart_to_trust_the_next_ca(snapshot: Snapshot, expected: Steps) -> None:
    assert steps_of(restart_to_trust(situation(snapshot))) == expected
