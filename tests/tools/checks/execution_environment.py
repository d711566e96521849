"""ansible-builder reads the metadata for execution environments, and finds in it what the collection needs."""

from __future__ import annotations

import subprocess
import sys

import yaml

from .places import ROOT
from .trees import copied_tree


def main() -> int:
    folder = copied_tree("ee").parents[2]
    done = subprocess.run(["ansible-builder", "introspect", str(folder)], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    if done.returncode:
        return done.returncode
    found = {line.split("  #")[0].strip() for line in yaml.safe_load(done.stdout)["python"]}
    lines = (ROOT / "meta" / "ee-requirements.txt").read_text().splitlines()
    wanted = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    if found != wanted:
        print(f"ansible-builder found {sorted(found)}, meta/ee-requirements.txt says {sorted(wanted)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
