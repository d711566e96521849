# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that the options name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.issuer_options import (
    issuer_settings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)


def given(**options: Any) -> dict[str, Any]:
    """As Ansible hands them over: with their defaults."""
    known = FLOW.options["issuer"]["options"]
    return {**{name: spec.get("default") for name, spec in known.items()}, **options}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(None, ExternalIssuer(), id="nobody is named"),
        pytest.param(given(), ExternalIssuer(), id="the default"),
        pytest.param(given(type="external", name="corporate"), ExternalIssuer(), id="people"),
        pytest.param(given(type="cert_manager", name="corporate"), CertManagerIssuer("corporate"), id="an Issuer"),
        pytest.param(
            given(type="cert_manager", name="aws", kind="AWSPCAClusterIssuer", group="awspca.cert-manager.io"),
            CertManagerIssuer("aws", "AWSPCAClusterIssuer", "awspca.cert-manager.io"), id="of another group",
        ),
        pytest.param(
            given(type="cert_manager", name="corporate", resource="Certificate", validity_days=90, renew_before_days=30),
            CertManagerCertificates(CertManagerIssuer("corporate"), timedelta(days=90), timedelta(days=30)), id="by Certificates",
        ),
    ],
)  # fmt: skip
def test_which_issuer_is_asked(options: dict[str, Any] | None, expected: IssuerSettings) -> None:
    assert issuer_settings(options) == expected


@pytest.mark.parametrize(("validity", "renew_before"), [(30, 30), (30, 45), (30, 0), (0, 0), (30, -1)])
def test_a_renewal_that_would_never_end_is_refused(validity: int, renew_before: int) -> None:
    options = given(
        type="cert_manager",
        name="corporate",
        resource="Certificate",
        validity_days=validity,
        renew_before_days=renew_before,
    )
    with pytest.raises(OptionsError, match="renew_before_days"):
        issuer_settings(options)


def test_a_life_that_no_date_can_end_is_refused() -> None:
    options = given(type="cert_manager", name="corporate", resource="Certificate", validity_days=10**12)
    with pytest.raises(IssuerOptionsError, match="validity_days is 1000000000000"):
        issuer_settings(options)
