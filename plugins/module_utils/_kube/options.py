# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The connection options of kubernetes.core: their other names, their environment variables, and the checks of
contradictions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from .._errors import OptionsError

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
#: Option -> where a user name and password belong that stand in this URL, from which they are not sent.
_URLS = {"host": "username and password", "proxy": "proxy_headers.proxy_basic_auth"}
_SCHEMES = {"host": ("https", "http"), "proxy": ("http", "https", "socks4", "socks4a", "socks5", "socks5h")}
_EXAMPLES = {"host": "https://kubernetes:6443", "proxy": "http://proxy:3128"}
#: Options whose text is sent in a header as it is.
_IN_HEADERS = ("api_key", "impersonate_user", "impersonate_groups")
_LOGIN_IN_URL = re.compile(r"^[a-z0-9+.-]+://[^/]*@", re.IGNORECASE)

#: PEM, and PEM in base64 as it is in a kubeconfig.
_ARMOUR = ("-----BEGIN", "LS0tLS1CRUdJTi")
_LONGEST_SHOWN = 200
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{48,}=*")


def is_content(value: str) -> bool:
    """Whether a value is content where the path of a file is expected."""
    text = value.strip()
    return "\n" in text or "\r" in text or text.startswith(("{", *_ARMOUR)) or any(mark in text for mark in _ARMOUR)


def may_be_shown(value: str) -> bool:
    """Whether a message may quote the value of an option: not where it can be a key or token in the wrong place."""
    return (
        value.isprintable()
        and len(value) <= _LONGEST_SHOWN
        and not is_content(value)
        and not _BASE64.fullmatch(value)
        and not _LOGIN_IN_URL.match(value)
    )


def resolve_options(options: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The options in effect, checked. Each one: as given, else from the environment; empty counts as not given.

    Raises OptionsError.
    """
    resolved: dict[str, Any] = {}
    for name in ENVIRONMENT:
        value = _given(name, options, environment)
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


def _given(name: str, options: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    variables = (f"K8S_AUTH_{name.upper()}", ENVIRONMENT[name])
    candidates = [options.get(key) for key in (name, *ALIASES.get(name, ()))]
    candidates += [environment.get(variable) for variable in variables]
    # Surveys send an empty string for a question that was not answered.
    return next((value for value in candidates if value not in (None, "", [], {})), None)


def _proxy_headers(given: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    unknown = sorted(set(given) - set(PROXY_HEADERS))
    if unknown:
        raise OptionsError("proxy_headers", f"has no {', '.join(unknown)}", f"It has {', '.join(PROXY_HEADERS)}.")
    found = {name: given.get(name) for name in PROXY_HEADERS if given.get(name)}
    if not found:
        found = {name: environment.get(f"K8S_AUTH_PROXY_HEADERS_{name.upper()}") for name in PROXY_HEADERS}
    return {name: str(value) for name, value in found.items() if value}


def _check(options: Mapping[str, Any]) -> None:
    for object, cause, remedy, found in (
        ("{username} and {password}", "belong together", "Give both.", ("username" in options) != ("password" in options)),
        ("{api_key} and {username}", "are two ways to log in", "Give one of them.", {"api_key", "username"} <= options.keys()),
        ("{client_key}", "is of no use without {client_cert}", "Give both.", "client_key" in options and "client_cert" not in options),
        ("{impersonate_groups}", "needs {impersonate_user}", "Give both.", options["impersonate_groups"] and "impersonate_user" not in options),
    ):  # fmt: skip
        if found:
            named = {name: f"{name} ({variable})" for name, variable in ENVIRONMENT.items()}
            raise OptionsError(object.format(**named), cause.format(**named), remedy)
    _check_urls(options)
    _check_headers(options)
    _check_paths(options)


def _check_urls(options: Mapping[str, Any]) -> None:
    for name, instead in _URLS.items():
        if _LOGIN_IN_URL.match(str(options.get(name, ""))):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "holds a user name or password, which would not be sent and could show",
                f"Take it out of the URL, and give it as {instead}.",
            )
        # Libraries differ in which of these characters they leave out.
        if not str(options.get(name, "")).isprintable() or " " in str(options.get(name, "")):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "holds a line break, a space or another character that no URL has",
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
        # Only asking for the port shows that it is none.
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _like(name: str, value: str) -> str:
    """An example, and the value where it may be shown."""
    if not may_be_shown(value):
        return _EXAMPLES[name]
    completed = value if "://" in value else f"{_SCHEMES[name][0]}://{value}"
    return f"{completed if _is_url(completed, _SCHEMES[name]) else _EXAMPLES[name]}, not {value}"


def _check_headers(options: Mapping[str, Any]) -> None:
    for name in _IN_HEADERS:
        given = options.get(name, ())
        if not all(
            str(one).isascii() and str(one).isprintable() for one in ([given] if isinstance(given, str) else given)
        ):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]})",
                "holds a line break or another character that cannot be sent in a header",
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
                "only you can read and give its path, or give a kubeconfig as a dictionary, which can hold it.",
            )
        if name in options and not os.path.isfile(options[name]):
            raise OptionsError(
                f"{name} ({ENVIRONMENT[name]}):", f"there is no {file_named(options[name])}", "Correct the path."
            )


def file_named(path: str) -> str:
    return f"file {path}" if may_be_shown(path) else "such file (its name is not shown because it could be a key)"
