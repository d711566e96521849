"""Cosmic Ray gets one module at a time, in a copy of the work tree, and runs the tests with each mutant."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ..checks.environments import environment
from ..checks.places import COLLECTION, ROOT
from ..checks.pythons import available_pairs
from . import calls
from .targets import suites_for

_SKIP = Path("tests/tools/mutation/skip.py")
#: Seconds for all tests of one mutant; a mutant that never ends has been noticed.
_LIMIT = 300.0
_QUIET = ("-q", "-x", "--no-header", "--tb=no", "-p", "pytest_timeout", "-m", "not long")
#: Most of the second that a mutant takes would go into loading plugins that these tests do not use, and into smallest
#: examples.
#: Two mutants of one second and one size have one bytecode file: none is written.
_FAST = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "mutation", "PYTHONDONTWRITEBYTECODE": "1"}


class CannotMutate(Exception):
    """Cosmic Ray gave up, or tests fail without a mutation; the text says which."""


@dataclass(frozen=True)
class Mutant:
    """A change of one line."""

    module: Path
    definition: str
    #: The line before the change, without its indentation.
    before: str
    #: The line after the change, without its indentation.
    after: str
    #: Whether a test failed, or no test ended in time.
    is_killed: bool


def warm_up(tree: Path, modules: Sequence[Path]) -> None:
    """Run the tests that will be run with mutants, without any: they have to pass, and leave behind Python's compiled files,
    and a list of which tests call what. Raises CannotMutate.
    """
    for tests in dict.fromkeys(suites_for(module, tree)[-1] for module in modules):
        noting = {calls.VARIABLE: str(_calls(tree, tests))}
        _run([*_pytest(tests), "-p", calls.__name__], tree, f"{tests} fails without any mutation", noting)


def mutate(module: Path, tree: Path, session: Path) -> tuple[Mutant, ...]:
    """Tries every mutant of this module. tree: a copy in which the module may be changed. Raises CannotMutate."""
    *own, package = suites_for(module, tree)
    nearest = ["python", "-m", f"{__package__}.nearest", _calls(tree, package), ROOT / module, module, *_QUIET]
    commands = [*map(_pytest, own), list(map(str, nearest)), _pytest(package)]
    session.parent.mkdir(parents=True, exist_ok=True)
    session.unlink(missing_ok=True)
    config = session.with_suffix(".toml")
    config.write_text(_config(module, f"sh -c {shlex.quote(' && '.join(map(shlex.join, commands)))}"))
    ray = environment(available_pairs()[0].python, "mutation.txt") / "bin"
    for command in (
        [str(ray / "cosmic-ray"), "init", str(config), str(session)],
        [str(ray / "python"), str(_SKIP), str(session)],
        [str(ray / "cosmic-ray"), "exec", str(config), str(session)],
    ):
        _run(command, tree, "Cosmic Ray failed")
    dumped = _run([str(ray / "cosmic-ray"), "dump", str(session)], tree, "Cosmic Ray failed")
    return tuple(mutants(module, dumped))


def mutants(module: Path, dumped: str) -> Iterator[Mutant]:
    """The mutants that were tried, by the words of Cosmic Ray. Raises CannotMutate where it failed at one."""
    for line in dumped.splitlines():
        item, result = json.loads(line)
        if result is not None and result["worker_outcome"] == "skipped":
            continue
        if result is None or result["worker_outcome"] != "normal" or result["test_outcome"] == "incompetent":
            raise CannotMutate(f"Cosmic Ray could not try {item}: {result}")
        before, after = _changed(result["diff"])
        definition = item["mutations"][0]["definition_name"] or ""
        yield Mutant(module, definition, before, after, result["test_outcome"] == "killed")


def _changed(diff: str) -> tuple[str, str]:
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    return _joined(lines, "-"), _joined(lines, "+")


def _joined(lines: Sequence[str], sign: str) -> str:
    own = (line[1:].strip() for line in lines if line.startswith(sign))
    return " ".join(filter(None, own))


def _calls(tree: Path, package: Path) -> Path:
    """The file lies beside the copy: an update of the copy removes files that it does not know."""
    return tree.parents[len(COLLECTION.parts) - 1] / f"{package.name}.json"


def _pytest(tests: Path) -> list[str]:
    return ["python", "-m", "pytest", str(tests), *_QUIET]


def _config(module: Path, command: str) -> str:
    return (
        f"[cosmic-ray]\nmodule-path = {json.dumps(str(module))}\ntimeout = {_LIMIT}\nexcluded-modules = []\n"
        f'test-command = {json.dumps(command)}\n[cosmic-ray.distributor]\nname = "local"\n'
    )


def _run(command: list[str], tree: Path, otherwise: str, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """The command's output. The command imports the collection from the copy. more: variables of its environment."""
    root = str(tree.parents[len(COLLECTION.parts) - 1])
    variables = {**os.environ, **_FAST, **more, "PYTHONPATH": root, "ANSIBLE_COLLECTIONS_PATH": root}
    done = subprocess.run(
        command, cwd=tree, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise CannotMutate(f"{otherwise}:\n{done.stdout[-2000:]}")
    return done.stdout
