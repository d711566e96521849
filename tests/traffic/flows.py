"""The flows that are measured, in an order in which one cluster can go through all of them."""

from __future__ import annotations

from dataclasses import dataclass

from ..kafka.aged_leaves import LEFT
from .scenario import Variant


@dataclass(frozen=True)
class Flow:
    """name: of its playbook too. aimed: it is told which CA it replaces, as one like it may just have finished.

    rekeys: brings a new key, which some clients learn of only when the old CA is about to leave.
    ages: before it, nodes get certificates that are old enough for it.
    """

    name: str
    aimed: bool = False
    rekeys: bool = False
    ages: bool = False

    @property
    def variables(self) -> dict[str, str]:
        return {"strimzi_renew_before_days": str(LEFT.days + 1)} if self.ages else {}

    def rolls(self, variant: Variant) -> int | None:
        """How often it restarts every node; None where that depends on what came before it."""
        if self.ages:
            return 0 if variant.reloads else 1
        return variant.rolls if self.rekeys else None


#: Begins before there is a Kafka resource; clients see its second run, which finds the CA in use.
CREATE = Flow("create")
#: After ``downgrade`` the operator has the CA that was created, and ``upgrade`` takes it from there.
FLOWS = (
    CREATE,
    Flow("renew", aimed=True),
    Flow("replace_key", aimed=True, rekeys=True),
    Flow("downgrade"),
    Flow("upgrade"),
    Flow("renew_leaves", ages=True),
)


def flows_named(names: list[str]) -> tuple[Flow, ...]:
    """Those flows, in the order of the names, after ``create``: there is no cluster before it."""
    known = {flow.name: flow for flow in FLOWS}
    return (CREATE, *(known[name] for name in names if name != CREATE.name))
