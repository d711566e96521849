"""The answers of running nodes at the end, to a client that knows nothing of the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.x509.oid import NameOID

from ...kafka.tier import Tier
from .closing import WIDTH, table

#: Of a node that is controller and broker: controllers, brokers, clients with a certificate, clients without one.
PORTS = (9090, 9091, 9093, 9094)


@dataclass(frozen=True)
class Asked:
    """A handshake: the issuer of what a listener presents, and the CAs whose clients it accepts, as DER of their names."""

    node: str
    port: int
    presents: bytes
    accepts: frozenset[bytes]


def ask(tier: Tier) -> list[Asked]:
    """Every TLS listener of every node, now."""
    asked = []
    for node in sorted(tier.cluster.node_uids(tier.name)):
        for port in PORTS:
            shown = tier.shake_hands(node, port)
            asked.append(Asked(node, port, shown.chain[0].issuer.public_bytes(), frozenset(shown.accepted)))
    return asked


def authorities(tier: Tier) -> dict[bytes, str]:
    """The CAs that are in use now: their names as DER and for people."""
    found = {}
    for ca in ("cluster", "clients"):
        certificate = x509.load_pem_x509_certificate(tier.secret(f"{tier.name}-{ca}-ca-cert")["ca.crt"])
        (common,) = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        found[certificate.subject.public_bytes()] = str(common.value)
    return found


def proof(asked: Sequence[Asked], in_use: Mapping[bytes, str], removed: Sequence[str], width: int = WIDTH) -> str:
    """removed: names of the CAs that have just left. The last line counts the listeners that accept a CA not in use."""
    rows = []
    for port in sorted({answer.port for answer in asked}):
        here = [answer for answer in asked if answer.port == port]
        presented = _names({answer.presents for answer in here}, in_use)
        accepted = _names({name for answer in here for name in answer.accepts}, in_use)
        rows.append((str(port), str(len(here)), presented, accepted or "(asks for no certificate)"))
    others = sum(1 for answer in asked if answer.accepts - in_use.keys())
    which = f"the removed CA {', '.join(removed)}" if removed else f"any CA but {', '.join(in_use.values())}"
    head = ("listener", "nodes asked", "presents a certificate of", "accepts certificates of")
    return f"{table(head, rows, width)}\n\n{others} of {len(asked)} listeners trust {which}."


def _names(found: Iterable[bytes], in_use: Mapping[bytes, str]) -> str:
    return ", ".join(sorted({in_use.get(name, "a CA that is not in use") for name in found}))
