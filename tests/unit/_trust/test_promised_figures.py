# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that the documentation promises are those that decide."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import MOUNTED_SECRET
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import LONGEST_WAIVER
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Parameters
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import MOST_REPLACED
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import CONTROL_PLANE, REPLICATION
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import LEADERS_RETURN
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import SECRET_LIMIT
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import SLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import LARGEST, NOTABLE

from ...tools.support.pages import page_says

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
OPTIONS = "plugins/doc_fragments/flow.py"
IN_WORDS = {1: "one minute", 5: "five minutes"}
DEFAULTS = Parameters()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("docs/outside-clients.md", f"A waiver lasts at most {LONGEST_WAIVER.days} days."),
        (OPTIONS, f"At most {LONGEST_WAIVER.days} days from now."),
        (OPTIONS, f"the brokers of the last lead again, {IN_WORDS.get(LEADERS_RETURN // MINUTE)} at most."),
        ("docs/batches.md", f"the run waits {IN_WORDS.get(LEADERS_RETURN // MINUTE)} at most"),
        ("docs/link-certificates.md", f"`strimzi_client_grace`, {MOUNTED_SECRET // SECOND} seconds by default"),
        (OPTIONS, f"By default {MOUNTED_SECRET // SECOND}, which a mounted Secret takes."),
        (OPTIONS, f"The ledger remembers the last {MOST_REPLACED} of these CAs"),
        ("docs/stops.md", f"larger than the {SECRET_LIMIT / 2**20:g} MiB that Kubernetes allows"),
        ("docs/scale.md", f"takes more than {SLOW:g} s to answer"),
        ("docs/calls.md", f"From a difference of **{IN_WORDS.get(NOTABLE // MINUTE)}** on a warning"),
        ("docs/calls.md", f"Beyond **{LARGEST // SECOND} s**, ahead or behind, a call writes nothing"),
        ("docs/operator.md", f"listeners {CONTROL_PLANE} (controllers) and {REPLICATION} (brokers)"),
        ("docs/reference.md", f"how many days a leaf has left when it is renewed ({DEFAULTS.renew_before.days})"),
        ("docs/reference.md", f"answer to the same command ({DEFAULTS.fresh_for // HOUR})"),
    ],
)
def test_the_documentation_says_what_decides(page: str, words: str) -> None:
    assert page_says(page, words)


def test_words_that_no_page_has() -> None:
    assert not page_says("docs/calls.md", f"Beyond **{LARGEST // SECOND + 1} s**, ahead or behind")
