"""``python -m tests.tools.traffic.rdkafka produce|consume``: a client of librdkafka that speaks as Kafka's verifiable ones do."""

from __future__ import annotations

import argparse
import json
import signal
import time
from pathlib import Path
from typing import Any

import confluent_kafka

RATE = 20.0
#: Seconds that a client lives where the next one reads the file with the certificate again.
LIFE = 1.0
_BEGIN = "-----BEGIN CERTIFICATE"
_stopping = False


def _stop(*_signal: object) -> None:
    global _stopping
    _stopping = True


def _say(name: str, **facts: object) -> None:
    print(json.dumps({"name": name, **facts}), flush=True)


def refused(code: int, text: str) -> bool:
    """Whether TLS has failed. A connection that ends while its broker does is _TRANSPORT, or _SSL with "Disconnected"; an alert that comes when
    the client has finished its handshake is _TRANSPORT too.
    """
    if code == confluent_kafka.KafkaError._SSL:
        return "isconnected" not in text
    return code == confluent_kafka.KafkaError._TRANSPORT and " alert " in text


def _on_error(error: confluent_kafka.KafkaError) -> None:
    if refused(error.code(), error.str()):
        _say("tls_failure", message=error.str())


def _configuration(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "bootstrap.servers": arguments.bootstrap, "security.protocol": "ssl", "ssl.ca.location": arguments.trusted,
        "enable.ssl.certificate.verification": True, "ssl.endpoint.identification.algorithm": "https",
        "error_cb": _on_error, "reconnect.backoff.max.ms": 1000, "socket.connection.setup.timeout.ms": 5000,
        **(_login(arguments.login) if arguments.login else {}),
    }  # fmt: skip


def _login(file: Path) -> dict[str, str]:
    """Reads the file once, so that key and certificates belong together."""
    key, begin, certificates = file.read_text().partition(_BEGIN)
    return {"ssl.key.pem": key, "ssl.certificate.pem": begin + certificates}


def _delivered(error: confluent_kafka.KafkaError | None, message: confluent_kafka.Message) -> None:
    value = (message.value() or b"").decode()
    if error is not None:
        _say("producer_send_error", value=value, message=error.str())
    else:
        _say("producer_send_success", value=value, partition=message.partition(), offset=message.offset())


def _produce(arguments: argparse.Namespace) -> None:
    options = {"acks": "all", "enable.idempotence": True, "delivery.timeout.ms": 300_000}
    number = 0
    while not _stopping:
        producer, end = confluent_kafka.Producer({**_configuration(arguments), **options}), _end(arguments)
        while not _stopping and time.monotonic() < end:
            producer.produce(arguments.topic, f"{arguments.prefix}.{number}", on_delivery=_delivered)
            number += 1
            producer.poll(0)
            time.sleep(1 / RATE)
        producer.flush(60 if _stopping else 30)


def _consume(arguments: argparse.Namespace) -> None:
    """A consumer that is made anew is no member of the group: it takes all, and goes on from what is stored with the group."""
    options: dict[str, Any] = {"group.id": arguments.prefix, "auto.offset.reset": "earliest"}
    options |= {"enable.auto.commit": not arguments.anew, "session.timeout.ms": 10_000}
    assigned = False
    while not _stopping:
        consumer, end = confluent_kafka.Consumer({**_configuration(arguments), **options}), _end(arguments)
        try:
            if arguments.anew:
                assigned = _take_all(consumer, arguments.topic, assigned)
            else:
                consumer.subscribe([arguments.topic], on_assign=lambda *_partitions: _say("partitions_assigned"))
            _read(consumer, end)
            if arguments.anew:
                _commit(consumer)
        except confluent_kafka.KafkaException as problem:
            print(f"made anew: {problem}", flush=True)
        finally:
            consumer.close()


def _take_all(consumer: confluent_kafka.Consumer, topic: str, assigned: bool) -> bool:
    found = consumer.list_topics(topic, timeout=20).topics[topic].partitions
    partitions = [confluent_kafka.TopicPartition(topic, number) for number in found]
    consumer.assign(consumer.committed(partitions, timeout=20))
    if not assigned:
        _say("partitions_assigned")
    return True


def _read(consumer: confluent_kafka.Consumer, end: float) -> None:
    while not _stopping and time.monotonic() < end:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            value = (message.value() or b"").decode()
            _say("record_data", value=value, partition=message.partition(), offset=message.offset())


def _commit(consumer: confluent_kafka.Consumer) -> None:
    reached = [position for position in consumer.position(consumer.assignment()) if position.offset >= 0]
    if reached:
        consumer.commit(offsets=reached, asynchronous=False)


def _end(arguments: argparse.Namespace) -> float:
    """When the client that is made now is to be followed by the next."""
    if not arguments.anew:
        return float("inf")
    _say("client_started")
    return time.monotonic() + LIFE


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["produce", "consume"])
    parser.add_argument("bootstrap")
    parser.add_argument("topic")
    parser.add_argument("prefix", help="of values, or the consumer group")
    parser.add_argument("trusted", help="PEM file")
    parser.add_argument("--login", type=Path, help="PEM file with key and certificates")
    parser.add_argument("--anew", action="store_true", help="make a client every second, which reads that file")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    {"produce": _produce, "consume": _consume}[arguments.role](arguments)


if __name__ == "__main__":
    main()
