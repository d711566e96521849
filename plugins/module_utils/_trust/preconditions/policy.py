# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions of the key policy of a caller: the CA that a flow would make or take, and the leaves that it would issue. The answers of an issuer are judged
where they come in (``_issuing/acceptance``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._pki.keys import KeyType
from ..._pki.policy import KeyPolicy
from ..ledger.target import resolve, rotation_of, supplied_for
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Snapshot
from .authority import SUPPLIED
from .cluster import is_starting, starts_something


def authority_meets_policy(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Once a CA is published, every process and every client trusts it."""
    condition, policy, ledger = Condition.AUTHORITY_MEETS_POLICY, intent.new_ca.policy, snapshot.ledger or Ledger()
    is_first = intent.goal is Goal.CREATE and not snapshot.ca.current
    if policy is None or not is_starting(snapshot) or not (is_first or resolve(snapshot, intent, ledger).wanted):
        return
    supplied = supplied_for(snapshot, intent, ledger)
    life = intent.new_ca.validity or snapshot.leaves.validity
    if supplied is not None:
        for certificate in supplied.chain:
            yield from _violations(
                condition,
                policy,
                f"{SUPPLIED} {named(certificate)}",
                policy.breaches(certificate),
                "Supply a CA that meets them.",
            )
    elif snapshot.ca.current and rotation_of(snapshot, intent, ledger) is Goal.RENEW:
        current, remedy = snapshot.ca.current[0], "A renewal keeps the key: replace it, with the replace_key playbook."
        yield from _violations(condition, policy, f"the CA {named(current)}", policy.breaches_of_key(current), remedy)
        yield from _violations(condition, policy, "the renewed CA", policy.breaches_of_life(life), _LIFE)
    else:
        spec = (intent.new_ca.key_type or KeyType.RSA_4096).spec
        yield from _violations(
            condition,
            policy,
            "the CA that would be made",
            policy.breaches_of_authority(spec, life),
            f"Give another key_type. {_LIFE}",
        )


_LIFE = "Give a life with validity_days (strimzi_validity_days) that meets them."


def leaves_meet_policy(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Of leaves that this collection makes keys for. The operators choose the keys of leaves that they issue by themselves."""
    condition, policy = Condition.LEAVES_MEET_POLICY, intent.new_ca.policy
    if policy is None or not is_starting(snapshot) or not starts_something(snapshot, intent):
        return
    life = intent.issuing.asked_validity or intent.new_ca.validity or snapshot.leaves.validity
    found = policy.breaches_of_leaves(intent.issuing.leaf_key_size, life)
    yield from _violations(
        condition,
        policy,
        "the certificates that would be issued",
        found,
        f"Give another leaf_key_size (strimzi_leaf_key_size). {_LIFE}",
    )


def _violations(
    condition: Condition, policy: KeyPolicy, subject: str, breaches: Iterable[str], remedy: str
) -> Iterator[Violation]:
    for breach in breaches:
        yield Violation(condition, subject, f"has {breach}, by the rules of {policy.name}.", remedy)
