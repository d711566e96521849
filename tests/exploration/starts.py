"""Where the flows start."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority

from ..tools.support.intents import an_intent, changed_intent
from .authorities import BELOW, DEADLINE, OLD, SUPPLIED, certificate, chain
from .state import Authorities, Books, Entry, Follows, Leaf, ModelCluster, Pause, Run, Slot

_NOTHING = Authorities(None, frozenset(), 0, None, frozenset(), frozenset())


def start(
    intent: Intent, nodes: int, runs: int, components: tuple[Component, ...] = (), follows: Sequence[Follows] = ()
) -> ModelCluster:
    """A cluster whose CA is in use by all; before that where it is created or adopted.

    components: what there is besides nodes; with any, the operator's own leaf is looked at as well. follows: of each
    node; by default no channel does.
    """
    idle = (Run(),) * runs
    if intent.goal is Goal.CREATE:
        return ModelCluster((), _NOTHING, None, None, Pause(False, False), False, None, idle)
    ca = Authorities(OLD, frozenset(), 0, OLD, frozenset(), frozenset())
    adopting = intent.goal is Goal.UPGRADE
    in_use = Entry(OLD, "TRUSTED_IN_USE_ALL", frozenset({0}), frozenset())
    books = None if adopting else Books((in_use,), (), None)
    leaf, trusted = Leaf(OLD, 0), frozenset({OLD})
    node = Slot(leaf, leaf, leaf, leaf, trusted)
    others = (node._replace(component=one) for one in components if one is not Component.CLUSTER_OPERATOR)
    of_nodes = (node._replace(follows=one) for one in follows or (Follows.NONE,) * nodes)
    slots = (*of_nodes, *others)
    own = leaf if components else None
    return ModelCluster(slots, ca, trusted, books, Pause(False, False), adopting, None, idle, own)


#: Time does not pass here: clients need none.
NO_GRACE = timedelta()
LINKED = an_intent(Goal.REPLACE_KEY, client_grace=NO_GRACE)
#: A CA that the CA in use cannot certify: every process has to trust it before it is used.
UNLINKED = changed_intent(LINKED, supplied=PreparedAuthority(chain(SUPPLIED), certificate(SUPPLIED).public_key_sha256))
#: As little linked to the one in use as need be: it has certified it as an intermediate CA.
BELOW_IT = changed_intent(LINKED, supplied=PreparedAuthority(chain(BELOW), certificate(BELOW).public_key_sha256))
NOW = changed_intent(LINKED, retire=Retire.NOW)
PATIENT = changed_intent(LINKED, retire=DEADLINE)
NEEDED = changed_intent(LINKED, retire=Retire.WHEN_NEEDED)

CREATE, RENEW, UPGRADE, RECONCILE = (
    an_intent(goal, client_grace=NO_GRACE, before_kafka=goal is Goal.CREATE)
    for goal in (Goal.CREATE, Goal.RENEW, Goal.UPGRADE, Goal.RECONCILE)
)
#: Clients get time: the CA in use allows none below it, and is renewed first.
RENEWED_FIRST = Intent(Goal.REPLACE_KEY)
INTENTS = (CREATE, RENEW, UPGRADE, RECONCILE, LINKED, UNLINKED)
