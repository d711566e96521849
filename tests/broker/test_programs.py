# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bed's own programs in Java, and the programs of Kafka that it starts by the names of their classes, are there in
every version: Kafka moves classes.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from ..tools.cluster.bed import ROOT
from ..tools.cluster.versions import KAFKA, OTHER_KAFKAS
from .jars import find_jars, java_command

EVERY_KAFKA = pytest.mark.parametrize("version", [KAFKA, *OTHER_KAFKAS])
PROGRAMS = sorted(path for path in (ROOT / "tests").rglob("*.java") if "org.apache.kafka" in path.read_text())
#: Started on nodes and beside them (``kafka_run.sh``, ``nodes.py``, ``tools/traffic``).
STARTED = (
    "kafka.Kafka", "kafka.tools.StorageTool", "org.apache.kafka.tools.MetadataQuorumCommand",
    "org.apache.kafka.tools.TopicCommand", "org.apache.kafka.tools.VerifiableConsumer",
    "org.apache.kafka.tools.VerifiableProducer",
)  # fmt: skip
#: A class of Kafka that 4.4 has moved.
MOVED = "class Moved { org.apache.kafka.common.utils.LogContext context; }"


def compile_with(version: str, program: Path, target: Path) -> str:
    """The output of the compiler, which is empty for a program without a fault."""
    compiler = [*java_command(find_jars(version), "256m"), "--module", "jdk.compiler/com.sun.tools.javac.Main"]
    classes = ":".join(map(str, find_jars(version).glob("*.jar")))
    command = [*compiler, "-classpath", classes, "-proc:none", "-d", target, program]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


@pytest.mark.every_kafka
@EVERY_KAFKA
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_a_program_compiles_with_the_classes_of_this_version(program: Path, version: str, tmp_path: Path) -> None:
    assert compile_with(version, program, tmp_path) == ""


@pytest.mark.every_kafka
@EVERY_KAFKA
def test_programs_that_are_started_by_name_are_there(version: str) -> None:
    found = {name for jar in find_jars(version).glob("*.jar") for name in ZipFile(jar).namelist()}
    assert [name for name in STARTED if f"{name.replace('.', '/')}.class" not in found] == []


def test_the_compiler_notices_a_class_that_has_moved(tmp_path: Path) -> None:
    (moved := tmp_path / "Moved.java").write_text(MOVED)
    assert compile_with(KAFKA, moved, tmp_path) == ""
    assert "cannot find symbol" in compile_with(OTHER_KAFKAS[-1], moved, tmp_path)
