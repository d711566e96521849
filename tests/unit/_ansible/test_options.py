# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that options give: the issuer, the source of CAs, and the CAs that are confirmed."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import KINDS
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultAppRole,
    VaultIssuer,
    VaultTokenSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Surroundings
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import WantedTrust

from ...tools.support.golden import GoldenFiles

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def issuer_settings(options: dict[str, Any] | None) -> IssuerSettings:
    return FLOW.read(Settings, {"issuer": options}, NOW).issuer


def source_of(options: dict[str, Any]) -> CaSourceReference | None:
    return FLOW.read(Surroundings, options, NOW).source


def confirmed_of(options: dict[str, Any]) -> frozenset[str]:
    return FLOW.read(WantedTrust, options, NOW).confirmed_roots


def given(**options: Any) -> dict[str, Any]:
    """As Ansible hands them over: with their defaults."""
    known = FLOW.options["issuer"]["options"]
    return {**{name: spec.get("default") for name, spec in known.items()}, **options}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(None, ExternalIssuer(), id="no options"),
        pytest.param(given(), ExternalIssuer(), id="the default"),
        pytest.param(given(type="external", name="", url=""), ExternalIssuer(), id="what is empty is not given"),
        pytest.param(
            given(type="cert_manager", name="corporate", kind="", group=""), CertManagerIssuer("corporate"), id="nor is an empty kind or group"
        ),
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
    with pytest.raises(OptionsError, match="validity_days is 1000000000000"):
        issuer_settings(options)


VAULT = {"type": "vault", "name": "kafka-2026", "url": "https://vault", "role": "kafka"}
#: The kinds of issuers that have a name.
NAMED = " or ".join(kind.name for kind in KINDS if "name" in kind.options)
CERT_MANAGER = {"type": "cert_manager", "name": "corporate"}
BY_TOKEN = dict.fromkeys(FLOW.options["issuer"]["options"]["login"]["options"]) | {"type": "token", "token": "t"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"name": "corporate", "kind": "ClusterIssuer"},
            f"name counts with type={NAMED} only, and type is external. Give the type that is meant, or leave name out.",
        ),
        (
            {"kind": "ClusterIssuer"},
            "kind counts with type=cert_manager only, and type is external. Give the type that is meant, or leave kind out.",
        ),
        (
            {**CERT_MANAGER, "role": "kafka"},
            "role counts with type=vault only, and type is cert_manager. Give the type that is meant, or leave role out.",
        ),
        (
            {**CERT_MANAGER, "mount": "pki-2"},
            "mount counts with type=vault only, and type is cert_manager. Give the type that is meant, or leave mount out.",
        ),
        (
            {**VAULT, "login": BY_TOKEN, "group": "awspca.cert-manager.io"},
            "group counts with type=cert_manager only, and type is vault. Give the type that is meant, or leave group out.",
        ),
        (
            {**CERT_MANAGER, "validity_days": 90},
            "validity_days counts with resource=Certificate of cert_manager only. "
            "Give this type and resource, or leave validity_days out.",
        ),
        ({**CERT_MANAGER, "name": ""}, "name is empty. Name the issuer, as cert_manager needs it."),
        ({**VAULT, "url": ""}, "url is empty. Name the issuer, as vault needs it."),
        (
            {**VAULT, "login": BY_TOKEN, "name": "default"},
            "'default' may be another issuer of the mount tomorrow. Give the name or the id of the issuer, as "
            "vault list -detailed <mount>/issuers shows it.",
        ),
    ],
)
def test_options_of_another_issuer_are_refused(options: dict[str, Any], message: str) -> None:
    """Above all a type that was forgotten: requests would wait for a person, and the user would not know."""
    with pytest.raises(OptionsError) as caught:
        issuer_settings(given(**options))
    assert f"{caught.value} {caught.value.remedy}" == f"issuer: {message}"


def test_a_secret_is_named_for_a_token() -> None:
    login = {**BY_TOKEN, "token": None, "token_from": {"secret": "vault-token", "key": "token", "namespace": None}}
    settings = issuer_settings(given(**VAULT, login=login))
    assert isinstance(settings, VaultIssuer)
    assert settings.login == VaultTokenSecret("vault-token")


def test_credentials_of_another_login_are_refused_and_not_quoted(golden: GoldenFiles) -> None:
    login = {**BY_TOKEN, "role_id": "the role", "secret_id": "the secret"}
    with pytest.raises(OptionsError) as caught:
        issuer_settings(given(**VAULT, login=login))
    golden.compare_said("calls", caught.value)


@pytest.mark.parametrize(
    ("login", "name"),
    [
        ({"token": ""}, "token"),
        ({"token": " \n"}, "token"),
        ({"type": "approle", "token": None, "role_id": "", "secret_id": "s"}, "role_id"),
        ({"type": "kubernetes", "token": None, "role": "", "jwt": "j"}, "role"),
        ({"type": "kubernetes", "token": None, "role": "r", "jwt": ""}, "jwt"),
    ],
)
def test_a_credential_that_is_empty_is_refused(login: dict[str, Any], name: str, golden: GoldenFiles) -> None:
    """As where a lookup finds no variable: Vault would be asked without a token, and say that its policies permit nothing."""
    with pytest.raises(OptionsError) as caught:
        issuer_settings(given(**VAULT, login={**BY_TOKEN, **login}))
    golden.compare_said("calls", caught.value, name)


def test_an_approle_may_need_no_secret() -> None:
    login = {**BY_TOKEN, "type": "approle", "token": None, "role_id": "r", "secret_id": ""}
    settings = issuer_settings(given(**VAULT, login=login))
    assert isinstance(settings, VaultIssuer)
    assert settings.login == VaultAppRole("r", "")


# The object that the options name, and the CAs that they confirm.

DIGEST = "ab" * 32


def test_missing_options_about_a_source_are_none() -> None:
    assert source_of({"namespace": "kafka", "ca_source": None}) is None
    assert confirmed_of({"confirm_roots": None}) == frozenset()


@pytest.mark.parametrize(("given", "namespace"), [(None, "kafka"), ("certs", "certs")])
def test_which_object_it_is(given: str | None, namespace: str) -> None:
    options = {"kind": "ConfigMap", "name": "roots", "namespace": given, "key": "bundle.pem"}
    found = source_of({"namespace": "kafka", "ca_source": options})
    assert found == CaSourceReference("ConfigMap", namespace, "roots", "bundle.pem")


@pytest.mark.parametrize("text", [DIGEST, DIGEST.upper(), ":".join(["AB"] * 32), f" {DIGEST}\n"])
def test_fingerprints_as_people_have_them(text: str) -> None:
    assert confirmed_of({"confirm_roots": [text]}) == frozenset({DIGEST})


@pytest.mark.parametrize("text", ["", "ab" * 20, DIGEST[:-1], f"{DIGEST}0", "yes", f"SHA256={DIGEST}"])
def test_confirm_roots_refuses_texts_other_than_sha_256(text: Any, golden: GoldenFiles) -> None:
    with pytest.raises(OptionsError) as caught:
        confirmed_of({"confirm_roots": [DIGEST, text]})
    golden.compare_said("calls", str(caught.value).replace(repr(text.lower()), "<text>"))
