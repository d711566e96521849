"""A CA that is brought from elsewhere, below a root of its own: the CA in use cannot introduce it by a link certificate."""

from __future__ import annotations

from ..tools.support.authorities import below, root


def supplied_authority() -> dict[str, str]:
    """Variables of a playbook; another CA with each call."""
    made = below(root())
    return {"strimzi_certificate": made.pem.decode(), "strimzi_private_key": made.keys[0].reveal().decode()}
