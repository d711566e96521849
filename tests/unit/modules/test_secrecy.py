# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing secret is printed, whatever happens. (Every call of these tests is searched for the cluster's keys.)"""

from __future__ import annotations

import base64
import json
import re
import sys
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import trust_module as composition

from ...tools.support.certificates import key
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from . import running, stages
from .leaks import keys_of, leaks
from .mistakes import CERTIFICATES, KEYS, entry, put
from .running import NAMES, REQUIRED, Ended, call, refusing
from .uses import USES, Use


@pytest.mark.parametrize("module", NAMES)
def test_unexpected_failure_does_not_quote_itself(module: str, golden: GoldenFiles) -> None:
    memory = stages.managed()
    secret = entry(memory, KEYS, "ca.key").decode()

    def fail(method: str, path: str) -> Response | None:
        raise RuntimeError(secret)

    ended = call(module, memory, answer=fail, **REQUIRED.get(module, {}))
    golden.compare_said("calls", re.sub(r"[.]py:[0-9]+", ".py:<line>", ended.result["msg"]))
    assert (ended.code, ended.failed, ended.result["changed"]) == (1, True, False)


def test_refusal_that_quotes_the_secret(golden: GoldenFiles) -> None:
    """A webhook may quote what it refuses."""
    memory = stages.managed()
    secret = entry(memory, KEYS, "ca.key").decode().strip()

    refuse = refusing("PATCH", "/demo-cluster-ca", f"admission webhook denied the request: {secret}")
    ended = call("strimzi_ca", memory, answer=refuse, **stages.PREPARED)
    golden.compare_said("calls", ended.result["msg"])


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
    # call() itself checks that no key is left.
    assert all("********" in shown["before"] for shown in call("strimzi_ca_info", memory).result["diff"])


USER: dict[str, Any] = {
    "token": "token-of-mine",
    "client-key-data": "a2V5LW9mLW1pbmU=",
    "exec": {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "false",
        "args": ["--secret=argument-of-mine"],
        "env": [{"name": "AWS_SECRET_ACCESS_KEY", "value": "variable-of-mine"}],
    },
    "auth-provider": {"name": "gcp", "config": {"access-token": "provided-to-me", "idp-refresh-secret": "again-mine"}},
}
KUBECONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "clusters": [{"name": "kafka", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "me", "user": USER}],
    "contexts": [],
}
CREDENTIALS = (
    "token-of-mine", "a2V5LW9mLW1pbmU=", "argument-of-mine", "variable-of-mine", "provided-to-me", "again-mine",
    "word-of-mine",
)  # fmt: skip


def everything(ended: Ended) -> str:
    return " ".join([ended.output, ended.logged, *ended.warnings])


@pytest.mark.parametrize("wrong", [{}, {"evidence": "none"}, {"clusters": "x"}], ids=["right", "refused", "unknown"])
def test_credentials_in_options(wrong: dict[str, Any]) -> None:
    """Also where Ansible itself refuses an option, before any code of a module runs."""
    for check in (False, True):
        options = {"kubeconfig": KUBECONFIG, "password": "word-of-mine", "username": "me", **wrong}
        ended = call("strimzi_ca_info", stages.managed(), check=check, **options)
        assert ended.failed is bool(wrong)
        assert [text for text in CREDENTIALS if text in everything(ended)] == []


def test_nothing_harmless_of_a_kubeconfig_is_hidden() -> None:
    """Ansible would hide its every word: the v1 of apiVersion in all names of CAs, and its cluster in all objects."""
    shown, hidden = (
        call("strimzi_ca_info", stages.managed(), **options) for options in ({}, {"kubeconfig": KUBECONFIG})
    )
    assert hidden.result["cas"] == shown.result["cas"]
    assert hidden.result["cluster"] == shown.result["cluster"]


KEY_TEXT = key(1).reveal().decode()
CONTENT = "apiVersion: v1\nusers: [{name: u, user: {token: token-of-mine}}]\n"
CERTIFICATE = {"host": "https://127.0.0.1:1", "client_cert": __file__}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kubeconfig": CONTENT}, "kubeconfig (K8S_AUTH_KUBECONFIG) is content as text. "),
        ({"kubeconfig": '{"token": "token-of-mine"}'}, "kubeconfig (K8S_AUTH_KUBECONFIG) is content as text. "),
        ({"kubeconfig": "token-of-mine" * 5}, "kubeconfig (K8S_AUTH_KUBECONFIG): there is no such file (its name "),
        ({**CERTIFICATE, "client_key": KEY_TEXT}, "client_key (K8S_AUTH_KEY_FILE) is content where the path "),
        (
            {**CERTIFICATE, "client_key": "token-of-mine" * 5},
            "client_key (K8S_AUTH_KEY_FILE): there is no such file (its ",
        ),
        ({"ca_cert": KEY_TEXT}, "ca_cert (K8S_AUTH_SSL_CA_CERT) is content where the path of a file is expected. "),
        (
            {"host": "https://me:word-of-mine@127.0.0.1:1", "api_key": "k"},
            "host (K8S_AUTH_HOST) contains a user name or ",
        ),
        (
            {"host": "https://127.0.0.1:1", "api_key": "k", "proxy": "http://me:word-of-mine@127.0.0.1:9"},
            "proxy (K8S_AUTH_PROXY) contains a user name or password, which would not be sent and could show. Take it out "
            "of the URL, and give it as proxy_headers.proxy_basic_auth.",
        ),
    ],
)
def test_contents_in_the_wrong_place(options: dict[str, Any], message: str) -> None:
    ended = call("strimzi_ca_info", stages.managed(), client_for=connect.client_for, **options)
    assert ended.failed
    assert ended.result["msg"].startswith(message)
    unseen = [*CREDENTIALS, *(line for line in KEY_TEXT.splitlines() if "-----" not in line), "-----BEGIN"]
    assert [text for text in unseen if text in everything(ended)] == []


def test_the_message_of_an_exec_plugin_shows_no_credential(golden: GoldenFiles) -> None:
    """It may quote how it was called."""
    program = "import os, sys; sys.exit(f\"no login with {sys.argv[1]} and {os.environ['SECRET']}\")"
    user = {"exec": {**USER["exec"], "command": sys.executable, "args": ["-c", program, "--secret=argument-of-mine"]}}
    user["exec"]["env"] = [{"name": "SECRET", "value": "variable-of-mine"}]
    context = {"name": "one", "context": {"cluster": "kafka", "user": "me"}}
    kubeconfig = {
        **KUBECONFIG,
        "users": [{"name": "me", "user": user}],
        "contexts": [context],
        "current-context": "one",
    }
    ended = call("strimzi_ca_info", stages.managed(), client_for=connect.client_for, kubeconfig=kubeconfig)
    golden.compare_said("calls", ended.result["msg"])
    assert [text for text in CREDENTIALS if text in everything(ended)] == []


@pytest.mark.parametrize("module", ["strimzi_ca", "strimzi_trusted_certs"])
def test_private_key_among_certificates(module: str, golden: GoldenFiles) -> None:
    """Many keep both in one file."""
    memory = stages.managed()
    text = entry(memory, CERTIFICATES, "ca.crt").decode() + KEY_TEXT
    more = {"state": "replaced", "private_key": KEY_TEXT} if module == "strimzi_ca" else {}
    ended = call(module, memory, certificate=text, **more)
    golden.compare_said("calls", ended.result["msg"])
    assert leaks(everything(ended), {base64.b64encode(KEY_TEXT.encode()).decode()}) == []


@pytest.mark.parametrize("option", ["validity_days", "state", "until_phase"])
def test_key_where_ansible_wants_something_else(option: str) -> None:
    """Ansible quotes what it refuses."""
    ended = call("strimzi_ca", stages.managed(), **{option: KEY_TEXT})
    assert ended.failed
    assert leaks(everything(ended), {base64.b64encode(KEY_TEXT.encode()).decode()}) == []


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


HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


@pytest.mark.parametrize("word", ["s", "e", "1", "True", "False\n", "demo", "kafka"])
def test_short_passwords_leave_results_as_they_are(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Ansible hides a value inside words and numbers too: of "s", next="********trimzi_roll" would be left."""
    monkeypatch.setattr(running, "leaks", lambda text, keys: [])
    plain, memory = stages.managed(), stages.managed()
    put(memory, "secrets", KEYS, {"x.password": word.encode()})
    one, other = (call("strimzi_ca_info", cluster) for cluster in (plain, memory))
    assert other.result["cluster"] == one.result["cluster"]
    assert shape(other.result) == shape(one.result)
    credentials = call("strimzi_ca_info", plain, username="me", password=word.strip(), api_key="")
    assert shape(credentials.result) == shape(one.result)
    # Newer versions of Ansible leave the invocation out.
    arguments = credentials.result.get("invocation", {"module_args": {"password": HIDDEN}})["module_args"]
    assert arguments["password"] == HIDDEN


def shape(result: dict[str, Any]) -> str:
    """The part of a result that is the same for all clusters and calls that are alike."""
    changing = {"invocation", "seconds", "began_at"}
    passing = r'[0-9a-f]{12,}|\d{4}-\S+Z|"seconds_left": \d+'
    return re.sub(passing, "", json.dumps({k: v for k, v in result.items() if k not in changing}))
