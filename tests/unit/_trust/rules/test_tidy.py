# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that nobody needs any more leave the key Secret."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    LinkCertificates,
    PreparedAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import tidy

from ....support.certificates import NOW, Entity
from ..builders import (
    IMPOSTOR,
    NEW,
    OLD,
    PHASE_OUT,
    PODS,
    RENEWED,
    THIRD,
    cluster,
    entry,
    ledger,
    link_of,
    name_of,
    names_of,
    prepared,
    secrets,
    uids_of,
)
from .asking import RECONCILE, situation, turns

NOBODY = frozenset[str]()


def tidied(
    prepared: frozenset[str], kept: frozenset[str], phase: Phase = Phase.RETIRE, links: frozenset[str] = NOBODY
) -> Steps:
    return (TidyKeys(prepared=prepared, kept_keys=kept, links=links, phase=phase),)


def test_its_turn() -> None:
    """The old key is kept as long as its CA is trusted, the link certificates as long as the new one is in use."""
    assert turns(tidy) == {
        "linked RESUMED": tidied(names_of(NEW), names_of(OLD, NEW)),
        "unlinked RESUMED": tidied(names_of(NEW), names_of(NEW), Phase.USE, names_of(NEW)),
        "unlinked REMOVED": tidied(NOBODY, names_of(OLD)),
        "renewal READ": tidied(names_of(RENEWED), names_of(RENEWED), links=names_of(RENEWED)),
    }


@pytest.mark.parametrize(
    ("kept", "waiting", "expected"),
    [
        pytest.param(names_of(THIRD), (), tidied(NOBODY, names_of(THIRD), Phase.USE), id="of a CA that left"),
        pytest.param(names_of(OLD), (), tidied(NOBODY, names_of(OLD), Phase.USE), id="of the CA in use: it is ca.key"),
        pytest.param(names_of(NEW), (prepared(NEW),), (), id="of a CA that waits"),
        pytest.param(NOBODY, (prepared(NEW),), (), id="a CA that waits"),
        pytest.param(NOBODY, (), (), id="nothing is kept"),
    ],
)
def test_which_keys_are_stale(kept: frozenset[str], waiting: tuple[PreparedAuthority, ...], expected: Steps) -> None:
    assert tidy(situation(cluster(ca=secrets(prepared=waiting, kept_keys=kept)), RECONCILE)) == expected


@pytest.mark.parametrize(
    ("removed", "beside", "stale"),
    [
        pytest.param(
            RemovedEntry(IMPOSTOR.certificate, uids_of(PODS[0])), OLD, False, id="nodes have yet to refuse it"
        ),
        pytest.param(
            RemovedEntry(IMPOSTOR.certificate, frozenset(), uids_of(PODS[0])), OLD, True, id="their listeners do"
        ),
        pytest.param(RemovedEntry(IMPOSTOR.certificate, frozenset({"gone"})), OLD, True, id="they are gone"),
        pytest.param(RemovedEntry(THIRD.certificate, uids_of(PODS[0])), OLD, True, id="its name is its own"),
    ],
)
def test_a_key_stays_for_probes_where_a_name_tells_nothing(removed: RemovedEntry, beside: Entity, stale: bool) -> None:
    """Another CA that is trusted has the name of the one that has left."""
    kept = frozenset({removed.fingerprint})
    books = replace(ledger(entry(beside, generations={0})), removed=(removed,))
    seen = cluster(ca=secrets(beside, kept_keys=kept), ledger=books)
    assert tidy(situation(seen, RECONCILE)) == (tidied(NOBODY, kept, Phase.USE) if stale else ())


def test_the_key_of_a_ca_in_use_that_the_books_lack_is_stale() -> None:
    unknown = cluster(ca=secrets(kept_keys=names_of(OLD)), ledger=Ledger())
    assert tidy(situation(unknown, RECONCILE)) == tidied(NOBODY, names_of(OLD), Phase.USE)


def test_before_the_first_ca_nothing_is_stale() -> None:
    assert tidy(situation(cluster(ca=secrets(None, prepared=(prepared(NEW),))))) == ()


BOTH, ONE = (LinkCertificates(link_of(OLD, THIRD), link) for link in (link_of(THIRD, OLD), None))
OF_ANOTHER = LinkCertificates(link_of(NEW, THIRD), link_of(THIRD, NEW))


@pytest.mark.parametrize(
    ("links", "unused"),
    [
        pytest.param({name_of(OLD): BOTH}, NOBODY, id="both of the CA in use"),
        pytest.param({name_of(RENEWED): BOTH}, NOBODY, id="both of the CA in use, made for an earlier certificate"),
        pytest.param({name_of(THIRD): OF_ANOTHER}, names_of(THIRD), id="of a CA that left"),
        pytest.param({name_of(NEW): OF_ANOTHER}, NOBODY, id="of a CA that is trusted still"),
        pytest.param({name_of(RENEWED): ONE}, names_of(RENEWED), id="one alone, which nodes cannot present"),
    ],
)
def test_which_link_certificates_are_stale(links: dict[str, LinkCertificates], unused: frozenset[str]) -> None:
    """By no clock: whoever holds the CA that was replaced may come back to a right one."""
    books = ledger(entry(OLD, generations={0}), entry(NEW, PHASE_OUT))
    expected = tidied(NOBODY, NOBODY, Phase.USE, unused) if unused else ()
    for now in (NOW, OLD.certificate.not_after):
        seen = cluster(ca=secrets(kept_links=links), ledger=books, now=now)
        assert tidy(situation(seen, RECONCILE)) == expected
