"""A control plane that takes seconds for each answer, as one at a high load does: a flow with a pause and restarts
takes longer, and nothing else differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ..tools.cluster.slow_way import slow_kubeconfig
from .running import Runner

#: Seconds for each answer.
SLOW = 3.0

pytestmark = [pytest.mark.long, pytest.mark.timeout(5400)]


@pytest.fixture(scope="module")
def slow(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """Only the collection has the slow way; operator and workers have their own."""
    with slow_kubeconfig(runner.cluster.bed.kubeconfig, tmp_path_factory.mktemp("slow"), SLOW) as kubeconfig:
        yield replace(runner, kubeconfig=kubeconfig, patience=2400)


#: Lines that depend on how long a step lasts: a step is named while it lasts, and a restart that the operator makes by
#: itself may be over before a slow call waits for it, and is shown without its reason then.
_WHILE_IT_LASTS = re.compile(
    r"\] still waiting|\] restart \d+ of \d+: [^(]+$|by the Cluster Operator or another program, while"
)


def lines(output: str) -> set[str]:
    """The lines of a run about its cluster, and its warnings, without names and numbers that differ each time."""
    told = re.findall(r"^\[(?:\S+/demo|WARNING).*\].*$", output, re.MULTILINE)
    return {
        re.sub(r"\b[0-9a-f]{8,}\b|-[0-9a-z]{5,10}-[0-9a-z]{5}\b|\d+(\.\d+)?", "#", line)
        for line in told
        if not _WHILE_IT_LASTS.search(line)
    }


def test_a_renewal_ends_as_on_a_prompt_server_with_the_same_lines(runner: Runner, slow: Runner) -> None:
    before = runner.cluster.node_uids("demo")
    prompt = runner.flow("renew", strimzi_fresh_for_hours=0).check()
    assert runner.restarts_since(before) == 3
    before, since = runner.cluster.node_uids("demo"), runner.audit_lines()
    late = slow.flow("renew", strimzi_fresh_for_hours=0).check()
    assert runner.restarts_since(before) == 3
    assert lines(late.output) - lines(prompt.output) == set()
    assert any("demo-cluster-ca-cert" in write for write in runner.writes_in_audit_log(since))
    again = slow.flow("renew", strimzi_fresh_for_hours=24).check()
    assert re.search(r"^localhost .* changed=0 ", again.output, re.MULTILINE)
    runner.cluster.wait_until_ready("demo")
