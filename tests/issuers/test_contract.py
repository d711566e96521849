# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuers of all kinds keep to the contract of every issuer, before real servers, and to the contracts of what they can do beside it."""

from __future__ import annotations

from ..tools.support.issuer_contract import (
    AbsenceContract,
    DelayContract,
    ForgettingContract,
    IssuerContract,
    MemoryContract,
    RecordContract,
    RefusalContract,
    StandingContract,
)
from ..tools.support.link_contract import CrossingContract, LinkContract
from .beds import each


class TestEveryIssuer(IssuerContract):
    counterpart = each(IssuerContract)


class TestRefusal(RefusalContract):
    counterpart = each(RefusalContract)


class TestRecord(RecordContract):
    counterpart = each(RecordContract)


class TestDelay(DelayContract):
    counterpart = each(DelayContract)


class TestMemory(MemoryContract):
    counterpart = each(MemoryContract)


class TestForgetting(ForgettingContract):
    counterpart = each(ForgettingContract)


class TestStanding(StandingContract):
    counterpart = each(StandingContract)


class TestAbsence(AbsenceContract):
    counterpart = each(AbsenceContract)


class TestLink(LinkContract):
    counterpart = each(LinkContract)


class TestCrossing(CrossingContract):
    crossing = each(CrossingContract)
