"""The flows that are measured, in an order in which one cluster can go through all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...kafka.aged_leaves import LEFT
from ..cluster.tls import Rules
from ..support.restarts import cost_of
from .clients import LIBRARIES
from .scenario import Scenario, Variant
from .targets import CA_CRT_READERS
from .trust import Reading

#: The CAs that flows are about.
CLUSTER, CLIENTS = "cluster", "clients"


@dataclass(frozen=True)
class Flow:
    #: The name of the flow, and of its playbook where that is not given.
    name: str
    plays: str = ""
    #: The CA of the flow, cluster or clients.
    ca: str = CLUSTER
    #: Whether it names the CA that it replaces, because a flow like it may just have finished.
    aimed: bool = False
    #: Brings a new key, which some clients learn of only when the old CA is about to leave.
    rekeys: bool = False
    #: Before it, nodes get certificates that are old enough for it.
    ages: bool = False
    #: Before it, all nodes restart for a reason of their own.
    restarts: bool = False
    #: Whether it leads from a CA whose key an issuer keeps to a CA of the cluster.
    returns: bool = False
    #: A replacement that has gone so far that every process uses the new CA.
    undoes: bool = False
    #: The number of users that are served at a time; 0: all users at the same time.
    user_batch: int = 0

    @property
    def playbook(self) -> str:
        return self.plays or self.name

    @property
    def variables(self) -> dict[str, str]:
        aged = {"strimzi_renew_before_days": str(LEFT.days + 1)} if self.ages else {}
        return {**aged, **({"strimzi_user_batch": str(self.user_batch)} if self.user_batch else {})}

    def belongs_to(self, variant: Variant) -> bool:
        """The operator takes back no CA that was brought from elsewhere, nodes restart by themselves once a flow waits for that,
        and a flow returns only from an issuer that keeps the key."""
        if self.restarts:
            return variant.patient
        if self.returns:
            return variant.issues
        of_cluster_ca = self.ca == CLUSTER and (self.rekeys or self is CREATE)
        return of_cluster_ca or (variant.links and not variant.issues)

    def links(self, variant: Variant) -> bool:
        """Whether the CA in use introduces the next one by a link certificate."""
        return variant.introduces if self.returns else variant.links

    def leads_on(self, variant: Variant) -> bool:
        """Whether nodes present, after the switch too, what a client validates that knows only the replaced CA: the new CA's key, which certifies
        the replaced one for that, is here."""
        return self.links(variant) and (self.returns or not variant.issues)

    def keepers(self, scenario: Scenario) -> frozenset[str]:
        """Libraries whose clients are led on from the ``ca.crt`` that they read before the flow, at least until the switch."""
        if not self.rekeys:
            return frozenset(LIBRARIES)
        return scenario.accept_links if self.links(scenario.variant) else frozenset()

    def foreseen(self, scenario: Scenario) -> frozenset[str]:
        """Parties whose handshakes fail for a time, or from then on, whatever a flow does.

        The Topic Operator trusts the one certificate for Cruise Control that it has read when it started
        (CruiseControlClientImpl), and without a link certificate no certificate of Cruise Control is validated by both the
        old CA and the new one.
        """
        linked = not self.rekeys or self.links(scenario.variant)
        return self.unled(scenario) | frozenset(() if linked else {"entity-topic-operator to cruise-control"})

    def unled(self, scenario: Scenario) -> frozenset[str]:
        """Readers of ``ca.crt`` whom no chain leads on from what it contained before the switch: without a link certificate all; where it ends with the
        switch, and from a CA that allows no CA below it, those that read once.
        """
        if not self.rekeys or self.ca == CLIENTS:
            return frozenset()
        if not self.links(scenario.variant):
            return frozenset(CA_CRT_READERS)
        kept = {reader: library for reader, (library, when) in CA_CRT_READERS.items() if when is Reading.KEPT}
        if not self.leads_on(scenario.variant):
            return frozenset(kept)
        return frozenset(kept if scenario.path_length == 0 else ()) - {
            reader for reader, library in kept.items() if library is Rules.JVM
        }

    def rolls(self, variant: Variant) -> int:
        """How often every broker restarts, and for the cluster CA every other node too, in the order of ``FLOWS``."""
        if self.ca == CLIENTS:
            # To trust the new CA, and to forget the one that is not used any more.
            return 2 if self.rekeys and not variant.reloads else 0
        cost = cost_of(self.playbook, self._circumstance(variant), reload=variant.reloads)
        return cost.restarts + (1 if self.restarts else 0)

    def _circumstance(self, variant: Variant) -> str:
        if self.restarts:
            return "all have restarted"
        if not self.rekeys:
            return ""
        return "when_restarted" if variant.patient else "" if self.links(variant) else "unlinked"


#: Begins before there is a Kafka resource; clients see its second run, which finds the CA in use.
CREATE = Flow("create")
#: After ``downgrade`` the operator has the CA that was created, and ``upgrade`` takes it from there. The clients CA is the operator's at first.
FLOWS = (
    CREATE,
    Flow("renew", aimed=True),
    Flow("replace_key", aimed=True, rekeys=True),
    Flow("return", "replace_key", aimed=True, rekeys=True, returns=True),
    Flow("reconcile", restarts=True),
    Flow("downgrade"),
    Flow("upgrade"),
    Flow("renew_leaves", ages=True),
    Flow("clients-upgrade", "upgrade", CLIENTS),
    Flow("clients-renew", "renew", CLIENTS, aimed=True),
    Flow("clients-replace_key", "replace_key", CLIENTS, aimed=True, rekeys=True),
    Flow("clients-batches", "replace_key", CLIENTS, aimed=True, rekeys=True, user_batch=1),
    Flow("clients-abort", "abort", CLIENTS, rekeys=True, undoes=True),
    Flow("clients-downgrade", "downgrade", CLIENTS),
)


def flows_named(names: list[str]) -> tuple[Flow, ...]:
    """The flows with these names, in their order; flows of the cluster CA come after ``create``: there is no cluster before it."""
    known = {flow.name: flow for flow in FLOWS}
    chosen = tuple(known[name] for name in names if name != CREATE.name)
    about_clients = bool(chosen) and all(flow.ca == CLIENTS for flow in chosen)
    return chosen if about_clients else (CREATE, *chosen)


def flows_of(flows: Iterable[Flow], variant: Variant) -> list[Flow]:
    """The flows that are measured with this variant, in their order."""
    return [flow for flow in flows if flow.belongs_to(variant)]
