# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot knows its pods and listeners by their UID, as it is and after it was changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import UserName
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import PoolNode
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    FailedReconcile,
    InPlaceObstacles,
    LinkCertificates,
)

from ....tools.support.certificates import HOUR, NOW, key, make
from ..authorities import (
    BELOW_ENDED,
    ENDING,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    chain_of,
    link_of,
    name_of,
    names_of,
    stored_chain,
)
from ..builders import changed, cluster, others, prepared, secrets
from ..nodes import a_leaf, a_pod
from ..of_users import presenter, presenting, users

A9090, A9091, B9090 = (
    ObservedListener("a", "1", 9090),
    ObservedListener("a", "1", 9091),
    ObservedListener("b", "2", 9090),
)


@pytest.mark.parametrize(
    ("listeners", "known"),
    [
        (None, {}),
        ((), {}),
        ((A9090, A9091, B9090), {"1": (A9090, A9091), "2": (B9090,)}),
        ((A9091, B9090, A9090), {"1": (A9091, A9090), "2": (B9090,)}),
    ],
    ids=["not asked", "nothing seen", "together", "apart"],
)
def test_listeners_by_uid(
    listeners: tuple[ObservedListener, ...] | None, known: dict[str, tuple[ObservedListener, ...]]
) -> None:
    assert cluster(listeners=listeners).listeners_by_uid == known


def test_the_answers_of_the_nodes_have_all_that_was_asked() -> None:
    obstacles = InPlaceObstacles()
    for asked in ({}, {"listeners": (A9090,)}, {"in_place_obstacles": obstacles}):
        assert cluster(**asked).answers is None
    answers = cluster(listeners=(A9090,), in_place_obstacles=obstacles).answers
    assert answers is not None
    assert (answers.listeners, answers.in_place_obstacles) == ((A9090,), obstacles)


def test_a_changed_snapshot_computes_its_pods_and_listeners_anew() -> None:
    before = cluster(pods=(a_pod("a"),), listeners=(A9090,))
    assert (before.uids, set(before.listeners_by_uid)) == ({a_pod("a").uid}, {"1"})
    after = changed(before, pods=(a_pod("b"),), listeners=(B9090,))
    assert (after.uids, set(after.listeners_by_uid)) == ({a_pod("b").uid}, {"2"})


def test_nodes_can_be_taken_to_answer_what_is_stored() -> None:
    one, other = frozenset({a_pod("a").uid}), frozenset({a_pod("b").uid})
    both, gone = cluster(pods=(a_pod("a"), a_pod("b"))), frozenset({"gone"})
    assert both.assuming(one | gone).assuming(one | other) == changed(both, assumed_up_to_date=one | other)


@pytest.mark.parametrize(
    ("ca", "projected"),
    [
        (secrets(None), frozenset()),
        (secrets(OLD), names_of(OLD)),
        (secrets(OLD, other_entries=others(NEW)), names_of(OLD, NEW)),
        # A certificate that leads to a root is no anchor, unless it has an entry of its own.
        (secrets(chain_of(INTERMEDIATE, ROOT)), names_of(INTERMEDIATE)),
        (secrets(OLD, other_entries={"c.crt": chain_of(INTERMEDIATE, ROOT)}), names_of(OLD, INTERMEDIATE)),
        (secrets(OLD, prepared=(prepared(NEW),)), names_of(OLD)),
    ],
    ids=["nothing", "one", "two", "a chain", "a chain beside it", "one that is only prepared"],
)
def test_the_trust_anchors_in_the_certificate_secret(ca: CaSecrets, projected: frozenset[str]) -> None:
    assert ca.projected == projected
    assert cluster().with_ca(current=ca.current, other_entries=ca.other_entries).ca.projected == projected


#: OLD is in use, and has replaced THIRD.
BEFORE, BACK = link_of(OLD, THIRD), link_of(THIRD, OLD)
BOTH = LinkCertificates(BEFORE, BACK)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("ca", "links"),
    [
        pytest.param(secrets(kept_links={name_of(OLD): BOTH}), (BEFORE, BACK), id="of the CA in use"),
        pytest.param(
            secrets(chain_of(OLD, ROOT), kept_links={name_of(OLD): BOTH}), (BEFORE, BACK), id="of one below a root"
        ),
        pytest.param(
            secrets(RENEWED, kept_links={name_of(OLD): BOTH}), (BEFORE, BACK), id="of what it is a renewal of"
        ),
        pytest.param(secrets(prepared=(prepared(OLD, BEFORE, BACK),)), (BEFORE, BACK), id="just switched to"),
        pytest.param(secrets(kept_links={name_of(OLD): LinkCertificates(BEFORE)}), (), id="one alone"),
        pytest.param(secrets(NEW, kept_links={name_of(OLD): BOTH}), (), id="of another CA"),
        pytest.param(secrets(prepared=(prepared(NEW, link_of(NEW, OLD), link_of(OLD, NEW)),)), (), id="of the next CA"),
        pytest.param(secrets(None, kept_links={name_of(OLD): BOTH}), (), id="no CA is in use"),
    ],
)
def test_nodes_send_link_certificates_before_the_ca_in_use(ca: CaSecrets, links: tuple[object, ...]) -> None:
    assert ca.behind_nodes(ca.current, NOW) == (*links, *ca.current)


def test_behind_leaves_of_another_ca_nodes_send_none_of_the_ca_in_use() -> None:
    ca = secrets(kept_links={name_of(OLD): BOTH})
    assert ca.behind_nodes(chain_of(NEW), NOW) == chain_of(NEW)


def dated(begin: int, end: int) -> Certificate:
    """begin, end: in hours from now."""
    return make("cluster-ca v0", key(0), THIRD, begin=NOW + begin * HOUR, end=NOW + end * HOUR).certificate


@pytest.mark.parametrize(
    "links", [LinkCertificates(dated(-2, 1), dated(-1, 2)), LinkCertificates(dated(-1, 2), dated(-2, 1))]
)
@pytest.mark.parametrize(
    ("now", "sent"),
    [
        (NOW - HOUR - SECOND, False),
        (NOW - HOUR, True),
        (NOW + HOUR - SECOND, True),
        (NOW + HOUR, False),
        (NOW + 3 * HOUR, False),
    ],
    ids=["before", "from then on", "the last second", "ended", "ended long ago"],
)
def test_link_certificates_are_sent_while_both_are_valid(links: LinkCertificates, now: datetime, sent: bool) -> None:
    assert links.sent_at(now) == ((links.new_with_old, links.old_with_new) if sent else ())


def test_a_chain_is_known_before_its_ca_is_in_use() -> None:
    """And is no other behind the link certificate itself, with which it is introduced."""
    forth, back = link_of(NEW, OLD), link_of(OLD, NEW)
    ca = secrets(prepared=(prepared(NEW, forth, back),))
    assert ca.led_to(chain_of(NEW), NOW) == (forth, back, NEW.certificate)
    assert ca.led_to(chain_of(NEW, ROOT), NOW) == (forth, back, *chain_of(NEW, ROOT))
    for other in ((forth, OLD.certificate), chain_of(OLD), chain_of(THIRD)):
        assert ca.led_to(other, NOW) == other
    assert secrets(prepared=(prepared(NEW, forth),)).led_to(chain_of(NEW), NOW) == chain_of(NEW)


INT_KEY, ROOT_KEY, NEW_KEY = (one.certificate.public_key_sha256 for one in (INTERMEDIATE, ROOT, NEW))


@pytest.mark.parametrize(
    ("ca", "elsewhere"),
    [
        (secrets(chain_of(INTERMEDIATE, ROOT), keys_elsewhere=frozenset({INT_KEY})), True),
        (secrets(chain_of(INTERMEDIATE, ROOT), keys_elsewhere=frozenset({ROOT_KEY})), False),
        (secrets(None, keys_elsewhere=frozenset({INT_KEY})), False),
    ],
    ids=["of the CA that issues", "of the root above it", "no CA is in use"],
)
def test_leaves_come_from_elsewhere_where_the_key_of_the_ca_in_use_is(ca: CaSecrets, elsewhere: bool) -> None:
    node = PoolNode("nodes", 3)
    assert ca.in_use_elsewhere is elsewhere
    spare = changed(cluster(ca=ca), spare={"demo-nodes-3": node}).spare_leaf_nodes
    assert spare == ({"demo-nodes-3": node} if elsewhere else {})


@pytest.mark.parametrize(
    ("ca", "there"),
    [
        (secrets(), True),
        (secrets(key=None), False),
        (secrets(key=NEW_KEY), False),
        (secrets(key=NEW_KEY, prepared=(prepared(NEW),)), True),
        (secrets(key=None, prepared=(replace(prepared(NEW), key=None),)), False),
        (secrets(key=NEW_KEY, kept_keys=names_of(OLD)), True),
        (secrets(key=NEW_KEY, kept_keys=names_of(NEW)), False),
    ],
    ids=[
        "its own",
        "none",
        "another",
        "in a switch",
        "none, and none of the next CA",
        "beside it",
        "that of another beside it",
    ],
)
def test_the_key_of_a_ca_is_in_its_place_or_beside_it(ca: CaSecrets, there: bool) -> None:
    assert ca.has_key_of(OLD.certificate) is there


def test_users_are_found_among_parties_in_their_order() -> None:
    names = [UserName("kafka", one) for one in ("a", "b", "c")]
    seen = users(presenters=presenting(*(presenter(one.label, user=one) for one in names), presenter("a program")))
    assert seen.users_among([names[2].label, "a program", "nothing", names[0].label]) == (names[2], names[0])


def test_only_clients_of_nodes_look_at_dates_and_get_chains() -> None:
    assert (cluster().date_checkers, cluster().sends_chains) == ({Verifier.OPENSSL, Verifier.GO}, True)
    assert (users().date_checkers, users().sends_chains) == (frozenset(), False)
    assert cluster().with_users(presenters=()) == cluster()


def test_only_users_are_witnesses_of_the_ca_in_use() -> None:
    witnesses = {"Secret kafka/orders": OLD.certificate}
    assert (users(witnesses=witnesses).witnesses, cluster().witnesses) == (witnesses, {})


def test_leaves_are_those_of_processes_and_of_users() -> None:
    own, of_user = a_leaf(), a_leaf("orders", component=Component.USER)
    seen = users(leaves=(own,), user_leaves={"orders": of_user, "audit": None}, missing={"gone": Component.KAFKA})
    assert seen.every_leaf == (own, of_user)
    assert seen.every_missing_leaf == {"gone": Component.KAFKA, "audit": Component.USER}
    assert seen.window_of(own) == timedelta(days=30)
    assert seen.window_of(replace(own, renewal_window=HOUR)) == HOUR


def test_a_process_is_another_after_a_restart_in_place() -> None:
    seen = cluster(pods=(a_pod("a"), a_pod("b", restarts=2)))
    assert seen.processes == {(a_pod("a").uid, 0), (a_pod("b").uid, 2)}


def test_a_prepared_chain_is_known_by_the_ca_that_issues() -> None:
    assert replace(prepared(INTERMEDIATE), chain=chain_of(INTERMEDIATE, ROOT)).fingerprint == name_of(INTERMEDIATE)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (FailedReconcile("InvalidResource", "No key."), "InvalidResource: No key"),
        (FailedReconcile("", "No key"), "No key"),
        (FailedReconcile("Timeout", ""), "Timeout"),
    ],
)
def test_a_failed_reconcile_in_the_words_of_the_operator(said: FailedReconcile, text: str) -> None:
    assert str(said) == text


@pytest.mark.parametrize(
    ("listener", "silent"),
    [
        (A9090, True),
        (replace(A9090, failure="timed out."), True),
        (replace(A9090, presents=chain_of(OLD)), False),
        (replace(A9090, accepts=names_of(OLD)), False),
        (replace(A9090, refuses=names_of(OLD)), False),
        (replace(A9090, presents=()), False),
        (replace(A9090, accepts=names_of(OLD), refuses=names_of(NEW)), False),
    ],
)
def test_a_listener_that_has_shown_anything_is_not_silent(listener: ObservedListener, silent: bool) -> None:
    assert listener.is_silent is silent


LEAF = stored_chain(OLD)


@pytest.mark.parametrize(
    ("presented", "shows"),
    [
        (None, False), ((), False), ((None,), False), (((),), False), ((LEAF,), False), ((ENDING,), True),
        ((LEAF, None, ENDING), True), ((BELOW_ENDED,), False),
    ],
)  # fmt: skip
def test_a_listener_shows_an_ended_certificate_of_its_own(presented: Any, shows: bool) -> None:
    """A listener may present a CA behind its leaf."""
    listeners = None if presented is None else tuple(replace(A9090, presents=chain) for chain in presented)
    assert cluster(listeners=listeners).shows_ended is shows


def test_the_certificates_of_all_leaves_that_can_be_read() -> None:
    stored = (a_leaf("a"), a_leaf("b", chain=LEAF[:1]), a_leaf("c", chain=None), a_leaf("d", chain=()))
    assert cluster(leaves=stored).every_certificate == {"a": LEAF[0], "b": LEAF[0]}


@pytest.mark.parametrize(
    ("before", "more", "after"), [("", "1", "1"), ("1", "2", "12"), ("1", "12", "12"), ("1", "", "1"), ("1", "9", "1")]
)
def test_pods_that_are_assumed_as_started_stay_so(before: str, more: str, after: str) -> None:
    """Pods that are gone are left out."""
    seen = cluster(pods=(a_pod("a", uid="1"), a_pod("b", uid="2")), assumed_as_started=frozenset(before))
    assert seen.assuming_as_started(frozenset(more)).nodes.assumed_as_started == frozenset(after)
