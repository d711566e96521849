# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Kafka protocol with one node, broker or controller, over one TLS connection.

kafka-python encodes and decodes the messages. Its own client can ask brokers only, over sockets that it opens itself.
"""

from __future__ import annotations

import ssl
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .._errors import ApiMissing, KafkaUnavailable, KubeError
from .._handshake.alerts import alert_of
from .._handshake.stream import ByteStream, Deadline, Opener
from .._handshake.tls import TlsStream
from .listener_settings import Setting

#: The versions of the two APIs that are used here: Kafka has them since 2.4 and 3.7 (KIP-919), in the same form on
#: brokers and controllers.
_ALTER, _DESCRIBE = 1, 1
_BROKER, _SET, _CONTROLLERS = 4, 0, 2
#: Bytes; every answer to the questions asked here is far smaller.
_LONGEST_ANSWER = 1 << 20


@dataclass(frozen=True)
class Answer:
    """code: Kafka's error code, 0 for none. message: as Kafka gives it, which may quote what was set."""

    code: int
    message: str


@contextmanager
def connected(
    opening: Opener, context: ssl.SSLContext, host: str, name: str, deadline: Deadline
) -> Iterator[NodeAdmin]:
    """host: the name that the node's certificate has to be for; name: of node and port, for messages. Raises
    KafkaUnavailable.

    Errors inside, of the connection or of an answer that cannot be read, become KafkaUnavailable as well.
    """
    from kafka.errors import KafkaError

    try:
        with opening(deadline.remaining()) as stream:
            yield NodeAdmin(TlsStream(stream, context, host, deadline), deadline)
    except KubeError as error:
        raise _unavailable(name, str(error).rstrip("."), error.remedy) from None
    except (OSError, KafkaError) as error:
        raise _unavailable(name, _cause(error), "Check that the node is up, and run again.") from None


def _unavailable(name: str, cause: str, remedy: str) -> KafkaUnavailable:
    return KafkaUnavailable(name, f"does not answer: {cause}", remedy)


def _cause(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not what we trust ({error.verify_message.rstrip('.')})"
    if isinstance(error, ssl.SSLEOFError):
        return "it ended the connection"
    if isinstance(error, ssl.SSLError):
        alert = alert_of(error)
        return f"it refuses us with the alert {alert}" if alert else f"TLS library: {error.reason}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


class NodeAdmin:
    """Asks one thing at a time. Raises OSError, KubeError, and KafkaError for what cannot be read."""

    def __init__(self, stream: ByteStream, deadline: Deadline) -> None:
        from kafka.protocol.parser import KafkaProtocol

        self._stream = stream
        self._deadline = deadline
        self._protocol: Any = KafkaProtocol(client_id="trustops.strimzi", receive_message_max_bytes=_LONGEST_ANSWER)
        self._versions: dict[int, tuple[int, int]] | None = None

    def set_on_node(self, node_id: int, settings: Sequence[Setting]) -> Answer:
        """SET of the dynamic configuration of this one node, all or nothing. Raises ApiMissing."""
        from kafka.protocol.admin import IncrementalAlterConfigsRequest as Request

        resource = Request.AlterConfigsResource
        configs = [
            resource.AlterableConfig(name=one.name, config_operation=_SET, value=one.reference) for one in settings
        ]
        wanted = resource(resource_type=_BROKER, resource_name=str(node_id), configs=configs)
        answers = self._ask(Request[_ALTER](resources=[wanted], validate_only=False)).responses
        if [one.resource_name for one in answers] != [str(node_id)]:
            raise ConnectionError("it answers about something else than was asked")
        return Answer(answers[0].error_code, answers[0].error_message or "")

    def active_controller(self) -> int:
        """As a controller knows it; -1 while there is none. Raises ApiMissing."""
        from kafka.protocol.admin import DescribeClusterRequest

        return int(self._ask(DescribeClusterRequest[_DESCRIBE](endpoint_type=_CONTROLLERS)).controller_id)

    def _ask(self, request: Any) -> Any:
        """Send a request and return its answer. The node is asked for its versions before, because it ends the
        connection on one that it does not know.
        """
        if self._versions is None:
            from kafka.protocol.metadata import ApiVersionsRequest

            offered = self._exchange(ApiVersionsRequest[0]()).api_keys
            self._versions = {one.api_key: (one.min_version, one.max_version) for one in offered}
        least, most = self._versions.get(request.API_KEY, (0, -1))
        if not least <= request.API_VERSION <= most:
            raise ApiMissing(f"it does not speak version {request.API_VERSION} of {request.name}")
        return self._exchange(request)

    def _exchange(self, request: Any) -> Any:
        self._protocol.send_request(request)
        self._stream.send(self._protocol.send_bytes(), self._deadline.remaining())
        while True:
            data = self._stream.recv(self._deadline.remaining())
            if not data:
                raise ConnectionError("it ended the connection")
            if answers := self._read(data):
                return answers[0][1]

    def _read(self, data: bytes) -> Any:
        """Each with the number of its request; empty while none is complete."""
        try:
            return self._protocol.receive_bytes(data)
        except (ValueError, struct.error):
            raise ConnectionError("its answer cannot be read") from None
