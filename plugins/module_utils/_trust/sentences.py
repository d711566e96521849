# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps in words, for plans and for what is left to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Snapshot

_EFFECTS = {
    steps.RollReason.TRUST: "so that they trust",
    steps.RollReason.USE: "so that everybody presents certificates of",
    steps.RollReason.RETIRE: "so that nobody trusts any more",
    steps.RollReason.LEAF: "that hold certificates which are stored no more, of",
    steps.RollReason.HAND_OVER: "after the change of the key generation",
}


def sentence(step: steps.Step, snapshot: Snapshot) -> str:
    """What a step does to this cluster, as people say it; CAs by subject and the start of their SHA-256."""
    return _SENTENCES[type(step)](step, snapshot)


def _name(chain: Chain) -> str:
    return f"{chain[0].subject} ({chain[0].sha256[:12]})"


def name_of(fingerprint: str | None, snapshot: Snapshot) -> str:
    """The name of a CA that the snapshot knows from anywhere."""
    ledger = snapshot.ledger or Ledger()
    chains = [
        *(entry.chain for entry in ledger.entries),
        *((entry.certificate,) for entry in ledger.removed),
        *(authority.chain for authority in snapshot.ca.prepared),
    ]
    return next((_name(chain) for chain in chains if chain[0].fingerprint == fingerprint), f"the CA {fingerprint}")


def _write_ledger(step: steps.WriteLedger, snapshot: Snapshot) -> str:
    before = {entry.fingerprint: entry.state for entry in (snapshot.ledger or Ledger()).entries}
    after = {entry.fingerprint: entry for entry in step.ledger.entries}
    changes = [
        f"{_name(entry.chain)} {before[fp].value + ' → ' if fp in before else 'enters as '}{entry.state.value}"
        for fp, entry in after.items()
        if before.get(fp) is not entry.state
    ]
    changes += [f"{name_of(fp, snapshot)} leaves the ledger" for fp in before if fp not in after]
    noted = set(step.ledger.held) - set((snapshot.ledger or Ledger()).held)
    changes += [f"what {len(noted)} processes go on presenting until they restart"] if noted and not changes else []
    return f"record {', '.join(changes) or 'what was observed'}"


def _prepare(step: steps.PrepareAuthority, snapshot: Snapshot) -> str:
    if step.goal is Goal.RENEW:
        return f"prepare a renewed certificate of {_name(step.replaces)}"
    replaced = f" to replace {_name(step.replaces)}" if step.replaces else ""
    bridged = ", and a certificate of its key by that one" if step.bridged else ""
    return f"prepare a CA with a new key{replaced}{bridged}"


def _project(step: steps.Project, snapshot: Snapshot) -> str:
    return f"put {', '.join(map(_name, step.chains))} among the trusted CAs"


def _await_bundle(step: steps.AwaitBundle, snapshot: Snapshot) -> str:
    gone = [name_of(fingerprint, snapshot) for fingerprint in sorted(step.absent)]
    without = f" and no longer {', '.join(gone)}" if gone else ""
    return f"wait until the operator's trust bundle holds {len(step.present)} CAs{without}"


def _promote(step: steps.Promote, snapshot: Snapshot) -> str:
    bridged = ", certified by its predecessor" if step.bridged else ""
    return f"make {name_of(step.fingerprint, snapshot)} the issuing CA{bridged}, generation {step.generation}"


def _issue(step: steps.IssueLeaves, snapshot: Snapshot) -> str:
    return f"issue {len(step.secrets)} certificates of generation {step.generation}"


def _roll(step: steps.Roll, snapshot: Snapshot) -> str:
    about = f" {name_of(step.authority, snapshot)}" if step.authority else ""
    return f"restart {len(step.uids)} pods {_EFFECTS[step.reason]}{about}"


def _reload(step: steps.Reload, snapshot: Snapshot) -> str:
    what = f"forget {name_of(step.authority, snapshot)}" if step.authority else "read their certificates again"
    return f"have the listeners of {len(step.uids)} nodes {what}, without a restart"


def _set_generated(step: steps.SetGenerated, snapshot: Snapshot) -> str:
    return f"{'give the cluster CA to' if step.generated else 'take the cluster CA from'} the operator"


_SENTENCES: dict[type, Callable[[Any, Snapshot], str]] = {
    steps.WriteLedger: _write_ledger,
    steps.DeleteLedger: lambda step, snapshot: "delete the ledger",
    steps.Project: _project,
    steps.Withdraw: lambda step, snapshot: f"take {name_of(step.fingerprint, snapshot)} out of the trusted CAs",
    steps.AwaitBundle: _await_bundle,
    steps.AwaitOutside: lambda step, snapshot: (
        f"wait until {', '.join(step.clients)} trusts what the operator copies from the cluster's CAs"
    ),
    steps.Publish: lambda step, snapshot: f"publish {', '.join(map(_name, step.chains))} to clients",
    steps.PrepareAuthority: _prepare,
    steps.Promote: _promote,
    steps.RestoreKey: lambda step, snapshot: f"put the key of {name_of(step.fingerprint, snapshot)} back",
    steps.TidyKeys: lambda step, snapshot: "remove keys that are no longer needed",
    steps.SetGenerated: _set_generated,
    steps.TrueKeyGeneration: lambda step, snapshot: f"raise the key generation to {step.generation} everywhere",
    steps.IssueLeaves: _issue,
    steps.KeepLeaves: lambda step, snapshot: f"keep {', '.join(step.secrets)} for generation {step.generation}",
    steps.RechainLeaves: lambda step, snapshot: (
        f"put the chain of the issuing CA behind {len(step.secrets)} certificates, generation {step.generation}"
    ),
    steps.StampPods: lambda step, snapshot: f"tell the operator that the nodes have generation {step.generation}",
    steps.Reload: _reload,
    steps.Pause: lambda step, snapshot: "pause the Kafka resource",
    steps.Resume: lambda step, snapshot: "resume the Kafka resource",
    steps.Roll: _roll,
}
