# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From connection options to a client (tests replace this module), and the texts that results, messages and logs hide,
in every form in which they could appear.

Hiding is the last net: no code puts a secret into a result, message or diff in the first
place (docs/calls.md, "Secrecy").
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._errors import OptionsError
from .._kube.client import KubeClient
from .._kube.connection import connect
from .._kube.secret_texts import is_content, may_be_shown, without_logins
from .._strimzi.secret_data import entries
from .arguments import AUTH

if TYPE_CHECKING:
    from .._kube.http_transport import HttpTransport
    from .._kube.pod_access import CommandRunner, PortOpener
    from .._strimzi.cluster.observe import Observation
    from .._strimzi.names import ClusterNames


#: The text that Ansible itself writes in place of an option.
NOT_SHOWN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
#: Ansible hides a value wherever it occurs, within words too: a password "s" would make every "strimzi" unreadable, and
#: nothing shorter than this is worth that.
SHORTEST_HIDDEN = 8

#: The last is the content of a backup.
_SECRET_SUFFIXES = (".key", ".password", ".p12", ".json.gz")
_SENSITIVE = frozenset({"token", "password", "client-key-data"})
_OWN_SECRETS = frozenset({"api_key", "password", "private_key", "proxy_basic_auth", "basic_auth", "token"})
_OWN_PATHS = ("kubeconfig", "ca_cert", "ssl_ca_cert", "client_cert", "cert_file", "client_key", "key_file")
#: Names of objects are in every result; a Secret with such a name as its password has no password worth hiding.
_OWN_NAMES = ("cluster", "namespace")
_PEM = re.compile(r"-----BEGIN.*?(?:-----END [A-Z0-9 ]*-----|$)", re.DOTALL)


def forms_of(content: bytes) -> Iterator[str]:
    """The text, stripped, in base64, and line by line."""
    text = content.decode("latin-1")
    yield from (text, text.strip(), base64.b64encode(content).decode("ascii"))
    yield base64.b64encode(text.strip().encode("latin-1")).decode("ascii")
    yield from (line for line in text.splitlines() if len(line) > 20 and "-----" not in line)


def secrets_of(observation: Observation) -> Iterator[str]:
    """Every form of every key and password in the Secrets that were read, and of keys that an issuer has made."""
    for key in observation.issued_keys.values():
        yield from forms_of(key.reveal())
    for secret in observation.secrets.values():
        for name, content in entries(secret).items():
            if name.endswith(_SECRET_SUFFIXES) and content:
                yield from forms_of(content)


def credentials_of(spec: Mapping[str, Any]) -> frozenset[str]:
    """The names of the options, at any depth of an argument spec, that are credentials. A path of a file, or a
    kubeconfig, is no credential as a whole.
    """
    return _OWN_SECRETS | frozenset(_unlogged(spec)) - frozenset(_OWN_PATHS)


def _unlogged(spec: Mapping[str, Any]) -> Iterator[str]:
    for name, facts in spec.items():
        if facts.get("no_log"):
            yield name
        yield from _unlogged(facts.get("options") or {})


def worth_hiding(values: Iterable[str], options: Mapping[str, Any], credentials: frozenset[str]) -> set[str]:
    """The values that Ansible is to hide, among the values that it or this collection found.

    Ansible adds every text of an option that is not logged, such as the ``v1`` of a kubeconfig or the path of a file.
    """
    harmless = {text for name in (*_OWN_PATHS, *_OWN_NAMES) for text in _texts(options.get(name))}
    secret = {text for name in credentials for text in _texts(options.get(name))}
    secret |= {text for name in credentials for text in _texts(list(_values_of(name, options.get("issuer"))))}
    secret |= set(_credentials(options.get("kubeconfig")))
    return {text for text in (set(values) - harmless) | secret if len(text.strip()) >= SHORTEST_HIDDEN}


def presentable(options: Mapping[str, Any], credentials: frozenset[str]) -> dict[str, Any]:
    """The options of a call as its result repeats them: without any credential, whatever option it was written into."""
    return {
        name: _presentable(name, value, credentials)
        for name, value in options.items()
        if not name.startswith("_ansible_")
    }


def _presentable(name: str, value: Any, credentials: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        # A kubeconfig contains credentials in too many ways to tell them from the rest.
        if name == "kubeconfig":
            return NOT_SHOWN
        return {key: _presentable(key, inner, credentials) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_presentable(name, inner, credentials) for inner in value]
    if not isinstance(value, str):
        return value
    secret = name in credentials or "PRIVATE KEY" in value
    if value and (secret or (name in _OWN_PATHS and not may_be_shown(value))):
        return NOT_SHOWN
    return without_logins(value, "********")


def without_contents(message: str, options: Mapping[str, Any]) -> str:
    """A message without PEM, without the values of options that are content, and without names of users that have a
    password.
    """
    contents = {text for value in options.values() for text in _texts(value) if is_content(text)}
    for text in sorted(contents, key=len, reverse=True):
        for form in (text, text.strip(), repr(text)[1:-1]):
            if len(form) >= SHORTEST_HIDDEN:
                message = message.replace(form, "(hidden)")
    return without_logins(_PEM.sub("(hidden)", message), "(hidden)")


def without_exec_values(message: str, kubeconfig: Any) -> str:
    """A message without arguments and variables of an exec plugin, which may quote them when it fails. They are hidden
    here only: the name of a cluster is often among them.
    """
    values = {text for exec_ in _values_of("exec", kubeconfig) for text in _exec_values(exec_)}
    for text in sorted(values, key=len, reverse=True):
        message = message.replace(text, "(hidden)")
    return message


def _exec_values(exec_: Any) -> Iterator[str]:
    if isinstance(exec_, Mapping):
        variables = [variable.get("value") for variable in exec_.get("env") or () if isinstance(variable, Mapping)]
        for text in _texts([exec_.get("args"), variables]):
            yield from (part for part in (text, text.partition("=")[2]) if len(part) > 3)


def _credentials(kubeconfig: Any) -> Iterator[str]:
    """Credentials inside a kubeconfig that was given as a dictionary. Providers have their own names for tokens."""
    for name in _SENSITIVE:
        yield from _texts(list(_values_of(name, kubeconfig)))
    yield from (text for provider in _values_of("auth-provider", kubeconfig) for text in _provided(provider))


def _provided(provider: Any) -> Iterator[str]:
    config = provider.get("config") if isinstance(provider, Mapping) else None
    for name, value in config.items() if isinstance(config, Mapping) else ():
        if any(word in str(name) for word in ("token", "secret", "password")):
            yield from _texts(value)


def _values_of(name: str, value: Any) -> Iterator[Any]:
    """The values of all entries with this name, at any depth."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == name:
                yield inner
            else:
                yield from _values_of(name, inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _values_of(name, inner)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def client_for(options: Mapping[str, Any], warn: Callable[[str], None]) -> KubeClient:
    """A client of the API server that these options name. The function ``warn`` takes each sentence about an unsafe
    connection. Raises OptionsError.
    """
    transport = _connected(options)
    for caution in transport.cautions:
        warn(caution)
    return KubeClient(transport)


def opener_for(params: Mapping[str, Any], client: KubeClient, scope: ClusterNames) -> PortOpener:
    """Opens ports of pods in the way that the options say. Raises KubeError, OptionsError."""
    if params.get("pod_access") == "direct":
        return direct_opener_for(client, scope)
    return port_opener_for(connection_options(params), scope.namespace)


def connection_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options about the connection, of all that a module has."""
    return {name: params.get(name) for name in AUTH.options}


def direct_opener_for(client: KubeClient, scope: ClusterNames) -> PortOpener:
    """Opens ports of the cluster's pods by their addresses. Raises KubeError."""
    # Imported only if the options want direct access.
    from .._kube.pod_access import DirectPorts

    return DirectPorts(client, scope.namespace, scope.selector)


def port_opener_for(options: Mapping[str, Any], namespace: str) -> PortOpener:
    """Opens ports of pods through the API server. Raises OptionsError."""
    # Imported only when a look is taken, because most calls take none.
    from .._kube.pod_access import open_port

    return partial(open_port, _connected(options), namespace)


def runner_for(params: Mapping[str, Any], namespace: str) -> CommandRunner:
    """Runs commands in containers of pods through the API server. Raises OptionsError."""
    # Imported only if nodes restart in place.
    from .._kube.pod_access import run_command

    return partial(run_command, _connected(connection_options(params)), namespace)


def _connected(options: Mapping[str, Any]) -> HttpTransport:
    """A transport by these options. Raises OptionsError, whose text can come from an exec plugin, which quotes its own
    arguments: they are hidden here.
    """
    try:
        return connect(options)
    except OptionsError as error:
        cause = without_exec_values(error.cause, options.get("kubeconfig"))
        raise OptionsError(error.object, cause, error.remedy) from None
