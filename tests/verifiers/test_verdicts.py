# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random hierarchies, and what Go and a JVM really make of them: what the gates let pass, both accept."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..unit._pki.test_path_properties import Hierarchy, hierarchies, valid
from .conftest import Asked

#: More hierarchies than this have to get either verdict: with fewer, agreement would mean little.
ENOUGH = 100
SETTINGS = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))


def in_order(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy sends one ordered chain, as every entry with a CA has to be before any gate is asked. A JVM follows the
    order of the sent certificates where the names fit, and does not look further when a signature does not."""
    path = [hierarchy.leaf]
    for one in hierarchy.sent:
        if path[-1].signed_by(one):
            path.append(one)
    return replace(hierarchy, sent=tuple(path[1:]))


def test_go(go: Asked) -> None:
    said: Counter[bool] = Counter()

    @SETTINGS
    @given(hierarchies())
    def agrees(hierarchy: Hierarchy) -> None:
        found = go.accepts(hierarchy)
        said[found] += 1
        assert valid(hierarchy, Verifier.GO) == found

    agrees()
    assert min(said[True], said[False]) > ENOUGH, said


def test_a_jvm(jvm: Asked) -> None:
    said: Counter[bool] = Counter()

    @SETTINGS
    @given(hierarchies().map(in_order))
    def agrees(hierarchy: Hierarchy) -> None:
        found, foreseen = jvm.accepts(hierarchy), valid(hierarchy, Verifier.JVM)
        said[found] += 1
        assert foreseen == found

    agrees()
    assert min(said[True], said[False]) > ENOUGH, said
