"""Settings that all tests share: Hypothesis's profiles, test ids that are the same in every worker, and parts of what takes long."""

from __future__ import annotations

import os
import re
from zlib import crc32

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="run one part of the tests, such as 3/16: the same tests each time")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, parts = map(int, config.getoption("part").split("/"))
    chosen = [item for item in items if crc32(_together(item).encode()) % parts == number - 1]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


def _together(item: pytest.Item) -> str:
    """The test, or its file: in the API tier a test goes on where the one before left off."""
    return item.nodeid.partition("::")[0] if item.nodeid.startswith("tests/api/") else item.nodeid
