# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From the options and environment of kubernetes.core to a transport, in its order.

Each option is used as given, else from K8S_AUTH_*. Host and credentials are used alone where they are enough to log in;
else kubeconfig or context; else the service account of the pod; else the default kubeconfig. Single options win over
those that were loaded.
"""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from typing import Any

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
from .key_files import folder_for_keys, move_into_memory
from .options import file_named, may_be_shown, resolve_options

_DEFAULT_KUBECONFIG = "~/.kube/config"
_REMEDY = "Correct kubeconfig or context."
_ATTRIBUTES = {"ca_cert": "ssl_ca_cert", "client_cert": "cert_file", "client_key": "key_file"}


def connect(options: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> HttpTransport:
    """A transport; no request is sent yet. environment: of the process by default. Raises OptionsError."""
    variables = os.environ if environment is None else environment
    resolved = resolve_options(options, variables)
    own = _authorization(resolved)
    # Given credentials stay as they are; what was loaded may have been renewed, by an exec plugin or on the disk.
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
        # Options have been looked at; it is not quoted, because its content is unknown.
        raise OptionsError(
            "The proxy-url in kubeconfig", "is no URL of a proxy", "Give one such as http://proxy:3128."
        ) from None


def _configuration(options: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    """The library's configuration for these options, with credentials as they are now. Raises OptionsError."""
    configuration = Configuration()
    if not _is_complete(options):
        _load(configuration, options, environment)
        move_into_memory(configuration)
    _override(configuration, options)
    return configuration


def _is_complete(options: Mapping[str, Any]) -> bool:
    """Whether host and credentials are given; a plain HTTP host (kubectl proxy) needs none, and must be sent none."""
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
    """paths: one, or several as in KUBECONFIG."""
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
    """persister: writes tokens that a plugin has renewed back to the files.

    The functions of the library that load a file write the keys in it to a disk, in its older releases without asking where.
    """
    loader = KubeConfigLoader(
        config_dict=content, active_context=options.get("context"), config_base_path=None,
        config_persister=persister, temp_file_path=folder_for_keys(),
    )  # fmt: skip
    refresh = getattr(loader, "_refresh_oidc", None)
    if refresh is not None:
        loader._refresh_oidc = partial(_refreshed, refresh)  # pylint: disable=protected-access
    loader.load_and_set(configuration)


def _refreshed(refresh: Callable[[Any], None], provider: Any) -> None:
    """A new token of the identity provider, by the library. The text of its failures can quote tokens. Raises OptionsError."""
    try:
        refresh(provider)
    except ConfigException:
        raise
    except Exception as error:  # pylint: disable=broad-exception-caught
        issuer = str(provider["config"]["idp-issuer-url"])
        named = f" {issuer}" if may_be_shown(issuer) else ""
        raise OptionsError(
            "The token in kubeconfig",
            f"has ended, and the identity provider{named} {_why_not_refreshed(error)} (auth-provider oidc)",
            "See that this machine reaches it and trusts its certificate, and log in to it again with the tool that has made this "
            "kubeconfig; or give host and api_key.",
        ) from None


def _why_not_refreshed(error: Exception) -> str:
    """As the rest of a sentence about the identity provider. code: of OAuth 2.0 (RFC 6749 section 5.2)."""
    code, status, reason = (getattr(error, name, None) for name in ("error", "status", "reason"))
    if isinstance(code, str) and code.replace("_", "").isalnum():
        return f"gives no new one ({code})"
    if status:
        return f"answers with HTTP status {status}"
    if isinstance(error, (OSError, urllib3.exceptions.HTTPError)) or status == 0:
        return f"cannot be reached ({type(reason if isinstance(reason, Exception) else error).__name__})"
    return f"does not answer as one ({type(error).__name__})"


@contextmanager
def _understood(what: str) -> Iterator[None]:
    """Failures to read a kubeconfig, without its content in the message."""
    try:
        with _complaints() as complaints:
            yield
    except ConfigException as error:
        raise OptionsError(what, f"cannot be used: {error}", _REMEDY) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, YAMLError) as error:
        # The text of these can quote the file.
        raise OptionsError(what, f"is not a kubeconfig ({type(error).__name__})", _REMEDY) from None
    if complaints:
        raise OptionsError(what, f"cannot be used to log in: {complaints[0]}", _REMEDY)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Errors that the library only logs: after an exec plugin that failed it would go on without credentials."""
    found: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    handler = Collector(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield found
    finally:
        logging.getLogger().removeHandler(handler)


def _override(configuration: Any, options: Mapping[str, Any]) -> None:
    """Single options win over what was loaded."""
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
    """The header with the given credentials. It is not put into the configuration, where hooks of the library would
    overwrite it with the loaded token.
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
        # Older versions put equal headers into one, and the API server would read one group of that name.
        raise OptionsError(
            f"urllib3 {installed}", "cannot send several impersonate_groups", "Install urllib3 2 or later, or give one."
        )
    return [*user, *groups]
