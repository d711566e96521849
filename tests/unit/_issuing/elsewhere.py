# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with a CA whose key an outside issuer keeps, and that issuer, which answers requests well or badly."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LeafOrder, Refused, Token, Waiting
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.pending import with_requests
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.request_leaves import (
    ask_for_leaves,
    collect_leaves,
    forget_requests,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LeafRequest
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_stored_key, placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    CollectLeaves,
    ForgetRequests,
)

from ...tools.support.certificates import NOW, YEAR, Entity, make
from .._strimzi.bench import SCOPE, Bench, pem, recorded
from .office import CA, NODES, office

EXTERNAL = "the external issuer"
NODE, OTHER_NODE = NODES
REQUESTS, KEYS = "demo-issuing-kafka", "demo-issuing-kafka-keys"


def elsewhere(ca: Entity = CA) -> Bench:
    """Leaves of an earlier CA are stored; the one in use issues by request."""
    bench = office(ca)
    put(bench, SCOPE.ca_key_secret, "ca.key", placeholder(ca.certificate.public_key_sha256).encode())
    return bench


def put(bench: Bench, secret: str, entry: str, content: bytes | None) -> None:
    """Another program writes an entry of a Secret, or removes it (None)."""
    value = None if content is None else base64.b64encode(content).decode()
    bench.change("secrets", secret, {"data": {entry: value}})


def see(bench: Bench, **settings: Any) -> Observation:
    return with_requests(bench.observe(), bench.work(**settings))


def seen(bench: Bench, name: str = NODE) -> LeafRequest:
    return see(bench).snapshot.leaves.requests[name]


def ask(bench: Bench, *secrets: str, ca: Entity = CA, transport: Any = None, **settings: Any) -> list[Action]:
    step = AskForLeaves(secrets=secrets, issuer=(ca.certificate,), external_issuer=EXTERNAL, phase=Phase.PREPARE)
    return recorded(ask_for_leaves, step, see(bench), bench.work(transport=transport, **settings))


def collect(bench: Bench, *secrets: str) -> list[Action]:
    return recorded(
        collect_leaves,
        CollectLeaves(secrets=secrets, external_issuer=EXTERNAL, phase=Phase.PREPARE),
        see(bench),
        bench.work(),
    )


def forget(bench: Bench, *secrets: str, **settings: Any) -> list[Action]:
    return recorded(
        forget_requests, ForgetRequests(secrets=secrets, phase=Phase.USE), see(bench), bench.work(**settings)
    )


def requested(bench: Bench, name: str = NODE, secret: str = REQUESTS) -> dict[str, Any]:
    """The record of the request."""
    read: dict[str, Any] = json.loads(bench.data(secret)[f"{name}.requested"])
    return read


def signed(bench: Bench, name: str = NODE, by: Entity = CA, **options: Any) -> Certificate:
    """The certificate that the issuer signs for the request. options: how it differs from a good one."""
    csr = x509.load_pem_x509_csr(requested(bench, name)["request"].encode())
    names = csr.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    usages = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH])
    (subject,) = csr.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    own = load_stored_key(bench.data(KEYS)[f"{name}.key"])
    made = {"begin": NOW, "end": NOW + YEAR / 2, "extra": [(names, False), (usages, False)], **options}
    common_name = made.pop("common_name", str(subject.value))
    return make(common_name, made.pop("own_key", own), by, **{"ca": False, **made}).certificate


def answer(bench: Bench, *chain: Certificate | Entity, name: str = NODE, content: bytes = b"") -> None:
    """Puts a certificate back, as an administrator does. chain: by default the requested certificate, of the CA in use."""
    put(bench, REQUESTS, f"{name}.issued", content or pem(*(chain or (signed(bench, name), CA))))


class Noting:
    """An issuer that answers as it is told, and notes what it is asked for. refuses: every request. calls: how many
    calls had something to forget.
    """

    reference = EXTERNAL
    remembers = True

    def __init__(self, *, refuses: bool = False) -> None:
        self.orders: list[LeafOrder] = []
        self.forgotten: list[str] = []
        self.calls = 0
        self.refuses = refuses

    def request(self, order: LeafOrder) -> Token | Refused:
        self.orders.append(order)
        return Refused("No such names here.", "Ask for others.") if self.refuses else Token(order.name.encode())

    def poll(self, tokens: Sequence[Token]) -> tuple[Waiting, ...]:
        return tuple(Waiting(f"{token.value.decode()} is looked at.") for token in tokens)

    def forget(self, tokens: Sequence[Token]) -> None:
        self.calls += bool(tokens)
        self.forgotten += [token.value.decode() for token in tokens]
