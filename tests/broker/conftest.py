"""A trio of Kafka nodes for all tests, which leave it as they found it: every node up and in sync; of each version of
Kafka that the bed has.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..tools.cluster.versions import KAFKA, OTHER_KAFKAS
from .clients import admin_of, create_topic
from .nodes import KafkaNodes
from .reloading import all_up


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With another version of Kafka, tests without the marker are left to `make test-long`."""
    here = (item for item in items if isinstance(item, pytest.Function) and "tests/broker/" in str(item.path))
    for item in here:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if any(value in OTHER_KAFKAS for value in values) and not item.get_closest_marker("every_kafka"):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", params=(KAFKA, *OTHER_KAFKAS), ids="kafka-{}".format)
def kafka_version(request: pytest.FixtureRequest) -> str:
    """The version of the nodes."""
    return str(request.param)


@pytest.fixture(scope="session")
def kafka(kafka_version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNodes]:
    """Topics: ``orders`` with three replicas of which two are needed, ``single`` with its only replica on node 0."""
    with KafkaNodes(tmp_path_factory.mktemp("kafka"), version=kafka_version) as nodes:
        try:
            all_up(nodes)
            with admin_of(nodes) as admin:
                create_topic(admin, "orders", [0, 1, 2])
                create_topic(admin, "single", [0], min_insync_replicas=1)
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{nodes.log()}") from None
        yield nodes
