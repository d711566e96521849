# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of listeners, as results of modules."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_listeners

from .._trust.builders import NEW, OLD, PODS, answering, cluster, name_of
from .._trust.of_users import STAGES


def test_nobody_was_asked() -> None:
    assert describe_listeners(None) == []


def test_of_the_cluster_ca() -> None:
    found = describe_listeners(answering(cluster(), accepting=[name_of(OLD)]))
    assert [(one["pod"], one["issuers"], one["trusts"], one["why"]) for one in found] == [
        (name, [label_of_old()], [label_of_old()], []) for name in PODS
    ]


def test_of_the_clients_ca_nobody_presents_anything() -> None:
    """Brokers present certificates of another CA there."""
    found = describe_listeners(answering(STAGES["trusted"], accepting=[name_of(OLD)], refusing=[name_of(NEW)]))
    assert [(one["issuers"], one["trusts"], len(one["refuses"]), one["why"]) for one in found] == [
        ([], [label_of_old()], 1, []) for _name in PODS
    ]


def label_of_old() -> str:
    return f"cluster-ca v0 ({OLD.certificate.sha256[:12]})"
