"""A trio of Kafka nodes for all tests, which leave it as they found it: every node up and in sync."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .clients import admin_of, create_topic, eventually, nodes_are_back
from .nodes import KafkaNodes


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNodes]:
    """Topics: ``orders`` with three replicas of which two are needed, ``single`` with its only replica on node 0."""
    with KafkaNodes(tmp_path_factory.mktemp("kafka")) as nodes:
        try:
            with admin_of(nodes) as admin:
                eventually(lambda: nodes_are_back(admin))
                create_topic(admin, "orders", [0, 1, 2])
                create_topic(admin, "single", [0], min_insync_replicas=1)
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{nodes.log()}") from None
        yield nodes
