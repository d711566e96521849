# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live evidence joined with stored evidence: what agrees is known; silence and contradiction are UNKNOWN (I5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import (
    accepts_live,
    answers_of_running,
    present_live,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import Presentation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ..authorities import IMPOSTOR, NEW, OLD, RENEWED, THIRD, linked_chain, name_of, names_of, stored_chain
from ..ledgers import entry, ledger
from ..nodes import a_pod, uid_of

POD = a_pod()
PORTS = (9090, 9091)
BOTH = ledger(entry(OLD, generations={0}), entry(NEW, generations={1}))
TWINS = ledger(entry(OLD, generations={0}), entry(RENEWED, generations={1}))
CHAIN = stored_chain(OLD)
STORED = Presentation(POD.name, names_of(OLD), (CHAIN,), "stored leaf")
BY_GENERATION = Presentation(POD.name, names_of(OLD), (), "generation")
NOTHING_STORED = Presentation(POD.name, None, (), "no annotation")
SEEN = ObservedListener(POD.name, POD.uid, 9091, CHAIN, names_of(OLD), names_of(NEW), source="handshake with TLSv1.2")


def on(port: int, **fields: Any) -> ObservedListener:
    return replace(SEEN, port=port, **fields)


# --- what a listener presents


@pytest.mark.parametrize("stored", [STORED, BY_GENERATION, NOTHING_STORED], ids=["leaf", "generation", "nothing"])
def test_a_listener_that_was_seen_is_known(stored: Presentation) -> None:
    found = present_live(POD, 9091, stored, [SEEN], BOTH)
    assert found == Presentation("port 9091", names_of(OLD), (CHAIN,), "handshake with TLSv1.2")


@pytest.mark.parametrize(
    "seen",
    [[], [on(9090)], [replace(SEEN, uid=uid_of(POD.name, 1))], [replace(SEEN, uid="another")]],
    ids=["nothing", "another port", "its successor", "another pod"],
)
def test_a_silent_listener_is_unknown_whatever_is_stored(seen: list[ObservedListener]) -> None:
    found = present_live(POD, 9091, STORED, seen, BOTH)
    assert found.authorities is None
    assert "port 9091" in found.evidence


def test_the_reason_of_a_failure_is_kept() -> None:
    failed = replace(SEEN, presents=None, failure="port 9091: timed out")
    assert present_live(POD, 9091, STORED, [failed], BOTH).evidence == failed.failure
    assert present_live(POD, 9091, STORED, [SEEN, failed], BOTH).authorities is None


@pytest.mark.parametrize(
    ("presents", "stored", "said"),
    [
        ((issue_leaf(OLD),), STORED, "another certificate than the pod"),
        ((issue_leaf(NEW),), STORED, "another certificate than the pod"),
        ((issue_leaf(NEW),), BY_GENERATION, "another CA than stored evidence says (generation)"),
        ((issue_leaf(THIRD),), NOTHING_STORED, "chains to no CA of the ledger"),
        ((issue_leaf(IMPOSTOR),), BY_GENERATION, "chains to no CA of the ledger"),
    ],
)
def test_a_contradiction_is_unknown(presents: tuple[object, ...], stored: Presentation, said: str) -> None:
    found = present_live(POD, 9091, stored, [on(9091, presents=presents)], BOTH)
    assert (found.authorities, found.chains) == (None, ())
    assert said in found.evidence


def test_two_certificates_of_one_listener_are_unknown() -> None:
    found = present_live(POD, 9091, NOTHING_STORED, [SEEN, on(9091, presents=(issue_leaf(OLD),))], BOTH)
    assert found.authorities is None
    assert "different certificates" in found.evidence


@pytest.mark.parametrize("stored", [STORED, NOTHING_STORED], ids=["with stored evidence", "without"])
def test_of_several_handshakes_the_first_is_named(stored: Presentation) -> None:
    again = on(9091, source="handshake with TLSv1.3")
    assert present_live(POD, 9091, stored, [SEEN, again], BOTH).evidence == SEEN.source
    assert accepts_live(POD, (9091,), name_of(OLD), None, [SEEN, again]).evidence == SEEN.source


def test_stored_evidence_shows_which_of_two_cas_with_one_key_a_listener_presents() -> None:
    stored = replace(BY_GENERATION, authorities=names_of(RENEWED))
    assert present_live(POD, 9091, stored, [SEEN], TWINS).authorities == names_of(RENEWED)
    without = present_live(POD, 9091, NOTHING_STORED, [SEEN], TWINS)
    assert without.authorities is None
    assert "several CAs" in without.evidence


def test_a_chain_with_a_link_certificate_is_kept_in_full() -> None:
    chain = (*linked_chain(NEW, OLD), OLD.certificate)
    stored = Presentation(POD.name, names_of(NEW), (chain,), "stored leaf")
    assert present_live(POD, 9091, stored, [on(9091, presents=chain)], BOTH).chains == (chain,)


# --- what a process trusts


def accepts(*seen: ObservedListener, stored: bool | None = None, ports: tuple[int, ...] = PORTS) -> bool | None:
    found = accepts_live(POD, ports, name_of(OLD), stored, seen)
    assert found.evidence
    return found.trusted


YES, NO = names_of(OLD), names_of(NEW)


@pytest.mark.parametrize("stored", [None, True])
def test_trusted_where_every_listener_accepts(stored: bool | None) -> None:
    assert accepts(on(9090), on(9091), stored=stored) is True


@pytest.mark.parametrize("stored", [None, False])
def test_a_ca_that_every_listener_refuses_is_not_trusted(stored: bool | None) -> None:
    refuses = {"accepts": NO, "refuses": YES}
    assert accepts(on(9090, **refuses), on(9091, **refuses), stored=stored) is False


def test_listeners_that_differ_are_unknown(golden: GoldenFiles) -> None:
    found = accepts_live(POD, PORTS, name_of(OLD), None, [on(9090), on(9091, accepts=NO, refuses=YES)])
    assert found.trusted is None
    golden.compare_said("stops_in_rules", found.evidence)


@pytest.mark.parametrize(
    ("accepting", "stored", "said"),
    [
        (True, False, "does not trust the CA, judged by the time of its start, but on port 9090, 9091 it does"),
        (False, True, "trusts the CA, judged by the time of its start, but on port 9090, 9091 it does not"),
    ],
)
def test_trust_is_unknown_where_stored_evidence_contradicts_the_listeners(
    accepting: bool, stored: bool, said: str
) -> None:
    sets = {} if accepting else {"accepts": NO, "refuses": YES}
    found = accepts_live(POD, PORTS, name_of(OLD), stored, [on(9090, **sets), on(9091, **sets)])
    assert (found.trusted, found.evidence) == (None, f"it {said}")


def test_trust_is_unknown_where_a_pod_has_no_listener() -> None:
    """Everything is true of the members of an empty set."""
    assert accepts(on(9091), ports=()) is None
    assert accepts(ports=(), stored=True) is None


@pytest.mark.parametrize("stored", [None, True, False])
def test_a_silent_listener_makes_the_answer_unknown(stored: bool | None) -> None:
    assert accepts(on(9091), stored=stored) is None
    assert accepts(on(9090), replace(SEEN, uid="successor"), stored=stored) is None


def test_a_doubt_says_why() -> None:
    doubt = "port 9090: no answer"
    doubtful = on(9090, accepts=NO, refuses=frozenset(), doubts={name_of(OLD): doubt})
    found = accepts_live(POD, PORTS, name_of(OLD), None, [doubtful, on(9091)])
    assert (found.trusted, found.evidence) == (None, doubt)
    unasked = accepts_live(POD, PORTS, name_of(THIRD), None, [on(9090), on(9091)])
    assert unasked.trusted is None
    assert "did not ask" in unasked.evidence


def test_trust_is_unknown_where_a_listener_both_accepted_and_refused_the_ca() -> None:
    both, other = on(9091, refuses=YES), on(9091, accepts=NO, refuses=YES)
    for seen in ([on(9091), other], [both], [on(9091), both]):
        found = accepts_live(POD, (9091,), name_of(OLD), None, seen)
        said = "port 9091 was seen to trust the CA and not to trust it"
        assert (found.trusted, found.evidence) == (None, said)


_SETS = st.sampled_from([frozenset(), YES, NO, YES | NO])
_SEEN = st.lists(
    st.builds(
        ObservedListener,
        st.just(POD.name),
        st.sampled_from([POD.uid, "successor"]),
        st.sampled_from([9090, 9091, 9092]),
        st.just(CHAIN),
        _SETS,
        _SETS,
        source=st.just("seen"),
    ),
    max_size=5,
)


@given(_SEEN, st.sampled_from([None, True, False]))
def test_known_trust_was_seen_on_every_listener(seen: list[ObservedListener], stored: bool | None) -> None:
    trusted = accepts(*seen, stored=stored)
    if trusted is None:
        return
    assert stored in (None, trusted)
    own = [one for one in seen if one.uid == POD.uid and one.port in PORTS]
    assert {one.port for one in own} == set(PORTS)
    assert all((name_of(OLD) in one.accepts, name_of(OLD) in one.refuses) == (trusted, not trusted) for one in own)


def test_answers_of_pods_that_were_replaced_meanwhile_do_not_count() -> None:
    """A connection goes to the name of a pod, so the new pod may have answered."""
    replaced = replace(SEEN, uid="gone")
    assert answers_of_running([SEEN, replaced], frozenset({POD.uid, "new"})) == (SEEN,)
