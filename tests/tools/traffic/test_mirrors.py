# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of two clusters that mirror each other, from what is seen of them."""

from __future__ import annotations

import pytest

from .mirrors import Order

#: A look at a cluster: its published CAs, and the CA that has signed the certificate which it presents.
Seen = tuple[set[str], str]
BEGUN, TRUSTED, USED = ({"old"}, "old"), ({"old", "next"}, "old"), ({"old", "next"}, "next")
ALONE = ({"next"}, "next")
GOOD = [
    ("east", BEGUN),
    ("west", TRUSTED),
    ("east", TRUSTED),
    ("west", USED),
    ("east", USED),
    ("east", ALONE),
    ("west", ALONE),
]


def ordered(looks: list[tuple[str, Seen]]) -> list[str]:
    order = Order({"east": "old", "west": "old"})
    for at, (cluster, (published, signer)) in enumerate(looks):
        order.record(float(at), cluster, frozenset(published), signer)
    return order.broken()


def test_clusters_that_go_from_phase_to_phase_together_break_nothing() -> None:
    assert ordered(GOOD) == []


@pytest.mark.parametrize(("place", "early"), [(2, ("west", USED)), (4, ("west", ALONE))])
def test_a_cluster_that_goes_ahead_of_the_other_is_found(place: int, early: tuple[str, Seen]) -> None:
    assert len(ordered([*GOOD[:place], early, *GOOD[place:]])) == 1


def test_a_cluster_that_never_arrives_is_found() -> None:
    assert len(ordered(GOOD[:-1])) == 1
