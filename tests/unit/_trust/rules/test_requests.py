# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that an outside issuer issues: which the run asks for and when, what it reports meanwhile, and which requests it forgets."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    LONGEST_WAIT,
    MOST_FAILURES,
    LeafRequest,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import Due, IssueReason, why_ending
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide, list_holds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Wait,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    DnsDomain,
    DomainSource,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import SetGenerated
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    CollectLeaves,
    ForgetRequests,
    IssueLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import (
    Asked,
    ask_for_leaves,
    await_issuer,
    describe_awaited_leaves,
    doubt_about_domain,
    ending_unserved,
    forget_requests,
    leaves_to_ask_for,
    leaves_to_await,
    secrets_without_leaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ....tools.support.certificates import DAY, HOUR, NOW
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, renewal, unlinked
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of
from ..builders import PAUSED, changed, cluster, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, leaves
from ..requested import ISSUER, REFUSED, a_request, answered, at_hand, elsewhere, refused, with_requests
from .asking import situation
from .test_due import LASTING, leaf_with, settled

REPLACE_KEY = an_intent(Goal.REPLACE_KEY, external_issuer=ISSUER)
RENEW_LEAVES = an_intent(Goal.RENEW_LEAVES, external_issuer=ISSUER)
RECONCILE = an_intent(Goal.RECONCILE, external_issuer=ISSUER)
WAITING = changed_intent(REPLACE_KEY, issuer_deadline=NOW + HOUR)
#: The certificates of the cluster show the DNS domain.
SHOWN = DnsDomain(source=DomainSource.OWN_CERTIFICATES)
#: The next CA is published: an outside issuer keeps its key.
PUBLISHED = changed(elsewhere(unlinked.READ_BACK), dns_domain=SHOWN)
#: A CA in use, whose key an outside issuer keeps.
KEPT = changed(
    elsewhere(cluster(ca=secrets(NEW), ledger=ledger(entry(NEW, generations={0})), leaves=leaves(NEW))),
    dns_domain=SHOWN,
)
MISSING = changed(KEPT, leaves=leaves(NEW, names=PODS[1:]), missing={PODS[0]: Component.KAFKA})
EXPORTER = "demo-kafka-exporter-certs"


def at(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> Situation:
    return situation(snapshot, intent)


OF_THE_CLUSTER = "The names in them end in cluster.local: the stored certificates of this cluster have it."
#: The sentence of the plan where nothing shows the DNS domain.
ASSUMED = (
    "The names in them end in cluster.local: it is the Cluster Operator's default, and nothing here shows whether this operator has another "
    "(KUBERNETES_SERVICE_DNS_DOMAIN). With another domain the operator uses no certificate of a node, and each has to be issued a second time: give the "
    "domain first, with dns_domain (strimzi_dns_domain)."
)


def ask(*names: str, domain: DnsDomain | None = SHOWN, told: str = f" {OF_THE_CLUSTER}") -> AskForLeaves:
    because = f"The key of {named(NEW.certificate)} is kept elsewhere, so the collection asks for its certificates before anything depends on them.{told}"
    return AskForLeaves(
        secrets=names or PODS, issuer=chain_of(NEW), external_issuer=ISSUER, phase=Phase.PREPARE, because=because, domain=domain
    )  # fmt: skip


def in_domain(snapshot: Snapshot, source: DomainSource) -> Snapshot:
    return changed(snapshot, dns_domain=DnsDomain("corp.internal", source))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (DomainSource.CALLER, "dns_domain (strimzi_dns_domain) says so."),
        (DomainSource.OPERATOR, "the environment of the Cluster Operator says so."),
        (DomainSource.OWN_CERTIFICATES, "the stored certificates of this cluster have it."),
        (DomainSource.OTHER_CLUSTERS, "the certificates of other Kafka clusters in the namespace have it."),
    ],
)
def test_a_request_says_where_its_domain_was_learned(source: DomainSource, told: str) -> None:
    seen = in_domain(MISSING, source)
    sentence = f" The names in them end in corp.internal: {told}"
    assert ask_for_leaves(at(seen)) == (ask(PODS[0], domain=DnsDomain("corp.internal", source), told=sentence),)
    assert not any("corp.internal" in sentence for sentence in describe_awaited_leaves(at(seen)))


def test_an_assumed_domain_is_doubted_until_the_certificates_are_there() -> None:
    seen = changed(MISSING, dns_domain=DnsDomain())
    assert ask_for_leaves(at(seen)) == (ask(PODS[0], domain=DnsDomain(), told=f" {ASSUMED}"),)
    assert ASSUMED in describe_awaited_leaves(at(seen))


def test_certificates_without_names_say_nothing_of_a_domain() -> None:
    seen = changed(KEPT, missing={EXPORTER: Component.KAFKA_EXPORTER}, dns_domain=DnsDomain())
    assert ask_for_leaves(at(seen)) == (ask(EXPORTER, domain=None, told=""),)
    assert not any("cluster.local" in sentence for sentence in describe_awaited_leaves(at(seen)))


@pytest.mark.parametrize("source", DomainSource)
def test_a_domain_that_neither_the_caller_nor_the_operator_has_named_is_doubted_when_the_operator_refuses(
    source: DomainSource,
) -> None:
    told = doubt_about_domain(in_domain(KEPT, source))
    assert ("than corp.internal, " in told) is (source not in (DomainSource.CALLER, DomainSource.OPERATOR))
    assert doubt_about_domain(in_domain(cluster(), source)) == ""


@pytest.mark.parametrize(
    ("snapshot", "names"),
    [
        pytest.param(PUBLISHED, PODS, id="those of the next CA"),
        pytest.param(
            changed(PUBLISHED, missing={EXPORTER: Component.KAFKA_EXPORTER}), (*PODS, EXPORTER), id="those that are missing too"
        ),
        pytest.param(
            changed(PUBLISHED, leaves=(a_leaf(PODS[0], NEW, 0), *leaves(names=PODS[1:]))), PODS[1:], id="not those that are of it"
        ),
        pytest.param(
            changed(PUBLISHED, leaves=(a_leaf(PODS[0], chain=None), *leaves(names=PODS[1:]))), PODS, id="one that cannot be read"
        ),
        pytest.param(elsewhere(renewal.TRUSTED, OLD), (), id="a renewal has the same key: leaves stay"),
        pytest.param(KEPT, (), id="a settled cluster"),
        pytest.param(MISSING, PODS[:1], id="the operator cannot issue what is missing"),
    ],
)  # fmt: skip
def test_a_run_requests_the_leaves_that_only_the_outside_issuer_can_make(
    snapshot: Snapshot, names: tuple[str, ...]
) -> None:
    found = leaves_to_ask_for(at(snapshot))
    issuer = chain_of(NEW) if snapshot.ca.keys_elsewhere == KEPT.ca.keys_elsewhere else chain_of(RENEWED)
    assert found is not None
    assert (found.issuer, found.secrets) == (issuer, tuple(sorted(names)))
    assert decide(snapshot, REPLACE_KEY).issue_reasons in ({}, found.reasons)


@pytest.mark.parametrize(
    ("snapshot", "reason"),
    [
        (PUBLISHED, IssueReason.AUTHORITY),
        (changed(PUBLISHED, leaves=(a_leaf(PODS[0], chain=None),)), IssueReason.UNREADABLE),
        (MISSING, IssueReason.MISSING),
    ],
)
def test_a_requested_leaf_has_the_reason_for_its_request(snapshot: Snapshot, reason: IssueReason) -> None:
    found = leaves_to_ask_for(at(snapshot))
    assert found is not None
    assert found.reasons[PODS[0]].reason is reason


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(unlinked.READ_BACK, id="the key of the next CA is here"),
        pytest.param(
            elsewhere(unlinked.READ_BACK, OLD), id="back to a key of the cluster: the CA in use issues no more"
        ),
        pytest.param(cluster(missing={EXPORTER: Component.KAFKA_EXPORTER}), id="the operator issues what is missing"),
        pytest.param(cluster(ca=secrets(None)), id="no CA"),
    ],
)
def test_no_issuer_is_asked_where_the_key_is_here(snapshot: Snapshot, golden: GoldenFiles) -> None:
    """Requests that were made before are forgotten then."""
    asked = with_requests(snapshot, a_request())
    assert leaves_to_ask_for(at(asked)) is None
    assert (leaves_to_await(at(asked)), ask_for_leaves(at(asked)), steps_of(await_issuer(at(asked, WAITING)))) == (
        (),
        (),
        (),
    )
    assert describe_awaited_leaves(at(asked)) == ()
    (step,) = forget_requests(at(asked))
    golden.compare_said("steps", step.sentence())


def test_an_issuer_is_asked_where_it_keeps_the_key_of_a_ca_below_another() -> None:
    chain = chain_of(INTERMEDIATE, ROOT)
    kept = elsewhere(cluster(ca=secrets(chain), missing={EXPORTER: Component.KAFKA_EXPORTER}), INTERMEDIATE)
    asked = leaves_to_ask_for(at(kept))
    assert asked is not None
    assert asked.issuer == chain
    assert EXPORTER in asked.secrets
    (step,) = ask_for_leaves(at(kept))
    assert step.because.startswith(f"The key of {named(INTERMEDIATE.certificate)} is kept elsewhere")
    pending = with_requests(kept, *(a_request(name, INTERMEDIATE) for name in asked.secrets))
    assert leaves_to_await(at(pending)) == asked.secrets
    assert f"of {named(INTERMEDIATE.certificate)} still to come" in describe_awaited_leaves(at(pending))[0]
    assert leaves_to_await(at(at_hand(kept, INTERMEDIATE, asked.secrets))) == ()


def test_leaves_that_have_ended_are_asked_for_while_a_flow_stops() -> None:
    """The CA in use issues them once more, although the flow is to replace it. No other leaf has ended."""
    ended, good = leaf_with(-1 * DAY), leaf_with(200 * DAY, secret=PODS[1])
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED), journal=a_journal(old=LASTING))
    flow = settled(ended, good, ca=secrets(LASTING, prepared=(prepared(NEW),)), ledger=books)
    seen = at(elsewhere(flow, LASTING), RECONCILE)
    assert ended.chain
    assert leaves_to_ask_for(replace(seen, resting=True)) == Asked(
        chain_of(LASTING), {PODS[0]: why_ending(ended.chain[0], ())}
    )
    assert leaves_to_ask_for(seen) is None
    unprepared = at(elsewhere(changed(flow, ca=secrets(LASTING)), LASTING), RECONCILE)
    assert leaves_to_ask_for(unprepared) == Asked(chain_of(LASTING), {})


def test_a_call_that_stops_before_users_are_served_names_the_first_of_them_whose_certificate_ends(
    golden: GoldenFiles,
) -> None:
    first, second = (leaf_with(days * DAY, secret=name) for name, days in (("orders", 10), ("audit", 20)))
    seen = at(
        settled(leaf_with(5 * DAY), user_leaves={"orders": first, "audit": second, "payments": second, "new": None})
    )
    of_time = {one.secret: why_ending(one.chain[0], ()) for one in (first, second, leaf_with(5 * DAY)) if one.chain}
    asked = Asked(
        chain_of(LASTING), {**of_time, "payments": Due(IssueReason.AUTHORITY, ""), "new": Due(IssueReason.MISSING, "")}
    )
    (left,) = ending_unserved(seen, asked)
    assert f"{NOW + 10 * DAY:%Y-%m-%d}" in left
    golden.compare_said("steps", left)
    assert ending_unserved(seen, replace(asked, reasons={})) == ending_unserved(seen, None) == ()


def test_leaves_at_their_end_are_asked_for() -> None:
    """Leaves of components too, because the operator can renew none; every goal asks for them before the operator tries."""
    ending = (leaf_with(44 * DAY), leaf_with(44 * DAY, secret="exporter", component=Component.KAFKA_EXPORTER))
    snapshot = elsewhere(settled(*ending), LASTING)
    found, settled_ = (leaves_to_ask_for(at(snapshot, intent)) for intent in (RENEW_LEAVES, RECONCILE))
    assert found is not None
    assert (found.issuer, found.secrets) == (chain_of(LASTING), (PODS[0], "exporter"))
    assert {one.reason for one in found.reasons.values()} == {IssueReason.EXPIRING}
    assert settled_ == found
    later = changed(snapshot, renewal_window=timedelta(days=10))
    assert leaves_to_ask_for(at(later, RENEW_LEAVES)) == found
    assert leaves_to_ask_for(at(later, RECONCILE)) == Asked(chain_of(LASTING), {})


def test_leaves_of_the_next_ca_with_other_names_are_asked_for_too() -> None:
    """Behind a link certificate the operator, which can issue none, meets them before the switch."""
    stored = leaves(NEW, generation=0)
    renamed = changed(PUBLISHED, leaves=stored, misnamed={PODS[1]: "it lacks a.example"})
    found = leaves_to_ask_for(at(renamed))
    assert found is not None
    assert {name: due.reason for name, due in found.reasons.items()} == {PODS[1]: IssueReason.SPECIFICATION}


MISNAMED = changed(elsewhere(settled(leaf_with(200 * DAY)), LASTING), misnamed={PODS[0]: "it lacks a.example"})


def test_leaves_with_wrong_names_are_requested_and_the_report_says_which_names(golden: GoldenFiles) -> None:
    why = Due(
        IssueReason.SPECIFICATION, "its alternative names are not the names that it should have: it lacks a.example"
    )
    assert leaves_to_ask_for(at(MISNAMED, RECONCILE)) == Asked(chain_of(LASTING), {PODS[0]: why})
    asked = with_requests(MISNAMED, a_request(issuer=LASTING))
    golden.compare_said("stops_in_rules", "\n".join(describe_awaited_leaves(at(asked, RECONCILE))))


def test_of_several_leaves_with_wrong_names_the_first_is_told(golden: GoldenFiles) -> None:
    """It is told with the names that it lacks itself."""
    second = leaf_with(200 * DAY, secret=PODS[1])
    seen = changed(
        MISNAMED, leaves=(*MISNAMED.leaves.stored, second), misnamed={PODS[1]: "it lacks b", PODS[0]: "it lacks a"}
    )
    golden.compare_said("stops_in_rules", "\n".join(describe_awaited_leaves(at(seen, RECONCILE))))


def test_misnamed_leaves_are_issued_without_a_pause_because_the_operator_has_to_see_them() -> None:
    answer = with_requests(MISNAMED, answered(issuer=LASTING))
    (step,) = decide(answer, RECONCILE).steps
    assert (type(step), step.secrets) == (IssueLeaves, (PODS[0],))  # type: ignore[attr-defined]


def test_secrets_without_a_leaf_at_hand_are_found() -> None:
    snapshot = with_requests(PUBLISHED, answered(PODS[0]), answered(PODS[1], recorded=False))
    assert secrets_without_leaf(at(snapshot), PODS, chain_of(NEW)) == leaves_to_await(at(snapshot)) == PODS[1:]
    assert secrets_without_leaf(at(snapshot), PODS, chain_of(OLD)) == ()
    assert secrets_without_leaf(at(at_hand(PUBLISHED)), PODS, chain_of(NEW)) == ()
    assert secrets_without_leaf(at(at_hand(PUBLISHED, OLD)), PODS, chain_of(NEW)) == PODS


# Asking.


@pytest.mark.parametrize(
    ("requests", "names"),
    [
        pytest.param((), PODS, id="no request was made"),
        pytest.param((a_request(PODS[0]),), PODS[1:], id="one is asked for"),
        pytest.param((answered(PODS[0]),), PODS[1:], id="one is at hand"),
        pytest.param((refused(PODS[0]),), PODS[1:], id="one was refused just now"),
        pytest.param((refused(PODS[0], at=NOW - DAY),), PODS, id="one was refused long ago"),
        pytest.param((a_request(PODS[0], THIRD),), PODS, id="one was asked for of another CA"),
        pytest.param((a_request(PODS[0], outdated="other names"),), PODS, id="one is outdated"),
    ],
)  # fmt: skip
def test_missing_leaves_are_requested(requests: tuple[LeafRequest, ...], names: tuple[str, ...]) -> None:
    assert ask_for_leaves(at(with_requests(PUBLISHED, *requests))) == (ask(*names),)


def test_a_call_that_insists_asks_at_once() -> None:
    snapshot = with_requests(PUBLISHED, *map(refused, PODS))
    assert ask_for_leaves(at(snapshot)) == ()
    assert ask_for_leaves(at(snapshot, changed_intent(REPLACE_KEY, retry_requested_at=NOW + DAY))) == (ask(),)


def test_returned_certificates_are_recorded_first() -> None:
    requests = (answered(PODS[0], recorded=False), refused(PODS[1], recorded=False))
    expected = CollectLeaves(secrets=PODS[:2], external_issuer=ISSUER, phase=Phase.PREPARE)
    assert ask_for_leaves(at(with_requests(PUBLISHED, *requests))) == (expected,)


@pytest.mark.parametrize("requests", [tuple(map(a_request, PODS)), tuple(map(answered, PODS))])
def test_no_leaf_is_asked_for_twice(requests: tuple[LeafRequest, ...]) -> None:
    assert ask_for_leaves(at(with_requests(PUBLISHED, *requests))) == ()


def kinds(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> list[str]:
    return [type(step).__name__ for step in decide(snapshot, intent).steps]


@pytest.mark.parametrize(
    ("stage", "asks"),
    [
        ("PROJECTED", False),
        ("READ_BACK", True),
        ("RESTARTED", False),
        ("TRUSTED", True),
        ("HALTED", False),
        ("SWITCHED", False),
        ("LEARNED", False),
    ],
)
def test_when_the_issuer_is_asked(stage: str, asks: bool) -> None:
    """As soon as the CA is published and the books are kept; never in a pause, in which nodes would stand still meanwhile."""
    snapshot = elsewhere(unlinked.STAGES[stage])
    assert (kinds(snapshot) == ["AskForLeaves"]) is asks
    assert "AskForLeaves" not in kinds(replace(snapshot, reconciliation=PAUSED))


def test_in_a_pause_nothing_is_waited_for() -> None:
    """The issued leaves were removed from where they waited: the operator goes on, and the leaves are asked for again."""
    paused = elsewhere(unlinked.LEARNED)
    assert kinds(paused, WAITING) == ["Resume"]
    assert kinds(with_requests(paused, *map(a_request, PODS)), WAITING) == ["Resume"]
    resumed = replace(paused, reconciliation=unlinked.TRUSTED.reconciliation)
    assert kinds(resumed) == ["AskForLeaves"]
    assert kinds(at_hand(resumed)) == ["Pause"]
    assert kinds(at_hand(paused)) == ["IssueLeaves"]


# Waiting.


OPEN = with_requests(PUBLISHED, *map(a_request, PODS))


def test_requests_are_waited_for_as_long_as_the_caller_wants() -> None:
    expected = AwaitIssuer(
        secrets=PODS, issuer=chain_of(NEW), external_issuer=ISSUER, deadline=NOW + HOUR, phase=Phase.PREPARE
    )  # fmt: skip
    assert steps_of(await_issuer(at(OPEN, WAITING))) == (expected,)
    assert steps_of(await_issuer(at(OPEN))) == ()
    for over in (NOW, NOW - HOUR):
        assert steps_of(await_issuer(at(OPEN, changed_intent(REPLACE_KEY, issuer_deadline=over)))) == ()
    assert (
        steps_of(await_issuer(at(OPEN, changed_intent(REPLACE_KEY, issuer_deadline=NOW + timedelta(seconds=1))))) != ()
    )


@pytest.mark.parametrize(
    ("requests", "names"),
    [
        pytest.param((), (), id="no request was made"),
        pytest.param(tuple(map(answered, PODS)), (), id="all are at hand"),
        pytest.param(tuple(map(refused, PODS)), (), id="all were refused"),
        pytest.param((answered(PODS[0]), refused(PODS[1]), a_request(PODS[2])), PODS[2:], id="only those that may still come"),
    ],
)  # fmt: skip
def test_a_run_waits_only_for_leaves_that_may_still_come(
    requests: tuple[LeafRequest, ...], names: tuple[str, ...]
) -> None:
    found = steps_of(await_issuer(at(with_requests(PUBLISHED, *requests), WAITING)))
    assert [getattr(step, "secrets", None) for step in found] == ([names] if names else [])


TOTAL = f"3 certificates of {named(NEW.certificate)} still to come from {ISSUER}, for {', '.join(PODS)}; no other work waits, and the next run goes on."


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        pytest.param(tuple(map(a_request, PODS)), (), id="open"),
        pytest.param(tuple(a_request(name, waiting="Sign them.") for name in PODS), ("Sign them.",), id="the same, once"),
        pytest.param(
            tuple(a_request(name, waiting=f"{name}: sign it.") for name in PODS),
            tuple(f"{name}: sign it." for name in PODS), id="what the issuer says of each",
        ),
        pytest.param(
            (a_request(PODS[0], failure=refused().failure, waiting="Sign it."),),
            ("The certificate that came back is refused: it expired. Correct the issuer. Sign it.",), id="asked again",
        ),
    ],
)  # fmt: skip
def test_awaited_leaves_are_described(requests: tuple[LeafRequest, ...], told: tuple[str, ...]) -> None:
    assert describe_awaited_leaves(at(with_requests(PUBLISHED, *requests))) == (TOTAL, *told)


def test_a_refusal_is_told_with_the_time_of_the_next_request(golden: GoldenFiles) -> None:
    first, second = describe_awaited_leaves(
        at(with_requests(at_hand(PUBLISHED), answered(PODS[1]), answered(PODS[2]), refused()))
    )
    assert " 2026-06-01 at 12:3" in second
    golden.compare_said("stops_in_rules", f"{first}\n{second}")


def test_leaves_that_end_before_the_answers_are_named(golden: GoldenFiles) -> None:
    """Where the operator has no key, no program renews the leaves of the CA in use while the next CA waits."""
    near = changed(elsewhere(PUBLISHED, OLD, NEW), renewal_window=OLD.certificate.not_after - NOW)
    total, ending = describe_awaited_leaves(at(near))
    end = min(leaf.chain[0].not_after for leaf in near.leaves.stored if leaf.chain)
    assert f"{end:%Y-%m-%d}" in ending
    golden.compare_said("stops_in_rules", f"{total}\n{ending}")
    assert describe_awaited_leaves(at(changed(near, renewal_window=DAY))) == (TOTAL,)
    assert describe_awaited_leaves(at(changed(PUBLISHED, renewal_window=near.leaves.renewal_window))) == (TOTAL,)


def test_of_many_only_some_are_named(golden: GoldenFiles) -> None:
    names = tuple(f"node-{number}" for number in range(7))
    snapshot = changed(PUBLISHED, leaves=leaves(names=names))
    (told,) = describe_awaited_leaves(at(snapshot))
    golden.compare_said("stops_in_rules", told)


def test_the_report_names_no_awaited_leaf_when_all_are_at_hand() -> None:
    assert describe_awaited_leaves(at(at_hand(PUBLISHED))) == describe_awaited_leaves(at(KEPT)) == ()


def test_a_flow_that_waits_is_not_done_and_not_held() -> None:
    """Nothing can be done until the answers are there; the run ends all the same."""
    waiting = with_requests(elsewhere(unlinked.TRUSTED), *map(a_request, PODS))
    decision = decide(waiting, REPLACE_KEY)
    assert (decision.steps, decision.violations, decision.done) == ((), (), False)
    assert decision.waiting[0] == TOTAL
    settled_ = decide(KEPT, RECONCILE)
    assert (settled_.done, settled_.waiting) == (True, ())


# Leaves that no accepted certificate comes for.


OLD_REQUEST = a_request(asked_at=NOW - LONGEST_WAIT, waiting="Sign it.")
FAILED_OFTEN = replace(refused(), failure=replace(REFUSED, count=MOST_FAILURES))


def overdue(decision: Decision) -> list[str]:
    assert {violation.condition for violation in decision.violations} <= {Condition.LEAVES_ARE_ISSUED}
    return [violation.subject for violation in decision.violations]


@pytest.mark.parametrize(
    ("request_", "since", "next_request"),
    [
        pytest.param(OLD_REQUEST, "2026-05-22 at 12:00", "", id="open"),
        pytest.param(FAILED_OFTEN, "2026-06-01 at 11:00", "2026-06-02 at ", id="refused each time"),
        pytest.param(
            replace(refused(), since=NOW - LONGEST_WAIT),
            "2026-05-22 at 12:00",
            "2026-06-01 at ",
            id="refused, and long ago",
        ),
        pytest.param(
            replace(FAILED_OFTEN, is_open=True, waiting="Sign it."), "2026-06-01 at 11:00", "", id="and asked again"
        ),
    ],
)
def test_a_run_fails_with_the_words_of_the_issuer(
    request_: LeafRequest, since: str, next_request: str, golden: GoldenFiles
) -> None:
    trusted = in_domain(elsewhere(unlinked.TRUSTED), DomainSource.CALLER)
    others = [answered(name) for name in PODS[1:]]
    decision = decide(with_requests(trusted, request_, *others), REPLACE_KEY)
    assert (decision.steps, decision.done) == ((), False)
    (found,) = decision.violations
    assert (found.condition, found.subject) == (Condition.LEAVES_ARE_ISSUED, f"Secret kafka/{PODS[0]}")
    assert since in found.message
    assert next_request in found.remedy
    golden.compare_said("stops_in_rules", found, golden.row)
    # The violation has the words of the issuer, and no other sentence repeats them.
    assert len(decision.waiting) == 1


def test_a_request_in_its_time_fails_no_run() -> None:
    in_time = replace(OLD_REQUEST, asked_at=NOW - LONGEST_WAIT + HOUR)
    trusted = in_domain(elsewhere(unlinked.TRUSTED), DomainSource.CALLER)
    decision = decide(with_requests(trusted, in_time, *map(a_request, PODS[1:])), REPLACE_KEY)
    assert (decision.violations, decision.waiting[1:]) == ((), ("Sign it.",))


def test_a_failed_run_has_done_everything_else_before() -> None:
    """Processes come to trust the next CA, and leaves at hand are issued."""
    assert kinds(with_requests(PUBLISHED, OLD_REQUEST, *map(a_request, PODS[1:])))
    two = changed(KEPT, leaves=leaves(NEW, names=PODS[2:]), missing=dict.fromkeys(PODS[:2], Component.KAFKA))
    waited = changed_intent(RECONCILE, issuer_deadline=NOW + HOUR)
    assert kinds(with_requests(two, OLD_REQUEST, a_request(PODS[1])), waited) == ["AwaitIssuer"]
    assert overdue(decide(with_requests(two, OLD_REQUEST, a_request(PODS[1])), RECONCILE)) == [
        f"Secret kafka/{PODS[0]}"
    ]


def test_of_many_that_have_not_come_some_are_named_with_the_words_of_the_issuer() -> None:
    names = tuple(f"node-{number}" for number in range(8))
    snapshot = changed(elsewhere(unlinked.TRUSTED), leaves=leaves(names=names))
    requests = [replace(OLD_REQUEST, secret=name, waiting=f"{name}: sign it.") for name in names]
    found = await_issuer(at(with_requests(snapshot, *requests)))
    assert isinstance(found, Wait)
    subjects = [violation.subject for violation in found.violations]
    assert subjects == [*(f"Secret kafka/{name}" for name in names[:5]), snapshot.names.kafka]
    assert "3 more certificates of " in found.violations[-1].message
    assert [sentence for sentence in found.awaited if sentence.endswith("sign it.")] == [
        f"{name}: sign it." for name in names[5:]
    ]


@pytest.mark.parametrize(("more", "told"), [(1, "1 more certificate of "), (2, "2 more certificates of ")])
def test_the_others_that_have_not_come_are_counted(more: int, told: str) -> None:
    names = tuple(f"node-{number}" for number in range(5 + more))
    snapshot = changed(elsewhere(unlinked.TRUSTED), leaves=leaves(names=names))
    found = await_issuer(at(with_requests(snapshot, *(replace(OLD_REQUEST, secret=name) for name in names))))
    assert isinstance(found, Wait)
    last = found.violations[-1].message
    assert last.startswith(told)
    assert (" has not come " in last, " have not come " in last) == (more == 1, more != 1)


@pytest.mark.parametrize(("count", "told"), [(0, "0 requests"), (1, "1 request has"), (2, "2 requests")])
def test_the_requests_that_have_failed_are_counted(count: int, told: str) -> None:
    failed = replace(refused(), failure=replace(REFUSED, count=count), since=NOW - LONGEST_WAIT)
    others = [answered(name) for name in PODS[1:]]
    (found,) = decide(with_requests(elsewhere(unlinked.TRUSTED), failed, *others), REPLACE_KEY).violations
    assert told in found.message


def test_a_leaf_that_only_tells_which_ca_signs_fails_runs_as_well() -> None:
    asked = leaves_to_ask_for(at(UNCLEAR, CONFIRMED))
    assert asked is not None
    request_ = replace(OLD_REQUEST, authority=asked.issuer[0].fingerprint)
    turn = await_issuer(at(with_requests(UNCLEAR, request_), CONFIRMED))
    assert isinstance(turn, Wait)
    assert [violation.subject for violation in turn.violations] == [f"Secret kafka/{PODS[0]}"]
    assert len(turn.awaited) == 1


def test_leaves_that_end_while_others_do_not_come_are_told_once(golden: GoldenFiles) -> None:
    near = changed(elsewhere(unlinked.TRUSTED, OLD, NEW), renewal_window=OLD.certificate.not_after - NOW)
    waiting = at(with_requests(near, *(replace(OLD_REQUEST, secret=name) for name in PODS)))
    turn = await_issuer(waiting)
    assert isinstance(turn, Wait)
    golden.compare_said("stops_in_rules", "\n".join(turn.awaited))
    held, _later = list_holds(waiting, (turn,))
    assert [violation.subject for violation in held] == [f"Secret kafka/{name}" for name in PODS]


def test_leaves_that_do_not_come_hold_no_adoption() -> None:
    """Requests of the time before the cluster was handed back may lie there."""
    asked = with_requests(MISSING, OLD_REQUEST)
    assert overdue(decide(asked, RECONCILE))
    generated = changed(asked, reconciliation=replace(asked.reconciliation, generated=True))
    (step,) = decide(generated, an_intent(Goal.UPGRADE, external_issuer=ISSUER)).steps
    assert isinstance(step, SetGenerated)


# Using, and forgetting.


def test_a_leaf_that_is_missing_is_issued_when_it_is_at_hand() -> None:
    assert kinds(MISSING, RECONCILE) == ["AskForLeaves"]
    assert kinds(with_requests(MISSING, a_request()), RECONCILE) == []
    (step,) = decide(with_requests(MISSING, answered()), RECONCILE).steps
    assert step == IssueLeaves(secrets=PODS[:1], issuer=chain_of(NEW), generation=0, phase=Phase.USE)
    assert kinds(with_requests(KEPT, answered()), RECONCILE) == ["ForgetRequests"]


@pytest.mark.parametrize(
    ("snapshot", "names"),
    [
        pytest.param(at_hand(PUBLISHED), (), id="they are waited for"),
        pytest.param(
            at_hand(changed(PUBLISHED, leaves=(*leaves(NEW, names=PODS[:2]), a_leaf(PODS[2])))), PODS[:2], id="in use"
        ),
        pytest.param(at_hand(KEPT), PODS, id="all are in use"),
        pytest.param(with_requests(KEPT, a_request()), PODS[:1], id="not wanted any more"),
        pytest.param(with_requests(KEPT, refused("stranger")), ("stranger",), id="of a leaf that there is no more"),
        pytest.param(
            with_requests(PUBLISHED, a_request(PODS[0], THIRD)), (), id="of another CA: it is asked for again"
        ),
        pytest.param(at_hand(cluster()), PODS, id="the key is here by now"),
        pytest.param(KEPT, (), id="none"),
    ],
)
def test_served_and_outdated_requests_are_forgotten(snapshot: Snapshot, names: tuple[str, ...]) -> None:
    found = forget_requests(at(snapshot))
    assert found == ((ForgetRequests(secrets=names, phase=at(snapshot).phase),) if names else ())


def test_requests_are_forgotten_alone_after_the_switch() -> None:
    assert kinds(at_hand(elsewhere(unlinked.RESUMED))) == ["TidyKeys"]
    assert kinds(at_hand(elsewhere(unlinked.TIDIED))) == ["ForgetRequests"]


def test_a_linked_ca_is_used_behind_its_link_when_its_leaves_are_at_hand() -> None:
    """A CA that is brought has no link; where there is one, its leaves are needed all the same."""
    snapshot = elsewhere(linked.TRUSTED)
    named_ = (*linked.CHAINED, linked.OWN)
    assert kinds(snapshot) == ["AskForLeaves"]
    assert kinds(with_requests(snapshot, *(a_request(name) for name in named_))) == []
    assert kinds(at_hand(snapshot, names=named_)) == ["IssueLeaves"]


#: Two CAs lie in the source, neither of them is in use, and a person has confirmed both.
UNCLEAR = cluster(source=CaSource("Secret kafka/roots", (NEW.certificate, THIRD.certificate)))
CONFIRMED = changed_intent(RECONCILE, confirmed_roots=frozenset(one.certificate.sha256 for one in (NEW, THIRD)))


def test_a_sample_leaf_is_requested_to_learn_which_ca_signs(golden: GoldenFiles) -> None:
    unclear = at(UNCLEAR, CONFIRMED)
    asked = leaves_to_ask_for(unclear)
    assert asked is not None
    assert (asked.secrets, asked.issuer[0] in (NEW.certificate, THIRD.certificate)) == (PODS[:1], True)
    because = "This certificate shows which CA of the source signs."
    wanted = AskForLeaves(
        secrets=PODS[:1], issuer=asked.issuer, external_issuer=ISSUER, phase=Phase.PREPARE, because=because,
        domain=unclear.snapshot.leaves.dns_domain,
    )  # fmt: skip
    assert ask_for_leaves(unclear) == (wanted,)
    assert leaves_to_await(unclear) == ()
    (sentence,) = describe_awaited_leaves(unclear)
    assert all(one.certificate.subject in sentence for one in (NEW, THIRD))
    golden.compare_said("stops_in_rules", re.sub("CN=cluster-ca v[12],O=io.strimzi", "<CA>", sentence))


def test_the_telling_leaf_is_waited_for_as_long_as_the_caller_wants() -> None:
    issuer = leaves_to_ask_for(at(UNCLEAR, CONFIRMED))
    assert issuer is not None
    open_ = with_requests(UNCLEAR, replace(a_request(), authority=issuer.issuer[0].fingerprint))
    assert ask_for_leaves(at(open_, CONFIRMED)) == ()
    waiting = steps_of(await_issuer(at(open_, changed_intent(CONFIRMED, issuer_deadline=NOW + HOUR))))
    assert [step.secrets for step in waiting if isinstance(step, AwaitIssuer)] == [PODS[:1]]
    assert forget_requests(at(open_, CONFIRMED)) == ()


def test_the_telling_leaf_is_not_asked_for_before_all_cas_are_confirmed() -> None:
    only = changed_intent(CONFIRMED, confirmed_roots=frozenset({NEW.certificate.sha256}))
    assert (leaves_to_ask_for(at(UNCLEAR, only)), describe_awaited_leaves(at(UNCLEAR, only))) == (None, ())


def test_leaves_that_are_due_tell_as_well() -> None:
    kept = changed(elsewhere(UNCLEAR, OLD), leaves=UNCLEAR.leaves.stored[1:], missing={PODS[0]: Component.KAFKA})
    asked = leaves_to_ask_for(at(kept, CONFIRMED))
    assert asked is not None
    assert (asked.issuer, asked.secrets) == (chain_of(OLD), PODS[:1])
