# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The object from which a cluster is told the CAs that it is to trust, and which of them its leaves are to be of
(External Certificate Manager, ``caCert``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..._pki.certificates import MOST_IN_A_CHAIN, Certificate, Chain


@dataclass(frozen=True)
class CaSource:
    """The CAs in it, in any order: intermediates and the roots above them, several roots, a renewal beside what it renews.

    name: the object and its entry, as messages have it. problem, remedy: why it cannot be used and what to do, as sentences; empty
    where it can. changed_at: when it was written last; None where that cannot be told.
    """

    name: str
    certificates: tuple[Certificate, ...] = ()
    problem: str = ""
    remedy: str = ""
    changed_at: datetime | None = None

    def issuing(self, at: datetime) -> tuple[Chain, ...]:
        """The CAs that can be meant to issue leaves, each with what lies above it here: those that are valid now and have certified
        none of the others. Of several certificates with one name and key it is the root, else the one that ends last.
        """
        valid = [one for one in self.certificates if one.not_before <= at < one.not_after]
        above = {one for one in valid for other in valid if other.signed_by(one) and not other.is_twin_of(one)}
        latest: dict[tuple[bytes, str], Certificate] = {}
        for one in sorted((one for one in valid if one not in above), key=_rank):
            latest[one.subject_der, one.public_key_sha256] = one
        return tuple(self.chain_of(one) for one in sorted(latest.values(), key=lambda one: one.sha256))

    def chain_of(self, certificate: Certificate) -> Chain:
        """The CA, and the CAs of this source that certify it, up to its root as far as that is here."""
        chain: Chain = (certificate,)
        while not chain[-1].is_root and len(chain) < MOST_IN_A_CHAIN:
            found = [one for one in self.certificates if one not in chain and chain[-1].signed_by(one)]
            if not found:
                break
            chain = (*chain, max(found, key=_rank))
        return chain


def _rank(certificate: Certificate) -> tuple[bool, datetime, str]:
    """The digest puts what is alike in an order that is the same in every run."""
    return certificate.is_root, certificate.not_after, certificate.sha256
