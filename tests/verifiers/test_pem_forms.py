# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""This collection says of the forms in which certificates come what a JVM says of them."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ..broker.jars import find_java
from ..tools.support.pem_forms import TEXTS


def test_each_form() -> None:
    asked = "".join(f"{base64.b64encode(form.content).decode()}\n" for form in TEXTS)
    options = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    command = (find_java(), *options, Path(__file__).parent / "Pem.java")
    answers = subprocess.run(command, input=asked, capture_output=True, check=True, text=True).stdout.split()
    wanted = [str(len(parse_certificates(form.content))) for form in TEXTS]
    assert {str(form) for form, one, all_ in zip(TEXTS, answers, wanted, strict=True) if one != all_} == {
        str(form) for form in TEXTS if form.why
    }
