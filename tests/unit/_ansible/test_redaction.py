# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last net hides what should not have come so far."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.parameters import remove_values

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.connect import (
    secrets_of,
    without_contents,
    worth_hiding,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import QuietModule

from ...support.certificates import key
from .._strimzi.bench import Bench

PEM = key(7).reveal().decode()


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (f"It holds {PEM} and more.", "It holds (hidden)\n and more."),
        (f"It holds {PEM[:200]}", "It holds (hidden)"),
        ("No answer from https://me:word@proxy.example:3128/.", "No answer from https://(hidden)@proxy.example:3128/."),
        ("No answer from https://proxy.example:3128/.", "No answer from https://proxy.example:3128/."),
    ],
    ids=["key", "a part of one", "login in a URL", "nothing to hide"],
)
def test_messages_hold_no_pem_and_no_login(message: str, shown: str) -> None:
    assert without_contents(message, {}) == shown


@pytest.mark.parametrize(
    "form", [PEM, PEM.strip(), base64.b64encode(PEM.encode()).decode()], ids=["PEM", "stripped", "base64"]
)
def test_keys_that_an_issuer_has_made_are_hidden_in_every_form(form: str) -> None:
    seen = Bench().observe()
    assert form not in set(secrets_of(seen))
    assert form in set(secrets_of(replace(seen, brought={"demo-kafka-0": key(7)})))


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": "word-of-mine"},
        {"issuer": {"login": {"secret_id": "word-of-mine"}}},
        {"issuer": {"login": {"jwt": "word-of-mine"}}},
        {"kubeconfig": {"users": [{"user": {"token": "word-of-mine"}}]}},
        {"kubeconfig": {"users": [{"user": {"client-key-data": "word-of-mine"}}]}},
    ],
    ids=str,
)
def test_credentials_are_hidden_whichever_option_holds_them(options: dict[str, Any]) -> None:
    assert worth_hiding([], options) == {"word-of-mine"}


def test_a_secret_is_hidden_although_some_of_its_bytes_are_shown_as_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ansible looks for secrets when texts have been made such that they command no terminal."""
    told: dict[str, Any] = {}

    def end(module: QuietModule, **result: Any) -> None:
        told.update(remove_values(result, module.no_log_values))

    monkeypatch.setattr(AnsibleModule, "exit_json", end)
    module = object.__new__(QuietModule)
    module.no_log_values, module.params = {"word\x07of-mine"}, {}
    with pytest.raises(SystemExit):
        module.exit_json(said="It is word\x07of-mine, \x1b[31m.")
    assert told["said"] == "It is ********, \\1B[31m."
