"""Maven and Java: what is published as jars is brought here by the one and runs on the other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .cache import MissingTool, locked

_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"


def resolve(pom: Path, goal: str, properties: Mapping[str, str | Path]) -> None:
    """A goal of Maven's dependency plugin, on what this POM names. Raises MissingTool."""
    if shutil.which("mvn") is None:
        raise MissingTool(
            f"What {pom} names comes from Maven Central, and there is no 'mvn'. Install Maven and Java 17 or later."
        )
    # Two at a time could damage what they keep in the repository that they share.
    with locked("maven"):
        run_tool("mvn", "-B", "-q", "-f", str(pom), f"{_PLUGIN}:{goal}", *(f"-D{k}={v}" for k, v in properties.items()))


def run_tool(*command: str) -> None:
    """Raises MissingTool with the end of what a program says that fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingTool(f"{Path(command[0]).name} failed:\n{(done.stdout + done.stderr)[-2000:]}")


def installed_java(minimum: int) -> str | None:
    """The first Java of at least this version: of the PATH, of JAVA_HOME, or where Debian installs it."""
    homes = [os.environ.get("JAVA_HOME", "/nowhere"), *map(str, Path("/usr/lib/jvm").glob("*"))]
    for candidate in [shutil.which("java"), *(f"{home}/bin/java" for home in homes)]:
        if candidate and os.access(candidate, os.X_OK) and _version(candidate) >= minimum:
            return candidate
    return None


def _version(java: str) -> int:
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', shown)
    return int(found.group(1)) if found else 0
