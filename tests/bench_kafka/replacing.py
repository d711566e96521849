"""Replacing the CA's key of a cluster of real nodes: by a playbook, and by the operator itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..api.running import Runner
from ..bench.pairs import seconds
from ..bench.restarts import watched
from ..cluster.kube import wait_for
from ..kafka.supplied import supplied_authority
from ..kafka.tier import Tier
from ..traffic.trust import issuing
from .replacement import Replacement
from .variants import OPERATOR, Variant

#: Seconds until a replacement must have ended.
PATIENCE = 1200.0


def by_playbook(tier: Tier, variant: Variant) -> Replacement:
    """The CA that is in use is named, because another replacement has finished a moment ago."""
    replaces = issuing(tier)
    nodes = len(tier.cluster.node_uids(tier.name))
    outputs: list[str] = []
    with watched(tier.cluster, tier.name) as restarts:
        flow = partial(
            Runner(tier.cluster, variables={"strimzi_evidence": "handshake"}, patience=PATIENCE).flow,
            "replace_key", "-v", strimzi_replaces=replaces, **variant.variables,
            **(supplied_authority() if variant.supplied else {}),
        )  # fmt: skip
        taken = seconds(lambda: outputs.append(flow().check().output))
    if not any(action["verb"] != "restart" for action in actions(outputs[0])):
        raise RuntimeError(f"{variant.name} has replaced nothing")
    return Replacement(
        variant.name, taken, nodes, tuple(one.seconds for one in restarts.done), first_reload(outputs[0])
    )


def actions(output: str) -> Iterator[dict[str, Any]]:
    """The actions of the modules of a playbook, in their order. output: of ``ansible-playbook -v``, which shows results as JSON."""
    for result in re.findall(r"^changed: \[localhost\] => (\{.*\})$", output, re.MULTILINE):
        yield from json.loads(result).get("actions", ())


def first_reload(output: str) -> float:
    """Seconds of the first node, which is told alone; 0 where none was told anything."""
    return next((float(action["seconds"]) for action in actions(output) if action["verb"] == "reload"), 0.0)


def by_operator(tier: Tier) -> Replacement:
    """Asked for as Strimzi documents it; over when the nodes have been restarted after the old CA has left."""
    before, nodes = issuing(tier), len(tier.cluster.node_uids(tier.name))
    with watched(tier.cluster, tier.name) as restarts:

        def over() -> bool:
            alone = not any(name.startswith("ca-") for name in tier.secret(f"{tier.name}-cluster-ca-cert"))
            return alone and issuing(tier) != before and len(restarts.done) >= OPERATOR.rolls * nodes

        _force_replacement(tier)
        taken = seconds(lambda: wait_for(over, "the operator's own replacement", PATIENCE))
    return Replacement(OPERATOR.name, taken, nodes, tuple(one.seconds for one in restarts.done))


def _force_replacement(tier: Tier) -> None:
    path = f"/api/v1/namespaces/{tier.cluster.namespace}/secrets/{tier.name}-cluster-ca"
    wanted = {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}}
    answer = tier.cluster.kube.request("PATCH", path, body=wanted, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise RuntimeError(f"the CA's Secret could not be annotated: {answer.body}")
