# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot knows its pods and listeners by their UID, as it is and after it was changed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets, LinkCertificates

from ....tools.support.certificates import HOUR, NOW, key, make
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, link_of, name_of, names_of
from ..builders import changed, cluster, others, prepared, secrets
from ..nodes import a_pod

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


def test_a_changed_snapshot_computes_its_pods_and_listeners_anew() -> None:
    before = cluster(pods=(a_pod("a"),), listeners=(A9090,))
    assert (before.uids, set(before.listeners_by_uid)) == ({a_pod("a").uid}, {"1"})
    after = changed(before, pods=(a_pod("b"),), listeners=(B9090,))
    assert (after.uids, set(after.listeners_by_uid)) == ({a_pod("b").uid}, {"2"})


def test_nodes_can_be_taken_to_answer_what_is_stored() -> None:
    one, other = frozenset({a_pod("a").uid}), frozenset({a_pod("b").uid})
    both, gone = cluster(pods=(a_pod("a"), a_pod("b"))), frozenset({"gone"})
    assert both.assuming(one | gone).assuming(other) == changed(both, assumed_up_to_date=one | other)


@pytest.mark.parametrize(
    ("ca", "projected"),
    [
        (secrets(None), frozenset()),
        (secrets(OLD), names_of(OLD)),
        (secrets(OLD, other_entries=others(NEW)), names_of(OLD, NEW)),
        # A certificate that leads to a root is no anchor, unless it has an entry of its own.
        (secrets(chain_of(INTERMEDIATE, ROOT)), names_of(INTERMEDIATE)),
        (secrets(OLD, prepared=(prepared(NEW),)), names_of(OLD)),
    ],
    ids=["nothing", "one", "two", "a chain", "one that is only prepared"],
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
    [(NOW - HOUR - SECOND, False), (NOW - HOUR, True), (NOW + HOUR - SECOND, True), (NOW + HOUR, False)],
    ids=["before", "from then on", "the last second", "ended"],
)
def test_link_certificates_are_sent_while_both_are_valid(links: LinkCertificates, now: datetime, sent: bool) -> None:
    assert links.sent_at(now) == ((links.new_with_old, links.old_with_new) if sent else ())


def test_a_chain_is_known_before_its_ca_is_in_use() -> None:
    """And is no other behind the link certificate itself, with which it is introduced."""
    forth, back = link_of(NEW, OLD), link_of(OLD, NEW)
    ca = secrets(prepared=(prepared(NEW, forth, back),))
    assert ca.led_to(chain_of(NEW), NOW) == (forth, back, NEW.certificate)
    for other in ((forth, OLD.certificate), chain_of(OLD), chain_of(THIRD)):
        assert ca.led_to(other, NOW) == other
    assert secrets(prepared=(prepared(NEW, forth),)).led_to(chain_of(NEW), NOW) == chain_of(NEW)
