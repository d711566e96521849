"""Settings that all tests share: Hypothesis's profiles, and test ids that are the same in every worker."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import Phase, settings

# The same examples every time, so that nothing fails by chance; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("checks", deadline=None, database=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
# For mutations: it only matters whether any test fails, and nobody reads the smallest example.
settings.register_profile(
    "mutation", deadline=None, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "checks"))

_RANDOM = re.compile(r"[0-9a-f]{8}|[0-9A-F]{8}|[0-9A-F]{2}:[0-9A-F]{2}:|-----BEGIN")


@pytest.hookimpl(tryfirst=True)
def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """The parameter's name instead of its value where every worker makes another one, such as a key."""
    if isinstance(val, bytes) or (isinstance(val, str) and _RANDOM.search(val)):
        return argname
    return None
