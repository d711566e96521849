# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CA Secrets that cannot be worked with. The sentences are those of the preconditions, and are tested there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key, placeholder

from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.sha_1 import sha_1_below
from . import stages
from .mistakes import (
    CERTIFICATES,
    KEYS,
    LEDGER,
    entries_of,
    entry,
    found,
    held,
    held_and_shown,
    put,
    swap_authority,
    use_authority,
)
from .running import call
from .stages import DAY, NOW

Spoil = Callable[[MemoryCluster], None]


def authority(name: str, number: int, issuer: Entity | None = None, **options: Any) -> Entity:
    return make(name, key(number), issuer, **{"begin": NOW - DAY, "end": NOW + 365 * DAY, **options})


def has(secret: str, **entries: bytes | None) -> Spoil:
    """entries: with _ for a dot."""
    return lambda memory: put(memory, "secrets", secret, {name.replace("_", "."): one for name, one in entries.items()})


def uses(*chain: Entity) -> Spoil:
    return lambda memory: use_authority(memory, *chain)


def marked(secret: str, name: str, value: str | None) -> Spoil:
    return lambda memory: put(memory, "secrets", secret, annotations={f"strimzi.io/{name}": value})


def lost(memory: MemoryCluster) -> None:
    """The key is of another CA, so no certificate of the ledger belongs to it."""
    put(memory, "secrets", CERTIFICATES, {"ca.crt": None})
    put(memory, "secrets", KEYS, {"ca.key": key(1).reveal()})


def filled(secret: str, room: int) -> Spoil:
    """Fills a Secret up until this many bytes are left."""

    def fill(memory: MemoryCluster) -> None:
        held = sum(len(name) + len(content) for name, content in entries_of(memory, secret).items())
        put(memory, "secrets", secret, {"note": b"x" * (1024 * 1024 - room - held - len("note"))})

    return fill


#: The bytes that a flow may add: two chains, and lines for each of the three nodes and three other pods.
GROWTH = 2 * 16 * 1024 + 6 * 256
ROOT = authority("root", 1)
NAMESAKE = authority("cluster-ca v0", 1, subject_identifier=None).certificate.pem
ARMOUR = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
SPOILT: dict[str, tuple[Spoil, str, str]] = {
    "key of another CA": (has(KEYS, ca_key=key(1).reveal()), "key_matches", KEYS),
    "no key": (has(KEYS, ca_key=None), "key_matches", KEYS),
    "an unreadable key": (has(KEYS, ca_key=b"no key"), "key_matches", KEYS),
    "an empty key": (has(KEYS, ca_key=ARMOUR), "key_matches", KEYS),
    "chain out of order": (uses(ROOT, authority("issuing", 2, ROOT)), "chains_are_in_order", f"{CERTIFICATES}, ca.crt"),
    "unrelated CAs": (uses(ROOT, authority("another", 2)), "chains_are_in_order", f"{CERTIFICATES}, ca.crt"),
    "not valid yet": (uses(authority("mine", 1, begin=NOW + DAY)), "authority_is_valid_now", CERTIFICATES),
    "name of another CA": (has(CERTIFICATES, other_crt=NAMESAKE), "keys_are_told_apart", CERTIFICATES),
    "lost certificate": (lost, "authority_secrets_are_usable", CERTIFICATES),
    "unreadable entry": (has(CERTIFICATES, mine_crt=b"nothing"), "authority_secrets_are_usable", CERTIFICATES),
}


@pytest.mark.parametrize(("spoil", "gate", "where"), SPOILT.values(), ids=SPOILT)
def test_an_unusable_ca_secret_holds_every_module(spoil: Spoil, gate: str, where: str) -> None:
    memory = stages.managed()
    spoil(memory)
    held_and_shown(memory, (gate, f"Secret kafka/{where}"))


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, LEDGER])
def test_a_full_secret_holds_a_module_that_adds_to_it(secret: str) -> None:
    memory = stages.managed()
    filled(secret, GROWTH - 1)(memory)
    held(memory, ("secrets_have_room", f"Secret kafka/{secret}"), by=("strimzi_ca",))
    assert found(call("strimzi_ca_info", memory)) == []


@pytest.mark.parametrize("value", [None, "soon", "-3"])
@pytest.mark.parametrize(("secret", "name"), [(CERTIFICATES, "ca-cert-generation"), (KEYS, "ca-key-generation")])
def test_generation_that_is_missing_or_garbage(secret: str, name: str, value: str | None) -> None:
    memory = stages.managed()
    marked(secret, name, value)(memory)
    held_and_shown(memory, ("generations_are_told", f"Secret {secret}, annotation strimzi.io/{name}"))


def test_a_lost_certificate_holds_a_call_that_makes_a_first_ca() -> None:
    memory = stages.managed()
    lost(memory)
    held(memory, ("authority_secrets_are_usable", f"Secret kafka/{CERTIFICATES}"), state="present")


def test_a_chain_that_strimzi_accepts_is_in_order(tmp_path: Path) -> None:
    """Other verifiers do not matter here: people who have such a CA have to get away from it."""
    sha_1, spelling = sha_1_below(ROOT, key(2), tmp_path, "issuing"), authority("issuing", 2, ROOT, issuer_name="ROOT")
    for issuing in (sha_1, spelling):
        memory = stages.managed()
        use_authority(memory, issuing, ROOT)
        assert found(call("strimzi_ca_info", memory)) == []
        put(memory, "secrets", CERTIFICATES, {"ca.crt": issuing.certificate.pem + authority("root", 3).certificate.pem})
        assert ("chains_are_in_order", f"Secret kafka/{CERTIFICATES}, ca.crt") in found(call("strimzi_ca_info", memory))


def test_a_root_that_stands_there_twice() -> None:
    """As where the CA and its chain were put together, and the chain begins with the CA. No node would start with it behind its certificate."""
    memory = stages.managed()
    use_authority(memory, ROOT, ROOT)
    held(memory, ("chains_are_in_order", f"Secret kafka/{CERTIFICATES}, ca.crt"))


def test_expired_ca(golden: GoldenFiles) -> None:
    memory = stages.managed()
    use_authority(memory, authority("cluster-ca v0", 1, begin=NOW - 9 * DAY, end=NOW - DAY))
    held(memory, ("authority_is_valid_now", f"Secret kafka/{CERTIFICATES}"), state="handed_back", by=["strimzi_ca"])
    shown = call("strimzi_ca_info", memory)
    assert not shown.failed
    assert [one["days_left"] for one in shown.result["expiring"] if one["name"].startswith("The CA")] == [-2]
    golden.compare_said("calls", "\n".join(shown.warnings))


UNKNOWN = ("authority_is_known", f"Secret kafka/{CERTIFICATES}")


def test_replaced_without_a_new_generation() -> None:
    """It is told beside the hold that every other CA gets."""
    memory = stages.managed()
    swap_authority(memory, authority("mine", 1))
    marked(CERTIFICATES, "ca-cert-generation", "0")(memory)
    held(memory, UNKNOWN, ("generation_is_unambiguous", f"Secret kafka/{CERTIFICATES}"))


def test_ca_swapped_by_hand() -> None:
    memory = stages.managed()
    swap_authority(memory, authority("mine", 1))
    held_and_shown(memory, UNKNOWN)
    for state in ("present", "adopted", "renewed"):
        held(memory, UNKNOWN, state=state, by=["strimzi_ca"])


def test_ca_swapped_by_hand_is_adopted_by_its_fingerprint_and_by_no_other() -> None:
    memory, mine = stages.managed(), authority("mine", 1)
    swap_authority(memory, mine)
    other = authority("other", 2).certificate.sha256
    held(memory, UNKNOWN, state="adopted", by=["strimzi_ca"], adopts=other)
    plan = stages.done(memory, "strimzi_ca_info", goal="upgrade", adopts=mine.certificate.sha256).result
    assert (plan["violations"], plan["planned_rolls"]) == ([], 3)
    for _twice in range(2):
        ended = stages.done(memory, "strimzi_ca", state="adopted", adopts=mine.certificate.sha256, client_grace=0)
    assert (ended.result["changed"], ended.result["done"]) == (False, True)
    assert [(one["subject"], one["current"]) for one in ended.result["cas"]] == [("CN=mine,O=io.strimzi", True)]


def test_a_lost_certificate_is_put_back_from_the_ledger() -> None:
    """The remedy names the entry, and with what it holds the next run goes on."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="adopted")
    put(memory, "secrets", CERTIFICATES, {"ca.crt": None})
    (violation,) = call("strimzi_ca", memory, state="renewed").result["violations"]
    book, begin, generation = re.findall(
        r"Secret kafka/([\w.-]+), has .* begins with (\w+), .*generation=(\d+)", violation["remedy"]
    )[0]
    ((name, pem),) = (
        item
        for item in entries_of(memory, book).items()
        if item[0].startswith(begin) and b"BEGIN CERTIFICATE" in item[1]
    )
    put(memory, "secrets", CERTIFICATES, {"ca.crt": pem}, annotations={"strimzi.io/ca-cert-generation": generation})
    assert not call("strimzi_ca_info", memory).result["violations"], name


def test_a_lost_key_is_replaced() -> None:
    """The remedy leads out: with the text in the place of the key, the key is replaced, and no connection fails."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="adopted")
    put(memory, "secrets", KEYS, {"ca.key": None})
    (own,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    put(memory, "secrets", KEYS, {"ca.key": placeholder(own.public_key_sha256).encode()})
    stages.done(memory, "strimzi_ca", state="replaced", **stages.FAST)
    (new,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    assert new.public_key_sha256 != own.public_key_sha256
    assert load_key(entry(memory, KEYS, "ca.key")).public_key_sha256 == new.public_key_sha256


def test_secret_with_just_enough_room() -> None:
    memory = stages.managed()
    filled(CERTIFICATES, GROWTH)(memory)
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
