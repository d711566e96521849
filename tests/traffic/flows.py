"""The flows that are measured, in an order in which one cluster can go through all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """name: of its playbook too. aimed: it is told which CA it replaces, as one like it may just have finished.

    rekeys: brings a new key, which some clients learn of only when the old CA is about to leave.
    """

    name: str
    aimed: bool = False
    rekeys: bool = False


#: Begins before there is a Kafka resource; clients see its second run, which finds the CA in use.
CREATE = Flow("create")
#: After ``downgrade`` the operator has the CA that was created, and ``upgrade`` takes it from there.
FLOWS = (
    CREATE,
    Flow("renew", aimed=True),
    Flow("replace_key", aimed=True, rekeys=True),
    Flow("downgrade"),
    Flow("upgrade"),
)


def flows_named(names: list[str]) -> tuple[Flow, ...]:
    """Those flows, in the order of the names, after ``create``: there is no cluster before it."""
    known = {flow.name: flow for flow in FLOWS}
    return (CREATE, *(known[name] for name in names if name != CREATE.name))
