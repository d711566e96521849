# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that somebody edited: what it says is not believed."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ...fakes.world import World
from .._pki.hierarchy import key, make
from . import stages
from .mistakes import CERTIFICATES, LEDGER, entry, put, refused, told

OTHER = make("another", key(1)).certificate
REMEDY = "Somebody edited the ledger; restore the entry, or delete the Secret to adopt the cluster anew."


def fingerprint(world: World) -> str:
    return parse_certificates(entry(world, CERTIFICATES, "ca.crt"))[0].fingerprint


@pytest.mark.parametrize(
    ("suffix", "content", "text"),
    [
        ("state", b"HALF_TRUSTED", "{own}.state is 'HALF_TRUSTED', which is no state of the trust state machine."),
        ("state", None, "{own}.state is '', which is no state of the trust state machine."),
        ("crt", OTHER.pem, "{own}.crt holds the certificate {other} (CN=another,O=io.strimzi)."),
        ("crt", b"nothing", "{own}.crt cannot be read: no readable certificate in PEM form."),
        ("generations", b"first", "{own}.generations is not a list of numbers."),
    ],
)
def test_edited_entry(suffix: str, content: bytes | None, text: str) -> None:
    world = stages.managed()
    own = fingerprint(world)
    put(world, "secrets", LEDGER, {f"{own}.{suffix}": content})
    message = text.format(own=own, other=OTHER.fingerprint)
    refused(world, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")
    told(world, message, REMEDY)


def test_certificate_under_a_wrong_key_name() -> None:
    world = stages.managed()
    put(world, "secrets", LEDGER, {"mine.crt": OTHER.pem, "mine.state": b"TRUSTED_UNUSED"})
    message = f"mine.crt holds the certificate {OTHER.fingerprint} (CN=another,O=io.strimzi)."
    refused(world, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")
    told(world, message, REMEDY)


def test_edited_journal() -> None:
    world = stages.managed()
    put(world, "secrets", LEDGER, annotations={"trustops.strimzi/journal": "{}"})
    message = "the annotation trustops.strimzi/journal is not a journal."
    refused(world, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")
