# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about the CAs that are there: keys, chains, dates."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FormerLeaf,
    LedgerEntry,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaDefects, Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.authority import (
    authority_is_valid_now,
    authority_secrets_are_usable,
    chains_are_in_order,
    generation_is_unambiguous,
    generations_are_told,
    key_matches,
    secrets_are_complete,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import key, make
from ....tools.support.golden import GoldenFiles
from ..authorities import (
    EARLY,
    EXPIRED,
    IDENTIFIED,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    chain_of,
    name_of,
    names_of,
    stored_chain,
)
from ..builders import a_backup, cluster, others, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, leaves, pods, uids_of
from ..of_users import USER_NAMES, presenting, users
from ..rules.asking import RENEW, REPLACE_KEY
from .refusals import CREATE, EARLY_NAME, EXPIRED_NAME, TOO_EARLY, UPGRADE, out_of_order, refusal

CERTIFICATES, KEYS, BOOKS = (f"Secret kafka/demo-cluster-ca{suffix}" for suffix in ("-cert", "", "-trusted-certs"))
LOST = (
    f"{CERTIFICATES}: contains no ca.crt although this cluster works with a CA. "
    "Restore the Secret from a backup; no node and no client would trust a new CA in its place."
)
FOR_TLS = "has the CA under tls.crt and tls.key, and the Cluster Operator reads ca.crt and ca.key alone."
CORPORATE = chain_of(INTERMEDIATE, ROOT)
RENEW_FIRST = "Renew it first, with the renew playbook: it keeps the key, and programs on a JVM, as nodes are, accept its certificates meanwhile."
RENEWED_BY_OPERATOR = (
    "The Cluster Operator renews a CA of its own that has ended in its next reconcile: wait for that, then run the flow again. Where nothing happens, "
    "look at the operator's log."
)
#: Another CA below the root.
BELOW = make("Kafka CA", key(20), ROOT)


CASES = [
    refusal(
        authority_secrets_are_usable,
        f"{CERTIFICATES}: x.crt is no certificate. Correct the entry, then run the flow again.",
        name="entries", ca=secrets(defects=CaDefects(problems=("x.crt is no certificate.",))),
    ),
    refusal(
        authority_secrets_are_usable, f"{CERTIFICATES}: ca.crt is no certificate. Correct the entry, then run the flow again.",
        name="ca.crt", ca=secrets(None, defects=CaDefects(("ca.crt is no certificate.",), is_current_unusable=True)), leaves=(),
    ),
    refusal(
        authority_secrets_are_usable,
        f"{CERTIFICATES}: entry x.crt contains a private key, and clients read this Secret. Take the private key out, and run the flow again. Every client "
        "that could read the Secret may have the key. If it is the key of a CA, replace it (replace_key).",
        name="a private key", ca=secrets(defects=CaDefects(exposed_entries=("x.crt",))),
    ),
    refusal(
        authority_secrets_are_usable,
        f"{CERTIFICATES}: contains no ca.crt although this cluster works with a CA. The ledger, {BOOKS}, has the certificate of "
        f"{named(RENEWED.certificate)} in the entry that begins with {name_of(RENEWED)}, and {KEYS} its key: put that certificate under ca.crt, and the "
        "annotation strimzi.io/ca-cert-generation=5 on the Secret, then run the flow again.",
        name="lost, and the ledger has it", ca=secrets(None, key=OLD.certificate.public_key_sha256), leaves=(),
        ledger=ledger(*(entry(one, generations=known) for one, known in ((OLD, {3, 4}), (RENEWED, {2, 5}), (IDENTIFIED, ()), (NEW, {6})))),
    ),
    refusal(
        authority_secrets_are_usable,
        f"{KEYS}: {FOR_TLS} This cluster runs with a CA already: put that under ca.crt and ca.key, in Secrets of the type Opaque, then run the flow again.",
        name="the key named for TLS", ca=secrets(key=None, defects=CaDefects(key_named_for_tls="demo-cluster-ca")),
    ),
    refusal(
        authority_secrets_are_usable,
        f"{CERTIFICATES}: {FOR_TLS} Give the Secret another name: kubectl get secret demo-cluster-ca-cert --namespace kafka --output yaml | "
        "sed 's/^  name: demo-cluster-ca-cert$/  name: demo-cluster-ca-cert-given/' | kubectl create --filename - && kubectl delete secret "
        "demo-cluster-ca-cert --namespace kafka. Then have the CA brought in from there, with certificate_from (strimzi_certificate_from) and "
        "secret=demo-cluster-ca-cert-given.",
        name="named for TLS, before the cluster", ca=secrets(None, defects=CaDefects(certificate_named_for_tls="demo-cluster-ca-cert")), pods=(), leaves=(),
    ),
    *(
        refusal(
            authority_secrets_are_usable,
            f"{CERTIFICATES}: {FOR_TLS} This cluster runs with a CA already: put that under ca.crt and ca.key, in Secrets of the type Opaque, then run the "
            "flow again.",
            name=f"named for TLS, {name}", ca=secrets(None, defects=CaDefects(certificate_named_for_tls="demo-cluster-ca-cert")), **fields,
        )
        for name, fields in (("pods run", {"leaves": ()}), ("leaves exist", {"pods": ()}))
    ),
    refusal(authority_secrets_are_usable, LOST, name="lost, pods run", ca=secrets(None), leaves=()),
    refusal(authority_secrets_are_usable, LOST, name="lost, leaves exist", ca=secrets(None), pods=()),
    refusal(
        authority_secrets_are_usable, LOST,
        name="lost, create", intent=CREATE, ca=secrets(None), leaves=(),
    ),
    refusal(
        authority_secrets_are_usable, LOST,
        name="nothing to renew", intent=RENEW, ca=secrets(None), ledger=None, pods=(), leaves=(),
    ),
    refusal(
        secrets_are_complete,
        f"{CERTIFICATES}: lacks what Secret kafka/demo-cluster-ca-backup-1 of 2026-05-31 12:00 UTC contains about {named(OLD.certificate)}. "
        "Run the recover playbook: it puts back what is missing, and leaves the rest as it is.",
        name="lower generation", pods=pods(1), leaves=leaves(generation=1), ledger=ledger(entry(OLD, generations=(1,))),
        backups=(a_backup(secrets(certificate_generation=1)),),
    ),
    refusal(
        key_matches,
        f"{KEYS}: contains no usable private key under ca.key. Put the private key of ca.crt there as PKCS#8 PEM; "
        f"or, where it is kept elsewhere, this text: {placeholder(OLD.certificate.public_key_sha256)} Where the key is lost, put the text there as well, "
        "and replace the key (replace_key): nodes keep the certificates that they have until then.",
        name="none", ca=secrets(key=None),
    ),
    refusal(
        key_matches,
        f"{KEYS}: contains a ca.key that is not the key of ca.crt ({OLD.certificate.subject}) in {CERTIFICATES}. "
        "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        name="another", ca=secrets(key=NEW.certificate.public_key_sha256),
    ),
    refusal(
        key_matches,
        f"{KEYS}: contains a ca.key that is not the key of ca.crt ({INTERMEDIATE.certificate.subject}) in {CERTIFICATES}. "
        "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        name="of its root", ca=secrets(CORPORATE, key=ROOT.certificate.public_key_sha256),
        ledger=ledger(entry(CORPORATE, generations={0})), leaves=leaves(INTERMEDIATE),
    ),
    refusal(
        chains_are_in_order, out_of_order(f"{CERTIFICATES}, x.crt", ROOT, NEW),
        name="three", ca=secrets(other_entries={"x.crt": chain_of(INTERMEDIATE, ROOT, NEW)}),
    ),
    refusal(
        chains_are_in_order, out_of_order(f"{CERTIFICATES}, ca.crt", OLD, ROOT),
        name="ca.crt", ca=secrets(chain_of(OLD, ROOT)),
    ),
    refusal(
        chains_are_in_order, out_of_order(f"{CERTIFICATES}, x.crt", ROOT, INTERMEDIATE),
        name="upside down", ca=secrets(other_entries={"x.crt": chain_of(ROOT, INTERMEDIATE)}),
    ),
    refusal(
        authority_is_valid_now,
        f"{CERTIFICATES}: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. {RENEW_FIRST}",
        name="expired, to be created", intent=CREATE, ca=secrets(EXPIRED), ledger=ledger(entry(EXPIRED)), leaves=leaves(EXPIRED),
    ),
    refusal(
        authority_is_valid_now,
        f"{CERTIFICATES}: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. {RENEWED_BY_OPERATOR}",
        name="expired, of the operator", intent=UPGRADE, ca=secrets(EXPIRED), ledger=None, leaves=leaves(EXPIRED),
        reconciliation=Reconciliation(generated=True),
    ),
    refusal(
        authority_is_valid_now,
        f"{CERTIFICATES}: {EARLY_NAME} is not valid before 2026-06-02 12:00 UTC. {TOO_EARLY}",
        name="early", ca=secrets(EARLY), ledger=ledger(entry(EARLY)), leaves=leaves(EARLY),
    ),
    refusal(
        authority_is_valid_now,
        f"{KEYS}, prepared CA: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. It is not in use yet: "
        f"remove {name_of(EXPIRED)}.crt and {name_of(EXPIRED)}.key there, then run the flow again for a new CA.",
        name="prepared", ca=secrets(prepared=(prepared(EXPIRED),)),
    ),
    refusal(
        generations_are_told,
        f"{CERTIFICATES}, annotation x: is missing or no number that counts from 0. Set it to the number that the pods "
        "carry in strimzi.io/cluster-ca-cert-generation or, for the key, in strimzi.io/cluster-ca-key-generation; to 0 "
        "where there are no pods.",
        name="", ca=secrets(defects=CaDefects(unnumbered_generations=(f"{CERTIFICATES}, annotation x",))),
    ),
    refusal(
        generations_are_told,
        f"{CERTIFICATES}, annotation x: is missing or no number that counts from 0. Set it to the number that the pods "
        "carry in strimzi.io/clients-ca-cert-generation, to 0 where there are no pods; for the key, whose number no pod carries, to the number in the "
        "name of the CA, or to 0 where it has none.",
        name="of users", ca=secrets(defects=CaDefects(unnumbered_generations=(f"{CERTIFICATES}, annotation x",))), names=USER_NAMES,
        presenters=presenting(),
    ),
    *(
        refusal(
            generation_is_unambiguous,
            f"{CERTIFICATES}: has another ca.crt ({other.certificate.subject}) under generation 0, "
            f"which meant {known.certificate.subject}. Raise strimzi.io/ca-cert-generation "
            "with each change of ca.crt; do so now, or restore ca.crt.",
            name=f"{number}", ca=secrets(chain_of(other, ROOT), other_entries=others(known)), leaves=leaves(known),
            ledger=ledger(entry(known, generations={0}), entry(chain_of(other, ROOT), UNUSED)),
        )
        for number, (known, other) in enumerate(permutations((INTERMEDIATE, BELOW)))
    ),
]  # fmt: skip


KEPT = a_backup(secrets(CORPORATE))
#: Of a time at which a flow was under way.
IN_FLIGHT = a_backup(secrets(CORPORATE), ledger=ledger(entry(CORPORATE, generations={0}), journal=a_journal()))


def remembering(**fields: Any) -> dict[str, Any]:
    """No ledger, and a backup whose ledger remembers this."""
    return {
        "ledger": None,
        "backups": (a_backup(secrets(CORPORATE), ledger=ledger(entry(CORPORATE, generations={0}), **fields)),),
    }


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        pytest.param({}, None, id="nothing is lost"),
        pytest.param({"ca": secrets(None), "ledger": None}, f"{CERTIFICATES}, {KEYS}, {BOOKS}", id="all are lost, leaves and pods are there"),
        pytest.param({"ca": secrets(None), "ledger": None, "pods": ()}, f"{CERTIFICATES}, {KEYS}, {BOOKS}", id="leaves are there"),
        pytest.param({"ca": secrets(None), "ledger": None, "leaves": ()}, f"{CERTIFICATES}, {KEYS}, {BOOKS}", id="pods are there"),
        pytest.param({"ca": secrets(None), "ledger": None, "pods": (), "leaves": ()}, None, id="no object shows a running cluster"),
        pytest.param({"ca": secrets(CORPORATE, key=None)}, KEYS, id="the key is lost"),
        pytest.param({"ledger": None}, None, id="a ledger alone is made again from evidence"),
        pytest.param({"ledger": None, "backups": (IN_FLIGHT,)}, BOOKS, id="with the journal of a flow it is not"),
        pytest.param(remembering(former_leaves=(FormerLeaf(stored_chain(OLD)[0], uids_of(PODS[0])),)), BOOKS, id="with a former leaf it is not"),
        pytest.param(remembering(removed_cas=(RemovedEntry(OLD.certificate, frozenset(), uids_of()),)), BOOKS, id="with a CA that a process trusts it is not"),
        pytest.param(remembering(former_leaves=(FormerLeaf(stored_chain(OLD)[0], uids_of(start=1)),)), None, id="that process has ended"),
        pytest.param({"ledger": ledger(entry(CORPORATE, generations={0}), problems=("wrong.",))}, BOOKS, id="a ledger that cannot be read is not"),
        pytest.param({"ledger": None, "ca": secrets(CORPORATE, key=None)}, f"{KEYS}, {BOOKS}", id="a ledger and the key are not"),
    ],
)  # fmt: skip
def test_secrets_that_a_backup_puts_back(fields: dict[str, Any], subject: str | None) -> None:
    whole = {"ca": secrets(CORPORATE), "leaves": leaves(INTERMEDIATE), "ledger": IN_FLIGHT.ledger, "backups": (KEPT,)}
    found = [(one.subject, one.message) for one in secrets_are_complete(cluster(**{**whole, **fields}), RENEW)]
    message = f"lacks what {KEPT.name} of 2026-05-31 12:00 UTC contains about {named(INTERMEDIATE.certificate)}."
    assert found == ([] if subject is None else [(subject, message)])


def test_a_certificate_secret_that_is_named_for_tls_hides_no_missing_key() -> None:
    seen = cluster(ca=secrets(key=None, defects=CaDefects(certificate_named_for_tls="demo-cluster-ca-cert")))
    assert len(check(seen, REPLACE_KEY, (key_matches,))) == 1


def test_half_way_through_a_switch_the_key_is_that_of_the_next_ca() -> None:
    half = secrets(prepared=(prepared(NEW),), key=NEW.certificate.public_key_sha256)
    assert check(cluster(ca=half), REPLACE_KEY) == ()


def test_a_key_that_is_kept_beside_can_be_put_back() -> None:
    """Two runs at once have left it so: the one has ended the switch, the other has taken its first half back."""
    swapped = secrets(NEW, key=OLD.certificate.public_key_sha256, kept_keys=names_of(NEW), other_entries=others(OLD))
    assert check(cluster(ca=swapped), REPLACE_KEY, (key_matches,)) == ()


@pytest.mark.parametrize("moment", [OLD.certificate.not_before, OLD.certificate.not_after - timedelta(seconds=1)])
def test_a_ca_is_valid_from_its_first_to_its_last_second(moment: datetime) -> None:
    assert check(replace(cluster(), now=moment), RENEW) == ()


def test_the_root_above_may_have_expired() -> None:
    """No verifier has it as an anchor: what it issued validates as before, and its replacement is the way out."""
    expired = make("Corporate Root", key(6), end=EXPIRED.certificate.not_after)
    chain = chain_of(INTERMEDIATE, expired)
    used = cluster(ca=secrets(chain), ledger=ledger(entry(chain, generations={0})), leaves=leaves(INTERMEDIATE))
    assert check(used, REPLACE_KEY) == ()


def test_an_intermediate_in_the_middle_may_not(golden: GoldenFiles) -> None:
    """The operator validates the chain and refuses to work (docs/operator.md, "User-managed CA")."""
    middle = make("Corporate Issuing CA", key(7), ROOT, end=EXPIRED.certificate.not_after)
    lowest = make("Kafka CA", key(20), middle)
    chain = chain_of(lowest, middle, ROOT)
    used = cluster(ca=secrets(chain), ledger=ledger(entry(chain, generations={0})), leaves=leaves(lowest))
    (found,) = check(used, REPLACE_KEY)
    assert found.condition is Condition.AUTHORITY_IS_VALID_NOW
    golden.compare_said("stops_in_rules", found)


def test_a_ca_is_not_valid_before() -> None:
    early = replace(cluster(), now=OLD.certificate.not_before - timedelta(seconds=1))
    assert [one.condition for one in check(early, RENEW)] == [Condition.AUTHORITY_IS_VALID_NOW]


@pytest.mark.parametrize("goal", Goal)
def test_a_ca_that_has_ended_is_left_and_not_used_further(goal: Goal) -> None:
    ended = replace(cluster(), now=OLD.certificate.not_after)
    leads_away = goal in {Goal.RENEW, Goal.REPLACE_KEY, Goal.UPGRADE, Goal.RECONCILE, Goal.ABORT}
    assert bool(check(ended, Intent(goal), (authority_is_valid_now,))) is not leads_away


def test_a_renewal_has_the_name_and_key_of_its_predecessor() -> None:
    assert check(cluster(ca=secrets(other_entries=others(RENEWED))), RENEW) == ()


def test_a_chain_in_order_can_issue() -> None:
    """Its issuer alone can renew it, so a renewal has to bring it."""
    used = cluster(ca=secrets(CORPORATE), ledger=ledger(entry(CORPORATE, generations={0})), leaves=leaves(INTERMEDIATE))
    assert check(used, REPLACE_KEY) == ()
    assert [one.condition for one in check(used, RENEW)] == [Condition.SUPPLIED_FITS_THE_GOAL]


@pytest.mark.parametrize(
    ("known", "held"),
    [
        ((entry(NEW), entry(EXPIRED, generations={0})), False),
        ((entry(NEW), entry(EXPIRED)), True),
        ((entry(NEW),), True),
    ],
    ids=["it was in use", "it was not", "the ledger does not know it"],
)
def test_a_prepared_clients_ca_may_have_ended_where_it_was_in_use(known: tuple[LedgerEntry, ...], held: bool) -> None:
    """Its replacement is undone, and listeners, which run on a JVM, do not look at its dates."""
    seen = users(ca=secrets(NEW, prepared=(prepared(EXPIRED),)), ledger=ledger(*known))
    assert bool(check(seen, RENEW, (authority_is_valid_now,))) is held


def test_the_same_ca_under_a_raised_generation_is_unambiguous() -> None:
    assert check(cluster(ca=secrets(certificate_generation=5)), RENEW) == ()
