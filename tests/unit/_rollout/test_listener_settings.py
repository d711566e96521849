# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of server.config that are set anew so that a node reads its certificates again, and those that never are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ReloadImpossible
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload import (
    Setting,
    read_listener_settings,
    strimzi_references,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ...operator.podsets import Node
from ...operator.server_config import server_config

POD = "demo-kafka-0"
WHERE = f"ConfigMap kafka/{POD}"
BUNDLE = "${strimzisecrets:kafka/demo-trustbundle:cluster-ca.crt}"
CHAIN, KEY = f"${{strimzisecrets:kafka/{POD}:{POD}.crt}}", f"${{strimzisecrets:kafka/{POD}:{POD}.key}}"
INTERNAL = ("controlplane-9090", "replication-9091")
LISTENERS = [
    {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}},
    {"name": "open", "port": 9094, "type": "internal", "tls": True},
    {"name": "plain", "port": 9092, "type": "internal", "tls": False},
]
KAFKA: dict[str, Any] = {
    "metadata": {"name": "demo", "namespace": "kafka"},
    "spec": {"kafka": {"listeners": LISTENERS}},
}


def written(*roles: str) -> str:
    """The server.config that the operator double writes; for a combined node unless told otherwise."""
    node = Node("kafka", 0, roles or ("controller", "broker"), POD)
    return server_config(KAFKA, node, [node])


def read(config: str) -> Any:
    return read_listener_settings(config, strimzi_references(ClusterNames("kafka", "demo"), POD), WHERE)


def stores(listener: str) -> list[str]:
    return [f"listener.name.{listener}.ssl.{store}" for store in ("keystore.certificate.chain", "keystore.key")]


def truststore(listener: str) -> str:
    return f"listener.name.{listener}.ssl.truststore.certificates"


ROLES = pytest.mark.parametrize(
    ("roles", "internal", "user"),
    [
        pytest.param((), INTERNAL, ("tls-9093", "open-9094"), id="combined"),
        pytest.param(("broker",), INTERNAL, ("tls-9093", "open-9094"), id="broker"),
        pytest.param(("controller",), INTERNAL[:1], (), id="controller"),
    ],
)


@ROLES
def test_what_is_set_is_the_static_text_of_what_is_of_the_cluster_ca(
    roles: tuple[str, ...], internal: tuple[str, ...], user: tuple[str, ...]
) -> None:
    found = read(written(*roles))
    assert [(one.name, one.reference) for one in found.trust] == [(truststore(name), BUNDLE) for name in internal]
    wanted = [pair for name in (*internal, *user) for pair in zip(stores(name), (CHAIN, KEY), strict=True)]
    assert [(one.name, one.reference) for one in found.leaf] == wanted


def test_the_truststore_of_the_clients_ca_is_not_touched() -> None:
    config = written()
    assert truststore("tls-9093") in config
    assert truststore("tls-9093") not in {one.name for one in read(config).trust}


def test_a_listener_with_a_certificate_of_the_user_is_not_touched() -> None:
    config = (
        written()
        .replace(CHAIN, "${strimzisecrets:kafka/mine:tls.crt}")
        .replace(KEY, "${strimzisecrets:kafka/mine:tls.key}")
    )
    for listener in INTERNAL:
        for name, own in zip(stores(listener), (CHAIN, KEY), strict=True):
            config += f"{name}={own}\n"
    assert {one.name for one in read(config).leaf} == {name for listener in INTERNAL for name in stores(listener)}


def test_a_node_whose_name_begins_like_another_one_is_another_one() -> None:
    """demo-kafka-1 is not demo-kafka-10."""
    with pytest.raises(ReloadImpossible, match="does not refer to the Secret"):
        read(written().replace(f"/{POD}:", f"/{POD}0:"))


def test_a_truststore_of_something_else_is_not_touched_whoever_it_belongs_to() -> None:
    name = truststore("tls-9093")
    config = written() + f"{name}=${{strimzisecrets:kafka/{POD}:ca.crt}}\n"
    assert read(config) == read(written())


@pytest.mark.parametrize("listener", [*INTERNAL, "tls-9093", "open-9094"])
@pytest.mark.parametrize(
    "value",
    ["", "-----BEGIN PRIVATE KEY-----", "${a}${b}", "${a", "x${a}", "${a} b", "${strimzisecrets:kafka/demo:\\", "$a"],
)
def test_what_is_no_reference_is_refused_and_not_shown(listener: str, value: str) -> None:
    name = stores(listener)[1]
    config = written().replace(f"{name}={KEY}", f"{name}={value}")
    with pytest.raises(ReloadImpossible) as caught:
        read(config)
    assert str(caught.value) == f"{WHERE}: {name} is not a reference of the form ${{…}} to what is kept elsewhere."
    assert "spread=restart" in caught.value.remedy


@given(st.text() | st.builds("${{{}}}".format, st.text()))
def test_no_setting_holds_anything_but_one_reference(value: str) -> None:
    try:
        setting = Setting("listener.name.tls-9093.ssl.keystore.key", value)
    except ReloadImpossible:
        return
    assert setting.reference.startswith("${")
    assert setting.reference.count("${") == setting.reference.count("}") == 1
    assert "\n" not in setting.reference
    assert setting.reference.endswith("}")


@pytest.mark.parametrize("listener", INTERNAL)
@pytest.mark.parametrize("store", ["truststore.certificates", "keystore.certificate.chain", "keystore.key"])
@pytest.mark.parametrize(
    "value", [None, "${strimzisecrets:kafka/other:ca.crt}", "${strimzisecrets:kafka/demo-trustbundle:clients-ca.crt}"]
)
def test_an_internal_listener_of_something_else_is_not_reloaded_in_part(
    listener: str, store: str, value: str | None
) -> None:
    name = f"listener.name.{listener}.ssl.{store}"
    lines = [line for line in written().splitlines() if not line.startswith(f"{name}=")]
    with pytest.raises(ReloadImpossible, match=f"{WHERE}: .*{listener}"):
        read("\n".join([*lines, *([f"{name}={value}"] if value else [])]))


@pytest.mark.parametrize("listener", ["tls-9093", "open-9094"])
@pytest.mark.parametrize("which", [0, 1])
def test_half_a_leaf_is_refused(listener: str, which: int) -> None:
    name = stores(listener)[which]
    config = written() + f"{name}=${{strimzisecrets:kafka/mine:tls}}\n"
    with pytest.raises(
        ReloadImpossible, match=f"{WHERE}: certificate and key of listener {listener} come from different"
    ):
        read(config)


@pytest.mark.parametrize("name", ["process.roles", "controller.listener.names", "inter.broker.listener.name"])
def test_a_node_of_which_it_is_not_said_how_it_speaks_to_others_is_refused(name: str) -> None:
    config = "\n".join(line for line in written().splitlines() if not line.startswith(f"{name}="))
    with pytest.raises(ReloadImpossible, match=f"{WHERE}: there is no {name}"):
        read(config)


def test_comments_blanks_and_what_is_written_twice() -> None:
    """As Java reads properties."""
    name = truststore("replication-9091")
    noise = f"#{name}=secret\n! {name}=secret\n\n   \nno equals sign\n  {name} = {BUNDLE}  \n"
    assert read(written().replace(f"{name}={BUNDLE}\n", f"{name}=secret\n") + noise) == read(written())
