# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each sentence of the documentation is in a table with the test that shows what it says; what the tables cannot miss."""

from __future__ import annotations

import pytest

from .promised import DESCRIBES, Rows, Texts, documented, faults, promises

DOCUMENTED, PROMISES = documented(), promises()


@pytest.mark.parametrize("source", sorted(DOCUMENTED.keys() | PROMISES.keys()))
def test_each_sentence_names_the_test_that_shows_it(source: str) -> None:
    assert list(faults(source, DOCUMENTED.get(source, {}), PROMISES.get(source, {}))) == []


SHOWN = f"unit/documents/test_promises.py::{test_each_sentence_names_the_test_that_shows_it.__name__}"
TEXTS: Texts = {"size": ("The call makes keys of this size.", "It changes no other key."), "size.unit": ("The unit.",)}
ROWS: Rows = {"size": {"makes keys of": (SHOWN,), "no other key": (SHOWN, SHOWN)}, "size.unit": {"": (DESCRIBES,)}}


LESS = {**TEXTS, "size": ("The call makes keys.", TEXTS["size"][1])}
OTHER = f"{SHOWN}_no_more"
LACKING = [
    pytest.param(TEXTS, ROWS, [], id="all of it"),
    pytest.param({**TEXTS, "new": ("It begins.",)}, ROWS, ["own, new: no row has words of 'It begins.'"], id="an option more"),
    pytest.param({**TEXTS, "size": (*TEXTS["size"], "It ends.")}, ROWS, ["own, size: no row has words of 'It ends.'"], id="a sentence more"),
    pytest.param({"size": TEXTS["size"]}, ROWS, ["size.unit: '' does not stand"], id="an option less"),
    pytest.param(
        LESS, ROWS, ["own, size: no row has words of 'The call makes keys.'", "size: 'makes keys of' does not stand"], id="other words"
    ),
    pytest.param(TEXTS, {**ROWS, "size": {**ROWS["size"], "of this": (OTHER,)}}, [f"size: there is no test {OTHER}"], id="a test less"),
    pytest.param(
        TEXTS, {**ROWS, "size": {**ROWS["size"], "of this": ("unit/gone.py::test_it",)}}, ["size: there is no test unit/gone.py"], id="a file less"
    ),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "rows", "found"), LACKING)
def test_what_a_table_lacks_is_said(texts: Texts, rows: Rows, found: list[str]) -> None:
    told = list(faults("own", texts, rows))
    assert len(told) == len(found)
    assert all(part in sentence for part, sentence in zip(found, told, strict=True))


def test_the_documentation_of_every_plugin_is_read() -> None:
    assert {
        "flow",
        "cluster",
        "goal",
        "strimzi_ca",
        "strimzi_user_info",
        "kafka",
        "metrics",
        "variables",
        "roles",
    } <= DOCUMENTED.keys()
    assert {"evidence", "issuer.login.token_from", "policy.key_policy.rsa_bits"} <= DOCUMENTED["flow"].keys()
    assert all(sentence for texts in DOCUMENTED.values() for sentences in texts.values() for sentence in sentences)
