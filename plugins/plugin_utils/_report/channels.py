# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The channels, each a party of its own, with the CAs that they present and trust. Only a handshake shows that a CA is
refused.

Stored evidence shows the certificates that a party was given; it does not show what the party refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.parties import (
    operator_party,
    order_of,
    short_names,
)
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import KAFKA, OPERATOR, Run

Channel = dict[str, Any]
#: The source of what is known of a channel.
HANDSHAKE, STORED = "handshake", "stored"


def describe_channels(run: Run) -> dict[str, Any]:
    """``look``: when the listeners were asked, or why not. CAs are named by the first 12 digits of their SHA-256."""
    evidence = run.look["evidence"]
    channels = [*_nodes(run), *_rafts(run), *_components(run), *_operator(run), *map(_client, run.last["outside"])]
    return {
        "look": {"seen_at": evidence.get("seen_at"), "why": str(evidence.get("why") or "")},
        "channels": channels,
    }


def describe_proof(channels: Iterable[Mapping[str, Any]], removed: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many of the listeners that verify clients by these CAs were seen to refuse the removed ones."""
    everything, gone = list(channels), {ca["sha256"][:12] for ca in removed}
    asked = [one for one in everything if one["evidence"] == HANDSHAKE and one["verifies"]]
    return {
        "listeners_asked": len(asked),
        "listeners_refusing": sum(gone <= set(one["refuses"]) for one in asked) if gone else 0,
        "listeners_trusting": sum(bool(gone & set(one["trusts"])) for one in asked),
        "nodes_not_asked": sum(one["kind"] == "node" for one in everything),
    }


def _channel(kind: str, party: str, evidence: str, **known: Any) -> Channel:
    """A channel. kind: listener, node, raft, a component or client. party: the pod or client; port: of a listener, else
    0.
    """
    nothing: Channel = {"port": 0, "verifies": True, "presents": [], "trusts": [], "refuses": [], "why": []}
    return {"kind": kind, "party": party, "evidence": evidence, **nothing, **known}


def _nodes(run: Run) -> Iterable[Channel]:
    """The listeners of each node that still runs as it was asked; else the node as a whole, from what is stored."""
    answers: dict[str, list[Mapping[str, Any]]] = {}
    for one in run.look["listeners"]:
        answers.setdefault(one["uid"], []).append(one)
    asked = {one["pod"] for one in run.look["listeners"]}
    for pod in _sorted(pod for pod in run.last["pods"] if pod["component"] == KAFKA):
        known = answers.get(pod["uid"], [])
        for one in sorted(known, key=lambda listener: int(listener["port"])):
            yield _listener(one)
        if not known:
            again = "replaced after it was asked" if pod["name"] in asked else "no listener of it was asked"
            yield _stored("node", pod, again)


def _listener(one: Mapping[str, Any]) -> Channel:
    return _channel(
        "listener",
        one["pod"],
        HANDSHAKE,
        port=one["port"],
        verifies=one["verifies"],
        presents=short_names(one["issuers"]),
        trusts=short_names(one["trusts"]),
        refuses=short_names(one["refuses"]),
        why=list(one["why"]),
    )


def _stored(kind: str, pod: Mapping[str, Any], *why: str) -> Channel:
    presents, trusts = short_names(pod["presents"]), short_names(pod["trusts"])
    reasons = [*why, *([pod["evidence"]] if pod.get("evidence") else [])]
    return _channel(kind, pod["name"], STORED, presents=presents, trusts=trusts, why=reasons)


def _rafts(run: Run) -> Iterable[Channel]:
    """The Raft clients and agents of nodes whose listeners have read again: they know the CAs and present the leaves
    that the listeners have given up, beside those that the process was started with.
    """
    started = {pod["name"]: pod for pod in run.last["pods"]}
    known: dict[str, list[str]] = {}
    presented: dict[str, list[str]] = {}
    for leaf in run.last["held_leaves"]:
        for name in (*leaf["pods"], *leaf["lingering"]):
            presented.setdefault(name, []).append(f"presents the certificate that ends on {leaf['not_after']}")
    for ca in run.last["removed"]:
        for name in ca.get("lingering") or []:
            known.setdefault(name, []).append(ca["sha256"][:12])
    for name in sorted({*known, *presented}, key=lambda one: order_of(KAFKA, one)):
        reasons = [*presented.get(name, ()), "until the next restart of the node"]
        pod = started.get(name, {"presents": [], "trusts": []})
        presents = [] if name in presented else short_names(pod["presents"])
        trusts = [*sorted(known.get(name, ())), *short_names(pod["trusts"])]
        yield _channel("raft", name, STORED, presents=presents, trusts=trusts, why=reasons)


def _components(run: Run) -> Iterable[Channel]:
    for pod in _sorted(pod for pod in run.last["pods"] if pod["component"] != KAFKA):
        yield _stored(pod["component"], pod)


def _operator(run: Run) -> Iterable[Channel]:
    for _component, name, presents, trusts in operator_party(run.last):
        yield _channel(OPERATOR, name, STORED, presents=presents, trusts=trusts, why=["its Secrets"])


def _client(client: Mapping[str, Any]) -> Channel:
    waiver = client.get("waiver")
    waived = [f"waived until {waiver['until']}"] if waiver else []
    reasons = [client["doubt"] or "its copy of the CAs", *waived]
    return _channel("client", client["client"], STORED, trusts=short_names(client["trusts"]), why=reasons)


def _sorted(pods: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(pods, key=lambda pod: order_of(pod["component"], pod["name"]))
