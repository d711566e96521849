"""The two trees that Ansible's tools need: the checkout under its collection name, as a link and as a copy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ..cluster.cache import cache_root, locked
from .places import COLLECTION, ROOT, checkout


def linked_root() -> Path:
    """A collections root with a link to this checkout: for whatever imports ``ansible_collections.trustops.strimzi``."""
    root = cache_root() / "roots" / checkout()
    link = root / COLLECTION
    with locked(f"root-{checkout()}"):
        if not link.is_symlink() or link.readlink() != ROOT:
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(ROOT)
    return root


def copied_tree(label: str) -> Path:
    """A copy of what git knows or would add, as a git work tree of its own, brought up to date by every call.

    For the tools that resolve links and would no longer see a collection's path, and that leave files behind.
    ``label`` names the copy, so that two tools can run at the same time.
    """
    tree = cache_root() / "trees" / checkout() / label / COLLECTION
    with locked(f"tree-{checkout()}-{label}"):
        tree.mkdir(parents=True, exist_ok=True)
        wanted = {Path(name) for name in files()}
        for old in _present(tree) - wanted:
            _remove(tree / old)
        for name in wanted:
            _bring(ROOT / name, tree / name)
        if not (tree / ".git").exists():
            _git("init", "--quiet", cwd=tree)
        _git("add", "--all", cwd=tree)
    return tree


def files() -> list[str]:
    """The files that git knows or would add, as paths below the work tree."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def _present(tree: Path) -> set[Path]:
    listed = _git("ls-files", "-z", cwd=tree) if (tree / ".git").exists() else ""
    return {Path(name) for name in listed.split("\0") if name and (tree / name).exists()}


def _bring(source: Path, target: Path) -> None:
    if target.exists() and target.read_bytes() == source.read_bytes() and _mode(target) == _mode(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o111


def _remove(file: Path) -> None:
    file.unlink()
    for folder in file.parents:
        if any(folder.iterdir()):
            break
        folder.rmdir()


def _git(*arguments: str, cwd: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=True).stdout
