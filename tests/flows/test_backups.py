# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs back up the Secrets of a CA, and a recovery puts back what another hand has deleted or damaged."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from itertools import permutations
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..tools.support.authorities import root
from ..tools.support.clients_cluster import KEYS as CLIENTS_KEYS
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, NAMESPACE, WatchedCluster, fingerprints
from .cases import Object
from .test_layouts import SECRETS as OF_LAYOUT

NODES = ["demo-kafka-0", "demo-kafka-1"]
BACKUPS, CLIENTS_BACKUPS = ([f"{keys}-backup-{number}" for number in (1, 2, 3)] for keys in (KEYS, CLIENTS_KEYS))
CLIENTS_SECRETS = tuple(f"{CLIENTS_KEYS}{end}" for end in ("", "-cert", "-trusted-certs"))
STATE = (KEYS, CERTIFICATES, LEDGER)

Damage = Callable[[WatchedCluster], None]


def find(cluster: WatchedCluster, name: str) -> Object | None:
    return cluster.memory.api.find("secrets", NAMESPACE, name)


def record(cluster: WatchedCluster, name: str) -> dict[str, str]:
    found = find(cluster, name)
    assert found is not None
    told: dict[str, str] = json.loads(found["metadata"]["annotations"]["trustops.strimzi/backup"])
    return told


def backed_up(cluster: WatchedCluster, names: list[str] = BACKUPS) -> dict[str, str]:
    """The fingerprint of the CA in each backup that there is."""
    return {name: fingerprints(cluster.secret(name)["tls.crt"])[0] for name in names if find(cluster, name)}


def state(cluster: WatchedCluster, names: tuple[str, ...] = STATE) -> dict[str, tuple[object, object, object]]:
    found = ((name, find(cluster, name) or {"metadata": {}}) for name in names)
    return {
        name: (one.get("data"), one["metadata"].get("annotations"), one["metadata"].get("labels"))
        for name, one in found
    }


def delete(cluster: WatchedCluster, *names: str) -> None:
    for name in names:
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")


def conditions(cluster: WatchedCluster, goal: Goal) -> list[Condition]:
    decision = cluster.run(goal).outcome.decision
    assert not decision.done
    return [one.condition for one in decision.violations]


@pytest.fixture
def replaced(cluster: WatchedCluster) -> WatchedCluster:
    """A cluster with backups, in which one CA has replaced another."""

    def replace_key() -> None:
        cluster.create()
        cluster.backs_up = True
        cluster.finish(Goal.REPLACE_KEY)
        cluster.memory.settle(2)

    cluster.copy_of("with backups", replace_key)
    cluster.backs_up = True
    cluster.look_away()
    return cluster


# Backups.


def test_a_flow_backs_up_what_it_begins_with_and_what_it_leaves(cluster: WatchedCluster) -> None:
    cluster.create()
    first, begun = cluster.current, state(cluster)
    cluster.backs_up = True
    writes: list[tuple[str, object]] = []
    cluster.memory.api.listeners.append(
        lambda change: writes.append((change.name, state(cluster))) if change.plural == "secrets" else None
    )
    cluster.finish(Goal.REPLACE_KEY)
    name, seen = writes[0]
    assert (name, seen) == (BACKUPS[0], begun), "something was written before the backup"
    assert backed_up(cluster) == {BACKUPS[0]: first, BACKUPS[1]: cluster.current}
    assert cluster.secret(BACKUPS[1])["tls.key"] == cluster.secret(KEYS)["ca.key"]


def test_three_backups_hold_the_last_three_cas(replaced: WatchedCluster) -> None:
    known = [replaced.current]
    for _flow in range(3):
        replaced.finish(Goal.REPLACE_KEY, replaces=replaced.current)
        known.append(replaced.current)
    assert set(backed_up(replaced).values()) == set(known[1:])
    assert len(backed_up(replaced)) == 3


def test_a_renewal_of_leaves_leaves_the_backups_of_earlier_cas(replaced: WatchedCluster) -> None:
    before = backed_up(replaced)
    replaced.run(Goal.RENEW_LEAVES)
    assert backed_up(replaced) == before


def test_without_the_option_no_backup_is_made(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY)
    assert backed_up(cluster) == {}


def test_a_secret_with_the_name_of_a_backup_is_left_alone(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.backs_up = True
    foreign = deepcopy(find(cluster, KEYS))
    assert foreign is not None
    foreign["metadata"] = {"name": BACKUPS[0], "labels": foreign["metadata"]["labels"]}
    cluster.memory.apply(foreign)
    before = state(cluster)
    (violation,) = cluster.run(Goal.REPLACE_KEY).outcome.decision.violations
    assert (violation.condition, violation.subject) == (Condition.NAMES_ARE_FREE, f"Secret {NAMESPACE}/{BACKUPS[0]}")
    assert (state(cluster), cluster.secret(BACKUPS[0])) == (before, cluster.secret(KEYS))


def test_a_damaged_state_takes_the_place_of_no_backup(replaced: WatchedCluster) -> None:
    before = {name: find(replaced, name) for name in BACKUPS}
    replaced.put(KEYS, ca_key=root("Another").keys[0].reveal())
    replaced.run(Goal.RECONCILE)
    assert {name: find(replaced, name) for name in BACKUPS} == before


def test_the_ca_goes_back_to_the_operator_without_its_backups(replaced: WatchedCluster) -> None:
    replaced.finish(Goal.DOWNGRADE)
    assert (backed_up(replaced), replaced.ledger) == ({}, {})


class Deleting:
    """The API server, where a person deletes the backup at the moment when a run backs up what it leaves."""

    def __init__(self, cluster: WatchedCluster) -> None:
        self._cluster, self._api = cluster, cluster.permitted

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        name = path.rpartition("/")[2]
        if method == "PATCH" and name in BACKUPS and self._is_finished():
            delete(self._cluster, name)
        return self._api.request(method, path, **arguments)

    def _is_finished(self) -> bool:
        ledger = find(self._cluster, LEDGER)
        journal = (ledger or {"metadata": {}})["metadata"].get("annotations", {}).get("trustops.strimzi/journal")
        return bool(json.loads(journal or "{}").get("finishedAt"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._api, name)


def test_a_backup_that_is_deleted_meanwhile_fails_no_flow(cluster: WatchedCluster) -> None:
    cluster.create()
    first = cluster.current
    cluster.backs_up = True
    cluster.permitted = Deleting(cluster)
    assert cluster.run(Goal.REPLACE_KEY).outcome.decision.done
    assert cluster.current != first
    assert len(backed_up(cluster)) == 1


# Recovery.


def _wrong_key(cluster: WatchedCluster) -> None:
    cluster.put(KEYS, ca_key=root("Another").keys[0].reveal())


def _no_certificate(cluster: WatchedCluster) -> None:
    cluster.change("secrets", CERTIFICATES, {"data": {"ca.crt": None}})


def _unreadable(cluster: WatchedCluster) -> None:
    cluster.put(CERTIFICATES, ca_crt=b"-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n")


def _no_generation(cluster: WatchedCluster) -> None:
    cluster.change("secrets", CERTIFICATES, {"metadata": {"annotations": {"strimzi.io/ca-cert-generation": None}}})


def _lower_generations(cluster: WatchedCluster) -> None:
    cluster.change("secrets", CERTIFICATES, {"metadata": {"annotations": {"strimzi.io/ca-cert-generation": "0"}}})
    cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/ca-key-generation": "0"}}})


def _edited_ledger(cluster: WatchedCluster) -> None:
    cluster.put(LEDGER, **{f"{cluster.current}_state": b"PERHAPS"})


def _an_earlier_pair(cluster: WatchedCluster) -> None:
    """Both CA Secrets come from a backup program that has kept them before the replacement."""
    content = cluster.secret(BACKUPS[0])
    cluster.put(CERTIFICATES, ca_crt=content["tls.crt"])
    cluster.put(KEYS, ca_key=content["tls.key"])
    _lower_generations(cluster)


def _an_earlier_ledger(cluster: WatchedCluster) -> None:
    """A backup program has kept it before the replacement."""
    kept = find(cluster, LEDGER)
    assert kept is not None
    (first,) = fingerprints(cluster.secret(BACKUPS[0])["tls.crt"])
    known = {
        "crt": cluster.secret(BACKUPS[0])["tls.crt"], "state": b"TRUSTED_IN_USE_ALL", "generations": b"0", "pods": b"",
    }  # fmt: skip
    delete(cluster, LEDGER)
    data = {f"{first}.{entry}": base64.b64encode(value).decode() for entry, value in known.items()}
    cluster.memory.apply({**kept, "metadata": {"name": LEDGER, "labels": kept["metadata"]["labels"]}, "data": data})


DAMAGES: dict[str, Damage] = {
    "no key Secret": lambda cluster: delete(cluster, KEYS),
    "no certificate Secret": lambda cluster: delete(cluster, CERTIFICATES),
    "no CA Secrets": lambda cluster: delete(cluster, KEYS, CERTIFICATES),
    "no Secrets": lambda cluster: delete(cluster, *STATE),
    "another key": _wrong_key,
    "no ca.crt": _no_certificate,
    "an unreadable ca.crt": _unreadable,
    "no generation": _no_generation,
    "lower generations": _lower_generations,
    "an edited ledger": _edited_ledger,
    "an earlier ledger": _an_earlier_ledger,
    "an earlier pair": _an_earlier_pair,
}
#: Damage after which every flow can go on.
HARMLESS: dict[str, Damage] = {"no ledger": lambda cluster: delete(cluster, LEDGER)}


def assert_put_back(cluster: WatchedCluster, before: object) -> None:
    assert state(cluster) == before
    cluster.memory.settle(3)
    assert (cluster.counts(), cluster.issued_by_operator) == (dict.fromkeys(NODES, 0), []), (
        "the operator has seen another CA"
    )
    assert cluster.ready
    cluster.finish(Goal.RECONCILE)


@pytest.mark.parametrize("damage", [*DAMAGES, *HARMLESS])
def test_a_recovery_puts_back_what_is_missing(replaced: WatchedCluster, damage: str) -> None:
    before = state(replaced)
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    {**DAMAGES, **HARMLESS}[damage](replaced)
    replaced.finish(Goal.RECOVER)
    replaced.memory.operator_runs = True
    assert_put_back(replaced, before)


@pytest.mark.parametrize("damage", [*DAMAGES, *HARMLESS])
def test_answers_that_were_given_about_damaged_secrets_do_not_hold_a_recovery(
    replaced: WatchedCluster, nodes: ReloadingNodes, damage: str
) -> None:
    """The plan asks nodes about the CAs that it finds, and hands their answers over: after the recovery, there are others."""
    before = state(replaced)
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    {**DAMAGES, **HARMLESS}[damage](replaced)
    work, asked = replaced.work(), replaced.intent(Goal.RECOVER)
    work.earlier_answers = inspect(work, asked).last_answers
    replaced.memory.operator_runs = True
    told = run(work, asked, lambda: None).decision
    assert (told.violations, told.done) == ((), True)
    assert nodes.told == []
    assert_put_back(replaced, before)


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_other_flow_holds_and_names_the_backup_and_nothing_else(replaced: WatchedCluster, damage: str) -> None:
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    DAMAGES[damage](replaced)
    damaged = state(replaced)
    for goal in (Goal.RECONCILE, Goal.REPLACE_KEY):
        decision = replaced.run(goal).outcome.decision
        (found,) = decision.violations
        assert (found.condition, BACKUPS[1] in found.message) == (Condition.SECRETS_ARE_COMPLETE, True)
    assert state(replaced) == damaged


@pytest.mark.parametrize("damage", ["no key Secret", "no certificate Secret", "no CA Secrets", "another key"])
def test_the_operator_may_have_seen_the_damage(replaced: WatchedCluster, damage: str) -> None:
    before = state(replaced)
    replaced.look_elsewhere()
    DAMAGES[damage](replaced)
    replaced.memory.settle(2)
    replaced.finish(Goal.RECOVER)
    assert_put_back(replaced, before)


@pytest.mark.parametrize("damage", ["no ledger", "an edited ledger"])
def test_the_operator_has_gone_back_to_an_earlier_ca_and_the_ledger_is_lost_too(
    replaced: WatchedCluster, damage: str
) -> None:
    """The backup of that CA has the ledger of the flow that replaced it, whose next CA no process trusts any more."""
    replaced.look_elsewhere()
    _an_earlier_pair(replaced)
    replaced.memory.settle(2)
    earlier = replaced.current
    {**DAMAGES, **HARMLESS}[damage](replaced)
    restarts = replaced.counts()
    replaced.run(Goal.RECOVER)
    if damage == "an edited ledger":
        assert Condition.LEDGER_IS_OURS in conditions(replaced, Goal.RECOVER)
        delete(replaced, LEDGER)
    replaced.finish(Goal.RECOVER)
    replaced.finish(Goal.RECONCILE)
    assert (replaced.current, replaced.states) == (earlier, {earlier: "TRUSTED_IN_USE_ALL"})
    assert (replaced.counts(), replaced.ready) == (restarts, True)


def test_the_same_secrets_are_lost_again(replaced: WatchedCluster) -> None:
    """The operator was asked for its verdict on the same Secrets before, and has refused others since."""
    before = state(replaced)
    replaced.look_elsewhere()
    for names in ((KEYS,), (CERTIFICATES, KEYS), STATE):
        delete(replaced, *names)
        replaced.memory.settle(2)
        replaced.finish(Goal.RECOVER)
        assert_put_back(replaced, before)


@pytest.mark.parametrize(("kept", "live"), list(permutations(Layout, 2)))
def test_a_ledger_comes_back_that_has_got_another_layout_since(
    replaced: WatchedCluster, kept: Layout, live: Layout
) -> None:
    """It was converted without a backup."""
    before = replaced.states
    replaced.look_elsewhere()
    if kept is not Layout.SINGLE:
        replaced.run(Goal.RECONCILE, layout=kept)
    replaced.backs_up = False
    replaced.run(Goal.RECONCILE, layout=live)
    for name in replaced.ledgers:
        found = find(replaced, name) or {}
        replaced.change("secrets", name, {"data": dict.fromkeys(found["data"], base64.b64encode(b"?").decode())})
    replaced.finish(Goal.RECOVER)
    assert (replaced.ledgers, replaced.states) == (OF_LAYOUT[kept], before)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("write", [1, 2, 3])
@pytest.mark.each_once
def test_a_killed_recovery_is_finished_by_the_next(replaced: WatchedCluster, write: int, after: bool) -> None:
    before = state(replaced)
    replaced.look_elsewhere()
    delete(replaced, *STATE)
    assert replaced.is_killed_at(write, after, lambda: replaced.run(Goal.RECOVER))
    replaced.memory.settle(2)
    replaced.finish(Goal.RECOVER)
    assert_put_back(replaced, before)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("write", [1, 2, 3, 5, 8, 13])
@pytest.mark.each_once
def test_a_flow_that_is_killed_leaves_backups_that_the_next_run_brings_up_to_date(
    cluster: WatchedCluster, write: int, after: bool
) -> None:
    cluster.create()
    cluster.backs_up = True
    first = cluster.current
    assert cluster.is_killed_at(write, after, lambda: cluster.run(Goal.REPLACE_KEY))
    cluster.finish(Goal.REPLACE_KEY)
    assert backed_up(cluster) == {BACKUPS[0]: first, BACKUPS[1]: cluster.current}
    kept = json.loads(gzip.decompress(cluster.secret(BACKUPS[1])["secrets.json.gz"]))
    assert {name: one["data"] for name, one in kept.items()} == {
        name: data for name, (data, *_generations) in state(cluster).items()
    }


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize(
    "lost", [(KEYS,), (CERTIFICATES,), (LEDGER,), STATE], ids=["key", "certificate", "ledger", "all"]
)
@pytest.mark.each_once
def test_a_flow_in_flight_goes_on_after_it(cluster: WatchedCluster, until: Phase, lost: tuple[str, ...]) -> None:
    """With the CA that it has prepared: the recovery finishes the flow, and no further CA is made."""
    cluster.create()
    cluster.backs_up = True
    first = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=until)
    (wanted,) = cluster.states.keys() - {first}
    cluster.look_elsewhere()
    delete(cluster, *lost)
    cluster.finish(Goal.RECOVER)
    assert (cluster.current, set(cluster.states)) == (wanted, {wanted})
    cluster.memory.settle(3)
    assert cluster.ready


def test_no_backup_of_another_ca_comes_back(replaced: WatchedCluster) -> None:
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    delete(replaced, BACKUPS[1], KEYS, CERTIFICATES)
    damaged = state(replaced)
    assert Condition.AUTHORITY_SECRETS_ARE_USABLE in conditions(replaced, Goal.RECOVER)
    assert state(replaced) == damaged


def test_no_backup_of_another_ca_comes_back_where_the_ledger_is_lost_too(replaced: WatchedCluster) -> None:
    """The pods and the certificates show that it is of another CA."""
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    delete(replaced, BACKUPS[1], *STATE)
    assert Condition.AUTHORITY_SECRETS_ARE_USABLE in conditions(replaced, Goal.RECOVER)
    assert [find(replaced, name) for name in STATE] == [None, None, None]


def test_an_edited_backup_does_not_come_back(replaced: WatchedCluster) -> None:
    replaced.look_elsewhere()
    replaced.memory.operator_runs = False
    replaced.put(BACKUPS[1], secrets_json_gz=replaced.secret(BACKUPS[0])["secrets.json.gz"])
    delete(replaced, KEYS)
    assert Condition.KEY_MATCHES in conditions(replaced, Goal.RECOVER)
    assert find(replaced, KEYS) is None


def _flipped(content: bytes) -> bytes:
    """Bytes that gzip takes for a stream of its own, and cannot read."""
    return content[:10] + bytes([content[10] | 0b110]) + content[11:]


def _put_content(cluster: WatchedCluster, text: bytes) -> None:
    """A content with a digest that fits it, as another release of this collection or a person may have left it."""
    told = {**record(cluster, BACKUPS[1]), "digest": hashlib.sha256(text).hexdigest()}
    cluster.change("secrets", BACKUPS[1], {"metadata": {"annotations": {"trustops.strimzi/backup": json.dumps(told)}}})
    cluster.put(BACKUPS[1], secrets_json_gz=gzip.compress(text))


UNREADABLE: dict[str, Damage] = {
    "broken": lambda cluster: cluster.put(
        BACKUPS[1], secrets_json_gz=_flipped(cluster.secret(BACKUPS[1])["secrets.json.gz"])
    ),
    "cut off": lambda cluster: cluster.put(
        BACKUPS[1], secrets_json_gz=cluster.secret(BACKUPS[1])["secrets.json.gz"][:50]
    ),
    "gone": lambda cluster: cluster.change("secrets", BACKUPS[1], {"data": {"secrets.json.gz": None}}),
    "of another form": lambda cluster: _put_content(cluster, b'{"demo-cluster-ca": {"data": []}}'),
    "of an unknown form": lambda cluster: _put_content(cluster, b'["demo-cluster-ca"]'),
    "no JSON": lambda cluster: _put_content(cluster, b"{"),
    "another key": lambda cluster: cluster.put(BACKUPS[1], tls_key=cluster.secret(BACKUPS[0])["tls.key"]),
}


@pytest.mark.parametrize("damage", UNREADABLE)
@pytest.mark.each_once
def test_a_backup_that_cannot_be_used_is_made_again_by_the_next_flow(replaced: WatchedCluster, damage: str) -> None:
    """Before it writes anything else; and no call fails for it meanwhile."""
    before = replaced.secret(BACKUPS[1])
    UNREADABLE[damage](replaced)
    replaced.finish(Goal.RECONCILE)
    assert replaced.secret(BACKUPS[1]) != before
    assert replaced.is_killed_at(1, True, lambda: replaced.run(Goal.REPLACE_KEY, replaces=replaced.current))
    assert replaced.secret(BACKUPS[1]) == before


def test_what_another_program_adds_to_a_backup_stays_and_costs_no_write(replaced: WatchedCluster) -> None:
    added = {
        "metadata": {"labels": {"team": "streaming"}, "annotations": {"team": "streaming"}},
        "data": {"note": "aGk="},
    }
    replaced.change("secrets", BACKUPS[1], added)
    replaced.run(Goal.RECONCILE)
    assert replaced.writes == 0
    replaced.finish(Goal.RENEW)
    assert replaced.secret(BACKUPS[1])["note"] == b"hi"


def test_a_recovery_leaves_what_another_program_has_added_to_the_ledger(replaced: WatchedCluster) -> None:
    before = replaced.states
    replaced.look_elsewhere()
    (name,) = replaced.ledgers
    found = find(replaced, name) or {}
    damage = dict.fromkeys(found["data"], base64.b64encode(b"?").decode())
    replaced.change("secrets", name, {"data": {**damage, "note": "aGk="}})
    replaced.finish(Goal.RECOVER)
    assert replaced.states == before
    assert replaced.secret(name)["note"] == b"hi"


def test_a_ca_that_came_beside_the_others_since_stays(replaced: WatchedCluster) -> None:
    """Its owner has put it there while no run was under way."""
    replaced.look_elsewhere()
    beside = root("Beside")
    replaced.put(CERTIFICATES, beside_crt=beside.pem)
    replaced.change("secrets", CERTIFICATES, {"data": {"ca.crt": None}})
    replaced.run(Goal.RECOVER)
    assert replaced.secret(CERTIFICATES)["beside.crt"] == beside.pem
    assert replaced.secret(CERTIFICATES)["ca.crt"]


def test_a_backup_holds_the_ca_as_a_replacement_can_take_it(replaced: WatchedCluster) -> None:
    """The way forward where a backup must not come back: certificate_from takes these two entries."""
    content = replaced.secret(BACKUPS[0])
    assert fingerprints(content["tls.crt"])[0] != replaced.current
    assert b"PRIVATE KEY" in content["tls.key"]
    assert base64.b64decode(find(replaced, BACKUPS[0])["data"]["tls.key"]) == content["tls.key"]


@pytest.fixture
def replaced_clients_ca(clients_cluster: ClientsCluster) -> ClientsCluster:
    """Backups were made before the replacement and in it."""
    clients_cluster.begin()
    clients_cluster.backs_up = True
    clients_cluster.finish(Goal.REPLACE_KEY)
    clients_cluster.memory.settle(2)
    return clients_cluster


def test_the_clients_ca_has_backups_of_its_own(replaced_clients_ca: ClientsCluster) -> None:
    cluster = replaced_clients_ca
    before, in_use = state(cluster, CLIENTS_SECRETS), cluster.current
    assert in_use in backed_up(cluster, CLIENTS_BACKUPS).values()
    assert backed_up(cluster) == {}
    cluster.look_elsewhere()
    cluster.memory.operator_runs, cluster.users_run = False, False
    delete(cluster, *CLIENTS_SECRETS[:2])
    cluster.finish(Goal.RECOVER)
    assert state(cluster, CLIENTS_SECRETS) == before


def test_no_backup_of_an_earlier_clients_ca_comes_back(replaced_clients_ca: ClientsCluster) -> None:
    """With its Secrets and its ledger lost, the certificates of users alone show that it was replaced."""
    cluster = replaced_clients_ca
    backups = backed_up(cluster, CLIENTS_BACKUPS)
    newest = [name for name, authority in backups.items() if authority == cluster.current]
    assert 0 < len(newest) < len(backups)
    cluster.look_elsewhere()
    cluster.memory.operator_runs, cluster.users_run = False, False
    delete(cluster, *newest, *CLIENTS_SECRETS)
    assert Condition.AUTHORITY_SECRETS_ARE_USABLE in conditions(cluster, Goal.RECOVER)
    assert [find(cluster, name) for name in CLIENTS_SECRETS] == [None, None, None]


def _put_back_earlier(cluster: ClientsCluster, *names: str) -> None:
    """These Secrets come from a backup program that has kept them before the replacement."""
    content, generations = (
        cluster.secret(CLIENTS_BACKUPS[0]),
        ("trustops.strimzi/ca-cert-generation", "strimzi.io/ca-key-generation"),
    )
    for name in names:
        entry = {"ca_key": content["tls.key"]} if name == CLIENTS_KEYS else {"ca_crt": content["tls.crt"]}
        cluster.put(name, **entry)
        own = (find(cluster, name) or {})["metadata"]["annotations"].keys() & generations
        cluster.change("secrets", name, {"metadata": {"annotations": dict.fromkeys(own, "0")}})


@pytest.mark.parametrize(
    "lost", [CLIENTS_SECRETS[:2], CLIENTS_SECRETS[1:2]], ids=["both CA Secrets", "certificate Secret"]
)
def test_an_earlier_clients_ca_gives_way_to_the_ca_of_the_users(
    replaced_clients_ca: ClientsCluster, lost: tuple[str, ...]
) -> None:
    """The User Operator would issue certificates of it that no broker accepts."""
    cluster = replaced_clients_ca
    in_use, issued = cluster.current, cluster.programs.stored()
    before = {name: {**cluster.secret(name), "ca.p12": b""} for name in CLIENTS_SECRETS}
    cluster.look_elsewhere()
    cluster.memory.operator_runs, cluster.users_run = False, False
    _put_back_earlier(cluster, *lost)
    assert cluster.current != in_use
    assert Condition.SECRETS_ARE_COMPLETE in conditions(cluster, Goal.RECONCILE)
    cluster.finish(Goal.RECOVER)
    assert {name: {**cluster.secret(name), "ca.p12": b""} for name in CLIENTS_SECRETS} == before
    cluster.memory.operator_runs, cluster.users_run = True, True
    cluster.memory.settle(2)
    assert cluster.programs.stored() == issued


@pytest.mark.parametrize(
    "lost", [CLIENTS_SECRETS[:2], CLIENTS_SECRETS[1:2]], ids=["both CA Secrets", "certificate Secret"]
)
def test_no_backup_completes_an_earlier_clients_ca(
    replaced_clients_ca: ClientsCluster, lost: tuple[str, ...], golden: GoldenFiles
) -> None:
    """The key of the earlier CA would have the User Operator issue certificates that no broker accepts."""
    cluster = replaced_clients_ca
    newest = [name for name, authority in backed_up(cluster, CLIENTS_BACKUPS).items() if authority == cluster.current]
    cluster.look_elsewhere()
    cluster.memory.operator_runs, cluster.users_run = False, False
    _put_back_earlier(cluster, *lost)
    delete(cluster, *newest)
    before = state(cluster, (*CLIENTS_SECRETS, CLIENTS_BACKUPS[0]))
    for goal in (Goal.RECOVER, Goal.REPLACE_KEY):
        found = cluster.run(goal).outcome.decision.violations
        (held,) = (one for one in found if one.condition is Condition.AUTHORITY_IS_KNOWN)
        golden.compare_said("flows", held)
        assert Condition.SECRETS_ARE_COMPLETE not in {one.condition for one in found}
    assert state(cluster, (*CLIENTS_SECRETS, CLIENTS_BACKUPS[0])) == before


def test_an_earlier_clients_ca_is_not_backed_up(replaced_clients_ca: ClientsCluster) -> None:
    """Its backup would take the place of a backup that leads out of this."""
    cluster = replaced_clients_ca
    kept = [state(cluster, (name,)) for name in CLIENTS_BACKUPS]
    cluster.look_elsewhere()
    cluster.programs.look_away()
    cluster.memory.operator_runs = False
    _put_back_earlier(cluster, *CLIENTS_SECRETS[:2])
    cluster.users.reconcile()
    assert Condition.AUTHORITY_IS_KNOWN in conditions(cluster, Goal.RECOVER)
    assert [state(cluster, (name,)) for name in CLIENTS_BACKUPS] == kept
