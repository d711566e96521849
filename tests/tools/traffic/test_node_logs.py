# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of logs are found whole, once, and also in a file that has gone."""

from __future__ import annotations

from pathlib import Path

from .clients import is_short_of_replicas
from .node_logs import NodeLogs, followed

SHORT = "2026-11-30T15:00:00Z stdout F org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR"
OTHER = "2026-11-30T15:00:00Z stdout F INFO [KafkaServer id=1] started"


def log_of(folder: Path, pod: str, container: str = "kafka") -> Path:
    file = folder / pod / container / "0.log"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def write(file: Path, text: str) -> None:
    with file.open("a") as log:
        log.write(text)


def test_lines_are_found_once_and_whole(tmp_path: Path) -> None:
    first, logs = log_of(tmp_path, "one"), NodeLogs(tmp_path, is_short_of_replicas)
    write(first, f"{OTHER}\n{SHORT[:60]}")
    logs.read()
    assert logs.lines == []
    write(first, f"{SHORT[60:]}\n")
    logs.read()
    logs.read()
    assert logs.lines == [("one", SHORT)]
    logs.close()


def test_a_file_that_has_gone_is_read_to_its_end(tmp_path: Path) -> None:
    file, logs = log_of(tmp_path, "one"), NodeLogs(tmp_path, is_short_of_replicas)
    logs.read()
    write(file, f"{SHORT}\n")
    file.unlink()
    logs.read()
    assert [pod for pod, _line in logs.lines] == ["one"]
    logs.close()


def test_what_was_written_before_does_not_count_and_a_new_pod_does(tmp_path: Path) -> None:
    write(log_of(tmp_path, "one"), f"{SHORT}\n")
    with followed(tmp_path, is_short_of_replicas) as logs:
        write(log_of(tmp_path, "two"), f"{SHORT}\n")
        write(log_of(tmp_path, "other", "init"), f"{SHORT}\n")
    assert [pod for pod, _line in logs.lines] == ["two"]
