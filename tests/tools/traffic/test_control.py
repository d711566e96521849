"""A foreign leaf is one of its model in all but who has signed it."""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ..cluster.tls import client_context, server_context
from .control import foreign_leaf
from .handshakes import Outcome, attempt_in_memory
from .test_handshakes import HOST, MINE, self_signed


@pytest.mark.parametrize("host", [HOST, None], ids=["server", "client"])
def test_names_are_those_of_the_model(host: str | None) -> None:
    model = x509.load_pem_x509_certificate(self_signed(host)[0])
    certificate, key = foreign_leaf(model)
    found = x509.load_pem_x509_certificate(certificate)
    assert (found.subject, found.issuer) == (model.subject, model.issuer)
    assert [extension.value for extension in found.extensions] == [extension.value for extension in model.extensions]
    assert load_pem_private_key(key, None).public_key() == found.public_key()


def test_who_trusts_the_model_does_not_trust_it() -> None:
    leaf = foreign_leaf(x509.load_pem_x509_certificate(MINE[0]))
    assert attempt_in_memory(client_context(MINE[0]), server_context(*leaf), HOST).outcome is Outcome.FAILED
    wants = server_context(*MINE, MINE[0])
    assert attempt_in_memory(client_context(MINE[0], *leaf), wants, HOST).outcome is Outcome.FAILED
