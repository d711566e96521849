"""ansible-lint, profile production, on a copy of the tree: it has to find our own modules by their names."""

from __future__ import annotations

import os
import subprocess
import sys

from .trees import copied_tree


def main() -> int:
    tree = copied_tree("lint")
    command = ["ansible-lint", "--offline", "--strict", "--nocolor", *sys.argv[1:]]
    variables = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(tree.parents[2])}
    return subprocess.run(command, cwd=tree, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
