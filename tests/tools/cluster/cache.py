"""Where made things are kept: outside the work tree, keyed by version and content, made by one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

#: Names the file in which the runner of the checks wants what was prepared: pytest hides what is printed.
NOTES = "TRUSTOPS_PREPARED"


class MissingTool(Exception):
    """Something has to be installed first; the text says what."""


def cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("TRUSTOPS_CACHE") or os.path.join(base, "trustops-strimzi"))


def digest(*files: Path) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:12]


@contextlib.contextmanager
def locked(name: str, about: str = "") -> Iterator[None]:
    """Only one of all processes and threads makes ``name`` at a time. Another one waits, and says so when told what it is."""
    cache_root().mkdir(parents=True, exist_ok=True)
    with (cache_root() / f".{name}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _wait(handle.fileno(), about)
        yield


def _wait(lock: int, about: str) -> None:
    if about:
        _say(f"waiting for {about}, which another process prepares ...")
    begun = time.monotonic()
    fcntl.flock(lock, fcntl.LOCK_EX)
    if about:
        _note(f"waited {time.monotonic() - begun:.0f} s for {about}")


def prepare(name: str, is_made: Callable[[], bool], make: Callable[[], None], about: str, usual: str = "") -> None:
    """Make ``name`` unless it is made: once, however many ask for it at a time. ``make`` starts over after a killed one.

    about: what it is, for people. usual: how long that takes, for example "about 5 minutes".
    """
    if is_made():
        return
    with locked(name, about):
        if not is_made():
            _say(f"preparing {about} ({', '.join(filter(None, ('once', usual)))}) ...")
            begun = time.monotonic()
            try:
                make()
            except BaseException:
                _note(f"failed to prepare {about}, after {time.monotonic() - begun:.0f} s")
                raise
            _note(f"prepared {about} in {time.monotonic() - begun:.0f} s")


def cached(name: str, build: Callable[[Path], None], about: str = "", usual: str = "") -> Path:
    """The folder ``name`` of the cache, made by ``build`` in a scratch folder first if it is not there yet."""
    target = cache_root() / name
    prepare(name, target.exists, partial(_build, target, build), about or name, usual)
    return target


def _build(target: Path, build: Callable[[Path], None]) -> None:
    # No other process uses this folder: its owner has the lock. A killed build has left the files in it.
    scratch = target.with_name(f".{target.name}.scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        build(scratch)
        scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _note(line: str) -> None:
    """Said, and kept for the runner of the checks."""
    _say(line)
    if file := os.environ.get(NOTES):
        with Path(file).open("a") as notes:
            notes.write(f"{line}\n")
