# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From pods to evidence: port-forward, handshakes and their meaning together, over real connections."""

from __future__ import annotations

import functools
import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Unavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    Inquiry,
    make_probe,
    make_stranger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.ports import open_port
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.looking import (
    Endpoint,
    observe_listeners,
)

from .._handshake.listeners import (
    NOW,
    authority,
    end_entity,
    opener,
    server_context,
    tls_listener,
)
from .._kube.forwarding import Kubelet, Upgrade, forwarding, refuse

OLD, NEW = authority("cluster-ca v0", 1), authority("cluster-ca v1", 2)
ISSUER = authority("issuer", 4)
LEAF = end_entity(ISSUER).certificate
NAMES = {entity.certificate.fingerprint for entity in (OLD, NEW)}
OLD_NAME, NEW_NAME = OLD.certificate.fingerprint, NEW.certificate.fingerprint
CAS = [OLD.certificate, NEW.certificate]
INQUIRY = Inquiry(
    CAS,
    {entity.certificate.fingerprint: make_probe(entity.certificate, entity.key, now=NOW) for entity in (OLD, NEW)},
    CAS,
    make_stranger(now=NOW),
)
_POD = re.compile(r"/pods/([^/]+)/portforward\?ports=(\d+) ")


def endpoint(number: int, port: int = 9091) -> Endpoint:
    return Endpoint(f"my-{number}", f"uid-{number}", port)


@contextmanager
def cluster(listeners: dict[str, int]) -> Iterator[Kubelet]:
    """An API server that forwards port 9091 of these pods to ports of this machine."""

    def forward(upgrade: Upgrade) -> None:
        found = _POD.search(upgrade.line)
        assert found is not None
        if found.group(1) not in listeners:
            refuse(404, b'{"reason": "NotFound", "message": "no pod", "details": {"name": "x", "kind": "pods"}}')(
                upgrade
            )
            return
        upgrade.switch()
        upgrade.announce(int(found.group(2)))
        upgrade.relay(listeners[found.group(1)])

    with forwarding(forward) as kubelet:
        yield kubelet


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_pods_behind_the_api_server_are_told_apart(version: ssl.TLSVersion, tmp_path: Path) -> None:
    def context(*trusted: object) -> ssl.SSLContext:
        return server_context(tmp_path, [LEAF, ISSUER.certificate], trusted, version=version)  # type: ignore[arg-type]

    with (
        tls_listener(context(OLD.certificate)) as first,
        tls_listener(context(OLD.certificate, NEW.certificate)) as second,
        cluster({"my-0": first, "my-1": second}) as kubelet,
    ):
        forward = functools.partial(open_port, connect({"host": kubelet.url, "api_key": "k"}, {}), "kafka")
        seen = observe_listeners(forward, [endpoint(0), endpoint(1), endpoint(2)], INQUIRY, seconds=20)
    assert [(one.pod, one.uid, one.port) for one in seen] == [(f"my-{n}", f"uid-{n}", 9091) for n in range(3)]
    assert [one.presents for one in seen] == [(LEAF, ISSUER.certificate), (LEAF, ISSUER.certificate), None]
    assert [one.accepts for one in seen] == [{OLD_NAME}, NAMES, frozenset()]
    assert [one.refuses for one in seen] == [{NEW_NAME}, frozenset(), frozenset()]
    assert seen[0].source.startswith("handshake with TLSv1.")
    assert "Pod kafka/my-2" in seen[2].why
    assert set(seen[2].doubts) == NAMES
    assert all("port 9091 of pod my-2" in doubt for doubt in seen[2].doubts.values())


def test_five_hundred_pods_a_few_at_a_time(tmp_path: Path) -> None:
    lock, running, most = threading.Lock(), [0], [0]
    with tls_listener(server_context(tmp_path, [LEAF], [OLD.certificate])) as port:

        @contextmanager
        def forward(pod: str, number: int, *, timeout: float) -> Iterator[ByteStream]:
            if pod == "my-7":
                raise Unavailable(Attempt("get", PODS, "kafka", pod), "no node", "Run again.")
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            try:
                with opener(port)(timeout) as stream:
                    yield stream
            finally:
                with lock:
                    running[0] -= 1

        inquiry = Inquiry([OLD.certificate], {}, CAS, INQUIRY.stranger)
        seen = observe_listeners(forward, [endpoint(n) for n in range(500)], inquiry, seconds=60, at_most=8)
    assert [one.uid for one in seen] == [f"uid-{n}" for n in range(500)]
    assert [one.pod for one in seen if one.presents != (LEAF,)] == ["my-7"]
    assert most[0] <= 8


def test_pods_that_never_answer_cost_no_more_than_the_time_for_all() -> None:
    class Silent:
        def send(self, data: bytes, timeout: float) -> None:
            pass

        def recv(self, timeout: float) -> bytes:
            time.sleep(timeout)
            raise TimeoutError

    @contextmanager
    def forward(pod: str, port: int, *, timeout: float) -> Iterator[ByteStream]:
        yield Silent()

    begin = time.monotonic()
    seen = observe_listeners(forward, [endpoint(n) for n in range(400)], INQUIRY, seconds=0.5, at_most=4)
    assert time.monotonic() - begin < 40
    assert len(seen) == 400
    assert {(one.presents, one.accepts, one.refuses) for one in seen} == {(None, frozenset(), frozenset())}
    assert all(f"port 9091 of pod {one.pod}" in one.why for one in seen)
    assert "within the 0.5 s for all listeners" in seen[-1].why


def test_a_refusal_of_the_api_server_counts_where_the_pod_runs() -> None:
    """A pod that starts or ends is refused as well, and that passes."""

    @contextmanager
    def forward(pod: str, port: int, *, timeout: float) -> Iterator[ByteStream]:
        raise Unavailable(Attempt("get", PODS, "kafka", pod), "no ports are forwarded", "Check the proxy.")
        yield

    starting = Endpoint("my-1", "uid-1", 9091, running=False)
    seen = observe_listeners(forward, [endpoint(0), starting], INQUIRY, seconds=5)
    assert [one.barred for one in seen] == [True, False]
