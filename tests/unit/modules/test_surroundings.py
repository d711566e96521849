# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine that runs a module: its connection, its clock and its libraries, with what is said where one of them will not do."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect, module
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import _kubernetes
from ansible_collections.trustops.strimzi.plugins.module_utils._pki import _cryptography

from ...tools.support.golden import GoldenFiles
from .._kube.identities import Identities, make_identities
from .._kube.server import Reply, Server, serving
from . import stages
from .running import MODULES, NAMES, REQUIRED, call


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture(scope="module")
def encrypted(identities: Identities) -> Iterator[Server]:
    with serving(lambda request: Reply(403), identities.server_context()) as server:
        yield server


@pytest.fixture(scope="module")
def plain() -> Iterator[Server]:
    with serving(lambda request: Reply(403)) as server:
        yield server


def warnings_of(**options: Any) -> list[str]:
    ended = call("strimzi_ca_info", stages.managed(), client_for=connect.client_for, **options)
    assert "Unexpected" not in ended.result["msg"]
    return ended.warnings


def kubeconfig(cluster: dict[str, Any], **user: str) -> dict[str, Any]:
    return {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }


def unverified(url: str) -> list[str]:
    return [
        f"The certificate of {url} is not verified (validate_certs, or insecure-skip-tls-verify of the kubeconfig): any host on "
        "the way can pretend to be it, and read the credentials and the keys of CAs. Give its CA as ca_cert."
    ]


def test_verified(encrypted: Server, identities: Identities) -> None:
    assert warnings_of(host=encrypted.url, api_key="k", ca_cert=str(identities.ca)) == []


def test_a_connection_without_verification_is_a_warning(encrypted: Server) -> None:
    assert warnings_of(host=encrypted.url, api_key="k", validate_certs=False) == unverified(encrypted.url)


def test_a_kubeconfig_without_verification_is_a_warning(encrypted: Server) -> None:
    cluster = {"server": encrypted.url, "insecure-skip-tls-verify": True}
    assert warnings_of(kubeconfig=kubeconfig(cluster, token="t")) == unverified(encrypted.url)


@pytest.mark.parametrize("credentials", [{"api_key": "k"}, {"username": "u", "password": "p"}])
def test_credentials_over_plain_http(plain: Server, credentials: dict[str, str], golden: GoldenFiles) -> None:
    golden.compare_said("calls", "\n".join(warnings_of(host=plain.url, **credentials)))


def test_proxy_on_this_machine(plain: Server) -> None:
    assert warnings_of(host=plain.url) == []


def test_plain_http_in_capital_letters(golden: GoldenFiles) -> None:
    """The library takes the URL of a kubeconfig so."""
    cluster = {"server": "HTTP://k8s.example:8080", "proxy-url": "http://127.0.0.1:1"}
    golden.compare_said("calls", "\n".join(warnings_of(kubeconfig=kubeconfig(cluster))))


def test_plain_http_over_the_network(golden: GoldenFiles) -> None:
    # A proxy that does not run, so that no name is looked up.
    elsewhere = {"host": "http://k8s.example:8080", "proxy": "http://127.0.0.1:1"}
    golden.compare_said("calls", "\n".join(warnings_of(**elsewhere)), "without credentials")
    golden.compare_said("calls", "\n".join(warnings_of(**elsewhere, api_key="k")), "with credentials")


# The clock of the machine that runs a module, beside the API server's.

FAR, NEAR = timedelta(minutes=10), timedelta(seconds=90)
OWN = {"secret": "mirror", "common_name": "mirror", "subject_alternative_names": ["mirror.example"]}


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", stages.PREPARED),
        ("strimzi_ee_cert", {"state": "renewed"}),
        ("strimzi_ee_cert", OWN),
        ("strimzi_trusted_certs", {}),
    ],
)
@pytest.mark.parametrize("ahead", [FAR, -FAR])
def test_nothing_is_written_with_a_clock_that_is_far_off(
    module: str, options: dict[str, Any], ahead: timedelta
) -> None:
    ended = call(module, stages.managed(), ahead=ahead, **options)
    assert (ended.failed, ended.writes) == (True, [])
    side = "ahead of" if ahead > timedelta(0) else "behind"
    assert f"the clock of {platform.node()}: is " in ended.result["msg"]
    assert f" s {side} the API server's" in ended.result["msg"]
    assert "time service (NTP)" in ended.result["msg"]


def test_a_smaller_difference_is_warned_of() -> None:
    ended = call("strimzi_ca", stages.managed(), ahead=NEAR, **stages.PREPARED)
    assert not ended.failed
    (told,) = (one for one in ended.warnings if "clock" in one)
    assert f"The clock of {platform.node()} is " in told


def test_clocks_that_agree_are_no_matter() -> None:
    ended = call("strimzi_ca", stages.managed(), **stages.PREPARED)
    assert [one for one in ended.warnings if "clock" in one] == []


# Without its libraries, or with too old ones, every module says which, where and what to do.


#: A process of its own, in which the library cannot be imported; it has none of the tests' imports either.
PROGRAM = """
import contextlib, importlib, io, json, sys
sys.modules["{library}"] = None
from ansible.module_utils import basic
for name, options in {names}.items():
    given = {{"ANSIBLE_MODULE_ARGS": {{"cluster": "demo", "namespace": "kafka", **options}}}}
    basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = json.dumps(given).encode(), "legacy"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        importlib.import_module(f"{modules}.{{name}}").main()
    print(json.dumps(json.loads(printed.getvalue())))
"""


@pytest.mark.parametrize(("library", "minimum"), [("kubernetes", "24.2.0"), ("cryptography", "45.0.0")])
def test_absent(library: str, minimum: str) -> None:
    program = PROGRAM.format(library=library, names={name: REQUIRED.get(name, {}) for name in NAMES}, modules=MODULES)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(NAMES)
    for result in results:
        assert result["failed"] is True
        assert f"({library} >= {minimum})" in result["msg"]
        assert f"'s Python {sys.executable}." in result["msg"]
        assert "ansible_python_interpreter" in result["msg"]


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize(
    ("guard", "library", "version", "minimum"),
    [(_kubernetes, "kubernetes", "24.1.9", "24.2.0"), (_cryptography, "cryptography", "44.0.3", "45.0.0")],
)
def test_too_old(
    monkeypatch: pytest.MonkeyPatch,
    guard: object,
    library: str,
    version: str,
    minimum: str,
    module: str,
    golden: GoldenFiles,
) -> None:
    memory = stages.managed()
    monkeypatch.setattr(guard, library, SimpleNamespace(__version__=version))
    ended = call(module, memory, **REQUIRED.get(module, {}))
    golden.compare_said("calls", ended.result["msg"].replace(sys.executable, "<python>"), library)
    assert (ended.code, ended.failed, ended.writes) == (1, True, [])


@pytest.mark.parametrize("version", ["45.0.0", "45.0.1", "100.0", "46.0.0rc1"])
def test_new_enough(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    for guard, library in ((_kubernetes, "kubernetes"), (_cryptography, "cryptography")):
        monkeypatch.setattr(guard, library, SimpleNamespace(__version__=version))
    assert module.missing_library() is None
