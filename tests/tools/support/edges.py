"""The legal changes of a CA's state, after the state machine's specification; shared by all who watch a ledger."""

from __future__ import annotations

#: (before, after) of docs/design.md, "States"; None is "not in the ledger".
EDGES: set[tuple[str | None, str | None]] = {
    (None, "UNTRUSTED"), (None, "TRUSTED_UNUSED"), ("UNTRUSTED", "TRUSTED_UNUSED"),
    ("TRUSTED_UNUSED", "TRUSTED_IN_USE_ANY"), ("TRUSTED_UNUSED", "TRUSTED_IN_USE_ALL"),
    ("TRUSTED_IN_USE_ANY", "TRUSTED_IN_USE_ALL"), ("TRUSTED_IN_USE_ALL", "TRUSTED_IN_USE_ANY"),
    ("TRUSTED_IN_USE_ANY", "PHASE_OUT"), ("TRUSTED_IN_USE_ALL", "PHASE_OUT"), ("PHASE_OUT", "TRUSTED_IN_USE_ANY"),
    ("PHASE_OUT", "TRUSTED_IN_USE_ALL"), ("PHASE_OUT", None),
}  # fmt: skip
#: Beyond them, and only where a call has asked for it: a CA that was never used is to leave.
ON_REQUEST = {("UNTRUSTED", "PHASE_OUT"), ("TRUSTED_UNUSED", "PHASE_OUT")}
