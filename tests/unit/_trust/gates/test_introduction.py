# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the leaves of a new CA are presented behind a link certificate, and why not where they are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from cryptography.x509 import DNSName, SubjectAlternativeName

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    GATES,
    Gates,
    Introduction,
    introduction_of,
    why_not_asked,
    why_not_linked,
    why_not_presented,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import LinkIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    PreparedAuthority,
    Snapshot,
)

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.constrained import names
from ....tools.support.golden import GoldenFiles
from ..authorities import EARLY, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, link_of, linked_form
from ..builders import changed, cluster, others, prepared, secrets
from ..ledgers import UNTRUSTED, entry, ledger
from ..nodes import PODS, a_leaf, a_pod
from ..requested import elsewhere

SHORT = make("cluster-ca v0", key(0), path_length=0)
#: An intermediate CA that the CA in use has issued.
BELOW = make("Brokers", key(8), OLD, path_length=0)
CORPORATE = chain_of(INTERMEDIATE, ROOT)
NODE, PEER, EXPORTER = a_pod(), a_pod(PODS[1]), a_pod("exporter", component=Component.KAFKA_EXPORTER)
TOPICS = a_pod("topics", component=Component.ENTITY_OPERATOR)
BOTH = {NODE.uid, EXPORTER.uid}
WAITING = entry(NEW, UNTRUSTED, awaited_pods=BOTH)
OPEN = replace(GATES, trust=lambda *_about: ())
CLOSED = replace(GATES, trust=lambda *_about: (Violation(Condition.TRUST, "a client", "refuses it.", ""),))
ONE_BELOW = f"{SHORT.certificate.subject} allows 0 CAs below it (path length constraint), and there are 1"
KEPT = f"the key of {OLD.certificate.subject}, which would have to certify the new CA, is kept elsewhere."
NO_KEY = f"the key of {OLD.certificate.subject} is not at hand to certify the new CA."
NO_ROOT = f"the supplied CA {INTERMEDIATE.certificate.subject} is no root: its own issuer certifies it."
WITHOUT = "it was prepared without a link certificate."
#: A root for some names. The leaves of tests have a common name alone.
CONFINED = make("Theirs", key(81), extra=[names(["svc"])])
SERVICE = issue_leaf(OLD, extra=[(SubjectAlternativeName([DNSName("a.svc")]), False)])
REFUSED = (
    f"JVMs would refuse {a_leaf().secret} behind the link certificate: the name constraints of {CONFINED.certificate.subject} do not admit the name my-kafka "
    f"of {issue_leaf(OLD).subject}."
)


def seen(
    *waits: PreparedAuthority, new: LedgerEntry = WAITING, old: Entity = OLD, unknown: Iterable[str] = (), **fields: Any
) -> Snapshot:
    """A node, and a Go program beside it. unknown: to whom the CA in use is unknown."""
    ca = secrets(old, other_entries={"next.crt": new.chain}, prepared=waits)
    books = ledger(entry(old, generations={0}, awaited_pods=unknown), new)
    return changed(cluster(ca=ca, ledger=books, pods=(NODE, EXPORTER)), **fields)


def introduced(snapshot: Snapshot, gates: Gates = GATES) -> Introduction:
    """The last one of the ledger."""
    books = snapshot.ledger_or_empty
    return introduction_of(snapshot, books, books.entries[-1], gates)


def supplied(*chain: Entity) -> tuple[PreparedAuthority, LedgerEntry]:
    certificates = chain_of(*chain)
    return PreparedAuthority(certificates, certificates[0].public_key_sha256), entry(certificates, UNTRUSTED)


def linked(old: Entity = OLD, **fields: Any) -> Snapshot:
    return seen(prepared(NEW, link_of(NEW, old)), old=old, **fields)


def confined(**fields: Any) -> Snapshot:
    return seen(prepared(CONFINED, link_of(CONFINED, OLD)), new=entry(CONFINED, UNTRUSTED), **fields)


def behind_link(old: Entity = OLD, **learners: str) -> Introduction:
    named = {pod.name: pod for pod in (NODE, EXPORTER)}
    return Introduction(linked_form(NEW, old), link_of(NEW, old), {named[name]: why for name, why in learners.items()})


def by_itself(chain: Chain = WAITING.chain, because: str = "") -> Introduction:
    return Introduction(chain, because=because)


_BELOW, _BELOW_WAITS = supplied(BELOW, OLD)
_CONFINED, _CONFINED_WAITS = supplied(make("Brokers", key(8), OLD, extra=[names(["svc"])]), OLD)
_CORPORATE, _CORPORATE_WAITS = supplied(INTERMEDIATE, ROOT)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked(), behind_link(), id="as usual"),
        pytest.param(
            seen(_BELOW, new=_BELOW_WAITS), Introduction((BELOW.certificate, OLD.certificate), BELOW.certificate),
            id="issued by the CA in use: its own certificate is the link",
        ),
        pytest.param(
            seen(_CONFINED, new=_CONFINED_WAITS),
            by_itself(_CONFINED.chain, REFUSED.replace(CONFINED.certificate.subject, BELOW.certificate.subject)),
            id="issued by the CA in use, for other names than those of the leaves",
        ),
        pytest.param(seen(prepared(NEW)), by_itself(because=WITHOUT), id="prepared without one"),
        pytest.param(
            seen(prepared(NEW, link_of(NEW, THIRD))), by_itself(because=WITHOUT),
            id="linked to another CA than the one in use",
        ),
        pytest.param(seen(prepared(NEW)).with_ca(key=None), by_itself(because=NO_KEY), id="no key at hand"),
        pytest.param(
            seen(_CORPORATE, new=_CORPORATE_WAITS), by_itself(CORPORATE, NO_ROOT), id="supplied, below a root of its own"
        ),
        pytest.param(
            seen(prepared(RENEWED), new=entry(RENEWED, UNTRUSTED)), by_itself(chain_of(RENEWED)), id="a renewal needs none"
        ),
        pytest.param(linked().with_ca(current=chain_of(NEW)), by_itself(), id="the operator was switched to it"),
        pytest.param(linked().with_ca(current=()), by_itself(), id="there is no CA yet"),
        pytest.param(seen(), by_itself(), id="it is not prepared"),
        pytest.param(
            seen(prepared(THIRD), prepared(NEW, link_of(NEW, OLD))), behind_link(), id="another one is prepared as well"
        ),
        pytest.param(
            confined(leaves=(a_leaf(chain=(SERVICE,)),)),
            Introduction(linked_form(CONFINED, OLD), link_of(CONFINED, OLD)), id="for the names of all leaves",
        ),
        pytest.param(
            confined(leaves=(a_leaf(chain=(SERVICE,)), a_leaf())), by_itself(chain_of(CONFINED), REFUSED),
            id="a component without such a name was enabled since",
        ),
    ],
)  # fmt: skip
def test_how_a_ca_is_introduced(snapshot: Snapshot, expected: Introduction) -> None:
    assert introduced(snapshot) == expected


STRANGE = f"no trusted certificate for {OLD.certificate.subject}, the issuer of {OLD.certificate.subject}"
REFUSES = f"pod {NODE.name} would refuse its link certificate: {STRANGE}."
outside = OutsideClient("Secret kafka/app", (SHORT.certificate,), "", Verifier.OPENSSL)


#: The CA in use is an intermediate one: what is above it stands in ``ca.crt`` too, and issues no leaves here.
SIBLING, RENEWED_BELOW = make("Brokers", key(9), ROOT), make("Corporate Issuing CA", key(7), ROOT, end=NOW + 2 * YEAR)


@pytest.mark.parametrize(
    ("waits", "new"),
    [
        pytest.param(*supplied(SIBLING, ROOT), id="the root has issued the next one too"),
        pytest.param(prepared(NEW, link_of(NEW, ROOT)), WAITING, id="the root has certified the next one"),
    ],
)
def test_the_root_above_the_ca_in_use_links_no_next_ca(waits: PreparedAuthority, new: LedgerEntry) -> None:
    assert introduced(seen(waits, new=new).with_ca(current=CORPORATE), OPEN).link is None


def test_a_renewed_intermediate_ca_has_the_key_of_the_ca_in_use() -> None:
    waits, new = supplied(RENEWED_BELOW, ROOT)
    assert introduced(seen(waits, new=new).with_ca(current=CORPORATE)).because == ""


@pytest.mark.parametrize(("own", "other"), [(NEW, THIRD), (THIRD, NEW)], ids=["one way", "the other way"])
def test_the_link_certificate_of_another_prepared_ca_introduces_no_ca(own: Entity, other: Entity) -> None:
    waiting = seen(prepared(other, link_of(other, OLD)), new=entry(own, UNTRUSTED))
    assert introduced(waiting, OPEN) == by_itself(chain_of(own))


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD)], ids=["one way", "the other way"])
def test_a_key_is_new_or_the_same_and_never_more(old: Entity, new: Entity) -> None:
    """Digests have no order that means anything."""
    waiting = cluster(ca=secrets(old, prepared=(prepared(new),)), ledger=ledger(entry(old), entry(new)))
    assert introduction_of(waiting, waiting.ledger_or_empty, entry(new), GATES).because == WITHOUT


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked(SHORT), behind_link(SHORT, exporter=ONE_BELOW), id="a Go program has to know the CA itself"),
        pytest.param(
            linked(SHORT, new=entry(NEW, UNTRUSTED, awaited_pods=None)), behind_link(SHORT, exporter=ONE_BELOW),
            id="and does not before the CA was read back",
        ),
        pytest.param(linked(SHORT, new=entry(NEW, UNTRUSTED, awaited_pods={NODE.uid})), behind_link(SHORT), id="it knows it"),
        pytest.param(linked(OLD), behind_link(), id="the CA in use allows one below it"),
        pytest.param(linked(unknown={EXPORTER.uid}), behind_link(exporter=STRANGE), id="it knows neither"),
        pytest.param(
            linked(unknown={TOPICS.uid}, pods=(NODE, TOPICS), new=entry(NEW, UNTRUSTED, awaited_pods={NODE.uid, TOPICS.uid})),
            Introduction(linked_form(NEW, OLD), link_of(NEW, OLD), {TOPICS: STRANGE}), id="nor does an operator of the cluster",
        ),
        pytest.param(
            linked(unknown={NODE.uid, PEER.uid}, pods=(NODE, PEER), new=entry(NEW, UNTRUSTED, awaited_pods={NODE.uid, PEER.uid})),
            by_itself(because=REFUSES),
            id="nodes that refuse it never restart for it: the first is named",
        ),
        pytest.param(
            seen(prepared(EARLY, link_of(EARLY, SHORT)), old=SHORT, new=entry(EARLY, UNTRUSTED)),
            by_itself(chain_of(EARLY), f"pod {EXPORTER.name} would refuse its link certificate: {ONE_BELOW}."),
            id="it knows the CA, which no restart makes it accept",
        ),
        pytest.param(
            linked(SHORT, outside_clients=(outside,)), behind_link(SHORT, exporter=ONE_BELOW), id="a client outside is waited for"
        ),
    ],
)  # fmt: skip
def test_components_that_refuse_the_link_restart_before_it_is_presented(
    snapshot: Snapshot, expected: Introduction
) -> None:
    """Components other than nodes keep no state, so their restart costs nothing."""
    assert introduced(snapshot) == expected


def test_no_link_is_used_that_the_trust_gate_does_not_let_pass() -> None:
    snapshot = linked(unknown={NODE.uid})
    assert introduced(snapshot).link is None
    assert introduced(snapshot, OPEN).link == link_of(NEW, OLD)
    assert introduced(linked(), CLOSED) == by_itself()


def refused(snapshot: Snapshot, gates: Gates = GATES) -> list[str]:
    books = snapshot.ledger_or_empty
    found = why_not_presented(snapshot, books, books.entries[-1], gates)
    return [f"{violation.subject}: {violation.message}" for violation in found]


def cannot(authority: Entity, *who: str) -> list[str]:
    of = f"the CA {authority.certificate.subject} ({authority.certificate.sha256[:12]})"
    return [f"{one}: cannot validate certificates of {of}." for one in who]


PODS_OF_BOTH = (f"pod {NODE.name}", f"pod {EXPORTER.name}")
VERIFIERS = (*PODS_OF_BOTH, "the Cluster Operator")


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked(), [], id="linked: at once"),
        pytest.param(linked(SHORT), cannot(NEW, PODS_OF_BOTH[1]), id="linked, and one has to know the CA itself first"),
        pytest.param(linked(outside_clients=(replace(outside, trusts=(OLD.certificate,)),)), [], id="no outside client is asked"),
        pytest.param(seen(prepared(NEW)), cannot(NEW, *PODS_OF_BOTH), id="without a link: not yet known"),
        pytest.param(seen(prepared(NEW), new=entry(NEW, UNTRUSTED)), [], id="without a link: known to all"),
        pytest.param(seen(prepared(RENEWED), new=entry(RENEWED, UNTRUSTED, awaited_pods=BOTH)), [], id="a renewal: at once"),
        pytest.param(
            # Nodes send its chain, and every verifier trusts its root; the operator sends its leaf alone.
            replace(
                seen(_CORPORATE, new=entry(CORPORATE, UNTRUSTED, awaited_pods=None)),
                ledger=ledger(entry(OLD), entry(ROOT), entry(CORPORATE, UNTRUSTED, awaited_pods=None)),
            ).with_ca(other_entries=others(ROOT)),
            cannot(INTERMEDIATE, *VERIFIERS), id="alone, below a root that is trusted",
        ),
    ],
)  # fmt: skip
def test_verifiers_that_refuse_the_first_form_are_named(snapshot: Snapshot, expected: list[str]) -> None:
    assert refused(snapshot) == expected


@pytest.mark.parametrize(
    ("snapshot", "brings", "why"),
    [
        pytest.param(cluster(), (), "", id="as usual"),
        pytest.param(cluster(ca=secrets(CORPORATE)), (), "", id="as usual, below a root"),
        pytest.param(cluster(), chain_of(NEW), "", id="a supplied root"),
        pytest.param(cluster(), CORPORATE, NO_ROOT, id="a supplied intermediate"),
        pytest.param(
            cluster(leaves=(a_leaf("lost", chain=None), a_leaf(chain=(SERVICE, OLD.certificate)))),
            chain_of(CONFINED),
            "",
            id="a supplied root for the names of all leaves",
        ),
        pytest.param(
            cluster(),
            chain_of(CONFINED),
            REFUSED,
            id="a supplied root that a JVM applies to a common name behind a link",
        ),
        pytest.param(cluster(ca=secrets(None)), (), "there is no CA yet.", id="no CA"),
        pytest.param(cluster(ca=secrets(key=None)), (), NO_KEY, id="no key"),
        pytest.param(elsewhere(cluster(), OLD), (), KEPT, id="an outside issuer keeps the key"),
        pytest.param(elsewhere(cluster(), NEW), (), "", id="an outside issuer keeps another key"),
        pytest.param(cluster(ca=secrets(key=NEW.certificate.public_key_sha256)), (), NO_KEY, id="another key"),
    ],
)
def test_why_the_ca_in_use_cannot_certify_the_next_key(snapshot: Snapshot, brings: Chain, why: str) -> None:
    assert why_not_linked(snapshot, brings) == why


#: Roots whose names stay as they are where an issuer writes them again.
NEXT = make("Next Root", key(82), outlives_rewriting=True)
NEXT_CONFINED = make("Next Root", key(81), extra=[names(["svc"])], outlives_rewriting=True)
ENDED = make("Corporate Issuing CA", key(7), ROOT, end=NOW - DAY)
OF_SERVICES = (a_leaf("lost", chain=None), a_leaf(chain=(SERVICE, OLD.certificate)))
BOTH_KEYS = LinkIssuer("Vault", keeps_both_keys=True)


@pytest.mark.parametrize(
    ("current", "brings", "elsewhere", "linker", "is_asked"),
    [
        pytest.param(OLD, (), False, LinkIssuer("Vault"), True, id="as usual"),
        pytest.param(OLD, (NEXT,), False, LinkIssuer("Vault"), True, id="a supplied root"),
        pytest.param(make("cluster-ca v0", key(0)), (NEXT,), True, BOTH_KEYS, True, id="the issuer has both keys"),
        pytest.param(SHORT, (), False, BOTH_KEYS, False, id="no CA may be below the CA in use"),
        pytest.param((ENDED, ROOT), (), False, BOTH_KEYS, False, id="the CA in use has ended"),
        pytest.param(OLD, (NEXT,), True, LinkIssuer("Vault"), False, id="no key here"),
        pytest.param(OLD, (INTERMEDIATE, ROOT), False, BOTH_KEYS, False, id="a supplied intermediate"),
        pytest.param(OLD, (NEXT_CONFINED,), False, BOTH_KEYS, True, id="a root for the names of all leaves"),
        pytest.param(OLD, (NEXT_CONFINED,), True, BOTH_KEYS, False, id="the request would lack what confines the root"),
        pytest.param(
            OLD,
            (make("Next Root", key(81), extra=[names(["org"])]),),
            False,
            BOTH_KEYS,
            False,
            id="a root for other names",
        ),
        pytest.param(OLD, (NEW,), False, BOTH_KEYS, False, id="a name that does not stay"),
    ],
)
def test_why_an_issuer_is_not_asked_to_certify_the_next_key(
    current: Entity | tuple[Entity, ...],
    brings: tuple[Entity, ...],
    elsewhere: bool,
    linker: LinkIssuer,
    is_asked: bool,
    golden: GoldenFiles,
) -> None:
    chain = chain_of(current) if isinstance(current, Entity) else chain_of(*current)
    given = replace(supplied(*brings)[0], key_is_elsewhere=elsewhere) if brings else None
    why = why_not_asked(cluster(ca=secrets(chain), leaves=OF_SERVICES), given, linker)
    assert (why == "") is is_asked
    if why:
        golden.compare_said("stops_in_rules", why, golden.row)
