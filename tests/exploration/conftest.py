"""Says at the end how much was explored; the explorations may have run in several processes."""

from __future__ import annotations

from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    found = [
        value
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == "explored"
    ]
    for about, states, transitions in sorted(found):
        terminalreporter.write_line(f"EXPLORED {about}: {states} states, {transitions} transitions")
    states, transitions = (sum(entry[position] for entry in found) for position in (1, 2))
    terminalreporter.write_line(f"note: {states} states and {transitions} transitions in {len(found)} explorations")
