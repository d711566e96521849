"""Beds with a real node: skipped, with the reason, where none can run."""

from __future__ import annotations

import pytest

from .needs import reason_to_skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if "tests/kafka/" in str(item.path)]
    reason = reason_to_skip() if here else ""
    for item in here:
        item.add_marker(pytest.mark.kafka)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
