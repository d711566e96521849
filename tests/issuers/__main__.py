"""``python -m tests.issuers``: build and cache what the tests of issuers take, besides the test bed."""

from __future__ import annotations

from ..tools.cluster.binaries import find_cert_manager, find_vault
from ..tools.cluster.commands import run_command


def main() -> int:
    print(find_cert_manager(), find_vault(), sep="\n")
    return 0


if __name__ == "__main__":
    run_command(main)
