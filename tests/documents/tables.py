"""The entries of the documentation that several files share, and the files that have them."""

from __future__ import annotations

#: Every module that takes part in a flow returns these.
FLOW = (
    "cluster", "cas", "removed", "held_leaves", "pods", "presenters", "outside", "unmanaged",
    "leaves", "leaf_states", "leaf_requests", "renewals", "upkeep", "expiring", "ca_source", "node_pools",
    "ledger", "journal", "replaces", "transitions",
    "actions", "evidence", "listeners", "violations", "pending", "waiting", "done", "phase", "began_at", "seconds",
)  # fmt: skip
#: The module for requests that are carried by hand returns these.
REQUESTS = (
    "cluster", "requests", "requests_elsewhere", "exported", "imported", "let_be", "actions", "began_at", "seconds",
)  # fmt: skip
USER = ("user", "actions", "began_at", "seconds")
USERS = (
    "namespace",
    "user_operator",
    "clients_cas",
    "users",
    "named_certificates",
    "users_by_ca",
    "user_listeners",
    "unasked",
    "problems",
)
PLAN = ("plan", "planned_phases", "planned_rolls", "planned_restarts", "choices")

RETURNS = {
    "strimzi_ca": (*FLOW, *PLAN, "drift"),
    "strimzi_ca_info": (*FLOW, *PLAN),
    "strimzi_csr": REQUESTS,
    "strimzi_ee_cert": (*FLOW, *PLAN, "certificate"),
    "strimzi_node_pool": (*FLOW, *PLAN),
    "strimzi_reconciliation": FLOW,
    "strimzi_roll": (*FLOW, *PLAN),
    "strimzi_trusted_certs": (*FLOW, *PLAN, "trusted_certificates"),
    "strimzi_user": USER,
    "strimzi_user_info": USERS,
}
