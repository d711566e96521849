# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking the operator and waiting for it: until it has acted, not for a time; and in words when it does not."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import SetGenerated
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitLeaves,
    AwaitVerdict,
    Resume,
    Roll,
    RollReason,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitBundle

from ....tools.support.faults import Fault, FaultyApi, always
from ....tools.support.golden import GoldenFiles
from ..._issuing.office import BY_SECRET, CA, office
from ..bench import SCOPE, Bench, conditions, kafka, pem, pod, recorded, secret
from ..steps import NEXT, OLD, PAUSE, fingerprint

BUNDLE, CERTIFICATES = SCOPE.trust_bundle_secret, SCOPE.ca_certificate_secret
REQUEST = "trustops.strimzi/reconcile-request"
PAUSED = {"conditions": conditions("ReconciliationPaused")}


def soon_after(seconds: float) -> Any:
    """It goes on when the change comes, not when a time has passed; between two short watches there is a pause."""
    return pytest.approx(seconds + 0.5, abs=0.5)


def bench_of(status: dict[str, Any] | None = None, **annotations: str) -> Bench:
    bench = Bench()
    bench.create(
        "kafkas", kafka(status or {}, {f"strimzi.io/{k.replace('_', '-')}": v for k, v in annotations.items()})
    )
    bench.create("secrets", secret(BUNDLE, {"cluster-ca.crt": pem(OLD)}))
    bench.create("secrets", secret(CERTIFICATES, {"ca.crt": pem(OLD)}))
    return bench


def run(bench: Bench, step: Step, **options: Any) -> list[Action]:
    work = bench.work(**options)
    carry_out(step, bench.observe(), work)
    return work.actions


def set_bundle(bench: Bench, content: bytes) -> None:
    bench.change("secrets", BUNDLE, {"data": {"cluster-ca.crt": base64.b64encode(content).decode()}})


def await_bundle(*present: Any, absent: tuple[Any, ...] = ()) -> AwaitBundle:
    return AwaitBundle(
        present=frozenset(map(fingerprint, present)), absent=tuple(one.certificate for one in absent), phase=Phase.TRUST
    )


class TestBundle:
    def test_waits_until_all_are_there(self) -> None:
        bench = bench_of()
        bench.at(3, lambda: set_bundle(bench, pem(OLD, NEXT)))
        request, wait = run(bench, await_bundle(OLD, NEXT))
        assert (request.verb, request.object) == ("update", "Kafka kafka/demo")
        assert (wait.verb, wait.object) == ("wait", f"Secret kafka/{BUNDLE}")
        assert wait.seconds == soon_after(3)

    def test_waits_until_the_withdrawn_one_is_gone(self) -> None:
        bench = bench_of()
        set_bundle(bench, pem(OLD, NEXT))
        bench.at(2, lambda: set_bundle(bench, pem(NEXT)))
        assert run(bench, await_bundle(NEXT, absent=(OLD,)))[-1].seconds == soon_after(2)

    def test_further_cas_in_the_bundle_do_not_matter(self) -> None:
        bench = bench_of()
        set_bundle(bench, pem(OLD, NEXT))
        assert run(bench, await_bundle(OLD))[-1].seconds == 0.0

    def test_no_bundle_is_nothing_to_wait_for(self) -> None:
        bench = bench_of()
        bench.remove("secrets", BUNDLE)
        assert run(bench, await_bundle(OLD, NEXT)) == []

    @pytest.mark.parametrize("content", [b"", b"broken", pem(OLD)])
    def test_a_bundle_that_does_not_come_is_told_by_its_name(self, content: bytes, golden: GoldenFiles) -> None:
        bench = bench_of()
        set_bundle(bench, content)
        with pytest.raises(OperatorSilent) as caught:
            run(bench, await_bundle(OLD, NEXT))
        golden.compare_said("cluster", caught.value)

    def test_the_same_question_is_asked_once_and_another_again(self) -> None:
        """Rerun after an interruption: the Kafka resource is not touched again for the same thing."""
        bench = bench_of()
        set_bundle(bench, pem(OLD, NEXT))
        first = run(bench, await_bundle(OLD))
        again = run(bench, await_bundle(OLD))
        other = run(bench, await_bundle(NEXT))
        assert [len(first), len(again), len(other)] == [2, 1, 2]

    def test_the_same_question_is_asked_again_when_something_has_changed_in_between(self) -> None:
        """The operator does not look at Secrets: a CA that comes a second time would wait for its periodic reconcile."""
        bench = bench_of()
        set_bundle(bench, pem(OLD, NEXT))
        run(bench, await_bundle(OLD))
        bench.change("secrets", CERTIFICATES, {"data": {"next.crt": base64.b64encode(pem(NEXT)).decode()}})
        assert len(run(bench, await_bundle(OLD))) == 2

    def test_asking_touches_an_annotation_only(self) -> None:
        """A change of the spec is a new generation, and that can be a roll."""
        bench = bench_of()
        run(bench, await_bundle(OLD))
        after = bench.find("kafkas", "demo")
        assert after["metadata"]["generation"] == 1
        assert set(after["metadata"]["annotations"]) == {REQUEST}

    def test_dry_run_asks_nothing_and_does_not_wait(self) -> None:
        bench = bench_of()
        (action,) = run(bench, await_bundle(NEXT), dry_run=True)
        assert (action.verb, action.is_change, bench.clock.seconds) == ("wait", False, 0.0)
        assert bench.find("kafkas", "demo")["metadata"]["annotations"] == {}

    def test_the_heartbeat_goes_on_while_waiting(self) -> None:
        """Else another run could take the Lease over in the middle."""
        bench, beats = bench_of(), []
        bench.at(20, lambda: set_bundle(bench, pem(OLD, NEXT)))
        work = bench.work(operator_timeout=timedelta(seconds=60))
        work.renew_lease = lambda: beats.append(bench.clock.seconds)
        carry_out(await_bundle(OLD, NEXT), bench.observe(), work)
        assert len(beats) >= 3


class TestPause:
    def test_pauses_in_our_name_and_waits_for_the_confirmation(self) -> None:
        bench = bench_of()
        bench.at(2, lambda: bench.change("kafkas", "demo", {"status": PAUSED}, "status"))
        (action,) = run(bench, PAUSE)
        assert bench.annotation("kafkas", "demo", "pause-reconciliation") == "true"
        assert bench.find("kafkas", "demo")["metadata"]["annotations"]["trustops.strimzi/paused-by"] == "test"
        assert (action.verb, action.object) == ("update", "Kafka kafka/demo")
        assert bench.clock.seconds == soon_after(2)

    def test_a_mark_that_an_earlier_pause_has_left_goes(self) -> None:
        """Its holder would take this pause for its own, and rely on it."""
        bench = bench_of()
        bench.change("kafkas", "demo", {"metadata": {"annotations": {"trustops.strimzi/paused-for": "storage"}}})
        bench.at(2, lambda: bench.change("kafkas", "demo", {"status": PAUSED}, "status"))
        run(bench, PAUSE)
        assert bench.find("kafkas", "demo")["metadata"]["annotations"].keys() == {
            "strimzi.io/pause-reconciliation", "trustops.strimzi/paused-by",
        }  # fmt: skip

    def test_a_pause_that_is_there_is_only_waited_for(self) -> None:
        bench = bench_of(pause_reconciliation="true")
        bench.at(2, lambda: bench.change("kafkas", "demo", {"status": PAUSED}, "status"))
        assert run(bench, PAUSE) == []
        assert "trustops.strimzi/paused-by" not in bench.find("kafkas", "demo")["metadata"]["annotations"]

    @pytest.mark.parametrize("status", [{}, {"conditions": conditions("Ready")}])
    def test_no_confirmation_names_the_pause(self, status: dict[str, Any], golden: GoldenFiles) -> None:
        with pytest.raises(OperatorSilent) as caught:
            run(bench_of(status), PAUSE)
        golden.compare_said("cluster", caught.value)

    def test_a_resource_that_vanishes_is_no_confirmation(self) -> None:
        bench = bench_of()
        bench.at(1, lambda: bench.remove("kafkas", "demo"))
        with pytest.raises(OperatorSilent):
            run(bench, PAUSE)

    def test_the_condition_of_an_earlier_pause_confirms_nothing(self) -> None:
        """It is waited for until the operator says so no more; then the pause has to be decided again."""
        bench = bench_of(PAUSED)
        bench.at(2, lambda: bench.change("kafkas", "demo", {"status": {"conditions": conditions("Ready")}}, "status"))
        assert run(bench, PAUSE) == []
        assert bench.annotation("kafkas", "demo", "pause-reconciliation") is None
        assert bench.clock.seconds == soon_after(2)

    def test_an_operator_that_never_goes_on(self, golden: GoldenFiles) -> None:
        with pytest.raises(OperatorSilent) as caught:
            run(bench_of(PAUSED), PAUSE)
        golden.compare_said("cluster", caught.value)

    def test_resuming_takes_both_marks_off_and_no_other(self) -> None:
        bench = bench_of(something="else")
        bench.at(2, lambda: bench.change("kafkas", "demo", {"status": PAUSED}, "status"))
        run(bench, PAUSE)
        run(bench, Resume(phase=Phase.USE))
        assert bench.find("kafkas", "demo")["metadata"]["annotations"] == {"strimzi.io/something": "else"}

    def test_dry_run_does_not_wait(self) -> None:
        bench = bench_of()
        assert [one.verb for one in run(bench, PAUSE, dry_run=True)] == ["update"]
        assert bench.clock.seconds == 0.0


class TestSetGenerated:
    @pytest.mark.parametrize("generated", [True, False])
    def test_waits_until_the_operator_has_seen_it(self, generated: bool) -> None:
        bench = bench_of({"observedGeneration": 1})
        bench.at(3, lambda: bench.change("kafkas", "demo", {"status": {"observedGeneration": 2}}, "status"))
        run(bench, SetGenerated(generated=generated, ca="cluster CA", phase=Phase.USE))
        assert bench.find("kafkas", "demo")["spec"] == {"clusterCa": {"generateCertificateAuthority": generated}}
        assert bench.clock.seconds == soon_after(3)

    def test_an_older_generation_is_not_enough(self, golden: GoldenFiles) -> None:
        with pytest.raises(OperatorSilent) as caught:
            run(bench_of({"observedGeneration": 1}), SetGenerated(generated=False, ca="cluster CA", phase=Phase.USE))
        golden.compare_said("cluster", caught.value)

    @pytest.mark.parametrize(
        ("fault", "generated", "is_told"),
        [
            (Fault.LOST_ANSWER, False, True),
            (Fault.LOST_ANSWER, True, False),
            (Fault.TOO_MANY_REQUESTS, False, False),
        ],
    )
    def test_a_lost_answer_is_told_where_it_may_leave_a_ca_that_nothing_renews(
        self, fault: Fault, generated: bool, is_told: bool, golden: GoldenFiles
    ) -> None:
        bench = bench_of({"observedGeneration": 1})
        work = bench.work(transport=FaultyApi(bench.api, always(fault, "PATCH")))
        with pytest.raises(KubeError):
            carry_out(
                SetGenerated(generated=generated, ca="cluster CA", phase=Phase.USE), bench.observe(), work
            )  # fmt: skip
        assert bool(work.left_behind.unadopted_ca) is is_told
        if is_told:
            golden.compare_said("cluster", work.left_behind.unadopted_ca)

    def test_other_settings_of_the_ca_stay(self) -> None:
        bench = Bench()
        bench.create("kafkas", kafka({"observedGeneration": 2}, clusterCa={"validityDays": 30, "renewalDays": 5}))
        run(bench, SetGenerated(generated=False, ca="cluster CA", phase=Phase.USE))
        assert bench.find("kafkas", "demo")["spec"]["clusterCa"] == {
            "validityDays": 30, "renewalDays": 5, "generateCertificateAuthority": False,
        }  # fmt: skip


def test_a_refused_write_is_not_waited_for() -> None:
    bench = bench_of()
    observation = bench.observe()
    bench.change("kafkas", "demo", {"spec": {"by": "them"}})
    with pytest.raises(KubeError):
        carry_out(PAUSE, observation, bench.work())
    assert bench.clock.seconds == 0.0


def not_ready(message: str) -> dict[str, Any]:
    return {"conditions": [{"type": "NotReady", "status": "True", "reason": "RuntimeException", "message": message}]}


ASKED = AwaitVerdict(phase=Phase.USE, request="verdict-1")


def test_the_reconcile_after_a_pause_is_waited_for() -> None:
    bench = bench_of(PAUSED)
    bench.at(3, lambda: bench.change("kafkas", "demo", {"status": not_ready("no")}, "status"))
    (action,) = run(bench, AwaitVerdict(phase=Phase.USE))
    assert (action.verb, action.object) == ("wait", "Kafka kafka/demo")
    assert bench.clock.seconds == soon_after(3)
    assert bench.annotation("kafkas", "demo", "reconcile-request") is None


def test_an_operator_that_does_not_go_on_after_a_pause(golden: GoldenFiles) -> None:
    with pytest.raises(OperatorSilent) as caught:
        run(bench_of(PAUSED), AwaitVerdict(phase=Phase.USE))
    golden.compare_said("cluster", caught.value)


@pytest.mark.parametrize("status", [{"conditions": conditions("Ready")}, not_ready("another thing")])
def test_an_operator_that_looks_again_says_something_else(status: dict[str, Any]) -> None:
    bench = bench_of(not_ready("no"))
    bench.at(2, lambda: bench.change("kafkas", "demo", {"status": status}, "status"))
    assert [action.verb for action in run(bench, ASKED)] == ["update", "wait"]
    assert bench.find("kafkas", "demo")["metadata"]["annotations"][REQUEST] == "verdict-1"
    assert bench.clock.seconds == soon_after(2)


def test_an_unchanged_verdict_ends_the_wait() -> None:
    bench = bench_of(not_ready("no"))
    assert [action.verb for action in run(bench, ASKED)] == ["update", "wait"]
    assert bench.clock.seconds == soon_after(5)


def test_moving_pods_restart_the_timeout_of_the_operator() -> None:
    bench = bench_of(not_ready("no"))
    bench.pod_set("demo-kafka")
    bench.at(3, lambda: bench.create("pods", pod("demo-kafka-0", ready=False)))
    bench.at(8, lambda: bench.change("pods", "demo-kafka-0", {"status": pod("demo-kafka-0")["status"]}, "status"))
    bench.at(13, lambda: bench.change("kafkas", "demo", {"status": {"conditions": conditions("Ready")}}, "status"))
    run(bench, ASKED)
    assert bench.clock.seconds == soon_after(13)


def test_a_dry_run_asks_for_no_verdict() -> None:
    bench = bench_of(not_ready("no"))
    before = len(bench.api.writes)
    assert [action.verb for action in run(bench, ASKED, dry_run=True)] == ["wait"]
    assert len(bench.api.writes) == before


# Where only Secrets are behind, no pod shows that the operator has acted: their generations do.

OWN = "demo-cluster-operator-certs"
GENERATION = "strimzi.io/cluster-ca-cert-generation"


#: No pod restarts, and the operator is still to issue its own leaf.
WAIT = Roll(reason=RollReason.USE, uids=frozenset(), authority=CA.certificate, phase=Phase.USE)


def set_generation(bench: Bench, secret: str, generation: str) -> None:
    bench.change("secrets", secret, {"metadata": {"annotations": {GENERATION: generation}}})


@pytest.fixture
def bench() -> Bench:
    """All leaves are of the current generation but the operator's own, which was left of a switch that did not come."""
    made = office()
    for name in BY_SECRET:
        set_generation(made, name, str(made.observe().snapshot.ca.certificate_generation))
    set_generation(made, OWN, "9")
    return made


def test_the_leaf_that_is_behind_is_waited_for(bench: Bench) -> None:
    current = str(bench.observe().snapshot.ca.certificate_generation)
    bench.at(2, lambda: set_generation(bench, OWN, current))
    request, wait = recorded(carry_out, WAIT, bench.observe(), bench.work(operator_timeout=timedelta(seconds=20)))
    assert (request.verb, request.object) == ("update", "Kafka kafka/demo")
    assert (wait.verb, wait.object) == ("wait", f"Secret kafka/{OWN}")
    assert bench.clock.seconds >= 2


def test_an_operator_that_does_not_issue_is_told_by_the_leaf(bench: Bench, golden: GoldenFiles) -> None:
    with pytest.raises(OperatorSilent) as caught:
        carry_out(WAIT, bench.observe(), bench.work(operator_timeout=timedelta(seconds=5)))
    golden.compare_said("cluster", caught.value)


def test_what_another_program_adds_to_a_leaf_that_has_ended_is_no_new_leaf(bench: Bench) -> None:
    (node,) = [name for name in BY_SECRET if name.endswith("kafka-0")]
    bench.at(2, lambda: bench.change("secrets", node, {"metadata": {"labels": {"team": "streaming"}}}))
    bench.at(6, lambda: bench.change("secrets", node, {"data": {f"{node}.crt": "bmV3"}}))
    step = AwaitLeaves(secrets=(node,), phase=Phase.USE)
    carry_out(step, bench.observe(), bench.work(operator_timeout=timedelta(seconds=20)))
    assert bench.clock.seconds >= 6
