"""The cost of a look is the mean of several looks, and a look that was disturbed does not count."""

from __future__ import annotations

import pytest

from .looking import Looks, middle


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.5, 0.6, 0.5, 0.6], 0.55), ([0.5, 9.0, 0.5], 0.5), ([0.6, 0.5, 0.0, 0.6, 30.0, 0.7], 0.6)],
)
def test_the_extremes_do_not_count(values: list[float], expected: float) -> None:
    assert middle(values) == pytest.approx(expected)


def test_the_overhead_is_shared_by_the_pods() -> None:
    assert Looks(pods=3, listeners=12, handshake=1.0, annotations=0.4, added=0.6).added_per_pod == pytest.approx(0.2)
