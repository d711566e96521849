"""Looks once at so many users, in a process of its own, as a module call does: ``python -m tests.tools.bench.many_users NUMBER``.

Prints the seconds that took and the most memory the process ever had. The answers are made page by page, as an API server
sends them, so that none of them stays in memory for the sake of the test.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import read_users

from ..support.certificates import NOW, Entity, key, make
from ..support.memory_api import Response
from ..support.users import kafka_user, user_secret
from .once import peak_kib

Object = dict[str, Any]

#: Bytes of a PKCS#12 file, of which each Secret has one.
KEYSTORE = 4000
#: Different certificates, so that signatures are checked and not only remembered.
CERTIFICATES = 200


class ManyUsers:
    """An API server with this many users, each with its Secret, and a pod for every tenth."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._ca = make("clients-ca v0", key(0))

    @cached_property
    def _secrets(self) -> list[Object]:
        return [self._with_keystore(user_secret("any", self._ca, self._ca, NOW)) for _number in range(CERTIFICATES)]

    @staticmethod
    def _with_keystore(secret: Object) -> Object:
        """The Secret with a PKCS#12 file as the User Operator writes one; no client opens it here."""
        data = {**secret["data"], "user.p12": base64.b64encode(os.urandom(KEYSTORE)).decode(), "user.password": ""}
        written = {"manager": "strimzi-user-operator", "fieldsV1": {"f:data": {f"f:{entry}": {} for entry in data}}}
        return {**secret, "metadata": {**secret["metadata"], "managedFields": [written]}, "data": data}

    def request(self, method: str, path: str, *, query: Mapping[str, str] | None = None, **more: Any) -> Response:
        if path.endswith("/kafkas/demo"):
            return Response(200, {"metadata": {"name": "demo"}, "spec": {"entityOperator": {"userOperator": {}}}})
        if path.endswith("/demo-clients-ca-cert"):
            return Response(200, _certificates(self._ca))
        made = {"kafkausers": self._user, "secrets": self._secret, "pods": self._pod}.get(path.rpartition("/")[2])
        begin = int((query or {}).get("continue") or 0)
        end = min(begin + int((query or {})["limit"]), self._number) if made else begin
        items = [made(number) for number in range(begin, end)] if made else []
        more_to_come = {"continue": str(end)} if made and end < self._number else {}
        body = {"items": items, "metadata": {"resourceVersion": "1", **more_to_come}}
        # As it comes from a socket: no two answers share their texts.
        return Response(200, json.loads(json.dumps(body)))

    @staticmethod
    def _user(number: int) -> Object:
        return kafka_user(f"user-{number}")

    def _secret(self, number: int) -> Object:
        found = self._secrets[number % CERTIFICATES]
        return {**found, "metadata": {**found["metadata"], "name": f"user-{number}"}}

    @staticmethod
    def _pod(number: int) -> Object:
        volumes = [{"name": "tls", "secret": {"secretName": f"user-{number}"}}] if number % 10 == 0 else []
        return {"metadata": {"name": f"pod-{number}"}, "spec": {"volumes": volumes}, "status": {"phase": "Running"}}


def _certificates(ca: Entity) -> Object:
    return {
        "metadata": {"name": "demo-clients-ca-cert"},
        "data": {"ca.crt": base64.b64encode(ca.certificate.pem).decode()},
    }


def main() -> None:
    number = int(sys.argv[1])
    api, now = ManyUsers(number), NOW + timedelta(seconds=1)
    begun = time.perf_counter()
    found = read_users(KubeClient(api), ClusterNames("kafka", "demo"), now)
    seconds = time.perf_counter() - begun
    wrong = [user.certificate.problem for user in found.users if user.certificate and user.certificate.problem]
    if len(found.users) != number or wrong or sum(map(len, found.readers.values())) != -(-number // 10):
        raise RuntimeError(f"not all users were seen as they are: {wrong[:1]}")
    print(json.dumps({"seconds": seconds, "peak": peak_kib()}))


if __name__ == "__main__":
    main()
