"""How many files of the collection a call takes: those that Ansible packs with a module, and those that a replacement runs through."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import CodeType

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..checks.places import ROOT
from ..operator import certs
from ..support.flows import START
from ..support.reloads import ReloadingNodes
from ..support.watched_cluster import WatchedCluster
from .measurement import Measurement, Wanted

MODULES, UTILS = ROOT / "plugins" / "modules", ROOT / "plugins" / "module_utils"
_COLLECTION = "ansible_collections.trustops.strimzi."


def packed_files(module: Path) -> frozenset[Path]:
    """The files that Ansible packs with a module: whatever is imported anywhere in it, in turn, and the packages around it."""
    found, left = set[Path](), [module]
    while left:
        file = left.pop()
        new = set(_imported_by(file)) - found
        found |= new
        left += new
    return frozenset(found)


def _imported_by(file: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split(".") if node.module else ())
        elif (node.module or "").startswith(_COLLECTION):
            base = ROOT.joinpath(*(node.module or "").removeprefix(_COLLECTION).split("."))
        else:
            continue
        for name in (base.with_suffix(".py"), *((base / alias.name).with_suffix(".py") for alias in node.names)):
            if name.is_file():
                yield name
                yield from (above / "__init__.py" for above in name.parents if above.is_relative_to(UTILS))


def replacement_code() -> frozenset[CodeType]:
    """The functions of ``module_utils`` that a default replacement of the CA's key calls, without those of the modules themselves."""
    called, cluster = set[CodeType](), WatchedCluster()
    begin = START.replace(microsecond=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certs, "now", lambda: begin + timedelta(seconds=cluster.memory.seconds))
        cluster.nodes = ReloadingNodes(cluster.memory)
        cluster.nodes.replace_requests(patch)
        cluster.create()
        sys.setprofile(lambda frame, event, _argument: called.add(frame.f_code) if event == "call" else None)
        try:
            cluster.finish(Goal.REPLACE_KEY)
        finally:
            sys.setprofile(None)
    return frozenset(code for code in called if _is_counted(code))


def _is_counted(code: CodeType) -> bool:
    file = Path(code.co_filename)
    return "module_utils" in file.parts and "_ansible" not in file.parts and not code.co_name.startswith("<")


def measure() -> Iterator[Measurement]:
    for name in ("strimzi_ca", "strimzi_ca_info", "strimzi_user_info"):
        yield Measurement(f"packed-files-{name}", len(packed_files(MODULES / f"{name}.py")), Wanted.AT_MOST, 160)
    code = replacement_code()
    yield Measurement("replacement-files", len({function.co_filename for function in code}), Wanted.AT_MOST, 91)
    yield Measurement(
        "replacement-functions",
        len({(function.co_filename, function.co_qualname) for function in code}),
        Wanted.AT_MOST,
        1061,
    )
