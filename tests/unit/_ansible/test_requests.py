# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with requests: whole or not there at all, public, and nothing else in the folder is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.requests import (
    RequestFile,
    read_folder,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request

from ...tools.support.certificates import key
from ...tools.support.golden import GoldenFiles

REQUEST = build_request(DistinguishedName("demo-kafka"), ["b.example", "a.example"], key(1))


@pytest.fixture
def file(tmp_path: Path) -> RequestFile:
    return RequestFile(tmp_path / "demo-kafka-0.csr", REQUEST)


def test_a_request_file_is_readable_for_all_whatever_the_umask(file: RequestFile) -> None:
    before = os.umask(0o077)
    try:
        file.write()
    finally:
        os.umask(before)
    assert file.path.read_bytes() == REQUEST
    assert file.path.stat().st_mode & 0o777 == 0o644


def test_a_killed_write_leaves_what_was_there(
    file: RequestFile, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    file.path.write_text("before")

    def fail(*_paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StepError) as failed:
        file.write()
    golden.compare_said("calls", str(failed.value).replace(str(file.path.parent), "<folder>"))
    assert {path.name: path.read_text() for path in file.path.parent.iterdir()} == {"demo-kafka-0.csr": "before"}


def test_a_link_is_replaced_and_not_followed(file: RequestFile, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("not a request")
    file.path.symlink_to(other)
    file.write()
    assert (other.read_text(), file.path.is_symlink(), file.path.read_bytes()) == ("not a request", False, REQUEST)


def test_the_action_of_a_request_file_shows_public_facts(file: RequestFile) -> None:
    facts = {
        "subject": "CN=demo-kafka,O=io.strimzi",
        "subject_alternative_names": ["a.example", "b.example"],
        "public_key_sha256": key(1).public_key_sha256,
    }
    new = file.action
    assert (new.verb, new.object, new.before, new.after) == ("create", f"file {file.path}", {}, facts)
    file.path.write_text("half a request")
    assert (file.action.verb, file.action.before) == ("update", {"request": "cannot be read"})
    file.write()
    assert (file.is_there, file.action.before) == (True, facts)


def test_certificates_are_found_by_the_names_of_leaves(tmp_path: Path) -> None:
    for name in (
        "demo-kafka-0.crt",
        "demo-kafka-1.pem",
        "demo-kafka-1.csr",
        "demo-kafka-2.txt",
        "demo-kafka-3.cer",
        "demo-kafka-4.DER",
        "demo-kafka-5.p7b",
        "corporate.crt",
        "b.pem",
    ):
        (tmp_path / name).write_text(name)
    leaves = [f"demo-kafka-{number}" for number in range(6)]
    brought, others = read_folder(tmp_path, leaves)
    read, left = (
        ("demo-kafka-0.crt", "demo-kafka-1.pem", "demo-kafka-3.cer", "demo-kafka-4.DER"),
        ("b.pem", "corporate.crt", "demo-kafka-5.p7b"),
    )
    assert {one.where: one.content.decode() for one in brought} == {str(tmp_path / name): name for name in read}
    assert others == [str(tmp_path / name) for name in left]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, golden: GoldenFiles) -> None:
    with pytest.raises(StepError) as failed:
        read_folder(tmp_path / "nowhere", [])
    golden.compare_said("calls", f"{failed.value} {failed.value.remedy}".replace(str(tmp_path), "<folder>"))
