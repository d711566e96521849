"""Playbooks of the tests pack each module of Ansible once for all of them (``callback/packed_once.py``)."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
#: The environment variables of such a playbook.
VARIABLES = {
    "ANSIBLE_CALLBACK_PLUGINS": str(_HERE / "callback"),
    # For the command ``ansible`` as well.
    "ANSIBLE_LOAD_CALLBACK_PLUGINS": "true",
    "TRUSTOPS_PACKED": str(_HERE.parents[2] / "build" / "packed"),
}
