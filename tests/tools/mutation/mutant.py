"""The mutants of modules: Cosmic Ray makes them, in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from ..checks.environments import environment
from ..checks.places import ROOT
from ..checks.pythons import available_pairs
from .equivalents import LISTED
from .spans import Position
from .targets import CODE


class CannotMutate(Exception):
    """Cosmic Ray gave up, or tests fail without a mutation; the text says which."""


@dataclass(frozen=True)
class Mutant:
    """A change of one expression or statement of a module."""

    #: The module, below the work tree.
    module: Path
    #: The function or class in which the change is, or nothing.
    definition: str
    #: Where what is changed begins.
    begin: Position
    #: The module's text with the change.
    source: str
    #: The changed lines before the change, without their indentation.
    before: str
    #: The changed lines after the change, without their indentation.
    after: str

    @property
    def key(self) -> tuple[str, str, str]:
        """As the list of equivalent mutants names it."""
        return str(self.module.relative_to(CODE)), self.before, self.after

    @property
    def is_listed(self) -> bool:
        """Whether the list argues that no test can notice it."""
        return self.key in LISTED

    def __str__(self) -> str:
        return f"{self.module}, {self.definition or 'module'}\n  - {self.before}\n  + {self.after}"


def mutants(modules: Sequence[Path], part: str) -> tuple[Mutant, ...]:
    """The mutants of these modules that are in the part. Raises CannotMutate."""
    python = environment(available_pairs()[0].python, "mutation.txt") / "bin" / "python"
    command = [str(python), "-m", f"{__package__}.making", part, *map(str, modules)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotMutate(f"Cosmic Ray failed:\n{done.stderr[-2000:]}")
    return tuple(map(_read, done.stdout.splitlines()))


def _read(line: str) -> Mutant:
    made = json.loads(line)
    before, after = changed((ROOT / made["module"]).read_text(), made["source"])
    return Mutant(Path(made["module"]), made["definition"], tuple(made["begin"]), made["source"], before, after)


def changed(source: str, mutated: str) -> tuple[str, str]:
    """The lines in which these texts differ, without their indentation."""
    old, new = source.splitlines(), mutated.splitlines()
    same = _in_common(old, new)
    old, new = old[same:], new[same:]
    behind = _in_common(old[::-1], new[::-1])
    return _joined(old[: len(old) - behind]), _joined(new[: len(new) - behind])


def _in_common(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    return sum(1 for _unused in takewhile(lambda lines: lines[0] == lines[1], zip(first, second, strict=False)))


def _joined(lines: Sequence[str]) -> str:
    return " ".join(filter(None, map(str.strip, lines)))
