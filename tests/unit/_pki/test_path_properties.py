# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random hierarchies: against a search that simply tries everything, against OpenSSL, and general laws."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import pairwise, permutations

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from OpenSSL import crypto

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import Verifier, validate_path

from ...tools.support.certificates import NOW, YEAR, Entity, key, leaf, make

Chain = tuple[Certificate, ...]
SETTINGS = settings(suppress_health_check=list(HealthCheck))
#: Beside another judge of paths: of random hierarchies few are valid.
MANY = settings(SETTINGS, max_examples=4 * settings.default.max_examples)


@dataclass(frozen=True)
class Shape:
    """A CA certificate: its name and key, its issuer (None: itself) and its limits."""

    name: int
    key: int
    issuer: int | None
    path_length: int | None
    dates: str
    identifier: bytes | None


@dataclass(frozen=True)
class Hierarchy:
    leaf: Certificate
    sent: Chain
    anchors: Chain


@cache
def build(shapes: tuple[Shape, ...]) -> tuple[Entity, ...]:
    made: list[Entity] = []
    for shape in shapes:
        begin, end = {
            "current": (NOW - YEAR, NOW + YEAR),
            "expired": (NOW - YEAR, NOW - timedelta(days=1)),
            "early": (NOW + timedelta(days=1), NOW + YEAR),
        }[shape.dates]
        made.append(
            make(
                f"CA {shape.name}",
                key(shape.key),
                None if shape.issuer is None else made[shape.issuer],
                path_length=shape.path_length,
                begin=begin,
                end=end,
                subject_identifier=shape.identifier,
            )
        )
    return tuple(made)


@st.composite
def shapes(draw: st.DrawFn) -> tuple[Shape, ...]:
    drawn: list[Shape] = []
    for number in range(draw(st.integers(1, 6))):
        issuer = draw(st.none() | st.integers(0, number - 1)) if number else None
        drawn.append(
            Shape(
                # Few names and keys: renewals, link certificates and names shared by keys have to be frequent.
                name=draw(st.integers(0, 2)),
                key=draw(st.integers(0, 3)),
                issuer=issuer,
                path_length=draw(st.sampled_from([None, None, 0, 1])),
                dates=draw(st.sampled_from(["current"] * 6 + ["expired", "early"])),
                # As usual, none, or in a way of its own.
                identifier=draw(st.sampled_from([b"", b"", b"", None, b"own"])),
            )
        )
    return tuple(drawn)


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    made = build(draw(shapes()))
    certificates = [one.certificate for one in made]
    issuer = draw(st.sampled_from(made))
    some = st.lists(st.sampled_from(certificates), max_size=3, unique=True)
    return Hierarchy(cached_leaf(issuer), tuple(draw(some)), tuple(draw(some)))


@cache
def cached_leaf(issuer: Entity) -> Certificate:
    return leaf(issuer)


def valid(hierarchy: Hierarchy, verifier: Verifier) -> bool:
    return validate_path((hierarchy.leaf, *hierarchy.sent), hierarchy.anchors, at=NOW, verifier=verifier).valid


def tried_out(hierarchy: Hierarchy, verifier: Verifier) -> bool:
    """Every ordered selection of what was sent, and every anchor on top."""
    others = [one for one in hierarchy.sent if one != hierarchy.leaf and not cut_off(one, hierarchy, verifier)]
    middles = [m for length in range(len(others) + 1) for m in permutations(others, length)]
    return any(holds((hierarchy.leaf, *m, anchor), verifier) for m in middles for anchor in hierarchy.anchors)


def cut_off(sent: Certificate, hierarchy: Hierarchy, verifier: Verifier) -> bool:
    """A JVM cuts the chain off below a certificate that has the name and the key of an anchor."""
    return verifier is Verifier.JVM and any(
        (sent.subject_der, sent.public_key_sha256) == (one.subject_der, one.public_key_sha256)
        for one in hierarchy.anchors
    )


def dated(path: Chain, verifier: Verifier) -> Chain:
    """A JVM does not look at the dates of the anchor above a leaf."""
    return path[:-1] if verifier is Verifier.JVM and len(path) > 1 else path


def holds(path: Chain, verifier: Verifier) -> bool:
    if not all(one.not_before <= NOW <= one.not_after for one in dated(path, verifier)):
        return False
    if not all(child.signed_by(parent) for child, parent in pairwise(path)):
        return False
    if verifier is Verifier.JVM and len(path) > 1:
        named, own = path[-2].authority_key_identifier, path[-1].subject_key_identifier
        if None not in (named, own) and named != own:
            return False
    for position, authority in enumerate(path[1:], start=1):
        if authority is path[-1] and verifier is Verifier.JVM:
            continue
        counted = [one for one in path[1:position] if verifier is Verifier.GO or one.subject_der != one.issuer_der]
        if authority.path_length is not None and len(counted) > authority.path_length:
            return False
    return True


@MANY
@given(hierarchies())
def test_agrees_with_trying_everything(hierarchy: Hierarchy) -> None:
    for verifier in (Verifier.JVM, Verifier.GO):
        expected = tried_out(hierarchy, verifier)
        event(f"{verifier.value} {expected}")
        assert valid(hierarchy, verifier) == expected


def openssl_accepts(leaf_certificate: Certificate, sent: Chain, anchors: Chain) -> bool:
    store = crypto.X509Store()
    store.set_time(NOW.replace(tzinfo=None))
    for anchor in anchors:
        store.add_cert(loaded(anchor))
    context = crypto.X509StoreContext(store, loaded(leaf_certificate), [loaded(one) for one in sent])
    try:
        context.verify_certificate()
    except crypto.X509StoreContextError:
        return False
    return True


@cache
def loaded(certificate: Certificate) -> crypto.X509:
    return crypto.load_certificate(crypto.FILETYPE_ASN1, certificate.der)


@MANY
@given(hierarchies())
def test_agrees_with_openssl(hierarchy: Hierarchy) -> None:
    """Valid means: whatever the order of its store, OpenSSL accepts. The order of the chain is the one that is sent."""
    verdicts = {openssl_accepts(hierarchy.leaf, hierarchy.sent, anchors) for anchors in permutations(hierarchy.anchors)}
    event(f"openssl {sorted(verdicts)}")
    assert valid(hierarchy, Verifier.OPENSSL) == (verdicts == {True})


@SETTINGS
@given(hierarchies(), st.randoms(use_true_random=False), st.sampled_from(Verifier))
def test_order_and_repetition_do_not_matter(hierarchy: Hierarchy, random: object, verifier: Verifier) -> None:
    """But for OpenSSL, which takes the first issuer that was sent."""
    sent, anchors = [*hierarchy.sent, *hierarchy.sent[:1]], list(hierarchy.anchors) + list(hierarchy.anchors[:1])
    if verifier is not Verifier.OPENSSL:
        random.shuffle(sent)  # type: ignore[attr-defined]
    random.shuffle(anchors)  # type: ignore[attr-defined]
    assert valid(Hierarchy(hierarchy.leaf, tuple(sent), tuple(anchors)), verifier) == valid(hierarchy, verifier)


@SETTINGS
@given(hierarchies(), st.sampled_from(Verifier))
def test_a_valid_path_explains_itself(hierarchy: Hierarchy, verifier: Verifier) -> None:
    result = validate_path((hierarchy.leaf, *hierarchy.sent), hierarchy.anchors, at=NOW, verifier=verifier)
    assert result.valid != bool(result.reason)
    assume(result.valid)
    assert result.path[0] == hierarchy.leaf
    assert result.path[-1] in hierarchy.anchors
    assert set(result.path[1:-1]) <= {*hierarchy.sent, *hierarchy.anchors}
    assert holds(result.path, verifier)


@SETTINGS
@given(hierarchies(), st.sampled_from([Verifier.JVM, Verifier.GO]))
def test_more_anchors_never_invalidate_a_path(hierarchy: Hierarchy, verifier: Verifier) -> None:
    """A JVM is hurt by a second certificate of a CA with another identifier, at which it cuts the chain off."""
    assert not valid(Hierarchy(hierarchy.leaf, hierarchy.sent, ()), verifier)
    if verifier is Verifier.JVM:
        assume(not any(cut_off(one, hierarchy, verifier) for one in hierarchy.sent))
    if valid(Hierarchy(hierarchy.leaf, hierarchy.sent, hierarchy.anchors[:1]), verifier):
        assert valid(hierarchy, verifier)


@SETTINGS
@given(hierarchies(), st.sampled_from(Verifier))
def test_removing_every_anchor_of_the_used_key_invalidates(hierarchy: Hierarchy, verifier: Verifier) -> None:
    result = validate_path((hierarchy.leaf, *hierarchy.sent), hierarchy.anchors, at=NOW, verifier=Verifier.JVM)
    assume(result.valid)
    used = result.path[-1]
    others = tuple(one for one in hierarchy.anchors if one.public_key_sha256 != used.public_key_sha256)
    without = validate_path((hierarchy.leaf, *hierarchy.sent), others, at=NOW, verifier=verifier)
    # The CA that is no longer trusted may still stand in the middle of a path to another anchor, never at its end.
    assert without.path[-1:] != (used,)
    # Where every other anchor is unrelated to what was presented, nothing is left to build on.
    if not any(child.signed_by(anchor) for child in (hierarchy.leaf, *hierarchy.sent) for anchor in others):
        assert not without.valid


@SETTINGS
@given(hierarchies(), st.integers(-800, 800), st.sampled_from(Verifier))
def test_valid_only_within_the_dates_of_every_certificate(hierarchy: Hierarchy, days: int, verifier: Verifier) -> None:
    at = NOW + timedelta(days=days)
    result = validate_path((hierarchy.leaf, *hierarchy.sent), hierarchy.anchors, at=at, verifier=verifier)
    if result.valid:
        assert all(one.not_before <= at <= one.not_after for one in dated(result.path, verifier))
    assert not (result.valid and abs(days) > 366)
