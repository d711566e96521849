# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The precondition on CAs that have one name and different keys: key identifiers have to tell them apart."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.authority import keys_are_told_apart
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from ..authorities import IMPOSTOR, OLD, RENEWED, ROOT, chain_of
from ..builders import cluster, others, prepared, secrets
from ..ledgers import UNTRUSTED, entry, ledger
from ..nodes import a_leaf, leaves
from ..rules.asking import RECONCILE, REPLACE_KEY
from .refusals import refusal, supplying

CERTIFICATES = "Secret kafka/demo-cluster-ca-cert"
#: Other keys under the name of OLD: without an identifier, with that of OLD, and in another spelling.
BARE = make("cluster-ca v0", key(5), subject_identifier=None)
BARE_OLD = make("cluster-ca v0", key(0), subject_identifier=None)
DOUBLE = make("cluster-ca v0", key(5), subject_identifier=OLD.certificate.subject_key_identifier)
SPELT = make("Cluster-CA  v0", key(5), subject_identifier=None)
OF_CA = (
    "Give each CA a subject key identifier of its own, or a subject of its own: OpenSSL looks issuers up by name, and tells issuers of one name "
    "apart by these identifiers."
)
OF_LEAF = (
    "Have it issued with an authority key identifier, by which OpenSSL tells issuers of one name apart (renew_leaves, which goes through "
    "meanwhile); or give the next CA a subject of its own."
)
ABOVE = (
    "Have it certified again with an authority key identifier, by which OpenSSL tells issuers of one name apart; or give the next CA's issuer a "
    "subject of its own."
)


def lacks(one: Entity, other: Entity) -> str:
    return (
        f"{CERTIFICATES}: {named(one.certificate)} has no subject key identifier, and {named(other.certificate)} has its name and another key. "
        f"{OF_CA}"
    )


def alike(one: Entity, other: Entity) -> str:
    return (
        f"{CERTIFICATES}: {named(one.certificate)} and {named(other.certificate)} have one name and one subject key identifier, and different "
        f"keys. {OF_CA}"
    )


def of_leaf(what: str, issuer: Entity = OLD) -> str:
    return (
        f"Secret kafka/demo-nodes-0, demo-nodes-0.crt: {what}, and its issuer {named(issuer.certificate)} has the name of a CA with another "
        f"key. {OF_LEAF}"
    )


def unnamed(**how: Any) -> dict[str, Any]:
    """A stored leaf does not name the key of its issuer; another key of that name, and a renewal of the issuer, are trusted beside it."""
    first = a_leaf(issuer=OLD, chain=(issue_leaf(OLD, "demo-nodes-0", **how), OLD.certificate))
    return {"leaves": (first, *leaves()[1:]), "ca": secrets(other_entries=others(IMPOSTOR, RENEWED))}


def below(root: Entity, **how: Any) -> dict[str, Any]:
    """The CA in use is below a root, and another one is below one of its name."""
    used = make("Corporate Issuing CA", key(7), root, **how)
    beside = make("Other Issuing CA", key(8), make("Corporate Root", key(9)))
    chain = chain_of(used, root)
    return {
        "ca": secrets(chain, other_entries={"x.crt": chain_of(beside, make("Corporate Root", key(9)))}), "leaves": leaves(used),
        "ledger": ledger(entry(chain, generations={0})),
    }  # fmt: skip


ELSE = x509.AuthorityKeyIdentifier(b"else", None, None)
CASES = [
    refusal(keys_are_told_apart, lacks(BARE, OLD), name="beside", ca=secrets(other_entries=others(BARE))),
    refusal(
        keys_are_told_apart, lacks(BARE_OLD, IMPOSTOR), name="in use",
        ca=secrets(BARE_OLD, other_entries=others(IMPOSTOR)), ledger=ledger(entry(BARE_OLD, generations={0})), leaves=leaves(BARE_OLD),
    ),
    refusal(keys_are_told_apart, lacks(BARE, OLD), name="prepared", ca=secrets(prepared=(prepared(BARE),))),
    refusal(keys_are_told_apart, lacks(BARE, OLD), name="supplied", intent=supplying(BARE)),
    refusal(keys_are_told_apart, lacks(SPELT, OLD), name="in another spelling", intent=supplying(SPELT)),
    refusal(
        keys_are_told_apart, lacks(BARE, OLD), name="to be trusted", intent=changed_intent(RECONCILE, additional_cas=(chain_of(BARE),)),
    ),
    refusal(
        keys_are_told_apart, lacks(BARE, OLD), name="in the ledger alone",
        ledger=ledger(entry(OLD, generations={0}), entry(BARE, UNTRUSTED, awaited_pods=None)),
    ),
    refusal(keys_are_told_apart, alike(OLD, DOUBLE), name="one identifier", intent=supplying(DOUBLE)),
    refusal(keys_are_told_apart, of_leaf("has no authority key identifier"), name="leaf without", **unnamed(authority_identifier=None)),
    refusal(
        keys_are_told_apart, of_leaf("names another authority key identifier"), name="leaf with another", **unnamed(authority_identifier=ELSE),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "intent"),
    [
        pytest.param({"ca": secrets(other_entries=others(IMPOSTOR))}, REPLACE_KEY, id="beside"),
        pytest.param({"ca": secrets(prepared=(prepared(IMPOSTOR),))}, REPLACE_KEY, id="prepared"),
        *(
            pytest.param(
                {"ca": secrets(other_entries=others(make("cluster-ca v0", key(5), subject_identifier=own)))},
                REPLACE_KEY,
                id=f"beside, {own!r}",
            )
            for own in (b"\x00 own", b"\xff own")
        ),
        pytest.param({}, supplying(IMPOSTOR), id="supplied"),
        pytest.param({}, changed_intent(RECONCILE, additional_cas=(chain_of(IMPOSTOR),)), id="to be trusted"),
        pytest.param({"ca": secrets(other_entries=others(RENEWED))}, REPLACE_KEY, id="a renewal"),
        pytest.param(below(ROOT), REPLACE_KEY, id="two roots of one name"),
        pytest.param(unnamed(authority_identifier=None), Intent(Goal.RENEW_LEAVES), id="leaves are issued again"),
        pytest.param({**unnamed(authority_identifier=None), "ca": secrets()}, REPLACE_KEY, id="one CA, leaf without"),
    ],
)
def test_keys_that_identifiers_tell_apart(fields: dict[str, Any], intent: Intent) -> None:
    assert check(cluster(**fields), intent, (keys_are_told_apart,)) == ()


def test_a_ca_below_one_of_two_roots_of_one_name_has_to_name_its_root(golden: GoldenFiles) -> None:
    """A client may trust roots alone."""
    fields = below(ROOT, authority_identifier=None)
    (found,) = check(cluster(**fields), REPLACE_KEY, (keys_are_told_apart,))
    used = fields["ca"].current[0]
    assert (found.subject, named(ROOT.certificate) in found.message) == (f"the CA {named(used)}", True)
    golden.compare_said("stops_in_rules", found)
