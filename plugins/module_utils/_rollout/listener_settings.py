# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The settings by which a node reads the cluster CA's bundle and its own leaf again (docs/operator.md,
"Who trusts what", "Reload").

In ``server.config`` they are references to Secrets, which the node resolves when it starts. A running node resolves
them again when they are set to the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .._errors import ReloadImpossible
from .._strimzi.names import ClusterNames
from .._strimzi.user_listeners import UserListener

#: Where nodes cannot read a change again.
RESTART_INSTEAD = "Run the flow with spread=restart: it restarts the nodes instead."

_REFERENCE = re.compile(r"\$\{[^\s${}]+\}")
_TRUSTED, _CHAIN, _KEY = "truststore.certificates", "keystore.certificate.chain", "keystore.key"
_STORES = re.compile(rf"listener\.name\.(?P<listener>[^.]+)\.ssl\.(?P<store>{_TRUSTED}|{_CHAIN}|{_KEY})")


@dataclass(frozen=True)
class Setting:
    """A setting and its static text. The text has to be a reference: a key that stands there itself must not be
    passed on.
    """

    name: str
    reference: str

    def __post_init__(self) -> None:
        if not _REFERENCE.fullmatch(self.reference):
            raise ReloadImpossible(
                self.name, "is not a reference of the form ${…} to what is kept elsewhere", RESTART_INSTEAD
            )


@dataclass(frozen=True)
class References:
    """bundle: the whole reference to the CA certificates. own: how every reference to the node's own Secret begins."""

    bundle: str
    own: str


def strimzi_references(scope: ClusterNames, pod: str) -> References:
    """The references as KafkaBrokerConfigurationBuilder writes them."""
    return References(
        f"${{strimzisecrets:{scope.namespace}/{scope.trust_bundle_secret}:{scope.bundle_entry}}}",
        f"${{strimzisecrets:{scope.namespace}/{pod}:",
    )


@dataclass(frozen=True)
class ListenerSettings:
    """trust: the truststores with the cluster CA's bundle. leaf: chain and key of each listener with the node's own."""

    trust: tuple[Setting, ...]
    leaf: tuple[Setting, ...]


def read_listener_settings(config: str, references: References, where: str) -> ListenerSettings:
    """config: text of ``server.config``; where: its name, for messages.

    Listeners with a certificate of the user and truststores of the clients CA are left out: they are not of the cluster
    CA. Raises ReloadImpossible unless every internal listener has a truststore and a leaf, and every listener both
    certificate and key of a leaf or neither.
    """
    properties = _properties(config)
    stores = {name: found for name in properties if (found := _STORES.fullmatch(name))}
    try:
        settings = {name: Setting(name, properties[name]) for name in stores}
    except ReloadImpossible as problem:
        raise ReloadImpossible(f"{where}: {problem.object}", problem.cause, problem.remedy) from None
    trust = [name for name in stores if stores[name]["store"] == _TRUSTED and properties[name] == references.bundle]
    leaf = [
        name for name in stores if stores[name]["store"] != _TRUSTED and properties[name].startswith(references.own)
    ]
    _require_whole_leaves({stores[name]["listener"] for name in leaf}, leaf, where)
    _require_internal(properties, {*trust, *leaf}, where)
    return ListenerSettings(tuple(map(settings.__getitem__, trust)), tuple(map(settings.__getitem__, leaf)))


def read_user_trust(
    config: str, references: References, listeners: Iterable[UserListener], where: str
) -> tuple[Setting, ...]:
    """The truststores of these listeners, which have the bundle of the clients CA. Raises ReloadImpossible where one has another."""
    properties, found = _properties(config), []
    for listener in listeners:
        name = _name(listener.identifier, _TRUSTED)
        if properties.get(name) != references.bundle:
            raise ReloadImpossible(
                f"{where}:", f"{name} does not refer to the Secret that Strimzi keeps for it", RESTART_INSTEAD
            )
        found.append(Setting(name, references.bundle))
    return tuple(found)


def _properties(config: str) -> dict[str, str]:
    """The settings by name; the last one counts where a name is written twice."""
    pairs = (line.partition("=") for line in config.splitlines())
    return {name.strip(): value.strip() for name, _equals, value in pairs}


def _require_whole_leaves(listeners: set[str], leaf: list[str], where: str) -> None:
    """Certificate and key of a listener have to come from the same place: a node would refuse a pair that does not
    belong together, but not every node checks it.
    """
    for listener in sorted(listeners):
        if not {_name(listener, _CHAIN), _name(listener, _KEY)} <= set(leaf):
            raise ReloadImpossible(
                f"{where}:", f"certificate and key of listener {listener} come from different places", RESTART_INSTEAD
            )


def _require_internal(properties: Mapping[str, str], found: set[str], where: str) -> None:
    for listener in _internal(properties, where):
        for store in (_TRUSTED, _CHAIN, _KEY):
            if _name(listener, store) not in found:
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
