"""Kafka from Maven Central, and a Java to run it with."""

from __future__ import annotations

from pathlib import Path

from ..tools.cluster.cache import MissingTool, cached, digest
from ..tools.cluster.java import installed_java, resolve
from ..tools.cluster.versions import KAFKA

POM = Path(__file__).parent / "pom.xml"
MINIMUM_JAVA = 17


def find_jars() -> Path:
    """The folder with everything for the class path. Raises MissingTool."""
    return cached(f"kafka-{KAFKA}-{digest(POM)}", _download, f"Kafka {KAFKA} for the broker tests")


def find_java() -> str:
    """Raises MissingTool."""
    java = installed_java(MINIMUM_JAVA)
    if java is None:
        raise MissingTool(f"Kafka {KAFKA} finds no 'java' to run on. Install Java {MINIMUM_JAVA} or later.")
    return java


def _download(target: Path) -> None:
    resolve(POM, "copy-dependencies", {"kafka.version": KAFKA, "outputDirectory": target})
