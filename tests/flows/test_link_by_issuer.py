# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The link certificate where the CA in use is kept by Vault: Vault signs it, and whatever keeps it from that, the replacement goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire

from ..tools.support.asked_issuers import ByVault
from ..tools.support.authorities import Authority, root
from ..tools.support.checker import verifies
from ..tools.support.fake_vault.server import FakeVault, Fault, serving
from ..tools.support.flows import FlowResult, insisting
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.misissuing import Signing
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.verification import refused_by_a_client
from ..tools.support.watched_cluster import CERTIFICATES, IN_USE, KEYS, WatchedCluster, assert_only, subject
from .cases import DAY
from .test_clients_that_never_read_again import presented
from .test_kept_elsewhere import advertise, names_in

pytestmark = pytest.mark.usefixtures("uptake")


@pytest.fixture
def vault() -> Iterator[FakeVault]:
    with serving(FakeVault()) as one:
        yield one


def to_vault(cluster: WatchedCluster, vault: FakeVault, links: bool = True) -> tuple[ByVault, bytes, FlowResult]:
    """Vault is asked to certify the CA in use by the next one, whose key it keeps: the issuer, that CA, and what has come of it.

    links: whether it may.
    """
    cluster.create()
    old, corporate = cluster.secret(CERTIFICATES)["ca.crt"], replace(root("Corporate Root"), elsewhere=True)
    issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
    issuer.permit(links=links)
    cluster.issuer = issuer.settings
    result = cluster.finish(Goal.REPLACE_KEY, corporate, external_issuer=issuer.reference, link_issuer=issuer.linker)
    assert_only(cluster, corporate.fingerprint)
    return issuer, old, result


def refusing(cluster: WatchedCluster, authority: bytes) -> set[str]:
    """Nodes that a client refuses which knows this CA alone."""
    return {pod for pod, chain in presented(cluster).items() if refused_by_a_client(chain, [authority])}


def moved(cluster: WatchedCluster, vault: FakeVault, path_length: int | None = 1) -> ByVault:
    """The CA in use is kept by Vault, which may certify others too."""
    cluster.create()
    corporate = replace(root("Corporate Root", path_length=path_length, outlives_rewriting=True), elsewhere=True)
    issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
    cluster.issuer = issuer.settings
    cluster.finish(Goal.REPLACE_KEY, corporate, external_issuer=issuer.reference)
    cluster.look_away()
    issuer.permit(links=True)
    return issuer


def warned(result: FlowResult) -> list[str]:
    """Of links: where nodes cannot be told to read again, that is told as well."""
    return [one for one in result.warnings if "link certificate" in one]


def asking(cluster: WatchedCluster, issuer: ByVault) -> dict[str, Any]:
    return {"external_issuer": issuer.reference, "link_issuer": issuer.linker, "replaces": cluster.current}


def test_no_process_has_to_restart_only_to_trust_the_new_ca(cluster: WatchedCluster, vault: FakeVault) -> None:
    issuer = moved(cluster, vault)
    result = cluster.finish(Goal.REPLACE_KEY, **asking(cluster, issuer))
    assert (warned(result), issuer.certified) == ([], 1)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert cluster.issuers() == {subject(cluster.secret(CERTIFICATES)["ca.crt"])}
    assert b"PRIVATE KEY" in cluster.secret(KEYS)["ca.key"]
    assert_only(cluster, cluster.current)


def test_a_client_that_knows_only_the_ca_in_vault_is_served_until_the_switch(
    cluster: WatchedCluster, vault: FakeVault
) -> None:
    """Every kind of verifier, as long as that CA is trusted; so clients need no time before the new CA is used."""
    issuer = moved(cluster, vault)
    old, trusted = cluster.current, issuer.signing.authority.pem
    refused: list[str] = []

    def connect(change: Change) -> None:
        for process in cluster.memory.kubelet.processes.values() if old in cluster.states else ():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                if not all(verifies(chain, trusted, jvm=jvm) for jvm in (True, False)):
                    refused.append(f"{process.pod} after {change.verb} of {change.name}")

    cluster.memory.api.listeners.append(connect)
    result = cluster.finish(Goal.REPLACE_KEY, **asking(cluster, issuer))
    assert refused == []
    waits = [action.phase for action in result.actions if action.what == "clients read the new CA"]
    assert Phase.TRUST.value not in waits


def test_a_ca_of_ones_own_is_certified_too(cluster: WatchedCluster, vault: FakeVault) -> None:
    """Where its name outlives the signing."""
    issuer = moved(cluster, vault)
    own = root("Own Root", outlives_rewriting=True)
    cluster.finish(Goal.REPLACE_KEY, own, **asking(cluster, issuer))
    assert (cluster.paid, issuer.certified) == (cluster.cost(Goal.REPLACE_KEY), 1)
    assert_only(cluster, own.fingerprint)


def test_clients_that_never_read_again_are_led_on_to_a_ca_in_vault(cluster: WatchedCluster, vault: FakeVault) -> None:
    """Nothing is written a second time for it, and nothing restarts."""
    issuer, old, result = to_vault(cluster, vault)
    assert (warned(result), issuer.certified) == ([], 1)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert not [one for one in result.actions if one.verb == "wait" and one.target.name == CERTIFICATES]
    assert (refusing(cluster, old), refusing(cluster, cluster.secret(CERTIFICATES)["ca.crt"])) == (set(), set())
    cluster.run(Goal.RECONCILE, external_issuer=issuer.reference, link_issuer=issuer.linker)
    assert (cluster.writes, issuer.certified) == (0, 1)


def test_where_vault_does_not_permit_that_a_warning_says_who_is_refused(
    cluster: WatchedCluster, vault: FakeVault, golden: GoldenFiles
) -> None:
    """Nodes lead on from memory, for as long as a mounted Secret is late."""
    _issuer, old, result = to_vault(cluster, vault, links=False)
    (warning,) = warned(result)
    golden.compare_said("flows", warning)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert refusing(cluster, old) == set(presented(cluster))


def test_from_one_ca_in_vault_to_the_next(cluster: WatchedCluster, vault: FakeVault) -> None:
    """No key ever leaves Vault."""
    issuer = moved(cluster, vault)
    following = replace(root("Next Root", outlives_rewriting=True), elsewhere=True)
    issuer.follow(following)
    issuer.permit(links=True)
    cluster.issuer, old = issuer.settings, cluster.secret(CERTIFICATES)["ca.crt"]
    cluster.finish(Goal.REPLACE_KEY, following, **asking(cluster, issuer))
    assert (cluster.paid, issuer.certified) == (cluster.cost(Goal.REPLACE_KEY), 2)
    assert b"PRIVATE KEY" not in cluster.secret(KEYS)["ca.key"]
    assert refusing(cluster, old) == set()
    assert_only(cluster, following.fingerprint)


@pytest.mark.parametrize(
    ("own", "path_length"),
    [
        pytest.param(root("Own Root"), 1, id="its name does not outlive that"),
        pytest.param(None, 0, id="the CA in use permits none below it"),
    ],
)
def test_where_no_link_certificate_would_help_the_issuer_is_not_asked(
    cluster: WatchedCluster, vault: FakeVault, own: Authority | None, path_length: int
) -> None:
    issuer = moved(cluster, vault, path_length)
    result = cluster.finish(Goal.REPLACE_KEY, own, **asking(cluster, issuer))
    assert (warned(result), issuer.certified) == ([], 0)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")


def not_permitted(issuer: ByVault) -> str:
    issuer.permit()
    return 'path "pki/issuer/kafka-2026/sign-intermediate"'


def sealed(issuer: ByVault) -> str:
    issuer.vault.faults = [Fault(503, ("Vault is sealed",), path="/sign-intermediate", times=-1)]
    return "vault operator unseal"


def another(issuer: ByVault) -> str:
    """The CA in use itself: signed by it, and of another name and key."""
    answer = {"data": {"certificate": issuer.signing.authority.chain[0].pem.decode()}}
    issuer.vault.faults = [Fault(200, path="/sign-intermediate", raw=json.dumps(answer).encode())]
    return "it does not carry the key of CN=cluster-ca v2,O=io.strimzi"


@pytest.mark.parametrize("happens", [not_permitted, sealed, another], ids=lambda one: one.__name__)
def test_without_it_the_replacement_goes_on_and_says_why(
    cluster: WatchedCluster, vault: FakeVault, happens: Any, golden: GoldenFiles
) -> None:
    issuer = moved(cluster, vault)
    happens(issuer)
    result = cluster.finish(Goal.REPLACE_KEY, **asking(cluster, issuer))
    (warning,) = warned(result)
    golden.compare_said("flows", warning, happens.__name__)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, cluster.current)


def test_the_plan_names_the_issuer_and_does_not_ask_it(
    cluster: WatchedCluster, vault: FakeVault, golden: GoldenFiles
) -> None:
    issuer = moved(cluster, vault)
    work, intent = cluster.work(), cluster.intent(Goal.REPLACE_KEY, **asking(cluster, issuer))
    planned = plan(work, inspect(work, intent), intent)
    golden.compare_said("flows", f"{planned.steps[0].what}\n{planned.choices[0]}")
    restarts = sum(len(step.nodes) for step in planned.steps) // len(cluster.memory.kubelet.nodes)
    assert restarts == cluster.cost(Goal.REPLACE_KEY).restarts
    assert (planned.violations, issuer.certified) == ((), 0)


def test_a_flow_that_ends_early_goes_on_with_the_link_in_the_cluster(cluster: WatchedCluster, vault: FakeVault) -> None:
    issuer = moved(cluster, vault)
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, **asking(cluster, issuer))
    assert [key for key in cluster.secret(KEYS) if key.endswith(".link.crt")]
    vault.sealed = True
    cluster.finish(Goal.RECONCILE)
    assert (cluster.paid, issuer.certified) == (cluster.cost(Goal.REPLACE_KEY), 1)
    assert_only(cluster, cluster.current)


def test_nodes_restart_before_the_operator_stands_still(
    cluster: WatchedCluster, vault: FakeVault, nodes: ReloadingNodes
) -> None:
    """The operator's own leaf stays of the old CA until they have restarted, and it can renew none: the operator would not restart them any more."""
    issuer = moved(cluster, vault)
    cluster.finish(Goal.REPLACE_KEY, retire=Retire.WHEN_RESTARTED, **asking(cluster, issuer))
    assert cluster.rolls == {0}
    cluster.memory.seconds += 44 * DAY
    cluster.finish(Goal.RECONCILE, external_issuer=issuer.reference)
    assert cluster.rolls == {0}
    cluster.memory.seconds += 2 * DAY
    cluster.finish(Goal.RECONCILE, external_issuer=issuer.reference)
    assert cluster.rolls == {1}
    assert cluster.states == {cluster.current: IN_USE}
    assert cluster.ready


def test_other_names_of_listeners_come_although_the_operator_stays_on_the_old_ca(
    cluster: WatchedCluster, vault: FakeVault, nodes: ReloadingNodes
) -> None:
    """The operator, which can issue nothing, would stand still until the switch, and every run would say that it is done."""
    issuer = moved(cluster, vault)
    cluster.finish(Goal.REPLACE_KEY, retire=Retire.WHEN_RESTARTED, **asking(cluster, issuer))
    advertise(cluster, "kafka.corp.example")
    assert not cluster.ready
    cluster.finish(Goal.RECONCILE, external_issuer=issuer.reference)
    cluster.memory.settle(1)
    assert {"kafka.corp.example" in names_in(cluster, node) for node in cluster.memory.kubelet.nodes} == {True}
    assert (cluster.ready, cluster.rolls) == (True, {1})
    # All of them have restarted, so the old CA leaves as well.
    assert cluster.states == {cluster.current: IN_USE}


def test_a_link_certificate_that_is_refused_at_once_is_requested_once(
    cluster: WatchedCluster, vault: FakeVault
) -> None:
    """The user wants another try, and has corrected nothing."""
    cluster.create()
    corporate = replace(root("Corporate Root"), elsewhere=True)
    issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
    cluster.issuer = issuer.settings
    vault.mounts[issuer.mount].set_role(issuer.role, {"key_type": "any", "allowed_domains": "other.example"})
    told = cluster.run(Goal.REPLACE_KEY, corporate, external_issuer=issuer.reference).outcome.decision
    refused = len(vault.seen)
    again = cluster.run(
        Goal.REPLACE_KEY, corporate, external_issuer=issuer.reference, retry_requested_at=insisting(cluster.work())
    ).outcome.decision
    assert (len(vault.seen), again.done) == (2 * refused, False)
    assert len(again.waiting) == len(told.waiting)
