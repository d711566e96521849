# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificate paths, each with one thing about it that a verifier could trip over, and the verifiers that do. Random hierarchies
meet the common things by chance; here each of the uncommon ones has a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from .certificates import NOW, YEAR, Entity, key, leaf, make

JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO
ALL = (JVM, OPENSSL, GO)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class PathCase:
    name: str
    leaf: Certificate
    #: The certificates that are presented behind the leaf.
    sent: tuple[Certificate, ...]
    anchors: tuple[Certificate, ...]
    #: The verifiers that refuse it.
    refused_by: frozenset[Verifier]
    #: Verifiers for which we refuse it nevertheless; docs/operator.md, "Paths that only this collection refuses", says why.
    stricter: frozenset[Verifier]


def _case(
    name: str,
    end: Certificate,
    sent: Iterable[Entity | Certificate],
    anchors: Iterable[Entity],
    *refused_by: Verifier,
    stricter: Iterable[Verifier] = (),
) -> PathCase:
    behind = tuple(sender.certificate if isinstance(sender, Entity) else sender for sender in sent)
    trusted = tuple(anchor.certificate for anchor in anchors)
    return PathCase(name, end, behind, trusted, frozenset(refused_by), frozenset(stricter))


ROOT = make("root", key(100))
BELOW = make("below", key(101), ROOT)
OTHER = make("other", key(102))
LEAF = leaf(BELOW)


def _root(**options: Any) -> Entity:
    return make("root", key(100), **options)


def _below(issuer: Entity = ROOT, **options: Any) -> Entity:
    return make("below", key(101), issuer, **options)


def _through(name: str, below: Entity, *refused_by: Verifier, **more: Any) -> PathCase:
    """A leaf of a CA below the usual root."""
    return _case(name, leaf(below), [below], [ROOT], *refused_by, **more)


def _under(name: str, root: Entity, *refused_by: Verifier, **more: Any) -> PathCase:
    """A leaf of a CA below this root."""
    below = _below(root)
    return _case(name, leaf(below), [below], [root], *refused_by, **more)


def _deep(length: int) -> PathCase:
    chain = [ROOT]
    for number in range(length):
        chain.append(make(f"level {number}", key(110 + number), chain[-1]))
    return _case(f"{length} CAs below the root", leaf(chain[-1]), chain[:0:-1], [ROOT])


def _unknown(critical: bool) -> list[tuple[Any, bool]]:
    return [(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4.5"), b"\x05\x00"), critical)]


def _uses(*uses: x509.ObjectIdentifier) -> list[tuple[Any, bool]]:
    return [(x509.ExtendedKeyUsage(uses), False)]


def _of(issuer: x509.Name, number: int, key_identifier: bytes | None = None) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier(key_identifier, [x509.DirectoryName(issuer)], number)


_NAME = x509.load_der_x509_certificate(ROOT.certificate.der).subject
_OTHER_NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "else")])
_POLICIES = x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier("1.2.3.4"), None)])
_SERVER, _CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH

_LENGTH_0 = _below(path_length=0)
_DEEP = make("deep", key(104), _LENGTH_0)
_SELF_ISSUED = make("below", key(105), _LENGTH_0)
_OTHER_IDENTIFIER = x509.AuthorityKeyIdentifier(b"else", None, None)
_RIGHT_KEY_OTHER_SERIAL = _of(_NAME, 7, ROOT.certificate.subject_key_identifier)
_VICTIM = leaf(Entity(leaf(BELOW, "node"), key(99)), "victim")

_LINK = make("root", key(100), OTHER)
_OTHER_KEY = make("root", key(103))
_PAST, _PRESENT = make("past", key(106), path_length=1), make("present", key(107), path_length=1)
_STRICT = make("past", key(106), path_length=0)
_BETWEEN = (make("present", key(107), _PAST, path_length=0), make("past", key(106), _PRESENT, path_length=0), _PRESENT)
_ENDED = (make("present", key(107), _PAST, path_length=0, end=NOW - _SECOND), *_BETWEEN[1:])
_BACK_ENDED = (_BETWEEN[0], make("past", key(106), _PRESENT, path_length=0, end=NOW - _SECOND), _PRESENT)
_RENEWED = _root(end=NOW + 2 * YEAR)
#: Two keys of one name, as RFC 4210 has it and cert-manager makes them; then without identifiers.
_PRIOR, _NEXT = make("one", key(120), path_length=0), make("one", key(121))
_LEADS = make("one", key(121), _PRIOR, path_length=0), make("one", key(120), _NEXT, path_length=0)
_BARE_PRIOR, _BARE_NEXT = (
    make("one", key(120), subject_identifier=None),
    make("one", key(121), subject_identifier=None),
)
_UNNAMED = leaf(_NEXT, authority_identifier=None)
_UNNAMED_LINK = make("one", key(121), _PRIOR, path_length=0, authority_identifier=None)

PATHS = (
    # Paths that have to work.
    _case("below an intermediate CA", LEAF, [BELOW], [ROOT]),
    _case("the root sent as well", LEAF, [BELOW, ROOT], [ROOT]),
    _case("the intermediate CA twice", LEAF, [BELOW, BELOW], [ROOT]),
    _case("the leaf twice", LEAF, [LEAF, BELOW], [ROOT]),
    _case("something unrelated behind it", LEAF, [BELOW, OTHER], [ROOT]),
    _case("something unrelated between", LEAF, [OTHER, BELOW], [ROOT]),
    _case("root before intermediate CA", LEAF, [ROOT, BELOW], [ROOT]),
    _case("several anchors", LEAF, [BELOW], [OTHER, ROOT]),
    _deep(2), _deep(5), _deep(8),
    # Something is missing or wrong.
    _case("no intermediate CA", LEAF, [], [ROOT], *ALL),
    _case("no anchor of it", LEAF, [BELOW, ROOT], [OTHER], *ALL),
    _case("the intermediate CA trusted alone", LEAF, [], [BELOW], OPENSSL),
    _case("the leaf trusted alone", LEAF, [], [Entity(LEAF, key(99))], OPENSSL),
    _case("an anchor with the name and another key", leaf(ROOT), [], [_OTHER_KEY], *ALL),
    _case("anchors with one name, the wrong one first", leaf(ROOT), [], [_OTHER_KEY, ROOT]),
    _case("issued by a leaf", _VICTIM, [leaf(BELOW, "node"), BELOW], [ROOT], *ALL),
    _case("the issuer's name is another", make("my-kafka", key(99), BELOW, ca=False, issuer_name="else").certificate, [BELOW], [ROOT], *ALL),
    # Link certificates and renewals.
    _case("a link certificate", leaf(ROOT), [_LINK], [OTHER]),
    _case("a link certificate that is not needed", leaf(ROOT), [_LINK], [ROOT]),
    _case("a link certificate, both roots trusted", leaf(ROOT), [_LINK], [ROOT, OTHER]),
    _case("a renewal trusted", LEAF, [BELOW], [_RENEWED]),
    _case("a renewal sent", LEAF, [BELOW, _RENEWED], [ROOT]),
    _case("an expired twin of the root trusted beside it", LEAF, [BELOW], [_root(end=NOW - YEAR / 2), ROOT]),
    _case("an expired twin sent, the root trusted", leaf(ROOT), [_root(end=NOW - YEAR / 2)], [ROOT]),
    # Behind a leaf of the CA in use: both link certificates, then the CA (RFC 4210 section 4.4).
    _case("both link certificates, the old CA trusted", leaf(_PRESENT), _BETWEEN, [_PAST]),
    _case("both link certificates, the new CA trusted", leaf(_PRESENT), _BETWEEN, [_PRESENT]),
    _case("both link certificates, both CAs trusted", leaf(_PRESENT), _BETWEEN, [_PAST, _PRESENT]),
    _case("both link certificates, an old CA of path length 0 trusted", leaf(_PRESENT), _BETWEEN, [_STRICT], OPENSSL, GO),
    _case("both link certificates, the new CA and an old one of path length 0 trusted", leaf(_PRESENT), _BETWEEN, [_STRICT, _PRESENT]),
    _case("both link certificates, neither CA trusted", leaf(_PRESENT), _BETWEEN, [OTHER], *ALL),
    _case("the first link certificate ended, the old CA trusted", leaf(_PRESENT), _ENDED, [_PAST], *ALL),
    _case("the first link certificate ended, the new CA trusted", leaf(_PRESENT), _ENDED, [_PRESENT]),
    _case("the second link certificate ended, the old CA trusted", leaf(_PRESENT), _BACK_ENDED, [_PAST]),
    _case("the second link certificate ended, the new CA trusted", leaf(_PRESENT), _BACK_ENDED, [_PRESENT]),
    # Two CAs of one name: identifiers tell them apart, in the leaf and in both CAs. A link certificate is self-issued, and only Go counts it.
    _case("one name, the other CA first", leaf(_NEXT), [_NEXT], [_PRIOR, _NEXT]),
    _case("one name, the other CA last", leaf(_NEXT), [_NEXT], [_NEXT, _PRIOR]),
    _case("one name, both sent", leaf(_NEXT), [_PRIOR, _NEXT], [_PRIOR, _NEXT]),
    _case("one name, only the other CA trusted", leaf(_NEXT), [_NEXT], [_PRIOR], *ALL),
    _case("one name, no identifier in the leaf, the other CA first", _UNNAMED, [_NEXT], [_PRIOR, _NEXT], OPENSSL),
    _case("one name, no identifier in the leaf, the other CA last", _UNNAMED, [_NEXT], [_NEXT, _PRIOR], stricter=[OPENSSL]),
    _case("one name, no identifiers in CAs, the other CA first", leaf(_BARE_NEXT), [], [_BARE_PRIOR, _BARE_NEXT], OPENSSL),
    _case("one name, no identifiers in CAs, the other CA last", leaf(_BARE_NEXT), [], [_BARE_NEXT, _BARE_PRIOR], stricter=[OPENSSL]),
    _case("one name, linked, the old CA of path length 0 trusted", leaf(_NEXT), [_LEADS[0], _PRIOR], [_PRIOR], GO),
    _case("one name, both link certificates, the old CA of path length 0 trusted", leaf(_NEXT), [*_LEADS, _NEXT], [_PRIOR], GO),
    _case("one name, both link certificates, the new CA trusted", leaf(_NEXT), [*_LEADS, _NEXT], [_NEXT]),
    _case("one name, both link certificates, both CAs trusted", leaf(_NEXT), [*_LEADS, _NEXT], [_PRIOR, _NEXT]),
    _case("one name, both link certificates, both CAs trusted, the new one first", leaf(_NEXT), [*_LEADS, _NEXT], [_NEXT, _PRIOR]),
    _case("one name, a link certificate without identifier", leaf(_NEXT), [_UNNAMED_LINK, _PRIOR], [_PRIOR], OPENSSL, GO),
    # Path lengths.
    _through("path length 0 below the root", _LENGTH_0),
    _case("a CA below path length 0", leaf(_DEEP), [_DEEP, _LENGTH_0], [ROOT], *ALL),
    _under("a CA below a root with path length 0", _root(path_length=0), OPENSSL, GO),
    _case("a leaf below a root with path length 0", leaf(_root(path_length=0)), [], [_root(path_length=0)]),
    _case("a self-issued CA below path length 0", leaf(_SELF_ISSUED), [_SELF_ISSUED, _LENGTH_0], [ROOT], GO),
    # The marks of a CA.
    _through("basic constraints say no CA", _below(ca=False), *ALL),
    _through("no basic constraints", _below(ca=None), *ALL),
    _under("a root that says it is no CA", _root(ca=False), *ALL),
    _under("a root without basic constraints", _root(ca=None), *ALL),
    _through("no key usage", _below(signing=None)),
    _through("a key usage without keyCertSign", _below(signing=False), *ALL),
    _under("a root whose key usage lacks keyCertSign", _root(signing=False), *ALL),
    _through("for servers", _below(extra=_uses(_SERVER))),
    _through("for clients only", _below(extra=_uses(_CLIENT)), OPENSSL, GO),
    # Key identifiers.
    _case("no authority key identifier", leaf(BELOW, authority_identifier=None), [BELOW], [ROOT]),
    _under("a root without subject key identifier", _root(subject_identifier=None)),
    _through("no subject key identifier", _below(subject_identifier=None)),
    _case("another identifier than the anchor's", leaf(ROOT, authority_identifier=_OTHER_IDENTIFIER), [], [ROOT], JVM, OPENSSL),
    _case("another identifier than the intermediate CA's", leaf(BELOW, authority_identifier=_OTHER_IDENTIFIER), [BELOW], [ROOT], OPENSSL),
    _case("issuer and serial number", leaf(ROOT, authority_identifier=_of(_NAME, ROOT.certificate.serial_number)), [], [ROOT]),
    _case("another serial number", leaf(ROOT, authority_identifier=_of(_NAME, 7)), [], [ROOT], JVM, OPENSSL),
    _case("another serial number, and the right identifier", leaf(ROOT, authority_identifier=_RIGHT_KEY_OTHER_SERIAL), [], [ROOT], JVM, OPENSSL),
    _case("another issuer with the serial number", leaf(ROOT, authority_identifier=_of(_OTHER_NAME, ROOT.certificate.serial_number)), [], [ROOT], OPENSSL),
    _case("another serial number than the intermediate CA's", leaf(BELOW, authority_identifier=_of(_NAME, 7)), [BELOW], [ROOT], OPENSSL),
    # Extensions.
    _case("an unknown critical extension in the leaf", leaf(BELOW, extra=_unknown(True)), [BELOW], [ROOT], *ALL),
    _case("an unknown extension in the leaf", leaf(BELOW, extra=_unknown(False)), [BELOW], [ROOT]),
    _through("an unknown critical extension", _below(extra=_unknown(True)), *ALL),
    _under("an unknown critical extension in the root", _root(extra=_unknown(True)), OPENSSL, GO, stricter=[JVM]),
    _through("policies", _below(extra=[(_POLICIES, False)])),
    _through("inhibit any policy", _below(extra=[(x509.InhibitAnyPolicy(0), True)])),
    # Dates, to the second.
    _case("valid from this second on", leaf(BELOW, begin=NOW), [BELOW], [ROOT]),
    _case("valid from the next second on", leaf(BELOW, begin=NOW + _SECOND), [BELOW], [ROOT], *ALL),
    _case("valid until this second", leaf(BELOW, end=NOW), [BELOW], [ROOT], OPENSSL, stricter=[JVM, GO]),
    _case("valid until the last second", leaf(BELOW, end=NOW - _SECOND), [BELOW], [ROOT], *ALL),
    _through("an expired CA", _below(end=NOW - _SECOND), *ALL),
    _through("a CA that is not valid yet", _below(begin=NOW + _SECOND), *ALL),
    _under("an expired root", _root(end=NOW - _SECOND), OPENSSL, GO),
)  # fmt: skip
