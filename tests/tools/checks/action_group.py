"""The action group ``strimzi`` in meta/runtime.yml names every module, and nothing else."""

from __future__ import annotations

import sys

import yaml

from .places import ROOT

GROUP = "strimzi"


def main() -> int:
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())
    listed = runtime["action_groups"][GROUP]
    modules = sorted(file.stem for file in (ROOT / "plugins" / "modules").glob("*.py") if file.stem != "__init__")
    for name in sorted(set(modules) - set(listed)):
        print(f"meta/runtime.yml: the action group {GROUP} lacks the module {name}")
    for name in sorted(set(listed) - set(modules)):
        print(f"meta/runtime.yml: the action group {GROUP} names {name}, which is no module")
    if listed != sorted(set(listed)):
        print(f"meta/runtime.yml: the action group {GROUP} is not sorted, or names a module twice")
    return 0 if listed == modules else 1


if __name__ == "__main__":
    sys.exit(main())
