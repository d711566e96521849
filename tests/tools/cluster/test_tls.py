"""Clients of the three kinds differ in what they make of a trusted certificate, and in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from functools import partial

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates

from ..support.certificates import Entity, key, make
from ..traffic.handshakes import Outcome, attempt_in_memory
from .tls import Rules, client_context, server_context

HOST, DAY = "node.test", timedelta(days=1)
_now = datetime.now(timezone.utc)
_entity = partial(make, begin=_now - DAY, end=_now + DAY)
_names = [(x509.SubjectAlternativeName([x509.DNSName(HOST)]), False)]

SHORT, LONG = (_entity("old", key(0), path_length=length) for length in (0, 1))
NEW, OTHER = _entity("new", key(1), path_length=0), _entity("old", key(2), path_length=1)
LINK = _entity("new", key(1), LONG, path_length=0)
OWN = _entity("node", key(3), NEW, ca=False, extra=_names)


def pem(*entities: Entity) -> bytes:
    return encode_certificates([entity.certificate for entity in entities])


def accepts(rules: Rules, trusted: Sequence[Entity], host: str = HOST) -> bool:
    """A node that presents its leaf with the link certificate behind it."""
    server = server_context(pem(OWN, LINK), OWN.key.reveal())
    return attempt_in_memory(client_context(pem(*trusted), rules=rules), server, host).outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("trusted", "who"),
    [
        pytest.param([LONG], set(Rules), id="the old CA"),
        pytest.param([SHORT], {Rules.JVM}, id="the old CA with a path length of 0"),
        pytest.param([SHORT, LONG], {Rules.GO, Rules.JVM}, id="the old CA and its renewal"),
        pytest.param([LONG, SHORT], set(Rules), id="the renewal and the old CA"),
        pytest.param([NEW], set(Rules), id="the new CA"),
        pytest.param([SHORT, NEW], set(Rules), id="both"),
        pytest.param([LINK], {Rules.GO, Rules.JVM}, id="the link certificate"),
        pytest.param([OTHER], set(), id="another key of the same name"),
    ],
)
def test_who_accepts_a_bridge(trusted: list[Entity], who: set[Rules]) -> None:
    assert {rules for rules in Rules if accepts(rules, trusted)} == who


@pytest.mark.parametrize("rules", Rules)
def test_no_client_accepts_another_name(rules: Rules) -> None:
    assert not accepts(rules, [NEW], "another.test")
