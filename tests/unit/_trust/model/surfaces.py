# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.unit._trust.model.surfaces COMPONENT``: what each place makes of this component of a Deployment with one leaf, as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.shipped_roles import roles_with
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    holders_of_subjects,
    wanted_leaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import every_leaf, subject_for
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import lives_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import verifying_parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.modules.strimzi_ee_cert import STATE
from ansible_collections.trustops.strimzi.plugins.modules.strimzi_roll import ROLL
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.nodes import group_parties
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import party

from ..._issuing.office import office
from ..._strimzi.bench import SCOPE, kafka, pod


def surfaces(component: Component) -> dict[str, Any]:
    (place,) = component.facts.leaves
    bench, name = office(), f"{SCOPE.cluster}-{component.value}-x"
    bench.create("pods", pod(name, component.value))
    bench.change("kafkas", SCOPE.cluster, {"spec": {component.facts.field: {}}})
    seen = bench.observe()
    snapshot, secret = seen.snapshot, f"{SCOPE.cluster}-{place.secret}"
    (read,) = (one for one in snapshot.nodes.pods if one.name == name)
    (leaf,) = (one for one in every_leaf(seen) if one.secret == secret)
    subject, ledger = subject_for(leaf, seen), snapshot.ledger_or_empty
    described = describe_snapshot(snapshot)
    return {
        "leaf is wanted": secret
        in {one.secret for one in wanted_leaves(SCOPE, kafka(**{component.facts.field: {}}), ())},
        "leaf is expected": secret in {one.secret for one in seen.expected_leaves},
        "entry": leaf.entry,
        "holder of its subject": holders_of_subjects(SCOPE.cluster)[leaf.common_name].value,
        "component of its pod": read.component.value,
        "leaves of its pod": list(read.leaves),
        "subject": subject.distinguished_name.text,
        "names": sorted(subject.names),
        "purposes": sorted(purpose.name for purpose in subject.purposes),
        "verifier": [one.verifier.value for one in verifying_parties(snapshot, ledger) if one.pod is read],
        "lives": [life.name for life in lives_of(snapshot, None)],
        "parties of the report": [one["component"] for one in group_parties(described)],
        "title": party(component.value, 1),
        "titles": party(component.value, 2),
        "may be issued": component.value in STATE.options["components"]["choices"],
        "may be restarted": component.value in ROLL.options["components"]["choices"],
        "role that patches its Secret": roles_with(Attempt("patch", SECRETS, SCOPE.namespace, secret)),
    }


if __name__ == "__main__":
    print(json.dumps(surfaces(Component(sys.argv[1]))))
