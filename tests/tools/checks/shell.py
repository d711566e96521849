"""shellcheck on every shell script, those without a suffix included."""

from __future__ import annotations

import shutil
import subprocess
import sys

from .check import SKIPPED
from .places import ROOT
from .trees import files


def main() -> int:
    if shutil.which("shellcheck") is None:
        print("shellcheck is not installed (Debian package shellcheck)")
        return SKIPPED
    scripts = [name for name in files() if _is_shell(name)]
    print(*scripts, sep="\n")
    return subprocess.run(["shellcheck", *scripts], cwd=ROOT, check=False).returncode if scripts else 0


def _is_shell(name: str) -> bool:
    with (ROOT / name).open("rb") as handle:
        first = handle.readline(80)
    return first.startswith(b"#!") and first.rstrip().endswith((b"/sh", b"/bash", b" sh", b" bash"))


if __name__ == "__main__":
    sys.exit(main())
