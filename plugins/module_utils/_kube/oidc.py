# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A new token of the identity provider of a kubeconfig (auth-provider oidc), as kubectl gets it: OpenID Connect
Discovery 1.0, section 4, and OAuth 2.0 (RFC 6749, section 6).

The login of the Kubernetes library does not verify the identity provider if the kubeconfig names no CA of it. With some
releases of Python it verifies the identity provider strictly. It writes the CA into a file. A refresh token opens the
cluster, so this file has its own login of two requests, over verified connections.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .._errors import OptionsError, TransportError
from .._tls.contexts import to_identity_provider
from .._tls.failures import Peer, explain
from ._kubernetes import urllib3
from .network import innermost_cause, is_safe, pool_of_environment
from .resources import read_json
from .secret_texts import may_be_shown

_TRUST, _ADDRESS = "idp-certificate-authority of the kubeconfig", "idp-issuer-url of the kubeconfig"
_LOG_IN = (
    "Log in to it again with the tool that has made this kubeconfig; or give host and api_key (K8S_AUTH_HOST and "
    "K8S_AUTH_API_KEY)."
)
#: Seconds to connect, and for an answer.
_CONNECT, _READ = 10.0, 30.0


def refresh(config: Mapping[str, Any]) -> dict[str, str]:
    """The new entries of an auth-provider's ``config`` after a login: id-token, and refresh-token if the provider
    changes it. Raises OptionsError, which quotes no token.
    """
    issuer = str(config["idp-issuer-url"]).rstrip("/")
    login = _Login(issuer, _context(config))
    endpoint = login.ask("GET", f"{issuer}/.well-known/openid-configuration").get("token_endpoint")
    if not isinstance(endpoint, str):
        raise login.failure("names no token_endpoint: it is no identity provider", f"Correct {_ADDRESS}.")
    fields = {"grant_type": "refresh_token", "refresh_token": str(config.get("refresh-token", ""))}
    client, secret = str(config.get("client-id", "")), str(config.get("client-secret", ""))
    headers = {}
    if secret:
        headers = urllib3.util.make_headers(basic_auth=f"{quote(client, '')}:{quote(secret, '')}")
    else:
        fields["client_id"] = client
    answer = login.ask("POST", endpoint, fields, headers)
    if not isinstance(answer.get("id_token"), str):
        raise login.failure("gives no new token (no id_token)", _LOG_IN)
    tokens = {"id-token": answer["id_token"]}
    if isinstance(answer.get("refresh_token"), str):
        tokens["refresh-token"] = answer["refresh_token"]
    return tokens


def _context(config: Mapping[str, Any]) -> ssl.SSLContext:
    try:
        data = config.get("idp-certificate-authority-data")
        pem = base64.b64decode(data).decode("ascii") if data else None
        return to_identity_provider(config.get("idp-certificate-authority"), pem)
    except (OSError, ValueError):
        raise OptionsError(
            _TRUST, "contains no certificate in PEM form", "Give the CA of the identity provider."
        ) from None


class _Login:
    """Two requests to one identity provider."""

    def __init__(self, issuer: str, context: ssl.SSLContext) -> None:
        self._name = f"the identity provider {issuer}" if may_be_shown(issuer) else "the identity provider"
        self._context = context

    def ask(
        self, method: str, url: str, fields: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The JSON object of the answer. Raises OptionsError."""
        if not is_safe(url):
            raise self.failure("has a URL without TLS: tokens would be sent unencrypted", f"Correct {_ADDRESS}.")
        try:
            answer = pool_of_environment(url, self._context).request(
                method, url, headers={"Accept": "application/json", **(headers or {})}, retries=False, redirect=False,
                timeout=urllib3.Timeout(connect=_CONNECT, read=_READ),
                **({"fields": dict(fields), "encode_multipart": False} if fields else {}),
            )  # fmt: skip
        except TransportError as error:
            raise self.failure(f"cannot be reached ({error})", error.remedy) from None
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            peer = Peer(self._name, _TRUST, _ADDRESS, "the client certificate, which this login does not have")
            if tls := explain(error, peer):
                raise self.failure(tls.cause, tls.remedy) from None
            why = f"cannot be reached ({innermost_cause(error)})"
            raise self.failure(why, f"Check {_ADDRESS}, the network and the proxy (HTTPS_PROXY, NO_PROXY).") from None
        content = read_json(answer.data)
        body = content if isinstance(content, dict) else {}
        code = body.get("error")
        if isinstance(code, str) and code.replace("_", "").isalnum():
            raise self.failure(f"gives no new token ({code})", _LOG_IN)
        if answer.status != 200:
            raise self.failure(f"answers with HTTP status {answer.status}", f"Check {_ADDRESS}. {_LOG_IN}")
        if not isinstance(content, dict):
            raise self.failure("does not answer with JSON: it is no identity provider", f"Correct {_ADDRESS}.")
        return body

    def failure(self, why: str, remedy: str) -> OptionsError:
        return OptionsError("The token in kubeconfig", f"has ended, and {self._name} {why}", remedy)
