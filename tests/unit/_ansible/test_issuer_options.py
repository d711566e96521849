# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that the options name."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.issuer_options import issuer_settings
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
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
    ],
)  # fmt: skip
def test_which_issuer_is_asked(options: dict[str, Any] | None, expected: IssuerSettings) -> None:
    assert issuer_settings(options) == expected
