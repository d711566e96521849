# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calling a module's own main(): options in as Ansible feeds them, the printed result out, the API in memory."""

from __future__ import annotations

import base64
import contextlib
import importlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from ansible.module_utils import basic

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient

from ...tools.support.memory_api import ACCESS_REVIEWS, Response
from ...tools.support.memory_cluster import MemoryCluster
from .leaks import keys_of, leaks

MODULES = "ansible_collections.trustops.strimzi.plugins.modules"
NAMES = (
    "strimzi_ca",
    "strimzi_ca_info",
    "strimzi_csr",
    "strimzi_ee_cert",
    "strimzi_node_pool",
    "strimzi_reconciliation",
    "strimzi_roll",
    "strimzi_trusted_certs",
    "strimzi_user",
    "strimzi_user_info",
)
#: The modules with the options of a flow.
FLOW_MODULES = frozenset(NAMES) - {"strimzi_csr", "strimzi_reconciliation", "strimzi_user", "strimzi_user_info"}
#: The options that a module needs besides the cluster.
REQUIRED: dict[str, dict[str, Any]] = {
    "strimzi_reconciliation": {"state": "resumed"},
    "strimzi_user": {"user": "orders", "authentication": "tls"},
    "strimzi_node_pool": {"pool": "kafka", "replicas": 3},
}
#: Keys that Ansible knows itself: no module documents them.
COMMON = frozenset({"changed", "diff", "failed", "invocation", "msg", "exception", "warnings", "deprecations"})


def shown_lines(progress: Path) -> list[str]:
    """The lines in the progress file of a call. What the call begins is shown only if it takes long."""
    entries = map(json.loads, progress.read_text().splitlines())
    return [entry["line"] for entry in entries if "line" in entry]


#: A request is answered instead of the API server, or not (None).
Answer = Callable[[str, str], Response | None]

_PATH = re.compile(r"/namespaces/[^/]+/(.+?)(?:-[0-9a-f]{10}-[0-9a-f]{5})?$")


@dataclass(frozen=True)
class Ended:
    """How a call ended."""

    code: int
    result: dict[str, Any]
    #: "POST secrets" or "PATCH secrets/<name>", in order, a Deployment's pod by its name alone.
    writes: list[str]
    #: All that was printed.
    output: str
    #: The warnings as Ansible got them; Ansible shows each once.
    warnings: list[str]
    #: The lines in the system log.
    logged: str

    @property
    def failed(self) -> bool:
        return bool(self.result.get("failed"))

    @property
    def writes_but_lease(self) -> list[str]:
        return [write for write in self.writes if " leases" not in write]


class Recording:
    """A transport that notes what this client writes, but for events; the operator double uses the API beside it."""

    def __init__(self, api: Any, answer: Answer) -> None:
        self._api, self._answer = api, answer
        self.writes: list[str] = []

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        refused = self._answer(method, path)
        if refused is not None:
            return refused
        if method != "GET" and path != ACCESS_REVIEWS and not path.endswith("/events"):
            found = _PATH.search(path)
            self.writes.append(f"{method} {found.group(1) if found else path}")
        return self._api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        return self._api.stream(path, **arguments)


def refusing(method: str, end: str, message: str = "no") -> Answer:
    """Requests of this method whose path ends so are forbidden."""

    def answer(asked: str, path: str) -> Response | None:
        body = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": message}
        return Response(403, body) if asked == method and path.endswith(end) else None

    return answer


def _let_through(method: str, path: str) -> Response | None:
    return None


def fed(options: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Module arguments where AnsibleModule looks for them; ansible-core 2.19 and later wants a profile too."""
    try:
        from ansible.module_utils.testing import patch_module_args
    except ImportError:
        content = json.dumps({"ANSIBLE_MODULE_ARGS": dict(options)}).encode("utf-8")
        return mock.patch.object(basic, "_ANSIBLE_ARGS", content)
    return patch_module_args(dict(options))


def call(
    name: str,
    memory: MemoryCluster,
    *,
    check: bool = False,
    diff: bool = True,
    answer: Answer = _let_through,
    client_for: Callable[..., KubeClient] | None = None,
    ahead: timedelta = timedelta(0),
    **options: Any,
) -> Ended:
    """Calls a module once on this cluster; while the module waits, the cluster moves. No key is ever printed or logged.

    client_for: what makes a client of the options, instead of one for this cluster. ahead: by how much the clock of this machine is.
    """
    clock = composition.SystemClock()
    memory.api.idle, memory.api.date = memory.step, lambda: clock.now() - ahead
    recording = Recording(memory.api, answer)
    arguments = {
        "cluster": memory.cluster,
        "namespace": memory.namespace,
        # Backups and the audit trail are subjects of their own (test_backups.py, test_audit.py): elsewhere a test sees the writes of a flow alone.
        **({"backup": False} if name in FLOW_MODULES else {}),
        "audit": False,
        **options,
        "_ansible_check_mode": check,
        "_ansible_diff": diff,
        "_ansible_remote_tmp": "/tmp",
        "_ansible_keep_remote_files": False,
    }
    client = KubeClient(recording, sleep=lambda seconds: None, now=clock.now, monotonic=clock.monotonic)
    supplied = {base64.b64encode(options[name].encode()).decode() for name in ("private_key",) if options.get(name)}
    keys = keys_of(memory) | supplied
    warnings: list[str] = []
    logged: list[str] = []
    with (
        mock.patch.object(basic.AnsibleModule, "warn", lambda module, text, **_about: warnings.append(text)),
        mock.patch.object(
            basic.AnsibleModule, "log", lambda module, text, log_args: logged.append(f"{text} {log_args}")
        ),
    ):
        code, output = _main(name, arguments, client_for or (lambda *_given: client))
    assert leaks(" ".join([output, *warnings, *logged]), keys | keys_of(memory)) == []
    return Ended(code, json.loads(output), recording.writes, output, warnings, " ".join(logged))


def _main(name: str, arguments: Mapping[str, Any], client_for: Callable[..., KubeClient]) -> tuple[int, str]:
    module = importlib.import_module(f"{MODULES}.{name}")
    printed = io.StringIO()
    with (
        fed(arguments),
        mock.patch.object(connect, "client_for", client_for),
        contextlib.redirect_stdout(printed),
    ):
        try:
            module.main()
        except SystemExit as end:
            return int(end.code or 0), printed.getvalue()
    raise AssertionError("a module ends with exit_json or fail_json")
