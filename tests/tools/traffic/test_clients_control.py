# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes with the clients CA are put right again, and the result names each party that has not noticed them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cryptography import x509

from ..operator import certs
from ..operator.api import data
from . import clients_control
from .clients import LIBRARIES
from .clients_control import promote_too_early, retire_too_early
from .handshakes import Outcome
from .ledger import Ledger
from .load import Load
from .logging_in import LOGGING_IN, PORTS
from .test_targets import COMBINED


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certs, "new_ca_key", certs.new_leaf_key)
    for name, seconds in {"_SECONDS": 0.3, "_SETTLE_S": 0.0, "_QUIET_S": 0.0}.items():
        monkeypatch.setattr(clients_control, name, seconds)


class Tier:
    """The Secrets of the clients CA, and users whose Secrets follow it at once. logged: whether brokers say whom they refuse."""

    name = "demo"

    def __init__(self) -> None:
        key = certs.new_leaf_key()
        self.ca = certs.root(certs.name("clients-ca v0"), key, 100)
        self.secrets = {"demo-clients-ca": {"ca.key": certs.key_pem(key)}, "demo-clients-ca-cert": {"ca.crt": self.ca}}
        self.before = {name: dict(entries) for name, entries in self.secrets.items()}
        self.seen: list[dict[str, bytes]] = []
        self.cluster: Any = self
        self.namespace, self.kube, self.logged = "kafka", self, True

    def node_uids(self, _name: str) -> dict[str, str]:
        return {broker: broker for broker in COMBINED.brokers}

    def refusals(self, _broker: str) -> list[str]:
        return ["192.0.2.1"] * len(self.seen) if self.logged else []

    def secret(self, name: str) -> dict[str, bytes]:
        return {"ca.crt": self.secrets["demo-clients-ca-cert"]["ca.crt"]} if name in LOGGING_IN else self.secrets[name]

    def request(self, method: str, path: str, *, body: Any, content_type: str) -> Any:
        assert (method, content_type) == ("PATCH", "application/merge-patch+json")
        entries = self.secrets[path.rpartition("/")[2]]
        entries.update(data(body))
        for name in [name for name, value in body["data"].items() if value is None]:
            del entries[name]
        self.seen.append(dict(entries))
        return type("Answer", (), {"status": 200})


class Layout:
    layout = COMBINED


def load(*failing: str) -> Load:
    """These fail from now on, and one user succeeds all the time."""
    loaded = Load(Layout, 1.0)  # type: ignore[arg-type]
    later = time.monotonic() + 1
    loaded.failures = [(later, text.split(" to ")[0], f"{text}: alert") for text in failing]
    loaded.results = [(later + 5, "user orders", Outcome.DONE)]
    return loaded


USERS = [f"user {name} to a:9093" for name in LOGGING_IN]


def refused(*clients: str) -> Ledger:
    ledger = Ledger()
    ledger.tls_failures = [(time.monotonic() + 1, f"user-{client}-producer-anew", "alert") for client in clients]
    return ledger


@pytest.mark.parametrize(
    ("failing", "clients", "unnoticed"),
    [
        (USERS, ("jvm", "rdkafka"), []),
        (USERS, ("jvm",), ["rdkafka"]),
        (USERS[1:], ("jvm", "rdkafka"), ["user orders"]),
        ([], (), [*(f"user {name}" for name in LOGGING_IN), "jvm", "rdkafka"]),
    ],
)
def test_users_and_clients_notice_a_ca_that_no_broker_has_read(
    failing: list[str], clients: tuple[str, ...], unnoticed: list[str]
) -> None:
    tier: Any = Tier()
    found = promote_too_early(tier, load(*failing), refused(*clients), LIBRARIES)
    assert (found.unnoticed, found.failures, found.done_afterwards) == (unnoticed, len(failing), 1)
    assert tier.secrets == tier.before


def test_a_library_without_clients_has_nothing_to_notice() -> None:
    tier: Any = Tier()
    assert promote_too_early(tier, load(*USERS), refused("rdkafka"), ("rdkafka",)).unnoticed == []


def test_a_log_without_refusals_is_named() -> None:
    tier: Any = Tier()
    tier.logged = False
    assert promote_too_early(tier, load(*USERS), refused(*LIBRARIES), LIBRARIES).unnoticed == ["the logs of brokers"]


def test_the_other_ca_comes_with_its_key_and_beside_the_old_one() -> None:
    tier: Any = Tier()
    promote_too_early(tier, load(*USERS), refused(*LIBRARIES), LIBRARIES)
    keys, certificates = tier.seen[:2]
    (made,) = x509.load_pem_x509_certificates(certificates["ca.crt"])
    assert certs.load_key(keys["ca.key"]).public_key() == made.public_key()
    assert (certificates["old.crt"], certificates["ca.crt"] != tier.ca) == (tier.ca, True)


TARGETS = [f"application to {node}:{port}" for node in COMBINED.brokers for port in PORTS]


@pytest.mark.parametrize(("failing", "unnoticed"), [(TARGETS, []), (TARGETS[1:], TARGETS[:1]), ([], TARGETS)])
def test_a_program_that_the_flow_did_not_wait_for_is_refused_everywhere(
    failing: list[str], unnoticed: list[str]
) -> None:
    asked: list[dict[str, Any]] = []
    restarts: list[int] = []
    found = retire_too_early(Tier(), load(*failing), lambda **how: asked.append(how), lambda: restarts.append(1))  # type: ignore[arg-type]
    assert (found.unnoticed, len(restarts)) == (unnoticed, 1)
    ((waiver,),) = (variables["strimzi_waivers"] for variables in asked)
    assert waiver["client"] == "Pod kafka/application"
