# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The beds of each kind of issuer: the issuers before real servers, and the contracts that each of them keeps to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kind import IssuerKind
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import KINDS

from ..tools.support.issuer_contract import (
    AbsenceContract,
    Counterpart,
    DelayContract,
    ForgettingContract,
    IssuerContract,
    MemoryContract,
    RecordContract,
    RefusalContract,
    StandingContract,
)
from ..tools.support.link_contract import CrossingContract, LinkContract
from ..unit._issuing.external.test_contract import Person
from ..unit._issuing.vault.test_contract import Vault
from .corporate import SIGNING


@dataclass(frozen=True)
class IssuerBed:
    """An issuer before its server, in the fixtures of a test."""

    #: The name in the ids of tests, behind the name of the kind.
    name: str
    #: Gives the issuer and what is known of it. It asks for the fixtures that it needs.
    counterpart: Callable[[pytest.FixtureRequest], Counterpart]
    #: The contracts that the issuer keeps to, beside the contract of every issuer.
    contracts: tuple[type, ...]


def _person(_fixtures: pytest.FixtureRequest) -> Counterpart:
    """A person has no server."""
    return Person()


def _by_requests(name: str, kind: str) -> IssuerBed:
    return IssuerBed(
        f"requests-{name}-{kind}",
        lambda fixtures: fixtures.getfixturevalue("corporate").counterpart(name, kind),
        (RecordContract, RefusalContract, DelayContract, MemoryContract, ForgettingContract),
    )


def _by_certificates(name: str, kind: str) -> IssuerBed:
    return IssuerBed(
        f"certificates-{name}-{kind}",
        lambda fixtures: fixtures.getfixturevalue("corporate").by_certificates(name, kind),
        (RecordContract, RefusalContract, DelayContract, MemoryContract, StandingContract),
    )


def _vault(fixtures: pytest.FixtureRequest) -> Counterpart:
    ready = fixtures.getfixturevalue("ready")
    return Vault(ready, ready.issuer())


#: The beds of each kind, by the name of the kind.
BEDS: Mapping[str, tuple[IssuerBed, ...]] = {
    "external": (IssuerBed("person", _person, (DelayContract,)),),
    "cert_manager": (
        *(_by_requests(*signing) for signing in SIGNING),
        *(_by_certificates(*signing) for signing in SIGNING),
    ),
    "vault": (
        IssuerBed(
            "server", _vault, (RefusalContract, RecordContract, AbsenceContract, LinkContract, CrossingContract)
        ),
    ),
}  # fmt: skip


def beds_of(kind: IssuerKind) -> tuple[IssuerBed, ...]:
    """The beds of this kind. Raises LookupError if the kind has none."""
    beds = BEDS.get(kind.name, ())
    if not beds:
        raise LookupError(f"tests/issuers/beds.py has no bed for issuers of the kind {kind.name}: add a row to BEDS")
    return beds


def each(contract: type) -> Any:
    """A fixture with the issuers of all kinds that keep to this contract, for a test class that has the contract."""
    params = [
        pytest.param(bed, id=f"{kind.name}-{bed.name}")
        for kind in KINDS
        for bed in beds_of(kind)
        if contract in (IssuerContract, *bed.contracts)
    ]

    @pytest.fixture(params=params)
    def counterpart(_self: object, request: pytest.FixtureRequest) -> Counterpart:
        return request.param.counterpart(request)

    return counterpart
