# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of nodes as a text that one task of a play hands over to the next: what they present, and which CAs they
accept and refuse. All of it is public. The text counts for the processes that have answered, for a few minutes: another
run may have nodes reload after that.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import astuple
from datetime import datetime, timedelta
from typing import Any

from .._errors import CertificateError, OptionsError
from .._pki.certificates import Certificate, encode_certificates, parse_certificates
from .._trust.model.listeners import ObservedListener
from .._trust.model.snapshot import InPlaceObstacles, NodeAnswers

#: Characters of the longest text: Ansible repeats it with each task. The next task asks the nodes of a larger cluster
#: again.
_LONGEST = 1 << 18
#: Bytes of the longest content.
_LONGEST_CONTENT = 1 << 24
#: How long the text counts: far longer than from one task to the next, also on a slow control plane.
_LASTS = timedelta(minutes=10)


def as_text(answers: NodeAnswers | None, given_at: datetime) -> str | None:
    """The text of answers that nodes gave at that time; None if there are no answers, or more than fit."""
    if answers is None:
        return None
    numbers: dict[Certificate, int] = {}
    listeners = [
        {
            "pod": one.pod,
            "uid": one.uid,
            "port": one.port,
            "presents": None
            if one.presents is None
            else [numbers.setdefault(certificate, len(numbers)) for certificate in one.presents],
            "accepts": sorted(one.accepts),
            "refuses": sorted(one.refuses),
            "doubts": dict(one.doubts),
            "source": one.source,
            "failure": one.failure,
            "verifies": one.verifies,
            "shared": sorted(one.shared),
            "barred": one.barred,
        }
        for one in answers.listeners
    ]
    content = {
        "at": given_at.timestamp(),
        "processes": sorted(answers.processes),
        "certificates": [encode_certificates((certificate,)).decode("ascii") for certificate in numbers],
        "listeners": listeners,
        "obstacles": astuple(answers.in_place_obstacles),
    }
    text = base64.b64encode(zlib.compress(json.dumps(content).encode("utf-8"), 9)).decode("ascii")
    return text if len(text) <= _LONGEST else None


def from_text(text: str, now: datetime) -> NodeAnswers | None:
    """The answers in this text; None if they are too old. Raises OptionsError if it is none that ``as_text`` has
    made.
    """
    try:
        unpacker = zlib.decompressobj()
        content = json.loads(unpacker.decompress(base64.b64decode(text, validate=True), _LONGEST_CONTENT))
        age = timedelta(seconds=now.timestamp() - float(content["at"]))
        certificates = [parse_certificates(pem.encode("ascii"))[0] for pem in content["certificates"]]
        answers = NodeAnswers(
            frozenset((str(uid), int(restarts)) for uid, restarts in content["processes"]),
            tuple(_listener(one, certificates) for one in content["listeners"]),
            InPlaceObstacles(*map(str, content["obstacles"])),
        )
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error, CertificateError):
        raise OptionsError(
            "node_answers:", "it is no text that strimzi_ca_info has returned", "Give its return value node_answers."
        ) from None
    return answers if abs(age) <= _LASTS else None


def _listener(read: Mapping[str, Any], certificates: list[Certificate]) -> ObservedListener:
    presents = read["presents"]
    return ObservedListener(
        str(read["pod"]),
        str(read["uid"]),
        int(read["port"]),
        None if presents is None else tuple(certificates[number] for number in presents),
        frozenset(map(str, read["accepts"])),
        frozenset(map(str, read["refuses"])),
        {str(name): str(reason) for name, reason in read["doubts"].items()},
        str(read["source"]),
        str(read["failure"]),
        bool(read["verifies"]),
        frozenset(map(str, read["shared"])),
        bool(read["barred"]),
    )
