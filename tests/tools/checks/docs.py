"""antsibull-docs on a copy of the tree: the documentation of plugins and roles, and what it refers to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from .trees import copied_tree


def main() -> int:
    tree = copied_tree("docs")
    command = ["antsibull-docs", "lint-collection-docs", "--plugin-docs", "--disallow-unknown-collection-refs"]
    command += ["--validate-collection-refs", "all", "--check-extra-docs-refs", "."]
    # antsibull-docs leaves a log in the home folder.
    with tempfile.TemporaryDirectory() as home:
        variables = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(tree.parents[2]), "HOME": home}
        return subprocess.run(command, cwd=tree, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
