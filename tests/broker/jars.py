"""Kafka from Maven Central, and a Java to run it with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from ..cluster.cache import MissingTool, cached, digest

KAFKA = "4.3.1"
POM = Path(__file__).parent / "pom.xml"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


def find_jars() -> Path:
    """The folder with everything for the class path. Raises MissingTool."""
    return cached(f"kafka-{KAFKA}-{digest(POM)}", _download)


def find_java() -> str:
    """Kafka 4 needs Java 17 or later. Raises MissingTool."""
    java = shutil.which("java")
    if java is None:
        raise MissingTool("The tests against real Kafka nodes find no 'java'. Install Java 17 or later.")
    return java


def _download(target: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingTool(
            "The tests against real Kafka nodes download Kafka with Maven and find no 'mvn'. Install Maven."
        )
    print(f"downloading Kafka {KAFKA} (once) ...", file=sys.stderr, flush=True)
    command = [maven, "-B", "-q", "-f", str(POM), f"-Dkafka.version={KAFKA}", _PLUGIN, f"-DoutputDirectory={target}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingTool(f"mvn failed:\n{(done.stdout + done.stderr)[-2000:]}")
