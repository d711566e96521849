# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Path validation as the gates ask for it: the processes that verify certificates, by whose rules, and what each of them trusts.

Clients outside the cluster get time to read a CA before it is used, and none a certificate under the name of a process of the cluster.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import (
    MOUNTED_SECRET,
    can_raise_path_length,
    describe_clients_left_behind,
    describe_possible_refusals,
    describe_unnameable_users,
    has_only_ended,
    is_valid,
    link_followed_since,
    namesakes,
    renewed_arrives_at,
    usable_from,
    verifying_parties,
    why_refused_by_unknown_clients,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from .. import linked
from ..authorities import EXPIRED, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, SHORT, THIRD, chain_of, linked_form, names_of
from ..builders import changed, cluster, others, secrets
from ..ledgers import entry, ledger
from ..nodes import PODS, a_pod, pods, uids_of
from ..of_users import users
from ..requested import elsewhere


@pytest.mark.parametrize(
    ("at", "valid"),
    [(NOW, True), (NOW + 2 * YEAR, False), (NOW - 2 * YEAR, False)],
    ids=["now", "too late", "too early"],
)
def test_validation_depends_on_the_time(at: datetime, valid: bool) -> None:
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.GO) is valid
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.JVM)


@pytest.mark.parametrize(
    ("anchors", "kind", "expected"),
    [
        ((EXPIRED,), Verifier.GO, True),
        ((EXPIRED,), Verifier.OPENSSL, True),
        ((EXPIRED,), Verifier.JVM, False),
        ((EXPIRED, OLD), Verifier.GO, False),
        ((), Verifier.GO, False),
    ],
)
def test_a_verifier_whose_cas_have_ended_refuses_everything(
    anchors: tuple[Entity, ...], kind: Verifier, expected: bool
) -> None:
    assert has_only_ended(tuple(one.certificate for one in anchors), NOW, kind) is expected


# The processes that verify certificates, by whose rules they do, and what each of them trusts.

BOOKS = ledger(entry(OLD), entry(NEW, awaited_pods=uids_of(PODS[0])), entry(THIRD, awaited_pods=None))


@pytest.mark.parametrize("component", Component)
def test_the_exporter_verifies_by_the_rules_of_go(component: Component) -> None:
    """The exporter is a Go program; it applies the path length of what it trusts, which no JVM does."""
    node, operator = verifying_parties(cluster(pods=(a_pod(component=component),)), BOOKS)
    assert node.verifier is (Verifier.GO if component is Component.KAFKA_EXPORTER else Verifier.JVM)
    assert operator.verifier is Verifier.JVM


def test_pods_trust_the_cas_of_their_start_and_the_operator_trusts_the_secret() -> None:
    """A pod trusts the CAs that were read back before it started; the operator trusts the CAs in the Secret now, known to the ledger or not."""
    snapshot = cluster(ca=secrets(other_entries=others(THIRD, ROOT)), pods=pods(names=PODS[:2]))
    assert [(party.name, party.anchors, party.pod) for party in verifying_parties(snapshot, BOOKS)] == [
        (f"pod {PODS[0]}", (OLD.certificate,), snapshot.nodes.pods[0]),
        (f"pod {PODS[1]}", (OLD.certificate, NEW.certificate), snapshot.nodes.pods[1]),
        ("the Cluster Operator", (OLD.certificate, THIRD.certificate), None),
    ]


def test_a_pod_whose_listener_refuses_a_ca_does_not_trust_that_ca() -> None:
    snapshot = cluster(pods=(a_pod(),))
    seen = ObservedListener(PODS[0], snapshot.nodes.pods[0].uid, 9091, refuses=names_of(OLD))
    node, _operator = verifying_parties(changed(snapshot, listeners=(seen,)), ledger())
    assert (node.anchors, node.possible_anchors) == ((), ())


def test_a_silent_pod_may_trust_the_cas_of_its_start() -> None:
    node, _operator = verifying_parties(cluster(pods=(a_pod(),), listeners=()), ledger())
    assert (node.anchors, node.possible_anchors) == ((), (OLD.certificate,))
    assert (node.accepts(chain_of(OLD), cluster()), node.why_refused(chain_of(OLD), cluster())) == (False, "")
    assert node.why_refused(chain_of(NEW), cluster())


def test_without_pods_no_party_verifies() -> None:
    assert verifying_parties(cluster(pods=()), BOOKS) == ()


@pytest.mark.parametrize(
    ("form", "at", "why"),
    [
        pytest.param(chain_of(OLD), NOW, "", id="accepted"),
        pytest.param(
            chain_of(NEW), NOW, f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf", id="unknown"
        ),
        pytest.param(
            chain_of(OLD), NOW + 2 * YEAR, "", id="a CA in use that has ended, which a JVM accepts"
        ),
    ],
)  # fmt: skip
def test_a_verifier_says_why_it_refuses_a_chain_at_this_moment(form: Chain, at: datetime, why: str) -> None:
    snapshot = cluster(now=at, pods=pods(names=PODS[:1]))
    for party in verifying_parties(snapshot, ledger()):
        assert party.why_refused(form, snapshot) == why
        assert party.accepts(form, snapshot) is not bool(why)


LONG = make("cluster-ca v0", key(0))
ONE_BELOW = f"{SHORT.certificate.subject} allows 0 CAs below it (path length constraint), and there are 1"
STRANGE = f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf"


@pytest.mark.parametrize(
    ("current", "form", "why"),
    [
        pytest.param(OLD, linked_form(NEW, OLD), "", id="linked, and the CA in use allows one below it"),
        pytest.param(LONG, linked_form(NEW, LONG), "", id="linked, and the CA in use says nothing about it"),
        pytest.param(SHORT, linked_form(NEW, SHORT), ONE_BELOW, id="linked, and the CA in use allows none"),
        pytest.param(OLD, chain_of(NEW), STRANGE, id="a new key without a link"),
        pytest.param(OLD, chain_of(RENEWED), "", id="a renewal"),
    ],
)
def test_where_clients_that_know_only_the_ca_in_use_could_refuse_the_next(
    current: Entity, form: Chain, why: str
) -> None:
    """A single kind of verifier that could refuse it is enough. A renewal validates by name and key."""
    snapshot = cluster(ca=secrets(current))
    assert why_refused_by_unknown_clients(form, snapshot) == why
    waits = MOUNTED_SECRET if why else timedelta()
    assert usable_from(entry(NEW, published_at=NOW), form, snapshot, None) == NOW + waits


def test_unknown_clients_may_refuse_an_intermediate_ca_because_they_lack_its_root(golden: GoldenFiles) -> None:
    """OpenSSL looks for a root unless it is told otherwise, so a client that knows only the intermediate CA could refuse its leaves."""
    snapshot = cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)))
    golden.compare_said("stops_in_rules", why_refused_by_unknown_clients(chain_of(INTERMEDIATE, ROOT), snapshot))


@pytest.mark.parametrize("current", [OLD, SHORT])
@pytest.mark.parametrize("grace", [timedelta(), timedelta(seconds=7), DAY])
def test_the_time_that_the_caller_wants_is_given_in_any_case(grace: timedelta, current: Entity) -> None:
    snapshot, form = cluster(ca=secrets(current)), linked_form(NEW, current)
    assert usable_from(entry(NEW, published_at=NOW - HOUR), form, snapshot, grace) == NOW - HOUR + grace


@pytest.mark.parametrize("grace", [None, timedelta()])
def test_an_unpublished_ca_is_never_usable(grace: timedelta | None) -> None:
    assert usable_from(entry(NEW), linked_form(NEW, OLD), cluster(), grace) is None


def test_a_client_may_have_taken_any_certificate_of_the_ca_in_use() -> None:
    """Of two with one name OpenSSL takes the first, and ``ca-<date>.crt`` comes before ``ca.crt``."""
    beside = cluster(ca=secrets(OLD, other_entries=others(SHORT, NEW)))
    assert why_refused_by_unknown_clients(linked_form(NEW, OLD), beside) == ONE_BELOW
    assert (
        why_refused_by_unknown_clients(
            linked_form(NEW, OLD), cluster(ca=secrets(OLD, other_entries=others(RENEWED, THIRD)))
        )
        == ""
    )


def test_without_a_ca_no_client_is_said_to_refuse_the_next() -> None:
    assert why_refused_by_unknown_clients(chain_of(NEW), cluster(ca=secrets(None))) == ""


@pytest.mark.parametrize(("grace", "until"), [(None, MOUNTED_SECRET), (timedelta(), timedelta()), (DAY, DAY)])
def test_clients_time_for_a_renewed_ca_begins_when_the_ca_with_path_length_0_has_gone(
    grace: timedelta | None, until: timedelta
) -> None:
    assert renewed_arrives_at(entry(OLD, published_at=NOW - HOUR, cleared_at=NOW), grace) == NOW + until
    assert renewed_arrives_at(entry(OLD, published_at=NOW), grace) is None


@pytest.mark.parametrize(
    ("known", "current", "beside", "since"),
    [
        pytest.param({"published_at": NOW - DAY}, OLD, (), NOW - DAY, id="since it was published"),
        pytest.param({"published_at": NOW - DAY, "cleared_at": NOW - HOUR}, OLD, (), NOW - HOUR, id="since another left"),
        pytest.param({"published_at": NOW - DAY}, OLD, (SHORT,), None, id="another is still there"),
        pytest.param({"published_at": NOW - DAY}, OLD, (RENEWED, NEW), NOW - DAY, id="others do no harm"),
        pytest.param({"published_at": NOW - DAY}, SHORT, (), None, id="it allows none below it"),
        pytest.param({"published_at": NOW - DAY}, LONG, (), NOW - DAY, id="it allows any number"),
        pytest.param({}, OLD, (), None, id="it is not recorded since when it is there"),
    ],
)  # fmt: skip
def test_since_when_clients_can_be_led_on(
    known: dict[str, datetime], current: Entity, beside: tuple[Entity, ...], since: datetime | None
) -> None:
    snapshot = cluster(ca=secrets(current, other_entries=others(*beside)))
    assert link_followed_since(entry(current, **known), snapshot) == since


BELOW = chain_of(make("Nodes", key(7), ROOT, path_length=0), ROOT)


@pytest.mark.parametrize(
    ("snapshot", "can"),
    [
        pytest.param(cluster(ca=secrets(SHORT)), True, id="a root whose key is here"),
        pytest.param(cluster(ca=secrets((*chain_of(SHORT), *chain_of(OLD)))), True, id="with another CA behind it"),
        pytest.param(cluster(ca=secrets(OLD)), False, id="it allows one below it"),
        pytest.param(cluster(ca=secrets(LONG)), False, id="it allows any number"),
        pytest.param(cluster(ca=secrets(BELOW)), False, id="another CA has issued it"),
        pytest.param(cluster(ca=secrets(SHORT, key=None)), False, id="its key is lost"),
        *(
            pytest.param(cluster(ca=secrets(SHORT, key=other.certificate.public_key_sha256)), False, id=f"another key: {other.certificate.subject}")
            for other in (NEW, THIRD, ROOT, EXPIRED)
        ),
        pytest.param(elsewhere(cluster(ca=secrets(SHORT)), SHORT), False, id="a text stands for its key"),
        pytest.param(users(ca=secrets(SHORT)), False, id="its leaves are sent alone"),
        pytest.param(cluster(ca=secrets(None)), False, id="there is no CA yet"),
    ],
)  # fmt: skip
def test_whether_a_renewal_made_here_could_allow_a_ca_below_the_ca_in_use(snapshot: Snapshot, can: bool) -> None:
    assert can_raise_path_length(snapshot) is can


@pytest.mark.parametrize(
    ("current", "known", "who"),
    [
        pytest.param(OLD, {}, set(), id="no client"),
        pytest.param(
            OLD,
            {"cleared_at": NOW - HOUR},
            {"OpenSSL", "Go programs", "2026-06-01 11:00 UTC"},
            id="since it was renewed",
        ),
        pytest.param(SHORT, {}, {"OpenSSL", "Go programs", "from the switch on"}, id="it allows none below it"),
    ],
)
def test_the_plan_says_which_clients_may_refuse_a_link_certificate(
    current: Entity, known: dict[str, datetime], who: set[str]
) -> None:
    snapshot = cluster(ca=secrets(chain_of(current, ROOT)))
    told = describe_possible_refusals(linked_form(NEW, current), snapshot, ledger(entry(current, **known)))
    assert bool(told) is bool(who)
    assert all(part in told for part in who)
    assert "JVMs" not in told


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        pytest.param(linked.FINISHED, f"Clients that know only {OLD.certificate.subject}, the CA before the CA in use, have been led on", id="led on"),
        pytest.param(replace(linked.FINISHED, now=linked.LINK.not_after), "", id="no longer"),
        pytest.param(linked.SETTLED, "", id="there was none before"),
    ],
)  # fmt: skip
def test_clients_that_know_the_former_ca_are_led_on_until_the_next_ca_is_used(snapshot: Snapshot, told: str) -> None:
    assert describe_clients_left_behind(snapshot).startswith(told)
    assert bool(describe_clients_left_behind(snapshot)) is bool(told)
    if told:
        assert told in describe_possible_refusals(linked_form(THIRD, NEW), snapshot, snapshot.ledger_or_empty)


# No user is issued a certificate under the name of one of the cluster's processes.

NAMES = ("KafkaUser kafka/cluster-operator", "KafkaUser kafka/demo-kafka")


def test_each_is_named_with_the_remedy(golden: GoldenFiles) -> None:
    found = tuple(namesakes(users(namesakes=NAMES)))
    assert tuple(one.subject for one in found) == NAMES
    assert {one.condition for one in found} == {Condition.PRESENTERS_CAN_BE_ISSUED_TO}
    golden.compare_said("stops_in_rules", "\n".join(map(str, found)))


def test_users_that_no_issuer_can_name_are_told_and_hold_nothing(golden: GoldenFiles) -> None:
    told = describe_unnameable_users(users(unnameable_users={"User kafka/a": "its name is too long"}))
    golden.compare_said("stops_in_rules", "\n".join(told))
    assert describe_unnameable_users(cluster()) == ()


def test_users_with_other_names_are_no_namesakes() -> None:
    assert tuple(namesakes(users())) == ()
