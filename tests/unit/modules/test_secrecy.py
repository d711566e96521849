# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing secret is printed, whatever happens. (Every call of these tests is searched for the cluster's keys.)"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import flow_module as composition

from ...support.certificates import key
from ...support.memory_api import Response
from . import stages
from .leaks import keys_of, leaks
from .mistakes import KEYS, entry
from .running import NAMES, REQUIRED, call
from .uses import USES, Use


@pytest.mark.parametrize("module", NAMES)
def test_unexpected_failure_does_not_quote_itself(module: str) -> None:
    memory = stages.managed()
    secret = entry(memory, KEYS, "ca.key").decode()

    def fail(method: str, path: str) -> Response | None:
        raise RuntimeError(secret)

    ended = call(module, memory, answer=fail, **REQUIRED.get(module, {}))
    head, _line, tail = ended.result["msg"].partition(".py:")
    assert head == "Unexpected RuntimeError at test_secrecy"
    assert tail.split(".", 1)[1] == " Please report it; the flow can be run again."
    assert (ended.code, ended.failed, ended.result["changed"]) == (1, True, False)


def test_refusal_that_quotes_the_secret() -> None:
    """A webhook may quote what it refuses."""
    memory = stages.managed()
    secret = entry(memory, KEYS, "ca.key").decode().strip()

    def refuse(method: str, path: str) -> Response | None:
        message = f"admission webhook denied the request: {secret}"
        body = {"kind": "Status", "reason": "Forbidden", "message": message}
        return Response(403, body) if method == "PATCH" and path.endswith("/demo-cluster-ca") else None

    ended = call("strimzi_ca", memory, answer=refuse, **stages.PREPARED)
    assert ended.result["msg"] == (
        "Failed to patch Secret kafka/demo-cluster-ca: admission webhook denied the request: (hidden). "
        "Ask the administrators of the Kubernetes cluster: a policy or quota forbids it, not a missing role."
    )


@pytest.mark.parametrize("use", USES, ids=str)
def test_nothing_secret_is_handed_to_ansible_in_the_first_place(monkeypatch: pytest.MonkeyPatch, use: Use) -> None:
    """Without the last net: call() finds no key in what is printed."""
    monkeypatch.setattr(composition, "secrets_of", lambda observation: ())
    assert not use.take(use.start()).failed


def test_the_last_net_hides_what_should_never_have_been_there(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    stored = [base64.b64decode(value).decode("latin-1") for value in keys_of(memory)]
    lines = [line for text in stored if "-----" in text for line in text.splitlines() if "-----" not in line]
    # Older releases of ansible-core leave the armour of a whole PEM text, and line ends; neither is secret.
    whole = [text for text in stored if "-----" not in text]
    forms = [*whole, *keys_of(memory), *(line for line in lines if len(line) > 20)]
    monkeypatch.setattr(composition, "diff_of", lambda actions: [{"before": f"({form})"} for form in forms])
    # That no key is left is what call() itself looks for.
    assert all("********" in shown["before"] for shown in call("strimzi_ca_info", memory).result["diff"])


KUBECONFIG: dict[str, Any] = {
    "users": [{"name": "me", "user": {"token": "token-of-mine", "client-key-data": "a2V5LW9mLW1pbmU="}}],
    "contexts": [],
}


def test_credentials_in_options() -> None:
    for check in (False, True):
        ended = call("strimzi_ca_info", stages.managed(), check=check, kubeconfig=KUBECONFIG, password="word-of-mine")
        assert not ended.failed
        for text in ("token-of-mine", "a2V5LW9mLW1pbmU=", "word-of-mine"):
            assert text not in ended.output


def test_supplied_key_is_not_printed_when_it_is_refused() -> None:
    pem = key(1).reveal().decode()
    ended = call("strimzi_ca", stages.managed(), state="replaced", certificate="nothing", private_key=pem)
    assert ended.failed
    assert not any(line in ended.output for line in pem.splitlines())


#: A renewal keeps the key of its CA, and the operator makes a keystore of a CA that it is given; other uses make nothing.
MAKING = {"ca-makes-a-first-one", "ca-prepares-a-replacement", "ca-switches-to-new-dates", "ca-hands-back"}


@pytest.mark.parametrize("use", [use for use in USES if use.module in ("strimzi_ca", "strimzi_ee_cert")], ids=str)
def test_new_keys_are_written_and_only_named(use: Use) -> None:
    memory = use.start()
    before = keys_of(memory)
    ended = use.take(memory)
    new = keys_of(memory) - before
    assert bool(new) is (use.module == "strimzi_ee_cert" or str(use) in MAKING)
    assert leaks(ended.output, new) == []
    assert all(set(entry) == {"after", "after_header", "before", "before_header"} for entry in ended.result["diff"])
