"""A check: its commands, and when they can run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from .environments import environment
from .pythons import Pair
from .trees import linked_root

#: A command that ends with this code was skipped; its last line of output says why.
SKIPPED = 77


def always() -> str:
    """The reason to skip a check that is never skipped: none."""
    return ""


class Lane(Enum):
    """The kinds of checks, by what takes most of their time. Lanes run side by side, and the checks of a lane one after the other."""

    #: Computing, on all processors.
    BUSY = "busy"
    #: Computing, on one processor.
    SINGLE = "single"
    #: Waiting for nodes and controllers that start and answer.
    WAITING = "waiting"


#: Variables that commands do not inherit. Without bytecode each worker of each check compiles the collection and its tests once more, which is a
#: third of the CPU time of a short check.
_DROPPED = frozenset({"PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MFLAGS"})


@dataclass(frozen=True)
class Check:
    """Commands that pass together: each a list of arguments, run one after the other in the work tree.

    ``after`` names checks that have to pass first. Checks of the lanes BUSY and SINGLE give way to one of the lane WAITING.
    A ``long`` one is left out of ``make test``; ``make test-long`` names it. ``reason_to_skip`` returns an empty string when the check can run.
    """

    name: str
    about: str
    pair: Pair
    commands: tuple[tuple[str, ...], ...]
    after: tuple[str, ...] = ()
    lane: Lane = Lane.BUSY
    long: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    reason_to_skip: Callable[[], str] = always

    def command_environment(self) -> dict[str, str]:
        """The environment variables of its commands; makes the virtual environment when it is not there."""
        bin_folder = environment(self.pair.python, self.pair.requirements) / "bin"
        root = str(linked_root())
        kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        return {
            **kept,
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "VIRTUAL_ENV": str(bin_folder.parent),
            "PYTHONPATH": root,
            "MYPYPATH": root,
            "ANSIBLE_COLLECTIONS_PATH": root,
            **self.variables,
        }


def docker_reason() -> str:
    """Why nothing can run on kind here, or an empty string."""
    for tool in ("docker", "kind"):
        if shutil.which(tool) is None:
            return f"no {tool} in the PATH"
    return "" if os.system("docker info >/dev/null 2>&1") == 0 else "no Docker engine answers"
