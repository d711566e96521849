# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the User Operator makes PKCS#12 files, as its pods say; doubt counts as "it does not"."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import why_users_are_paused

from .bench import Object

SETTING = "STRIMZI_PKCS12_KEYSTORE_GENERATION"


def pod(*env: Object, container: str = "user-operator") -> Object:
    others = {"name": "topic-operator", "env": [{"name": SETTING, "value": "false"}]}
    return {"spec": {"containers": [others, {"name": container, "env": list(env)}]}}


@pytest.mark.parametrize("env", [(), ({"name": SETTING, "value": "true"},), ({"name": "OTHER", "value": "false"},)])
def test_it_makes_them_unless_told_otherwise(env: tuple[Object, ...]) -> None:
    assert why_users_are_paused([pod(*env)]) == ""


@pytest.mark.parametrize("said", ["false", "FALSE"])
def test_one_of_two_that_makes_none_is_enough(said: str) -> None:
    """While it restarts there may be an old and a new one."""
    why = why_users_are_paused([pod(), pod({"name": SETTING, "value": said})])
    assert why.startswith("The User Operator makes no PKCS#12 files, and would store an empty certificate")


@pytest.mark.parametrize("pods", [[], [pod(container="tls-sidecar")]])
def test_where_nobody_runs_it_cannot_be_told(pods: list[Object]) -> None:
    assert why_users_are_paused(pods).startswith("No User Operator runs that shows whether it makes PKCS#12 files")


def test_those_of_other_namespaces_are_not_seen() -> None:
    why = why_users_are_paused([pod()], ("team-a", "team-b"))
    assert why.startswith(
        "The collection cannot see whether the User Operator of team-a, team-b makes PKCS#12 files; one that does not would store"
    )
