# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests to a node that is to reload, the settings that are set again for it, and the answers that are a refusal."""

from __future__ import annotations

import ast
import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.connect import port_opener_for
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    KafkaUnavailable,
    ReloadImpossible,
    Unavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import reload_request
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import (
    RESTART_INSTEAD,
    ReloadTarget,
    Setting,
    StaticValue,
    read_leaves_outside,
    read_listener_settings,
    reload_by_controllers,
    reload_node,
    strimzi_references,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Reason

from ...broker.clients import LIBRARY_READS_ITS_FILES
from ...tools.operator.podsets import Node
from ...tools.operator.security import ANNOTATION, PLAIN
from ...tools.operator.server_config import server_config
from ...tools.support.golden import GoldenFiles
from .._kube.forwarding import Behaviour, Upgrade, forwarding, options
from .kafka_node import DOMAIN, OFFERED, KafkaDouble, Ports, doors, listening, node_of, operator_context

pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)
SETTINGS = (
    Setting("listener.name.replication-9091.ssl.keystore.certificate.chain", "${strimzisecrets:kafka/a:a.crt}"),
    Setting("listener.name.replication-9091.ssl.keystore.key", "${strimzisecrets:kafka/a:a.key}"),
)
BROKER = ("demo-kafka-0", 9091)
CONTROLLERS = [node_of(number, controller=True) for number in (0, 1, 2)]
MINE, OTHER = ("demo-kafka-0", 9090), ("demo-kafka-1", 9090)
NOT_CONTROLLER = 41


def named(where: tuple[str, int]) -> str:
    """The port of a pod as errors name it."""
    pod, port = where
    return f"Port {port} of Kafka node {pod}"


def reload(nodes: Mapping[tuple[str, int], KafkaDouble], *, controller: bool = False, seconds: float = 60.0) -> None:
    """Reloads node 0, which is a broker unless told otherwise."""
    target = ReloadTarget(node_of(0, controller=controller), CONTROLLERS, DOMAIN)
    with listening(nodes) as ports:
        reload_node(target, SETTINGS, doors(ports), operator_context(), seconds=seconds)


@pytest.mark.parametrize("controller", [False, True])
def test_a_node_without_tls_gets_the_same_request_in_plain(controller: bool) -> None:
    double, where = KafkaDouble(), MINE if controller else BROKER
    with listening({where: double}, has_tls=False) as ports:
        target = ReloadTarget(node_of(0, controller=controller), CONTROLLERS, DOMAIN)
        reload_node(target, SETTINGS, doors(ports), None, seconds=60.0)
    ((_kind, name, configs, _validate),) = asked_of(double)
    assert (name, [one[0] for one in configs]) == ("0", [setting.name for setting in SETTINGS])


def test_a_node_that_speaks_tls_after_all_does_not_answer() -> None:
    double = KafkaDouble()
    with listening({BROKER: double}) as ports, pytest.raises(KafkaUnavailable):
        reload_node(ReloadTarget(node_of(0), CONTROLLERS, DOMAIN), SETTINGS, doors(ports), None, seconds=5.0)
    assert double.asked == []


def asked_of(double: KafkaDouble) -> list[tuple[int, str, list[tuple[str, int, str]], bool]]:
    return [
        (
            one.resource_type,
            one.resource_name,
            [(config.name, config.config_operation, config.value) for config in one.configs],
            request.validate_only,
        )
        for request in double.asked
        for one in request.resources
    ]


#: Resource 4 is a broker or controller, operation 0 is SET (KIP-339).
WANTED = [(4, "0", [(one.name, 0, one.reference) for one in SETTINGS], False)]


def test_a_broker_is_asked_to_set_what_it_has_for_itself_only() -> None:
    double = KafkaDouble()
    reload({BROKER: double})
    assert asked_of(double) == WANTED


def test_the_active_controller_is_asked_once() -> None:
    double = KafkaDouble()
    reload({MINE: double}, controller=True)
    assert asked_of(double) == WANTED


def test_a_request_for_a_controller_goes_to_the_active_controller() -> None:
    mine, active = KafkaDouble(code=NOT_CONTROLLER, active=1), KafkaDouble()
    reload({MINE: mine, OTHER: active}, controller=True)
    assert asked_of(active) == WANTED


def by_controllers(nodes: Mapping[tuple[str, int], KafkaDouble], seconds: float = 60) -> None:
    """Node 0, which is a broker; seconds: for each controller."""
    with listening(nodes) as ports:
        target = ReloadTarget(node_of(0), CONTROLLERS[:2], DOMAIN)
        reload_by_controllers(target, SETTINGS, doors(ports), operator_context(), seconds=seconds)


def test_a_request_that_a_broker_cannot_pass_on_goes_to_the_active_controller() -> None:
    mine, active, broker = KafkaDouble(code=NOT_CONTROLLER, active=1), KafkaDouble(), KafkaDouble()
    by_controllers({MINE: mine, OTHER: active, BROKER: broker})
    assert (asked_of(active), broker.asked) == (WANTED, [])


def test_a_dynamic_value_is_removed_by_the_request_that_sets_others() -> None:
    active = KafkaDouble()
    with listening({MINE: active}) as ports:
        target = ReloadTarget(node_of(0), CONTROLLERS[:1], DOMAIN)
        changes = (*SETTINGS, StaticValue("listener.name.replication-9091.ssl.keystore.key"))
        reload_by_controllers(target, changes, doors(ports), operator_context(), seconds=10)
    ((_type, _name, configs, _validates),) = asked_of(active)
    # Operation 1 is DELETE (KIP-339).
    assert configs == [*WANTED[0][2], ("listener.name.replication-9091.ssl.keystore.key", 1, None)]


def test_a_controller_that_does_not_answer_is_passed_over() -> None:
    active = KafkaDouble()
    by_controllers({MINE: KafkaDouble(hangs_up=True), OTHER: active})
    assert asked_of(active) == WANTED


def test_a_controller_that_hangs_leaves_the_next_its_whole_time() -> None:
    """It is one of the nodes with ended certificates, or on a worker that is lost."""
    active = KafkaDouble()
    by_controllers({MINE: KafkaDouble(raw=b""), OTHER: active}, seconds=2)
    assert asked_of(active) == WANTED


def test_a_refusal_of_a_controller_is_final() -> None:
    other = KafkaDouble()
    with pytest.raises(ReloadImpossible):
        by_controllers({MINE: KafkaDouble(code=40), OTHER: other})
    assert other.asked == []


def test_where_no_controller_answers_the_node_itself_and_the_port_of_each_controller_are_named() -> None:
    with pytest.raises(KafkaUnavailable) as found:
        by_controllers({MINE: KafkaDouble(hangs_up=True), OTHER: KafkaDouble(hangs_up=True)})
    assert found.value.object == "Kafka node demo-kafka-0"
    asked = re.findall(r"Port (\d+) of Kafka node (\S+) ", found.value.cause)
    assert asked == [("9090", "demo-kafka-0"), ("9090", "demo-kafka-1")]


def test_a_cluster_without_a_controller_takes_no_settings() -> None:
    target = ReloadTarget(node_of(0), (), DOMAIN)
    with pytest.raises(KafkaUnavailable, match="has no controller"):
        reload_by_controllers(target, SETTINGS, doors({}), operator_context(), seconds=10)


def test_a_reload_goes_through_the_api_server() -> None:
    """From one pod to the next: the forwarded ports of both."""
    nodes = {MINE: KafkaDouble(code=NOT_CONTROLLER, active=1), OTHER: KafkaDouble()}
    with listening(nodes) as ports, forwarding(to_pods(ports)) as kubelet:
        target = ReloadTarget(node_of(0, controller=True), CONTROLLERS, DOMAIN)
        reload_node(target, SETTINGS, port_opener_for(options(kubelet), "kafka"), operator_context(), seconds=15)
    assert asked_of(nodes[OTHER]) == WANTED


def to_pods(ports: Ports) -> Behaviour:
    def forward(upgrade: Upgrade) -> None:
        found = re.search(r"/pods/([^/]+)/portforward\?ports=(\d+)", upgrade.line)
        assert found
        upgrade.switch()
        upgrade.announce(int(found[2]))
        upgrade.relay(ports[found[1], int(found[2])])

    return forward


REFUSED = {31: "ClusterAuthorizationFailedError", 40: "InvalidConfigurationError", 42: "InvalidRequestError",
           44: "PolicyViolationError", -1: "UnknownError", 999: "UnrecognizedBrokerError"}  # fmt: skip
LATER = {7: "RequestTimedOutError", NOT_CONTROLLER: "NotControllerError"}


@pytest.mark.parametrize(("code", "name"), REFUSED.items())
@pytest.mark.parametrize("controller", [False, True], ids=["broker", "controller"])
def test_a_refusal_is_final_and_says_who_and_why(code: int, name: str, controller: bool) -> None:
    double = KafkaDouble(code=code, message="Not\nreadable.")
    with pytest.raises(ReloadImpossible) as caught:
        reload({MINE if controller else BROKER: double}, controller=controller)
    assert caught.value.object == "Kafka node demo-kafka-0"
    assert caught.value.cause.endswith(f"demo-kafka-0 answers {name} ({code}): Not readable")
    assert caught.value.remedy == RESTART_INSTEAD


@pytest.mark.parametrize("code", LATER, ids=LATER.values())
def test_a_bad_moment_is_no_refusal(code: int, golden: GoldenFiles) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({BROKER: KafkaDouble(code=code)})
    golden.compare_said("rolls", caught.value, LATER[code])


def test_a_controller_that_stops_being_the_active_one_is_a_bad_moment() -> None:
    nodes = {MINE: KafkaDouble(code=NOT_CONTROLLER, active=1), OTHER: KafkaDouble(code=NOT_CONTROLLER, active=2)}
    with pytest.raises(KafkaUnavailable, match="demo-kafka-1 answers NotControllerError"):
        reload(nodes, controller=True)


@pytest.mark.parametrize("active", [-1, 7], ids=["none", "a stranger"])
def test_without_an_active_controller_of_this_cluster_no_node_reloads(active: int, golden: GoldenFiles) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({MINE: KafkaDouble(code=NOT_CONTROLLER, active=active), OTHER: KafkaDouble()}, controller=True)
    golden.compare_said("rolls", caught.value, str(active))


def test_the_active_controller_may_be_away() -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({MINE: KafkaDouble(code=NOT_CONTROLLER, active=1)}, controller=True)
    assert caught.value.object == named(OTHER)
    assert os.strerror(errno.ECONNREFUSED) in caught.value.cause


@pytest.mark.parametrize(
    ("offered", "missing"),
    [
        pytest.param({60: (0, 2)}, "IncrementalAlterConfigsRequest", id="not at all"),
        pytest.param({44: (0, 0), 60: (0, 2)}, "IncrementalAlterConfigsRequest", id="too old"),
        pytest.param({44: (2, 3), 60: (0, 2)}, "IncrementalAlterConfigsRequest", id="too new"),
        pytest.param({44: (0, 1), 60: (0, 0)}, "DescribeClusterRequest", id="controllers cannot be told apart"),
        pytest.param({}, "IncrementalAlterConfigsRequest", id="nothing"),
    ],
)
def test_a_node_that_does_not_speak_it_is_not_asked(offered: dict[int, tuple[int, int]], missing: str) -> None:
    double = KafkaDouble(code=NOT_CONTROLLER, active=1, offered=offered)
    with pytest.raises(ReloadImpossible) as caught:
        reload({MINE: double, OTHER: KafkaDouble()}, controller=True)
    assert caught.value.object == "Kafka node demo-kafka-0"
    assert caught.value.cause.endswith(f"version 1 of {missing}")
    assert len(double.asked) == (44 in offered and offered[44] == OFFERED[44])


@pytest.mark.parametrize("quoted", ["-----BEGIN PRIVATE KEY-----\nMIIE", "Invalid value -----BEGIN CERTIFICATE-----"])
def test_an_answer_that_may_quote_a_key_is_not_shown(quoted: str) -> None:
    with pytest.raises(ReloadImpossible) as caught:
        reload({BROKER: KafkaDouble(code=42, message=quoted)})
    assert str(caught.value).endswith("answers InvalidRequestError (42).")


def test_of_a_long_message_the_beginning_is_told() -> None:
    with pytest.raises(ReloadImpossible) as caught:
        reload({BROKER: KafkaDouble(code=42, message="word " * 1000)})
    assert len(str(caught.value)) < 500


NONSENSE = {
    "an answer to something else": bytes.fromhex("00000006 00000063 0000"),
    "an answer that is too short": bytes.fromhex("00000002 0000"),
    "half an answer": bytes.fromhex("00000008 00000001 0000 0001"),
    "another protocol": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "two answers": bytes.fromhex("0000000a 00000001 0000 00000000") * 2,
}


@pytest.mark.parametrize("raw", NONSENSE.values(), ids=NONSENSE)
def test_a_malformed_answer_of_kafka_is_refused(raw: bytes) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({BROKER: KafkaDouble(raw=raw)}, seconds=2.0)
    assert caught.value.object == named(BROKER)
    assert re.fullmatch("does not answer: [^.]+", caught.value.cause)


@pytest.mark.parametrize("resources", [0, 2])
def test_an_answer_about_something_else_is_no_answer(resources: int) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({BROKER: KafkaDouble(resources=resources)})
    assert caught.value.object == named(BROKER)


@pytest.mark.parametrize("politely", [False, True])
def test_a_node_that_ends_the_connection_has_not_answered(politely: bool) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        reload({BROKER: KafkaDouble(hangs_up=True, politely=politely)})
    assert "ended the connection" in caught.value.cause


def test_room_is_not_made_for_an_answer_that_is_none() -> None:
    with pytest.raises(KafkaUnavailable, match="Invalid frame length"):
        reload({BROKER: KafkaDouble(raw=bytes.fromhex("7fffffff"))})


def test_a_silent_node_is_not_waited_for_for_ever(golden: GoldenFiles) -> None:
    begin = time.monotonic()
    with pytest.raises(KafkaUnavailable) as caught:
        reload({BROKER: KafkaDouble(raw=b"")}, seconds=3)
    golden.compare_said("rolls", caught.value)
    assert time.monotonic() - begin < 60


def test_a_node_that_is_another_one_is_told_nothing() -> None:
    double = KafkaDouble()
    target = ReloadTarget(node_of(1), CONTROLLERS, DOMAIN)
    with (
        listening({BROKER: double}) as ports,
        pytest.raises(KafkaUnavailable) as caught,
    ):
        reload_node(
            target,
            SETTINGS,
            lambda _pod, _port, *, timeout: doors(ports)(*BROKER, timeout=timeout),
            operator_context(),
            seconds=15,
        )
    assert caught.value.object.endswith("demo-kafka-1")
    assert ROWS[Reason.OTHER_NAME].cause in caught.value.cause
    assert double.asked == []


def test_the_error_of_a_port_forward_is_shown(golden: GoldenFiles) -> None:
    def closed(pod: str, port: int, *, timeout: float) -> AbstractContextManager[ByteStream]:
        raise Unavailable(Attempt("get", PODS, "kafka", pod, "portforward"), "no such pod", "Create it.")

    with pytest.raises(KafkaUnavailable) as caught:
        reload_node(ReloadTarget(node_of(0), CONTROLLERS, DOMAIN), SETTINGS, closed, operator_context(), seconds=15)
    golden.compare_said("rolls", caught.value)


# The settings of server.config that are set again so that a node reads its certificates again, and those that never are.

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
def test_without_tls_between_nodes_the_leaves_of_listeners_for_clients_are_left(
    roles: tuple[str, ...], internal: tuple[str, ...], user: tuple[str, ...]
) -> None:
    node = Node("kafka", 0, roles or ("controller", "broker"), POD)
    annotated = {
        **KAFKA,
        "metadata": {**KAFKA["metadata"], "annotations": {f"strimzi.io/{ANNOTATION}": PLAIN.annotation}},
    }
    config, references = server_config(annotated, node, [node]), strimzi_references(ClusterNames("kafka", "demo"), POD)
    found = read_listener_settings(config, references, WHERE, has_tls=False)
    assert [setting.name for setting in found.trust] == []
    assert {setting.name for setting in found.leaf} == {store for listener in user for store in stores(listener)}
    with pytest.raises(ReloadImpossible):
        read_listener_settings(config, references, WHERE)


@pytest.mark.parametrize(
    ("roles", "listeners"),
    [
        pytest.param((), ["open-9094", "tls-9093"], id="combined"),
        pytest.param(("broker",), ["open-9094", "tls-9093"], id="broker"),
        pytest.param(("controller",), [], id="controller"),
    ],
)
def test_outside_is_every_listener_but_the_listener_between_brokers(
    roles: tuple[str, ...], listeners: list[str]
) -> None:
    """Clients first."""
    references = strimzi_references(ClusterNames("kafka", "demo"), POD)
    found = read_leaves_outside(written(*roles), references, WHERE)
    assert [[one.name for one in request if isinstance(one, Setting)] for request in found] == [
        stores(listener) for listener in listeners
    ]


@pytest.mark.parametrize("roles", [(), ("broker",)])
def test_a_broker_resolves_its_leaf_between_brokers_with_no_request(roles: tuple[str, ...]) -> None:
    """A node that has reloaded before would resolve it again, refuse it, and with it the whole request."""
    references = strimzi_references(ClusterNames("kafka", "demo"), POD)
    for request in read_leaves_outside(written(*roles), references, WHERE):
        removed = [one.name for one in request if isinstance(one, StaticValue)]
        assert removed == stores("replication-9091")


@ROLES
def test_a_reload_sets_the_static_text_of_settings_of_the_cluster_ca(
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


def test_a_node_whose_name_begins_like_another_one_is_another_one(golden: GoldenFiles) -> None:
    """demo-kafka-1 is not demo-kafka-10."""
    with pytest.raises(ReloadImpossible) as caught:
        read(written().replace(f"/{POD}:", f"/{POD}0:"))
    golden.compare_said("rolls", caught.value)


def test_a_truststore_of_another_listener_is_not_touched() -> None:
    name = truststore("tls-9093")
    config = written() + f"{name}=${{strimzisecrets:kafka/{POD}:ca.crt}}\n"
    assert read(config) == read(written())


@pytest.mark.parametrize("listener", [*INTERNAL, "tls-9093", "open-9094"])
def test_a_setting_that_is_no_reference_is_refused_and_not_shown(listener: str, golden: GoldenFiles) -> None:
    name = stores(listener)[1]
    values = ("", "-----BEGIN PRIVATE KEY-----", "${a}${b}", "${a", "x${a}", "${a} b", "${strimzisecrets:kafka/demo:\\", "$a")  # fmt: skip
    sentences = set()
    for value in values:
        with pytest.raises(ReloadImpossible) as caught:
            read(written().replace(f"{name}={KEY}", f"{name}={value}"))
        sentences.add(f"{caught.value} {caught.value.remedy}")
    golden.compare_said("rolls", "\n".join(sorted(sentences)), listener)


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
def test_half_a_leaf_is_refused(listener: str, which: int, golden: GoldenFiles) -> None:
    name = stores(listener)[which]
    config = written() + f"{name}=${{strimzisecrets:kafka/mine:tls}}\n"
    with pytest.raises(ReloadImpossible) as caught:
        read(config)
    golden.compare_said("rolls", caught.value, listener)


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


def test_the_library_is_imported_before_threads_send_requests() -> None:
    """Each of its modules that a request imports is one of these."""
    imported = {
        node.module
        for node in ast.walk(ast.parse(Path(reload_request.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("kafka")
    }
    assert imported == set(reload_request.LIBRARY)
    code = f"from {reload_request.__name__} import import_library; import_library(); import sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.split()
    assert imported <= set(found)
