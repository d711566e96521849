"""``python -m tests.traffic.rdkafka produce|consume``: a client of librdkafka that speaks as Kafka's verifiable ones do."""

from __future__ import annotations

import argparse
import json
import signal
import time
from typing import Any

import confluent_kafka

RATE = 20.0
_stopping = False


def _stop(*_signal: object) -> None:
    global _stopping
    _stopping = True


def _say(name: str, **facts: object) -> None:
    print(json.dumps({"name": name, **facts}), flush=True)


def _on_error(error: confluent_kafka.KafkaError) -> None:
    """A connection that ends while its broker does is _TRANSPORT, or _SSL with "Disconnected"."""
    if error.code() == confluent_kafka.KafkaError._SSL and "isconnected" not in error.str():
        _say("tls_failure", message=error.str())


def _configuration(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "bootstrap.servers": arguments.bootstrap, "security.protocol": "ssl", "ssl.ca.location": arguments.trusted,
        "enable.ssl.certificate.verification": True, "ssl.endpoint.identification.algorithm": "https",
        "error_cb": _on_error, "reconnect.backoff.max.ms": 1000, "socket.connection.setup.timeout.ms": 5000,
    }  # fmt: skip


def _produce(arguments: argparse.Namespace) -> None:
    options = {"acks": "all", "enable.idempotence": True, "delivery.timeout.ms": 300_000}
    producer = confluent_kafka.Producer({**_configuration(arguments), **options})

    def delivered(error: confluent_kafka.KafkaError | None, message: confluent_kafka.Message) -> None:
        value = (message.value() or b"").decode()
        if error is not None:
            _say("producer_send_error", value=value, message=error.str())
        else:
            _say("producer_send_success", value=value, partition=message.partition(), offset=message.offset())

    number = 0
    while not _stopping:
        producer.produce(arguments.topic, f"{arguments.prefix}.{number}", on_delivery=delivered)
        number += 1
        producer.poll(0)
        time.sleep(1 / RATE)
    producer.flush(60)


def _consume(arguments: argparse.Namespace) -> None:
    options = {"group.id": arguments.prefix, "auto.offset.reset": "earliest", "session.timeout.ms": 10_000}
    consumer = confluent_kafka.Consumer({**_configuration(arguments), **options})
    consumer.subscribe([arguments.topic], on_assign=lambda *_partitions: _say("partitions_assigned"))
    while not _stopping:
        message = consumer.poll(0.5)
        if message is not None and message.error() is None:
            value = (message.value() or b"").decode()
            _say("record_data", value=value, partition=message.partition(), offset=message.offset())
    consumer.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["produce", "consume"])
    parser.add_argument("bootstrap")
    parser.add_argument("topic")
    parser.add_argument("prefix", help="of values, or the consumer group")
    parser.add_argument("trusted", help="PEM file")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    {"produce": _produce, "consume": _consume}[arguments.role](arguments)


if __name__ == "__main__":
    main()
