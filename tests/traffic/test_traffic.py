"""Through every flow, in both ways: no record is lost, no handshake fails, and failing ones would be noticed."""

from __future__ import annotations

import pytest

from .measure import FLOWS, WAYS, Measured, measure

HANDSHAKES = 10_000


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure()


def test_every_flow_had_traffic(measured: Measured) -> None:
    assert [(flow["way"], flow["name"]) for flow in measured.flows] == [(way, flow) for way in WAYS for flow in FLOWS]
    assert all(flow["sent"] > 0 and flow["handshakes"] > 0 for flow in measured.flows)


def test_no_record_is_lost_or_written_twice(measured: Measured) -> None:
    assert [(flow["lost"], flow["duplicated"]) for flow in measured.flows] == [(0, 0)] * len(measured.flows)


def test_no_handshake_fails(measured: Measured) -> None:
    assert measured.unexpected == []
    assert [flow["failed_handshakes"] for flow in measured.flows] == [0] * len(measured.flows)


def test_there_were_enough_handshakes(measured: Measured) -> None:
    assert sum(flow["handshakes"] for flow in measured.flows) >= HANDSHAKES


def test_a_leaf_that_nobody_trusts_is_noticed_until_it_is_gone(measured: Measured) -> None:
    control = measured.negative_control
    assert measured.negative_control_failures > 0
    assert (control["afterwards"], control["done_afterwards"] > 0) == (0, True)
