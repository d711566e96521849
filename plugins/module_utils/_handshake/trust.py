# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From handshakes to "does this process trust that CA": yes, no, or unknown with a sentence that says why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from .._pki._cryptography import x509
from .._pki.building import BACKDATED
from .._pki.certificates import Certificate
from .alerts import DISTRUST
from .handshake import Handshake, Outcome


class Trust(str, Enum):
    """Whether a process trusts a CA. SHARED: it cannot be told by a name, which CAs with other keys have too."""

    TRUSTED = "trusted"
    NOT_TRUSTED = "not trusted"
    UNKNOWN = "unknown"
    SHARED = "shared"

    @property
    def is_known(self) -> bool:
        return self in (Trust.TRUSTED, Trust.NOT_TRUSTED)


@dataclass(frozen=True)
class Verdict:
    """why: the evidence, or why there is none; a sentence without subject and full stop."""

    trust: Trust
    why: str


def _unknown(why: str) -> Verdict:
    return Verdict(Trust.UNKNOWN, why)


def judge_probe(probe: Handshake, stranger: Handshake) -> Verdict:
    """probe: the handshake with a certificate of the CA in question. stranger: the one with a certificate of a CA that
    no listener can trust.

    Only the difference between the two is evidence. A listener that accepts the stranger does not verify clients. A
    listener that refuses the probe in another way than the stranger has another reason than trust, such as its clock.
    """
    if (unfit := _unfit(stranger)) is not None:
        return unfit
    if not probe.offered:
        return _unknown(f"the listener did not get to see our certificate of this CA ({probe})")
    if probe.outcome is Outcome.ACCEPTED:
        return Verdict(Trust.TRUSTED, f"accepted a certificate of this CA with {probe.version}")
    if probe.alert is None:
        return _unknown(f"neither accepted a certificate of this CA nor refused it for want of trust ({probe})")
    if probe.alert != stranger.alert:
        return _unknown(
            f"refuses a certificate of this CA with the alert {probe.alert}, but one of an untrusted CA with "
            f"{stranger.alert}; so trust may not be the reason"
        )
    return Verdict(Trust.NOT_TRUSTED, f"refused a certificate of this CA with the alert {probe.alert}")


def judge_list(authority: Certificate, known: Iterable[Certificate], stranger: Handshake) -> Verdict:
    """The verdict by the names of the CAs of which the listener asks certificates. known: all CAs that it might mean by
    a name.

    A name on the list is no evidence where two keys share it. A name that is missing is evidence in any case.
    """
    if stranger.outcome is Outcome.ACCEPTED:
        return _accepts_strangers(stranger)
    if stranger.acceptable is None:
        return _unknown(f"did not show which CAs it accepts ({stranger})")
    if not stranger.acceptable:
        return _unknown("accepts certificates of CAs that it does not name")
    if authority.subject_der not in stranger.acceptable:
        if any(_reads_alike(authority, name) for name in stranger.acceptable):
            return _unknown(f"names {authority.subject} in another encoding, which may be this CA or another one")
        return Verdict(Trust.NOT_TRUSTED, "does not name this CA among those that it accepts")
    keys = {one.public_key_sha256 for one in known if one.subject_der == authority.subject_der}
    if keys - {authority.public_key_sha256}:
        why = f"names {authority.subject}, and several CAs with different keys have this name"
        return Verdict(Trust.SHARED, why)
    return Verdict(Trust.TRUSTED, "names this CA among those that it accepts")


def settle(probed: Verdict, listed: Verdict, *, another_accepted: bool) -> Verdict:
    """The verdict of the probe, unless the list contradicts it or its refusal may have another reason.

    another_accepted: the listener accepted a certificate of another CA that was made like this one. A JVM says the same
    (certificate_unknown) to a certificate that is expired or not yet valid by its clock as to one that it does not
    trust. So a refusal is about trust only where another one passed, or the list of accepted CAs lacks this CA.
    """
    if probed.trust.is_known and listed.trust.is_known and probed.trust is not listed.trust:
        return _unknown(f"contradicts itself: it {probed.why}, and {listed.why}")
    if probed.trust is Trust.NOT_TRUSTED and not (listed.trust.is_known or another_accepted):
        return _unknown(
            f"accepted none of the certificates that it was shown, which begin {BACKDATED // timedelta(minutes=1)} minutes ago: its clock may be "
            "behind by more, and be the reason, not trust"
        )
    return probed


def _unfit(stranger: Handshake) -> Verdict | None:
    """Why this listener's behaviour towards certificates says nothing about trust."""
    if stranger.outcome is Outcome.ACCEPTED:
        return _accepts_strangers(stranger)
    if stranger.alert is None or stranger.alert.name not in DISTRUST or not stranger.offered:
        return _unknown(f"it is not known how it refuses a certificate of an untrusted CA ({stranger})")
    return None


def _accepts_strangers(stranger: Handshake) -> Verdict:
    if stranger.offered:
        return _unknown("accepts certificates of an untrusted CA: it does not verify clients")
    if stranger.acceptable is not None:
        return _unknown("goes on although it did not get to see our certificate: it does not insist on one")
    return _unknown("asks for no client certificate: whom it trusts does not show")


def _reads_alike(authority: Certificate, name: bytes) -> bool:
    """Whether a DER name holds all texts of the CA's, whatever the types of its strings."""
    values = [str(attribute.value) for attribute in x509.load_der_x509_certificate(authority.der).subject]
    return all(
        any(bytes([len(text) & 127]) + text in name for text in (value.encode(), value.encode("utf-16-be")))
        for value in values
    )
