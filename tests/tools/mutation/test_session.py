"""The session understands the words of Cosmic Ray."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .session import CannotMutate, Mutant, mutants

MODULE = Path("plugins/module_utils/_trust/gates/gates.py")
DIFF = """--- mutation diff ---
--- a/gates.py
+++ b/gates.py
@@ -10,3 +10,3 @@
 def gate():
-    return a and b
+    return a or b

"""


def said(**result: Any) -> str:
    item = {"job_id": "1", "mutations": [{"module_path": str(MODULE), "definition_name": "gate"}]}
    made = {"worker_outcome": "normal", "test_outcome": "survived", "output": "", "diff": DIFF, **result}
    return json.dumps([item, made if result.get("worker_outcome", "normal") else None])


def test_the_result_of_each_mutant() -> None:
    found = tuple(mutants(MODULE, "\n".join([said(), said(test_outcome="killed")])))
    survivor = Mutant(MODULE, "gate", "return a and b", "return a or b", is_killed=False)
    assert found == (survivor, Mutant(**{**survivor.__dict__, "is_killed": True}))


def test_a_line_that_is_gone() -> None:
    (found,) = mutants(MODULE, said(diff=DIFF.replace("+    return a or b\n", "").replace("-  ", "-\n-  ")))
    assert (found.before, found.after) == ("return a and b", "")


def test_mutants_that_were_left_out_do_not_count() -> None:
    assert tuple(mutants(MODULE, said(worker_outcome="skipped", test_outcome=None, diff=None))) == ()


@pytest.mark.parametrize(
    "result",
    [
        pytest.param({"worker_outcome": None}, id="not tried"),
        pytest.param({"worker_outcome": "exception", "test_outcome": "incompetent"}, id="broken"),
        pytest.param({"test_outcome": "incompetent"}, id="tests did not start"),
        pytest.param({"worker_outcome": "no-test", "test_outcome": None}, id="no mutation"),
    ],
)
def test_a_mutant_that_was_not_tried_is_not_counted_as_noticed(result: dict[str, Any]) -> None:
    with pytest.raises(CannotMutate, match="could not try"):
        tuple(mutants(MODULE, said(**result)))
