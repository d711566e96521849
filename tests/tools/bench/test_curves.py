"""The slope between two sizes says by which power a figure grows."""

from __future__ import annotations

import pytest

from .curves import slope


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_a_slope_is_the_power_of_the_number(power: float) -> None:
    small, large = 150, 1000
    assert slope((small, 7 * small**power), (large, 7 * large**power)) == pytest.approx(power)
