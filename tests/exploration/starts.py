"""Where the flows start."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component

from .authorities import OLD
from .state import Authorities, Books, Entry, Leaf, Pause, Run, Slot, World

_NOTHING = Authorities(None, frozenset(), 0, None, frozenset(), frozenset())


def start(intent: Intent, nodes: int, runs: int, components: tuple[Component, ...] = ()) -> World:
    """A cluster whose CA is in use by all; before that where it is created or adopted.

    components: with any, the operator's leaf is looked at as well.
    """
    idle = (Run(),) * runs
    if intent.goal is Goal.CREATE:
        return World((), _NOTHING, None, None, Pause(False, False), False, None, idle)
    ca = Authorities(OLD, frozenset(), 0, OLD, frozenset(), frozenset())
    adopting = intent.goal is Goal.UPGRADE
    in_use = Entry(OLD, "TRUSTED_IN_USE_ALL", frozenset({0}), frozenset())
    books = None if adopting else Books((in_use,), (), None)
    leaf, trusted = Leaf(OLD, 0), frozenset({OLD})
    node = Slot(leaf, leaf, leaf, leaf, trusted)
    slots = (*(node,) * nodes, *(node._replace(component=one) for one in components))
    own = leaf if components else None
    return World(slots, ca, trusted, books, Pause(False, False), adopting, None, idle, own)


#: Without a bridge; those with one start with other clusters.
INTENTS = tuple(
    Intent(goal, way, bridge=Bridge.NEVER)
    for goal in (Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY, Goal.UPGRADE, Goal.RECONCILE)
    for way in (Way.COOPERATE, Way.TAKEOVER)
)
