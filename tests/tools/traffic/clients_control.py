# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two mistakes with the clients CA, made on purpose: the gates of a rotation are there to prevent them, and the traffic has to notice them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

from ...kafka.tier import Tier
from ..cluster.kube import wait_for
from ..operator import certs
from ..operator.api import encode
from .handshakes import Outcome
from .ledger import Ledger
from .load import Load
from .logging_in import APPLICATION, LOGGING_IN, PORTS, by_secret
from .refusals import Refusals
from .traffic import Controlled

PROMOTED, RETIRED = "promoted-early", "retired-early"
_SECONDS, _SETTLE_S, _QUIET_S = 90, 4.0, 8.0


def promote_too_early(tier: Tier, load: Load, ledger: Ledger, libraries: Collection[str]) -> Controlled:
    """A person makes another CA the CA in use, and no broker has read it. Then the person puts the old CA back. libraries: of the clients that start
    again.
    """
    began, refusals = time.monotonic(), Refusals(tier, load.looking.layout.brokers)

    def unnoticed() -> list[str]:
        failed = load.failed(began)
        users = (by_secret(user) for user in LOGGING_IN)
        silent = [user for user in users if not any(text.startswith(f"{user} to ") for text in failed)]
        clients = {client for at, client, _text in ledger.tls_failures if at >= began}
        return [*silent, *(library for library in libraries if not any(library in client for client in clients))]

    with _another_ca(tier):
        _wait_until_noticed(unnoticed)
        missed = [*unnoticed(), *([] if refusals.count() else ["the logs of brokers"])]
    wait_for(
        lambda: _all_have(tier, tier.secret(f"{tier.name}-clients-ca-cert")["ca.crt"]), "the old certificates", _SECONDS
    )
    return _result(PROMOTED, load, began, missed)


def retire_too_early(tier: Tier, load: Load, rotate: Callable[..., None], restart: Callable[[], None]) -> Controlled:
    """A person waives a program that reads its Secret only when it starts, by mistake.

    rotate: replaces the CA, with these variables. restart: the owner restarts the program at last.
    """
    began = time.monotonic()
    until = datetime.now(timezone.utc) + timedelta(hours=1)
    rotate(strimzi_waivers=[{
        "client": f"Pod {tier.cluster.namespace}/{APPLICATION}", "until": f"{until:%Y-%m-%dT%H:%M:%SZ}",
        "reason": "it reads its Secret for every connection, says its owner by mistake",
    }])  # fmt: skip
    wanted = [f"{APPLICATION} to {broker}:{port}" for broker in load.looking.layout.brokers for port in PORTS]

    def unnoticed() -> list[str]:
        failed = load.failed(began)
        return [target for target in wanted if not any(text.startswith(f"{target}: ") for text in failed)]

    _wait_until_noticed(unnoticed)
    missed = unnoticed()
    restart()
    return _result(RETIRED, load, began, missed)


@contextmanager
def _another_ca(tier: Tier) -> Iterator[None]:
    """As a person would bring it: beside the old CA, which brokers that start meanwhile trust too."""
    key, stem = certs.new_ca_key(), f"{tier.name}-clients-ca"
    old, old_key = tier.secret(f"{stem}-cert")["ca.crt"], tier.secret(stem)["ca.key"]
    made = certs.root(certs.name("clients-ca made by hand"), key, 100)
    _write(tier, stem, {"ca.key": certs.key_pem(key)})
    _write(tier, f"{stem}-cert", {"ca.crt": made, "old.crt": old})
    try:
        yield
    finally:
        _write(tier, stem, {"ca.key": old_key})
        _write(tier, f"{stem}-cert", {"ca.crt": old, "old.crt": None})


def _write(tier: Tier, secret: str, entries: Mapping[str, bytes | None]) -> None:
    removed = dict.fromkeys((name for name, value in entries.items() if value is None), None)
    body = {"data": {**encode({name: value for name, value in entries.items() if value is not None}), **removed}}
    path = f"/api/v1/namespaces/{tier.cluster.namespace}/secrets/{secret}"
    answer = tier.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise RuntimeError(f"{secret}: {answer.body}")


def _all_have(tier: Tier, ca: bytes) -> bool:
    return all(tier.secret(user)["ca.crt"] == ca for user in LOGGING_IN)


def _wait_until_noticed(unnoticed: Callable[[], Iterable[str]]) -> None:
    """The result names the users and libraries that have not noticed by then."""
    try:
        wait_for(lambda: not unnoticed(), "logins that fail", _SECONDS)
    except TimeoutError as late:
        print(late, flush=True)


def _result(name: str, load: Load, began: float, unnoticed: list[str]) -> Controlled:
    failed = load.failed(began)
    time.sleep(_SETTLE_S)
    quiet = time.monotonic()
    time.sleep(_QUIET_S)
    after = load.counts(quiet)
    examples = sorted({text.split(": ", 1)[1] for text in failed})
    return Controlled(name, len(failed), examples, unnoticed, after[Outcome.FAILED], after[Outcome.DONE])
