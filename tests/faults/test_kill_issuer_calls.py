# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement whose leaves an issuer gives, killed before and after every call of the issuer, then run again: same end, the issuer is
left with nothing, and is not asked for another certificate where its protocol lets it know the first.
"""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import pending, request_leaves

from ..flows.test_kept_elsewhere import issuing_secrets
from ..tools.support.killing import IssuerCalls, Killed, KillingTransport
from ..tools.support.watched_cluster import assert_only
from .issuer_happenings import Course, begun

LEAVES = 3


def counted(course: Course, at: int | None = None, after: bool = False) -> IssuerCalls:
    """From here on calls of the issuer are counted, up to the one that ends the run."""
    guard = KillingTransport(course.cluster.memory.api)
    calls = IssuerCalls(guard, at, after)
    course.cluster.permitted = guard
    for module in (pending, request_leaves):
        course.patch.setattr(module, "issuer_of", lambda work, stored=(): calls.through(issuer_of(work, stored)))
    return calls


def signed_again(course: Course) -> int:
    """How many certificates were given that no leaf needs, where everything else has ended well."""
    assert_only(course.cluster, course.supplied.fingerprint)
    assert (issuing_secrets(course.cluster), course.issuer.left()) == ([], [])
    assert course.cluster.issued_by_operator == []
    signed = [x509.load_pem_x509_csr(csr).public_key() for csr in course.issuer.signing.requests]
    assert len({one.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) for one in signed}) == LEAVES
    return len(signed) - LEAVES


def undisturbed(kind: str, patch: pytest.MonkeyPatch) -> list[str]:
    """The calls that it takes."""
    with patch.context() as own, begun(kind, own) as course:
        calls = counted(course)
        course.finish()
        assert signed_again(course) == 0
        return calls.made


def killed_at(kind: str, number: int, after: bool, patch: pytest.MonkeyPatch) -> int:
    with patch.context() as own, begun(kind, own) as course:
        counted(course, number, after)
        with pytest.raises(Killed):
            course.finish()
        counted(course)
        course.cluster.memory.settle(2)
        course.finish()
        return signed_again(course)


def told_apart(made: list[str]) -> list[int]:
    """The calls but for those that look once more at what nothing has happened to."""
    return [number for number, name in enumerate(made, 1) if name != "poll" or made[number - 2] != "poll"]


@pytest.mark.parametrize(
    ("moment", "often"),
    [
        ("after", False),
        pytest.param("before", True, marks=pytest.mark.long),
        pytest.param("after", True, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("kind", ["cert-manager", "vault", pytest.param("external", marks=pytest.mark.long)])
def test_killed_at_a_call_and_run_again(kind: str, moment: str, often: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vault signs again whatever it is asked: what it had signed before a run wrote that down is signed once more."""
    made = undisturbed(kind, monkeypatch)
    assert made.count("request") == LEAVES
    for number in range(1, len(made) + 1) if often else told_apart(made):
        again = killed_at(kind, number, moment == "after", monkeypatch)
        most = LEAVES - 1 if (kind, made[number - 1]) == ("vault", "request") else 0
        assert again <= most, f"{moment} call {number}, {made[number - 1]}"
    print(f"\n{kind}: killed {moment} calls of {len(made)}, all ended the same")
