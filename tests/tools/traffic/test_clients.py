"""The events that a client prints are heard whole, whatever its libraries write at the same time."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from confluent_kafka import KafkaError

from ..cluster.kube import wait_for
from .clients import Demand, listen, parse
from .rdkafka import refused

EVENTS = 300
#: Half an event, a log, the other half: as one process does with two streams and two threads.
SPEAKER = """
import os
for number in range({events}):
    event = '{{"name": "record_data", "value": "%d"}}\\n' % number
    os.write(1, event[:15].encode())
    os.write(2, b"%6|1795287150.072|FAIL|rdkafka#consumer-1| Disconnected\\n")
    os.write(1, event[15:].encode())
"""


def test_no_event_is_lost_in_a_log() -> None:
    heard: list[dict[str, Any]] = []
    command = [sys.executable, "-c", SPEAKER.format(events=EVENTS)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        listen(process, lambda line: heard.append(parse(line)))
        process.wait(30)
        wait_for(lambda: len(heard) == 2 * EVENTS, "all lines", 30)
    assert [event["value"] for event in heard if event] == [str(number) for number in range(EVENTS)]


@pytest.mark.parametrize(
    ("code", "text", "failed"),
    [
        (KafkaError._SSL, "broker certificate could not be verified", True),
        (KafkaError._SSL, "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?", False),
        (KafkaError._SSL, "SSL handshake failed: disconnected", False),
        (KafkaError._TRANSPORT, "ssl/tls alert certificate unknown: SSL alert number 46", True),
        (KafkaError._TRANSPORT, "Disconnected (after 3 ms in state UP)", False),
    ],
)
def test_messages_of_librdkafka_that_count_as_refused(code: int, text: str, failed: bool) -> None:
    assert refused(code, text) is failed


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("WARN [Producer clientId=producer-1] Got error produce response on topic-partition traffic-3, retrying. Error: NOT_ENOUGH_REPLICAS", True),
        ("[ReplicaManager broker=1] org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR", True),
        ('{"name": "producer_send_error", "value": "1.0", "message": "NotEnoughReplicasException"}', True),
        ("WARN [Producer clientId=producer-1] Got error produce response, retrying. Error: NOT_LEADER_OR_FOLLOWER", False),
        ('{"name": "producer_send_success", "value": "NOT_ENOUGH_REPLICAS"}', False),
    ],
)  # fmt: skip
def test_answers_for_want_of_replicas_are_heard(line: str, short: bool) -> None:
    assert (parse(line).get("name") == "not_enough_replicas") is short


@pytest.mark.parametrize(("renews", "clients"), [(True, 8), (False, 4)])
def test_a_demand_of_clients_that_are_kept_alone(renews: bool, clients: int) -> None:
    found = Demand(1.0, renews=renews).clients
    assert len(found) == clients
    assert all(kept for _kind, kept in found) is not renews


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ("ERROR [Producer] Connection to node -1 (a/192.0.2.1:9095) failed authentication due to: SSL handshake failed", True),
        # With TLS 1.3 a client has finished when it hears that its certificate is refused.
        ("ERROR [Consumer] Connection to node 2 (a/192.0.2.1:9095) failed authentication due to: Failed to process post-handshake messages", True),
        ("WARN [Producer] Connection to node -1 (a/192.0.2.1:9095) terminated during authentication. This may happen", False),
        ('{"name": "producer_send_error", "value": "1.0", "message": "SslAuthenticationException"}', True),
        ('{"name": "producer_send_error", "value": "1.0", "message": "TimeoutException"}', False),
    ],
)  # fmt: skip
def test_messages_of_a_jvm_that_count_as_refused(line: str, failed: bool) -> None:
    assert (parse(line).get("name") == "tls_failure") is failed
