"""Kafka from Maven Central, and a Java to run it with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..tools.cluster.cache import MissingTool, cached, digest
from ..tools.cluster.java import installed_java, resolve
from ..tools.cluster.versions import KAFKA

POM = Path(__file__).parent / "pom.xml"
MINIMUM_JAVA = 17


def find_jars(version: str = KAFKA) -> Path:
    """The folder with everything for the class path of a node of this version of Kafka, and of its clients. Raises
    MissingTool.
    """
    return find_jars_of("kafka", POM, f"Kafka {version} for the broker tests", version)


def find_jars_of(name: str, pom: Path, about: str, version: str = KAFKA) -> Path:
    """The folder with the jars that this POM names, in this version of Kafka. about: what they are, for people. Raises MissingTool."""
    return cached(f"{name}-{version}-{digest(pom)}", partial(_download, pom, version), about)


def java_command(jars: Path, heap: str = "64m") -> list[str]:
    """A small JVM with these jars on its class path; options, or the name of a class, follow. Raises MissingTool."""
    return [find_java(), f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*"]


def find_java() -> str:
    """Raises MissingTool."""
    java = installed_java(MINIMUM_JAVA)
    if java is None:
        raise MissingTool(f"Kafka {KAFKA} finds no 'java' to run on. Install Java {MINIMUM_JAVA} or later.")
    return java


def _download(pom: Path, version: str, target: Path) -> None:
    resolve(pom, "copy-dependencies", {"kafka.version": version, "outputDirectory": target})
