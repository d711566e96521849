# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How a running node reads its certificates again: a request sets its settings to the text that they already have
(docs/operator.md, "What each process trusts", "Reload").

In ``server.config`` these settings refer to Secrets. The node resolves them when it starts, and again when they are
set. Its listeners follow within seconds. Its other channels keep the certificates of the start of the process, unless
its version of Kafka has them follow (``_trust/model/channels.py``). Only a handshake shows that a listener has
followed.

The Kafka protocol with one node, broker or controller, runs over a connection of this collection. kafka-python encodes
and decodes the messages; its own client can ask brokers only, over sockets that it opens itself.
"""

from __future__ import annotations

import re
import ssl
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from .._errors import ApiMissing, KafkaUnavailable, KubeError, ReloadImpossible
from .._handshake.tls import ByteStream, Deadline, Opener, TlsStream
from .._strimzi.cluster.specified_listeners import UserListener
from .._strimzi.names import ClusterNames
from .._tls.failures import cause_of
from .._trust.model.listeners import CONTROL_PLANE, REPLICATION
from .admin import node_remedy
from .kafka_pods import Node

if TYPE_CHECKING:
    from .._kube.pod_access import PortOpener

#: The remedy if nodes cannot read a change again.
RESTART_INSTEAD = "Run the flow with spread=restart: it restarts the nodes instead."

_REFERENCE = re.compile(r"\$\{[^\s${}]+\}")
_TRUSTED, _CHAIN, _KEY = "truststore.certificates", "keystore.certificate.chain", "keystore.key"
_STORES = re.compile(rf"listener\.name\.(?P<listener>[^.]+)\.ssl\.(?P<store>{_TRUSTED}|{_CHAIN}|{_KEY})")


@dataclass(frozen=True)
class Setting:
    """A setting and its static text."""

    #: The name of the setting in ``server.config``.
    name: str
    #: Its static text, which has to be a reference of the form ``${…}``: if a key stands there itself, it must not be
    #: passed on.
    reference: str

    def __post_init__(self) -> None:
        if not _REFERENCE.fullmatch(self.reference):
            raise ReloadImpossible(
                self.name, "is not a reference of the form ${…} to what is kept elsewhere", RESTART_INSTEAD
            )


@dataclass(frozen=True)
class StaticValue:
    """A setting without its dynamic value: the node goes by its static text, as it resolved that when it started."""

    #: The name of the setting in ``server.config``.
    name: str


@dataclass(frozen=True)
class References:
    """The references to mounted Secrets in the configuration of a node."""

    #: The whole reference to the CA certificates.
    bundle: str
    #: The beginning of every reference to the node's own Secret.
    node_secret: str


def strimzi_references(scope: ClusterNames, pod: str) -> References:
    """The references as KafkaBrokerConfigurationBuilder writes them."""
    return References(
        f"${{strimzisecrets:{scope.namespace}/{scope.trust_bundle_secret}:{scope.bundle_entry}}}",
        f"${{strimzisecrets:{scope.namespace}/{pod}:",
    )


@dataclass(frozen=True)
class ListenerSettings:
    """The settings of a node with certificates."""

    #: The truststores with the cluster CA's bundle.
    trust: tuple[Setting, ...]
    #: Chain and key of each listener with the node's own leaf.
    leaf: tuple[Setting, ...]


def read_listener_settings(
    config: str, references: References, where: str, *, has_tls: bool = True
) -> ListenerSettings:
    """The settings with certificates in the text of ``server.config``; messages name it by ``where``. If nodes speak
    TLS among each other, ``has_tls`` is true.

    Listeners with a certificate of the user and truststores of the clients CA are left out: they are not of the cluster
    CA. Raises ReloadImpossible unless every internal listener with TLS has a truststore and a leaf, and every listener
    both certificate and key of a leaf or neither.
    """
    properties = _properties(config)
    stores = {name: match for name in properties if (match := _STORES.fullmatch(name))}
    try:
        settings = {name: Setting(name, properties[name]) for name in stores}
    except ReloadImpossible as problem:
        raise ReloadImpossible(f"{where}: {problem.object}", problem.cause, problem.remedy) from None
    trust = [name for name in stores if stores[name]["store"] == _TRUSTED and properties[name] == references.bundle]
    leaf = [
        name
        for name in stores
        if stores[name]["store"] != _TRUSTED and properties[name].startswith(references.node_secret)
    ]
    _require_whole_leaves({stores[name]["listener"] for name in leaf}, leaf, where)
    if has_tls:
        _require_internal(properties, {*trust, *leaf}, where)
    return ListenerSettings(tuple(map(settings.__getitem__, trust)), tuple(map(settings.__getitem__, leaf)))


def read_leaves_outside(
    config: str, references: References, where: str
) -> tuple[tuple[Setting | StaticValue, ...], ...]:
    """The leaf of each listener for clients; none for a node without the broker role. Raises ReloadImpossible.

    If the leaf of the listener between brokers has ended, a node refuses a new leaf for it, and with it everything else
    in the same request. If a node has reloaded before, it has that leaf by a dynamic value, and resolves it again
    with each request. So each request removes that value. If a node has started with the presented leaf, it finds
    nothing to change there.
    """
    properties, settings_by_listener = _properties(config), dict[str, list[Setting]]()
    for setting in read_listener_settings(config, references, where).leaf:
        stores = _STORES.fullmatch(setting.name)
        settings_by_listener.setdefault(stores["listener"] if stores else "", []).append(setting)
    # If a node is no controller, these are settings of its client.
    settings_by_listener.pop(properties["controller.listener.names"].lower(), None)
    between_brokers = settings_by_listener.pop(properties.get("inter.broker.listener.name", "").lower(), [])
    static = tuple(StaticValue(setting.name) for setting in between_brokers)
    return tuple((*settings_by_listener[listener], *static) for listener in sorted(settings_by_listener))


def read_user_trust(
    config: str, references: References, listeners: Iterable[UserListener], where: str
) -> tuple[Setting, ...]:
    """The truststores of these listeners, with the bundle of the clients CA. Raises ReloadImpossible if a listener has
    another truststore.
    """
    properties, truststores = _properties(config), []
    for listener in listeners:
        name = _name(listener.identifier, _TRUSTED)
        if properties.get(name) != references.bundle:
            raise ReloadImpossible(
                f"{where}:", f"{name} does not refer to the Secret that Strimzi keeps for it", RESTART_INSTEAD
            )
        truststores.append(Setting(name, references.bundle))
    return tuple(truststores)


def _properties(config: str) -> dict[str, str]:
    """The settings by name; if a name is written twice, the last value counts."""
    pairs = (line.partition("=") for line in config.splitlines())
    return {name.strip(): value.strip() for name, _equals, value in pairs}


def _require_whole_leaves(listeners: set[str], leaf: list[str], where: str) -> None:
    """Raises ReloadImpossible if certificate and key of a listener come from different places. A node would refuse a
    pair that does not belong together, but not every node checks it.
    """
    for listener in sorted(listeners):
        if not {_name(listener, _CHAIN), _name(listener, _KEY)} <= set(leaf):
            raise ReloadImpossible(
                f"{where}:", f"certificate and key of listener {listener} come from different places", RESTART_INSTEAD
            )


def _require_internal(properties: Mapping[str, str], setting_names: set[str], where: str) -> None:
    for listener in _internal(properties, where):
        for store in (_TRUSTED, _CHAIN, _KEY):
            if _name(listener, store) not in setting_names:
                raise ReloadImpossible(
                    f"{where}:",
                    f"{_name(listener, store)} does not refer to the Secret that Strimzi keeps for it",
                    RESTART_INSTEAD,
                )


def _internal(properties: Mapping[str, str], where: str) -> list[str]:
    """The listeners between nodes. A separate controller serves no brokers."""
    roles = {role.strip() for role in properties.get("process.roles", "").split(",")}
    wanted = ["controller.listener.names", *(["inter.broker.listener.name"] if "broker" in roles else [])]
    missing = [name for name in ("process.roles", *wanted) if not properties.get(name)]
    if missing:
        raise ReloadImpossible(f"{where}:", f"there is no {missing[0]}", RESTART_INSTEAD)
    return [properties[name].lower() for name in wanted]


def _name(listener: str, store: str) -> str:
    return f"listener.name.{listener}.ssl.{store}"


#: The used versions of the two APIs: Kafka has them since 2.4 and 3.7 (KIP-919), in the same form on brokers and
#: controllers.
_ALTER, _DESCRIBE = 1, 1
_BROKER, _SET, _DELETE, _CONTROLLERS = 4, 0, 1, 2
#: Bytes; every answer to these questions is far smaller.
_LONGEST_ANSWER = 1 << 20


@dataclass(frozen=True)
class ReloadAnswer:
    """The answer of Kafka to a request for a change of the configuration."""

    #: Kafka's error code, 0 for none.
    code: int
    #: Kafka's message, which may quote the value of the setting.
    message: str


#: The modules of kafka-python that requests need.
LIBRARY = ("kafka.errors", "kafka.protocol.admin", "kafka.protocol.metadata", "kafka.protocol.parser")


def import_library() -> None:
    """Import the library for requests, before threads send them: threads that import it at the same time may find a
    module of it half imported. Raises ImportError.
    """
    for name in LIBRARY:
        import_module(name)


@contextmanager
def connected(
    opening: Opener, context: ssl.SSLContext | None, host: str, name: str, deadline: Deadline
) -> Iterator[NodeAdmin]:
    """A connection to a node, with a certificate for the name ``host`` if there is TLS; messages name node and port by
    ``name``. Raises KafkaUnavailable.

    Errors inside, of the connection or of an unreadable answer, become KafkaUnavailable as well.
    """
    from kafka.errors import KafkaError

    try:
        with opening(deadline.remaining()) as stream:
            yield NodeAdmin(stream if context is None else TlsStream(stream, context, host, deadline), deadline)
    except KubeError as error:
        raise _unavailable(name, error.clause, error.remedy) from None
    except ssl.SSLError as error:
        raise _unavailable(name, f"it {cause_of(error)}", node_remedy(error)) from None
    except (OSError, KafkaError) as error:
        raise _unavailable(name, _cause(error), "Check that the node is up, and run again.") from None


def _unavailable(name: str, cause: str, remedy: str) -> KafkaUnavailable:
    return KafkaUnavailable(name, f"does not answer: {cause}", remedy)


def _cause(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


class NodeAdmin:
    """Asks one thing at a time. Raises OSError, KubeError, and KafkaError if an answer cannot be read."""

    def __init__(self, stream: ByteStream, deadline: Deadline) -> None:
        from kafka.protocol.parser import KafkaProtocol

        self._stream = stream
        self._deadline = deadline
        self._protocol: Any = KafkaProtocol(client_id="trustops.strimzi", receive_message_max_bytes=_LONGEST_ANSWER)
        self._versions: dict[int, tuple[int, int]] | None = None

    def set_on_node(self, node_id: int, settings: Sequence[Setting | StaticValue]) -> ReloadAnswer:
        """SET and DELETE of the dynamic configuration of this node, all or nothing. Raises ApiMissing."""
        from kafka.protocol.admin import IncrementalAlterConfigsRequest as Request

        resource = Request.AlterConfigsResource
        configs = [
            resource.AlterableConfig(name=setting.name, config_operation=_SET, value=setting.reference)
            if isinstance(setting, Setting)
            else resource.AlterableConfig(name=setting.name, config_operation=_DELETE, value=None)
            for setting in settings
        ]
        wanted = resource(resource_type=_BROKER, resource_name=str(node_id), configs=configs)
        answers = self._ask(Request[_ALTER](resources=[wanted], validate_only=False)).responses
        if [answer.resource_name for answer in answers] != [str(node_id)]:
            raise ConnectionError("it answers another question")
        return ReloadAnswer(answers[0].error_code, answers[0].error_message or "")

    def active_controller(self) -> int:
        """The id of the active controller, as a controller knows it; -1 if there is none. Raises ApiMissing."""
        from kafka.protocol.admin import DescribeClusterRequest

        return int(self._ask(DescribeClusterRequest[_DESCRIBE](endpoint_type=_CONTROLLERS)).controller_id)

    def _ask(self, request: Any) -> Any:
        """Send a request and return its answer. The client reads the node's versions first: if a version is unknown,
        the node ends the connection.
        """
        if self._versions is None:
            from kafka.protocol.metadata import ApiVersionsRequest

            offered = self._exchange(ApiVersionsRequest[0]()).api_keys
            self._versions = {api.api_key: (api.min_version, api.max_version) for api in offered}
        least, most = self._versions.get(request.API_KEY, (0, -1))
        if not least <= request.API_VERSION <= most:
            raise ApiMissing(f"it does not speak version {request.API_VERSION} of {request.name}")
        return self._exchange(request)

    def _exchange(self, request: Any) -> Any:
        self._protocol.send_request(request)
        self._stream.send(self._protocol.send_bytes(), self._deadline.remaining())
        while True:
            data = self._stream.recv(self._deadline.remaining())
            if not data:
                raise ConnectionError("it ended the connection")
            if answers := self._read(data):
                return answers[0][1]

    def _read(self, data: bytes) -> Any:
        """The answers, each with the number of its request; empty if none is complete yet."""
        try:
            return self._protocol.receive_bytes(data)
        except (ValueError, struct.error):
            raise ConnectionError("its answer cannot be read") from None


_NOT_CONTROLLER = 41
#: The longest passed-on part of a message of Kafka, in characters.
_QUOTED = 300


@dataclass(frozen=True)
class ReloadTarget:
    """A node that is to read its certificates again, and the way to it."""

    #: The node that is to reload.
    node: Node
    #: All controllers of the cluster; the active controller takes the request for a separate controller.
    controllers: Sequence[Node]
    #: The domain of the nodes' names in their certificates, ``<cluster>-kafka-brokers.<namespace>.svc``.
    domain: str


def reload_node(
    target: ReloadTarget,
    settings: Sequence[Setting],
    open_port: PortOpener,
    context: ssl.SSLContext | None,
    *,
    seconds: float,
) -> None:
    """Set the settings within so many seconds, and return when Kafka has accepted them; the listeners follow later.

    A broker gets the request on its own port. It checks the new certificates, and refuses certificates that do not
    belong together. For a separate controller there is no such check: the active controller accepts the request. If a
    controller cannot use the certificates, it says so in its log only. Raises ReloadImpossible, KafkaUnavailable.
    """
    reloading = _Reloading(target, settings, open_port, context, Deadline.after(seconds))
    if target.node.broker:
        reloading.on_broker()
    else:
        # The request goes to the node itself first, because it has to be up.
        reloading.on_controller(target.node)


def reload_by_controllers(
    target: ReloadTarget,
    settings: Sequence[Setting | StaticValue],
    open_port: PortOpener,
    context: ssl.SSLContext | None,
    *,
    seconds: float,
) -> None:
    """As ``reload_node``, for a node whose certificate has ended, through the active controller: a broker would pass
    the request on over a new connection to that controller, and the controller refuses the connection. No node checks
    the settings beforehand. One controller after the other gets the request, each with so many seconds, until one of
    them answers. Raises ReloadImpossible, KafkaUnavailable.
    """
    silent: list[str] = []
    for node in target.controllers:
        reloading = _Reloading(target, settings, open_port, context, Deadline.after(seconds))
        try:
            return reloading.on_controller(node)
        except KafkaUnavailable as error:
            silent.append(error.clause)
    cause = f"reached no controller that could take its settings: {'; '.join(silent)}"
    raise _unstable_quorum(target.node, cause if silent else "has no controller that could take its settings")


@dataclass(frozen=True)
class _Reloading:
    #: The node that is to reload, and the way to it.
    target: ReloadTarget
    #: The settings to set again, and the settings that lose their dynamic value, all in one request.
    settings: Sequence[Setting | StaticValue]
    #: Opens a connection to a port of a pod.
    open_port: PortOpener
    #: Settings for TLS as the Cluster Operator; None if nodes speak no TLS among each other.
    context: ssl.SSLContext | None
    #: The end of the attempt, whatever has answered by then.
    deadline: Deadline

    def on_broker(self) -> None:
        with self._connected(self.target.node, REPLICATION) as admin:
            answer = self._set(admin)
        self._judge(answer, self.target.node)

    def on_controller(self, node: Node) -> None:
        """Send the request to this controller. If another controller is active, send the request there."""
        with self._connected(node, CONTROL_PLANE) as admin:
            answer = self._set(admin)
            active = self._active(admin) if answer.code == _NOT_CONTROLLER else node
        if active is not node:
            with self._connected(active, CONTROL_PLANE) as admin:
                answer = self._set(admin)
        self._judge(answer, active)

    def _connected(self, node: Node, port: int) -> AbstractContextManager[NodeAdmin]:
        def opening(timeout: float) -> AbstractContextManager[ByteStream]:
            return self.open_port(node.pod, port, timeout=timeout)

        host = f"{node.pod}.{self.target.domain}"
        return connected(opening, self.context, host, f"Port {port} of Kafka node {node.pod}", self.deadline)

    def _set(self, admin: NodeAdmin) -> ReloadAnswer:
        try:
            return admin.set_on_node(self.target.node.node_id, self.settings)
        except ApiMissing as missing:
            self._refuse(str(missing))

    def _active(self, admin: NodeAdmin) -> Node:
        try:
            active = admin.active_controller()
        except ApiMissing as missing:
            self._refuse(str(missing))
        active_controllers = [node for node in self.target.controllers if node.node_id == active]
        if not active_controllers:
            raise _unstable_quorum(self.target.node, f"knows no active controller of this cluster (it says {active})")
        return active_controllers[0]

    def _judge(self, answer: ReloadAnswer, asked_node: Node) -> None:
        from kafka.errors import for_code

        if answer.code == 0:
            return
        error = for_code(answer.code)
        cause = f"{asked_node.pod} answers {error.__name__} ({answer.code}){_quoted(answer.message)}"
        if error.retriable:
            raise _unstable_quorum(self.target.node, f"did not take its settings: {cause}")
        self._refuse(cause)

    def _refuse(self, cause: str) -> NoReturn:
        raise ReloadImpossible(
            f"Kafka node {self.target.node.pod}",
            f"does not read its certificates again: {cause}",
            RESTART_INSTEAD,
        )


def _unstable_quorum(node: Node, what: str) -> KafkaUnavailable:
    return KafkaUnavailable(f"Kafka node {node.pod}", what, "Wait for a stable quorum, and run again.")


def _quoted(message: str) -> str:
    """The message of Kafka, left out if it may contain a key or a certificate: nodes quote unreadable text."""
    text = " ".join(message.split()).rstrip(".")
    return f": {text[:_QUOTED]}" if text and "-----" not in text else ""
