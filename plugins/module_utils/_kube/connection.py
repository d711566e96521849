# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From the connection options and the environment of kubernetes.core to a transport, in the order of kubernetes.core:
the options' other names, their environment variables, and the checks of contradictions.

Each option is used as given, else from K8S_AUTH_*. Host and credentials are used alone if they are enough to log in;
else kubeconfig or context; else the service account of the pod; else the default kubeconfig. Single options win over
loaded values.
"""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from .._errors import OptionsError
from ._kubernetes import (
    ConfigException,
    Configuration,
    KubeConfigLoader,
    KubeConfigMerger,
    YAMLError,
    load_incluster_config,
    urllib3,
)
from .http_transport import HttpTransport
from .oidc import refresh
from .private_files import folder_for_keys, move_into_memory
from .secret_texts import has_login, is_content, may_be_shown

#: Option -> aliases.
ALIASES = {
    "validate_certs": ("verify_ssl",),
    "ca_cert": ("ssl_ca_cert",),
    "client_cert": ("cert_file",),
    "client_key": ("key_file",),
}

#: Option -> environment variable as documented; K8S_AUTH_<OPTION> is read too, as kubernetes.core does.
ENVIRONMENT = {
    "kubeconfig": "K8S_AUTH_KUBECONFIG",
    "context": "K8S_AUTH_CONTEXT",
    "host": "K8S_AUTH_HOST",
    "api_key": "K8S_AUTH_API_KEY",
    "username": "K8S_AUTH_USERNAME",
    "password": "K8S_AUTH_PASSWORD",
    "validate_certs": "K8S_AUTH_VERIFY_SSL",
    "ca_cert": "K8S_AUTH_SSL_CA_CERT",
    "client_cert": "K8S_AUTH_CERT_FILE",
    "client_key": "K8S_AUTH_KEY_FILE",
    "proxy": "K8S_AUTH_PROXY",
    "no_proxy": "K8S_AUTH_NO_PROXY",
    "persist_config": "K8S_AUTH_PERSIST_CONFIG",
    "impersonate_user": "K8S_AUTH_IMPERSONATE_USER",
    "impersonate_groups": "K8S_AUTH_IMPERSONATE_GROUPS",
}
PROXY_HEADERS = ("proxy_basic_auth", "basic_auth", "user_agent")

_SWITCHES = ("validate_certs", "persist_config")
_FILES = ("ca_cert", "client_cert", "client_key")
_FALSE = frozenset({"0", "false", "no", "off", "n", "f"})
#: Option with a URL -> the option for its user name and password: they are not sent from the URL.
_URLS = {"host": "username and password", "proxy": "proxy_headers.proxy_basic_auth"}
_SCHEMES = {"host": ("https", "http"), "proxy": ("http", "https", "socks4", "socks4a", "socks5", "socks5h")}
_EXAMPLES = {"host": "https://kubernetes:6443", "proxy": "http://proxy:3128"}
#: Options whose text is sent in a header as it is.
_IN_HEADERS = ("api_key", "impersonate_user", "impersonate_groups")


def resolve_options(options: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The options in effect, checked. Each option: as given, else from the environment; empty counts as not given.

    Raises OptionsError.
    """
    resolved: dict[str, Any] = {}
    for name in ENVIRONMENT:
        value = _read_option(name, options, environment)
        if value is not None:
            resolved[name] = value
    for name in _SWITCHES:
        if isinstance(resolved.get(name), str):
            resolved[name] = resolved[name].strip().lower() not in _FALSE
    for name in _FILES:
        if name in resolved:
            resolved[name] = os.path.expanduser(str(resolved[name]))
    groups = resolved.get("impersonate_groups", [])
    resolved["impersonate_groups"] = [
        group.strip() for group in (groups.split(",") if isinstance(groups, str) else map(str, groups)) if group.strip()
    ]
    resolved["proxy_headers"] = _proxy_headers(options.get("proxy_headers") or {}, environment)
    _check(resolved)
    return resolved


def _read_option(name: str, options: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    variables = (f"K8S_AUTH_{name.upper()}", ENVIRONMENT[name])
    candidates = [options.get(key) for key in (name, *ALIASES.get(name, ()))]
    candidates += [environment.get(variable) for variable in variables]
    # Surveys send an empty string for a question that was not answered.
    return next((value for value in candidates if value not in (None, "", [], {})), None)


def _proxy_headers(given: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    unknown = sorted(set(given) - set(PROXY_HEADERS))
    if unknown:
        raise OptionsError("proxy_headers", f"has no {', '.join(unknown)}", f"It has {', '.join(PROXY_HEADERS)}.")
    headers = {name: given.get(name) for name in PROXY_HEADERS if given.get(name)}
    if not headers:
        headers = {name: environment.get(f"K8S_AUTH_PROXY_HEADERS_{name.upper()}") for name in PROXY_HEADERS}
    return {name: str(value) for name, value in headers.items() if value}


def _check(options: Mapping[str, Any]) -> None:
    for object, cause, remedy, is_mistake in (
        (
            "{username} and {password}",
            "belong together",
            "Give both.",
            ("username" in options) != ("password" in options),
        ),
        (
            "{api_key} and {username}",
            "are two ways to log in",
            "Give one of them.",
            {"api_key", "username"} <= options.keys(),
        ),
        (
            "{client_key}",
            "is of no use without {client_cert}",
            "Give both.",
            "client_key" in options and "client_cert" not in options,
        ),
        (
            "{impersonate_groups}",
            "needs {impersonate_user}",
            "Give both.",
            options["impersonate_groups"] and "impersonate_user" not in options,
        ),
    ):
        if is_mistake:
            named = {name: f"{name} ({variable})" for name, variable in ENVIRONMENT.items()}
            raise OptionsError(object.format(**named), cause.format(**named), remedy)
    _check_urls(options)
    _check_headers(options)
    _check_paths(options)


def _check_urls(options: Mapping[str, Any]) -> None:
    for name, instead in _URLS.items():
        if has_login(str(options.get(name, ""))):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "contains a user name or password, which would not be sent and could show",
                f"Take it out of the URL, and give it as {instead}.",
            )
        # Libraries differ in which of these characters they leave out.
        if not str(options.get(name, "")).isprintable() or " " in str(options.get(name, "")):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "contains a line break, a space or another character that no URL has",
                "Give it without; the filter trim takes a line break off its end.",
            )
        if name in options and not _is_url(str(options[name]), _SCHEMES[name]):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})", "is no URL", f"Give one such as {_like(name, str(options[name]))}."
            )


def _is_url(value: str, schemes: tuple[str, ...]) -> bool:
    # urlsplit takes a scheme in capital letters.
    if value.partition("://")[0] not in schemes:
        return False
    try:
        parts = urlsplit(value)
        # Only a look at the port shows whether it is a number.
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _like(name: str, value: str) -> str:
    """An example, and the value if it may be shown."""
    if not may_be_shown(value):
        return _EXAMPLES[name]
    completed = value if "://" in value else f"{_SCHEMES[name][0]}://{value}"
    return f"{completed if _is_url(completed, _SCHEMES[name]) else _EXAMPLES[name]}, not {value}"


def _check_headers(options: Mapping[str, Any]) -> None:
    for name in _IN_HEADERS:
        given = options.get(name, ())
        if not all(
            str(text).isascii() and str(text).isprintable() for text in ([given] if isinstance(given, str) else given)
        ):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "contains a line break or another character that cannot be sent in a header",
                "Give it without; the filter trim takes a line break off its end.",
            )


def _check_paths(options: Mapping[str, Any]) -> None:
    kubeconfig = options.get("kubeconfig", {})
    if not isinstance(kubeconfig, Mapping) and is_content(str(kubeconfig)):
        raise OptionsError(
            "kubeconfig (K8S_AUTH_KUBECONFIG)",
            "is content as text",
            "Give the path of a file, or the content as a dictionary, "
            "which the filter ansible.builtin.from_yaml makes of it.",
        )
    for name in _FILES:
        if name in options and is_content(options[name]):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "is content where the path of a file is expected",
                "Write it into a file that "
                "only you can read and give its path, or give a kubeconfig as a dictionary, which can contain it.",
            )
        if name in options and not os.path.isfile(options[name]):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]}):", f"there is no {file_named(options[name])}", "Correct the path."
            )


def file_named(path: str) -> str:
    return f"file {path}" if may_be_shown(path) else "such file (its name is not shown because it could be a key)"


_DEFAULT_KUBECONFIG = "~/.kube/config"
_REMEDY = "Correct kubeconfig or context."
_ATTRIBUTES = {"ca_cert": "ssl_ca_cert", "client_cert": "cert_file", "client_key": "key_file"}


def connect(options: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> HttpTransport:
    """A transport by the options and the environment, by default that of the process; no request is sent yet. Raises
    OptionsError.
    """
    variables = os.environ if environment is None else environment
    resolved = resolve_options(options, variables)
    own = _authorization(resolved)
    # Given credentials stay as they are; an exec plugin, or a change on the disk, may have renewed loaded credentials.
    load_again = None if own or _is_complete(resolved) else lambda: _configuration(resolved, variables)
    try:
        return HttpTransport(
            _configuration(resolved, variables), [*own, *_impersonation(resolved)], load_again=load_again
        )
    except ImportError:
        raise OptionsError(
            "proxy (K8S_AUTH_PROXY, or proxy-url in kubeconfig)",
            "is a SOCKS proxy, which needs the Python library PySocks",
            "Install it, or give an HTTP proxy.",
        ) from None
    except urllib3.exceptions.LocationValueError:
        # The options were checked before. The URL in a kubeconfig is not quoted, because its content is unknown.
        raise OptionsError(
            "The proxy-url in kubeconfig", "is no URL of a proxy", "Give one such as http://proxy:3128."
        ) from None


def identify_server(options: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """The API server by its URL, or by the kubeconfig file and the context in it; without a credential. Raises
    OptionsError.
    """
    resolved = resolve_options(options, environment)
    if "host" in resolved:
        return [str(resolved["host"])]
    paths = str(resolved.get("kubeconfig") or environment.get("KUBECONFIG") or _DEFAULT_KUBECONFIG)
    return [paths, str(resolved.get("context") or _current_context(paths))]


def _current_context(paths: str) -> str:
    """The name of the context; empty if no kubeconfig tells it."""
    try:
        config = KubeConfigMerger(paths).config
        return str(config.safe_get("current-context") or "") if config else ""
    except (ConfigException, OSError, ValueError, KeyError, TypeError, AttributeError, YAMLError):
        return ""


def _configuration(options: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    """The library's configuration for these options, with credentials as they are now. Raises OptionsError."""
    configuration = Configuration()
    if not _is_complete(options):
        _load(configuration, options, environment)
        move_into_memory(configuration)
    _apply_options(configuration, options)
    return configuration


def _is_complete(options: Mapping[str, Any]) -> bool:
    """Whether host and credentials are given. A plain HTTP host (kubectl proxy) needs no credentials, and must get
    none.
    """
    host = str(options.get("host", ""))
    return bool(host) and (host.startswith("http://") or bool({"api_key", "username", "client_cert"} & options.keys()))


def _load(configuration: Any, options: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    kubeconfig = options.get("kubeconfig")
    if isinstance(kubeconfig, Mapping):
        with _understood("The content given as kubeconfig"):
            _load_content(configuration, dict(kubeconfig), options)
        return
    if kubeconfig is None and "context" not in options and _is_in_cluster(configuration):
        return
    _load_file(configuration, str(kubeconfig or environment.get("KUBECONFIG") or _DEFAULT_KUBECONFIG), options)


def _is_in_cluster(configuration: Any) -> bool:
    try:
        load_incluster_config(client_configuration=configuration)
    except ConfigException:
        return False
    return True


def _load_file(configuration: Any, paths: str, options: Mapping[str, Any]) -> None:
    """Load a kubeconfig from a path, or from several as in KUBECONFIG."""
    if not any(os.path.isfile(os.path.expanduser(path)) for path in paths.split(os.pathsep)):
        if "kubeconfig" in options:
            raise OptionsError(
                "kubeconfig (K8S_AUTH_KUBECONFIG):",
                f"there is no {file_named(paths)}",
                "Give the path of a kubeconfig.",
            )
        raise OptionsError(
            "It is not known how to log in to Kubernetes:",
            f"there is no file {paths}, and this is not a pod with a service account",
            "Set kubeconfig (K8S_AUTH_KUBECONFIG), or host and api_key (K8S_AUTH_HOST and "
            "K8S_AUTH_API_KEY), or host, client_cert and client_key.",
        )
    with _understood(f"The kubeconfig {paths}"):
        files = KubeConfigMerger(paths)
        persister = files.save_changes if options.get("persist_config") else None
        _load_content(configuration, files.config, options, persister)


def _load_content(
    configuration: Any, content: Any, options: Mapping[str, Any], persister: Callable[[], None] | None = None
) -> None:
    """Load a kubeconfig. The function ``persister`` writes tokens that a plugin has renewed back to the files.

    The functions of the library that load a file are not used: they write the keys in the file to a disk, and in older
    releases the caller does not choose where.
    """
    _require_context(getattr(content, "value", content), options.get("context"))
    loader = KubeConfigLoader(
        config_dict=content, active_context=options.get("context"), config_base_path=None,
        config_persister=persister, temp_file_path=folder_for_keys(),
    )  # fmt: skip
    loader._refresh_oidc = _refresh_token  # pylint: disable=protected-access
    loader.load_and_set(configuration)


def _require_context(content: Any, wanted: str | None) -> None:
    """Raises ConfigException, with the names of the contexts, if the kubeconfig lacks the wanted context. The error of
    the library does not name them.
    """
    name, contexts = wanted or content.get("current-context"), [one["name"] for one in content.get("contexts") or ()]
    if name and name not in contexts:
        raise ConfigException(f"it has no context {name}; its contexts are: {', '.join(map(str, contexts)) or 'none'}")


def _refresh_token(provider: Any) -> None:
    """Get a new token of the identity provider into the kubeconfig in memory. Raises OptionsError."""
    config = provider["config"]
    config.value.update(refresh(config.value))


@contextmanager
def _understood(what: str) -> Iterator[None]:
    """Turn failures to read a kubeconfig into errors without its content."""
    try:
        with _complaints() as complaints:
            yield
    except ConfigException as error:
        raise OptionsError(what, f"cannot be used: {error}", _REMEDY) from None
    except OSError as error:
        raise OptionsError(what, f"cannot be read ({error.strerror})", _REMEDY) from None
    except (ValueError, KeyError, TypeError, AttributeError, YAMLError):
        # The text of these errors can quote the file.
        raise OptionsError(what, "does not have the form of a kubeconfig", _REMEDY) from None
    if complaints:
        raise OptionsError(what, f"cannot be used to log in: {complaints[0]}", _REMEDY)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Errors that the library only logs: if an exec plugin failed, it would go on without credentials."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    handler = Collector(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield messages
    finally:
        logging.getLogger().removeHandler(handler)


def _apply_options(configuration: Any, options: Mapping[str, Any]) -> None:
    """Apply single options, which win over the kubeconfig."""
    if "host" in options:
        configuration.host = str(options["host"]).rstrip("/")
    if "validate_certs" in options:
        configuration.verify_ssl = bool(options["validate_certs"])
    for option, attribute in _ATTRIBUTES.items():
        if option in options:
            setattr(configuration, attribute, options[option])
    for option in ("proxy", "no_proxy"):
        if option in options:
            setattr(configuration, option, str(options[option]))
    if options["proxy_headers"]:
        configuration.proxy_headers = urllib3.util.make_headers(**options["proxy_headers"])
    if not configuration.verify_ssl:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)


def _authorization(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The header with the given credentials. It stays out of the configuration: hooks of the library would overwrite it
    there with the loaded token.
    """
    if "api_key" in options:
        return [("Authorization", f"Bearer {options['api_key']}")]
    if "username" in options:
        pair = f"{options['username']}:{options['password']}".encode()
        return [("Authorization", f"Basic {base64.b64encode(pair).decode('ascii')}")]
    return []


def _impersonation(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    user = [("Impersonate-User", str(options["impersonate_user"]))] if "impersonate_user" in options else []
    # Each group has a header of its own: the API server does not split at commas.
    groups = [("Impersonate-Group", str(group)) for group in options["impersonate_groups"]]
    installed = version("urllib3")
    if len(groups) > 1 and int(installed.split(".", maxsplit=1)[0]) < 2:
        # Older versions join equal headers into a single header, and the API server would read a single group
        # of that name.
        raise OptionsError(
            f"urllib3 {installed}", "cannot send several impersonate_groups", "Install urllib3 2 or later, or give one."
        )
    return [*user, *groups]
