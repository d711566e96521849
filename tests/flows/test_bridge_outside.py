# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bridge beside clients of OpenSSL that read the CA from a Secret: the path length of the old CA decides about it."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import look
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.inspection import plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_clients import NamedSecret, Outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from ..fakes.flows import SETTINGS, work_on
from .scene import Scene
from .test_bridge import with_path_length, without_exporter
from .test_outside_clients import bundle_of, held, put, run, stored

NAMED = Outside((NamedSecret("kafka", "app"),))
REPLACE = Intent(Goal.REPLACE_KEY)
REFUSED = "is trusted everywhere before it is used: Secret kafka/app would refuse its bridge."


def begin(scene: Scene, path_length: int) -> None:
    """All nodes are JVMs; the Secret holds the CA in use."""
    scene.create(with_path_length(path_length), manifests=without_exporter())
    put(scene.world, "POST", "secrets", {"ca.crt": stored(scene.world, "demo-cluster-ca-cert")["ca.crt"]})


def says_that_it_is_refused(scene: Scene) -> bool:
    work = work_on(scene.world, settings=replace(SETTINGS, outside=NAMED))
    return any(one.endswith(REFUSED) for one in plan(work, look(work, REPLACE), REPLACE).choices)


def test_where_they_accept_it_they_are_asked_for_nothing_until_the_old_ca_leaves(scene: Scene) -> None:
    begin(scene, 1)
    assert not says_that_it_is_refused(scene)
    # It neither does without the old CA, nor would it accept what nodes present afterwards.
    gates = {("removal", "Secret kafka/app"), ("trust", "Secret kafka/app")}
    assert held(run(scene.world, REPLACE, outside=NAMED)) == gates
    assert scene.rolls == {1}
    put(scene.world, "PATCH", "secrets/app", {"ca.crt": bundle_of(scene.world)})
    assert run(scene.world, REPLACE, outside=NAMED).outcome.decision.done
    assert scene.rolls == {2}


def test_where_they_would_refuse_it_the_plan_says_so_and_everybody_trusts_the_new_ca_first(scene: Scene) -> None:
    begin(scene, 0)
    assert says_that_it_is_refused(scene)
    assert held(run(scene.world, REPLACE, outside=NAMED)) == {("trust", "Secret kafka/app")}
    assert scene.rolls == {1}
    put(scene.world, "PATCH", "secrets/app", {"ca.crt": bundle_of(scene.world)})
    assert run(scene.world, REPLACE, outside=NAMED).outcome.decision.done
    assert scene.rolls == {3}


def test_where_nobody_names_them_nothing_is_known_of_them(scene: Scene) -> None:
    """The negative control: it is the Secret that keeps the bridge from being used."""
    begin(scene, 0)
    assert run(scene.world, REPLACE).outcome.decision.done
    assert scene.rolls == {2}
