"""How the commands of the test bed end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from .cache import MissingTool


def run_command(main: Callable[[], int]) -> NoReturn:
    """Exit code 2, and the reason in a line, when something has to be installed first or does not come up."""
    try:
        sys.exit(main())
    except (MissingTool, TimeoutError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
