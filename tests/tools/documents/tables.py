"""Results of modules: the keys of returns.yml, and the modules that have them."""

from __future__ import annotations

#: Facts of the cluster that every flow module returns. They stand in full where ``IN_FULL`` says, and elsewhere as a reference to that.
FACTS = (
    "cluster", "cas", "removed", "former_leaves", "pods", "presenters", "outside", "waivers", "unmanaged",
    "leaves", "leaf_states", "leaf_requests", "renewals", "upkeep", "expiring", "first_to_end", "other_ca", "ca_source", "node_pools",
    "ledger", "journal", "backups", "replaces", "client_warnings", "transitions", "evidence", "listeners", "violations", "phase",
)  # fmt: skip
PLAN = (
    "plan", "planned_phases", "planned_rolls", "planned_rounds", "planned_restarts", "planned_seconds", "planned_lives", "planned_from", "choices",
)  # fmt: skip
#: The module whose page has every fact in full.
IN_FULL = "strimzi_ca_info"

#: Keys about the call itself.
CALL = ("actions", "began_at", "seconds", "audit")
FLOW = ("done", "pending", "waiting", *CALL)

#: Keys that stand in full on the page of each module.
OWN = {
    "strimzi_ca": ("drift", *FLOW),
    "strimzi_ca_info": (*FACTS, *PLAN, "plan_hash", "node_answers", "restart_count", "audit_entries", *FLOW),
    "strimzi_csr": ("requests", "requests_elsewhere", "exported", "imported", "other_files", *CALL),
    "strimzi_ee_cert": ("certificate", *FLOW),
    "strimzi_node_pool": ("node_pools", *FLOW),
    "strimzi_reconciliation": FLOW,
    "strimzi_roll": FLOW,
    "strimzi_trusted_certs": ("trusted_certificates", *FLOW),
    "strimzi_user": ("user", *CALL),
    "strimzi_user_info": (
        "namespace", "user_operator", "clients_cas", "users", "named_certificates", "users_by_ca", "user_listeners", "unasked",
        "problems",
    ),
}  # fmt: skip
#: Further keys of each module, as references.
REFERRED = {
    "strimzi_csr": ("cluster",),
    "strimzi_reconciliation": (*FACTS, "restart_count"),
    **dict.fromkeys(
        ("strimzi_ca", "strimzi_ee_cert", "strimzi_node_pool", "strimzi_roll", "strimzi_trusted_certs"),
        (*FACTS, *PLAN, "restart_count"),
    ),
}


def reference(key: str) -> str:
    """The description of a key that stands in full elsewhere."""
    return f"As RV(trustops.strimzi.{IN_FULL}#module:{key})."
