"""The results of modules are read from what a playbook shows."""

from __future__ import annotations

import json

from ...api.running import Finished

RESULT = {"changed": True, "actions": [{"verb": "reload", "seconds": 1.2}]}
OUTPUT = f"""
TASK [Remove the old CA from every truststore] ****
[kafka/demo] ok: [localhost] => a line of progress
changed: [localhost] => {json.dumps(RESULT)}

TASK [Write the report] ****
skipping: [localhost] => {{"changed": false}}
ok: [localhost] => {{"changed": false}}
"""


def test_results_are_those_of_tasks_that_ran_in_their_order() -> None:
    assert list(Finished(0, OUTPUT).results()) == [RESULT, {"changed": False}]
