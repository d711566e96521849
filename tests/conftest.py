"""Settings that all tests share: Hypothesis's profiles, test ids that are the same in every worker, and which tests a run takes."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

from .tools.cluster.cache import cache_root
from .tools.packing import VARIABLES
from .tools.parts import is_in_part
from .tools.support.golden import GoldenFiles, as_words

# The same few examples every time, so that nothing fails by chance and the checks stay short; `make test-long` looks for new ones by
# HYPOTHESIS_PROFILE=search. A property that needs more takes a multiple of the profile's number.
settings.register_profile("checks", deadline=None, database=None, derandomize=True, max_examples=20)
settings.register_profile("search", deadline=None, max_examples=1000)
# For mutations: twice the examples of the checks, and no search for the smallest that fails, which is of no use there.
settings.register_profile(
    "mutation", settings.get_profile("checks"), max_examples=40, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "checks"))

# Its tables of all characters take seconds of CPU time: each work tree has the same.
set_hypothesis_home_dir(cache_root() / "hypothesis")

# For each process that a test starts.
os.environ.update(VARIABLES)

_RANDOM = re.compile(r"[0-9a-f]{8}|[0-9A-F]{8}|[0-9A-F]{2}:[0-9A-F]{2}:|-----BEGIN")


@pytest.hookimpl(tryfirst=True)
def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """The parameter's name instead of its value where every worker makes another one, such as a key."""
    if isinstance(val, bytes) or (isinstance(val, str) and _RANDOM.search(val)):
        return argname
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="run one part of the tests, such as 3/16: the same tests each time")
    parser.addoption(
        "--write-golden", action="store_true", help="run the tests with golden files, and write these again"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenFiles:
    """The golden files, which ``--write-golden`` writes anew."""
    writes = bool(request.config.getoption("write_golden"))
    if writes and hasattr(request.config, "workerinput"):
        raise pytest.UsageError("--write-golden takes one process: leave --numprocesses out")
    row = request.node.callspec.id if hasattr(request.node, "callspec") else ""
    return GoldenFiles(writes, test=as_words(request.node.originalname), row=row)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("each_once"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for rows in tests.values():
        _leave_each_value_once([row for row in rows if not row.get_closest_marker("long")])
    chosen = [item for item in items if is_in_part(_together(item), config.getoption("part"))]
    if config.getoption("write_golden"):
        chosen = [item for item in chosen if "golden" in getattr(item, "fixturenames", ())]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


def _leave_each_value_once(rows: Sequence[pytest.Function]) -> None:
    """Marks rows of a parametrized test as long, but for as many as its longest parameter has values: each value of each parameter is in one of them."""
    known: dict[str, list[object]] = defaultdict(list)
    for row in rows:
        for names, value in _parameters(row).items():
            if value not in known[names]:
                known[names].append(value)
    longest = max(known, key=lambda names: len(known[names]), default="")
    for row in rows:
        places = {names: known[names].index(value) for names, value in _parameters(row).items()}
        if any(places[longest] % len(known[names]) != place for names, place in places.items()):
            row.add_marker(pytest.mark.long)


def _parameters(row: pytest.Function) -> dict[str, list[object]]:
    """The values of the row by the names of each ``parametrize`` of its test."""
    given = (mark.args[0] for mark in row.iter_markers("parametrize"))
    groups = [names.split(",") if isinstance(names, str) else names for names in given]
    return {",".join(names): [row.callspec.params[name.strip()] for name in names] for names in groups}


#: A worker also reports a setup or teardown that takes longer than this, in seconds.
_SLOW = 1.0
#: Functions without effects that whole flows call with the same keys and entries of Secrets again and again, by their modules. The collection itself
#: keeps no private key for longer than it needs it.
_REMEMBERED = {"_pki.keys": ("_parse", "_require_consistent"), "_strimzi.secret_data": ("_decode",)}


def pytest_collection_finish() -> None:
    """Leaves modules and tests out of garbage collection, and reads each private key and each entry of a Secret once: each would take a twentieth of the
    time of whole flows.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    for name, functions in _REMEMBERED.items():
        if module := sys.modules.get(f"ansible_collections.trustops.strimzi.plugins.module_utils.{name}"):
            for function in functions:
                setattr(module, function, lru_cache(maxsize=10_000)(getattr(module, function)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker of pytest-xdist sends one report for a test that passes, and not five messages (start, setup, call, teardown, finish): sending each takes as
    long as a small test.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > _SLOW:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def _together(item: pytest.Item) -> str:
    """The test, or its file: in the API tier a test goes on where the one before left off."""
    return item.nodeid.partition("::")[0] if item.nodeid.startswith("tests/api/") else item.nodeid
