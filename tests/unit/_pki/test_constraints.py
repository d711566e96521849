# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Name and policy constraints. What real verifiers make of the same paths: ``tests/verifiers/test_constraints.py``."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from ipaddress import ip_network

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki import paths
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import certificate_from_der
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.names import NameConstraints, Subtrees, address_of
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_issued_by, validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ...tools.support.certificates import NOW, key, make
from ...tools.support.constrained import CASES, Case, Constrained, explicit_policy, names, policies
from ...tools.support.golden import GoldenFiles
from ...tools.support.pages import page_says


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_path_keeps_to_them_or_not(case: Case, verifier: Verifier) -> None:
    *presented, root = case.made.chain
    found = validate_path(presented, (root,), at=NOW, verifier=verifier)
    assert found.valid is case.holds, found.reason
    assert case.reason in found.reason


def test_the_first_name_that_is_not_admitted_is_told(golden: GoldenFiles) -> None:
    *presented, root = Constrained(lower=[names(["svc"])], san=["c.svc", "b.local", "a.local"]).chain
    found = validate_path(presented, (root,), at=NOW)
    golden.compare_said("certificates", found.reason)


def subtrees(*found: str) -> Subtrees:
    networks = tuple(ip_network(one) for one in found if "/" in one)
    return Subtrees(tuple(one for one in found if "/" not in one), networks)


@pytest.mark.parametrize(
    ("permitted", "excluded", "name", "admitted"),
    [
        # A wildcard stands for names below, a name for itself alone.
        ((), ("a.b.svc",), "b.svc", True),
        ((), ("a.b.svc",), "*.b.svc", False),
        ((), (".b.svc",), "*.b.svc", False),
        ((), ("*.b.svc",), "c.svc", True),
        # It counts as its own name above those.
        ((".svc",), (), "*.svc", False),
        ((".svc",), (), "*.b.svc", True),
        (("svc", "10.0.0.0/8"), (), "a.svc", True),
        # A text that is no name of a host is admitted nowhere where names count.
        *(
            (permitted, excluded, name, False)
            for permitted, excluded in ((("svc",), ()), ((), ("local",)), (("svc",), ("local",)))
            for name in ("", ".", "*.", ".svc", "svc.", ".svc.", "a.*.svc", "*.*.svc", "*")
        ),
        # Nor is it where nothing but addresses does.
        *((("10.0.0.0/8",), (), name, False) for name in ("", ".svc", "svc.", "a..svc", "a svc", "ä.svc", "\x7f")),
        (("10.0.0.0/8",), (), "!.svc~", True),
        # All of a family, and nothing of the other.
        (("0.0.0.0/0",), (), "10.1.2.3", True),
        (("0.0.0.0/0",), (), "fd00::1", False),
        (("0.0.0.0/0", "::/0"), (), "fd00::1", False),
        ((), ("0.0.0.0/0",), "fd00::1", False),
        ((), ("::/0",), "10.1.2.3", False),
        (("10.0.0.0/8", "fd00::/8"), (), "fd00::1", True),
    ],
)
def test_which_names_they_admit(
    permitted: tuple[str, ...], excluded: tuple[str, ...], name: str, admitted: bool
) -> None:
    constraints = NameConstraints(subtrees(*permitted), subtrees(*excluded))
    assert constraints.admits(address_of(name) or name) is admitted
    assert constraints.count == len(permitted) + len(excluded)


def test_an_address_among_dns_names_is_a_name() -> None:
    assert not NameConstraints(subtrees("svc"), subtrees()).admits("10.1.2.3")
    assert NameConstraints(subtrees(), subtrees("10.0.0.0/8")).admits("10.1.2.3")


@pytest.mark.parametrize("more", [0, 1])
def test_names_times_constraints_are_bounded(more: int, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    """The leaf has two parts in its subject and one alternative name."""
    monkeypatch.setattr(paths, "MOST_COMPARISONS", 3 * 2 - more)
    leaf, lower, upper, root = Constrained(lower=[names(["svc", "local"])]).chain
    found = validate_path((leaf, lower, upper), (root,), at=NOW)
    assert found.valid is (not more)
    if more:
        golden.compare_said("certificates", found.reason)


def test_the_bound_is_the_documented_part_of_that_of_openssl() -> None:
    assert page_says(
        "docs/operator.md", f"more than {16 * paths.MOST_COMPARISONS:,}. This collection gives up at a sixteenth"
    )


def test_name_constraints_are_values() -> None:
    """Certificates keep what was read once."""
    found = NameConstraints(subtrees("svc"), subtrees())
    for value in (found, found.permitted):
        for name, content in vars(value).items():
            with pytest.raises(FrozenInstanceError):
                setattr(value, name, content)


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize(
    ("made", "valid"),
    [
        # The names of a leaf are judged when there is one.
        (Constrained(lower=[names(["example.com"])]), True),
        (Constrained(upper=[names(["example.com"])]), True),
        (Constrained(upper=[names(["example.com"])], lower_called="issuing"), False),
        (Constrained(root=[names(["example.com"])], lower_called="issuing.local"), True),
        (Constrained(lower=[names(["<directory>"])]), False),
        # It will have no policies.
        (Constrained(lower=[explicit_policy(2)]), True),
        (Constrained(lower=[explicit_policy(1)]), False),
        (Constrained(upper=[policies("1.2.3")], lower=[explicit_policy(0), policies("1.2.3")]), False),
    ],
)
def test_leaves_that_do_not_exist_yet(made: Constrained, valid: bool, verifier: Verifier) -> None:
    _leaf, lower, upper, root = made.chain
    assert validate_issued_by(lower, (upper,), (root,), at=NOW, verifier=verifier).valid is valid


def test_bounds_of_a_subtree_that_the_library_does_not_tell() -> None:
    """Every verifier refuses them. The bound takes the place of the end of a name, so that the lengths stay as they were."""
    plain = x509.NameConstraints([x509.DNSName("svc"), x509.DNSName("padding")], None)
    bounded = plain.public_bytes().replace(b"\x30\x09\x82\x07padding", b"\x30\x09\x82\x04padd\x80\x01\x05"[:11])
    der = make("x", key(1), extra=[(plain, True)]).certificate.der
    assert plain.public_bytes() in der
    altered = certificate_from_der(der.replace(plain.public_bytes(), bounded))
    assert altered.unprocessed_extensions == ("2.5.29.30",)
