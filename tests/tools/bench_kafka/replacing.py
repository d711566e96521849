"""Replacing the CA's key of a cluster of real nodes: by a playbook, and by the operator itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import CHANGES

from ...api.running import Finished, Runner
from ...kafka.supplied import supplied_authority
from ...kafka.tier import Tier
from ..bench.pairs import seconds
from ..bench.restarts import watched
from ..cluster.kube import wait_for
from ..traffic.trust import issuing
from .replacement import Replacement
from .variants import OPERATOR, Variant

#: Seconds until a replacement must have ended.
PATIENCE = 1200.0


def by_playbook(tier: Tier, variant: Variant) -> Replacement:
    """The CA that is in use is named, because another replacement has finished a moment ago."""
    replaces = issuing(tier)
    nodes = len(tier.cluster.node_uids(tier.name))
    ended: list[Finished] = []
    with watched(tier.cluster, tier.name) as restarts:
        flow = partial(
            Runner(tier.cluster, variables={"strimzi_evidence": "handshake"}, patience=PATIENCE).flow,
            "replace_key", "-v", strimzi_replaces=replaces, **variant.variables,
            **(supplied_authority() if variant.supplied else {}),
        )  # fmt: skip
        taken = seconds(lambda: ended.append(flow().check()))
    actions = [action for result in ended[0].results() for action in result.get("actions", ())]
    if not any(action["verb"] in CHANGES for action in actions):
        raise RuntimeError(f"{variant.name} has replaced nothing")
    return Replacement(
        variant.name, taken, nodes, tuple(restart.seconds for restart in restarts.done), first_reload(actions)
    )


def first_reload(actions: Iterable[Mapping[str, Any]]) -> float:
    """Seconds of the first node, which is told alone; 0 where none was told anything. actions: of all modules, in their order."""
    return next((float(action["seconds"]) for action in actions if action["verb"] == "reload"), 0.0)


def by_operator(tier: Tier) -> Replacement:
    """Asked for as Strimzi documents it; over when the nodes have been restarted after the old CA has left."""
    before, nodes = issuing(tier), len(tier.cluster.node_uids(tier.name))
    with watched(tier.cluster, tier.name) as restarts:

        def over() -> bool:
            alone = not any(name.startswith("ca-") for name in tier.secret(f"{tier.name}-cluster-ca-cert"))
            return alone and issuing(tier) != before and len(restarts.done) >= OPERATOR.rolls * nodes

        _force_replacement(tier)
        taken = seconds(lambda: wait_for(over, "the operator's own replacement", PATIENCE))
    return Replacement(OPERATOR.name, taken, nodes, tuple(restart.seconds for restart in restarts.done))


def _force_replacement(tier: Tier) -> None:
    path = f"/api/v1/namespaces/{tier.cluster.namespace}/secrets/{tier.name}-cluster-ca"
    wanted = {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}}
    answer = tier.cluster.kube.request("PATCH", path, body=wanted, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise RuntimeError(f"the CA's Secret could not be annotated: {answer.body}")
