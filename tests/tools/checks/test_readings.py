# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Code that takes a sentence apart, or tells things apart by one, is found; code that passes it on is not."""

from __future__ import annotations

import pytest

from .readings import problems, writers

_WRITER = 'def told(pod: str) -> str:\n    return f"the pod {pod}"\n'


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('pod = action.object.rpartition("/")[2]', id="the name of a pod from a field"),
        pytest.param('kind, _space, name = write["object"].partition(" ")', id="a kind from a result"),
        pytest.param('is_ledger = str(action["object"]).startswith("Secret ")', id="a prefix of a result"),
        pytest.param('remedy = error.remedy.replace("again", "once more")', id="another remedy in its place"),
        pytest.param("digits = PATTERN.search(violation.message)", id="a pattern"),
        pytest.param('is_away = "failed calling" in error.cause', id="words of a cause"),
        pytest.param('rest = told("a").removesuffix(".")', id="the result of a function that writes"),
        pytest.param('is_same = told("a") == told("b")', id="two sentences compared"),
        pytest.param('text = told("a")\nend = text.partition(" ")[2]', id="by way of a variable"),
        pytest.param('ends = [why.replace("a", "") for why in channel["why"]]', id="by way of a loop"),
        pytest.param('digits = step["label"][-13:-1]', id="a part by its position"),
        pytest.param("try:\n    act()\nexcept OSError as error:\n    seen.add(str(error))", id="an error as a key"),
    ],
)
def test_readings(code: str) -> None:
    assert [int(problem.partition(":")[0]) for problem in problems(f"{_WRITER}{code}\n")] == [
        len(f"{_WRITER}{code}".splitlines())
    ]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('line = f"{action.object}: {action.what}"', id="a sentence made of others"),
        pytest.param("written = dict.fromkeys(action.object for action in done)", id="each once"),
        pytest.param('name = pod["metadata"]["name"].rpartition("-")[0]', id="a name of Kubernetes"),
        pytest.param("is_about_it = violation.subject == names.kafka", id="two names compared"),
        pytest.param("shown = action.what[:500]", id="cut to a length"),
    ],
)
def test_no_readings(code: str) -> None:
    assert list(problems(f"{_WRITER}{code}\n")) == []


def test_a_function_of_another_file_that_writes() -> None:
    assert writers(_WRITER) == {"told"}
    assert [*problems('rest = told("a").split()\n')] == []
    assert [*problems('rest = told("a").split()\n', writers(_WRITER))] != []
