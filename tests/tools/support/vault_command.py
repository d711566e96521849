"""``python -m …tests.tools.support.vault_command``: as much of the command ``vault`` as docs/issuers/vault.md uses.

Like the real one it is told by VAULT_ADDR and VAULT_TOKEN where the server is and who asks.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

Words = Sequence[str]


def main(words: Words) -> None:
    flags = dict(word[1:].split("=", 1) for word in words if word.startswith("-") and "=" in word)
    verb, *others = (word for word in words if not (word.startswith("-") and "=" in word))
    match [verb, *others]:
        case ["secrets", "enable", kind]:
            _post(f"sys/mounts/{flags['path']}", {"type": kind})
        case ["secrets", "tune", mount]:
            _post(f"sys/mounts/{mount}/tune", {"max_lease_ttl": flags["max-lease-ttl"]})
        case ["policy", "write", name, "-"]:
            _post(f"sys/policies/acl/{name}", {"policy": sys.stdin.read()})
        case ["token", "create"]:
            wanted = {"policies": [flags["policy"]], "ttl": flags["ttl"]}
            _show(_post("auth/token/create", wanted)["auth"], {"token": "client_token"}.get(flags.get("field", ""), ""))
        case ["write", path, *fields]:
            _show(_post(path, dict(field.split("=", 1) for field in fields)).get("data"), flags.get("field", ""))
        case _:
            raise SystemExit(f"vault: the stand-in does not know {' '.join(words)}")


def _post(path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    headers = {"X-Vault-Token": os.environ["VAULT_TOKEN"], "X-Vault-Request": "true"}
    request = urllib.request.Request(f"{os.environ['VAULT_ADDR']}/v1/{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return dict(json.loads(text)) if text else {}


def _show(content: Mapping[str, Any] | None, field: str) -> None:
    print(content[field] if content and field else json.dumps(content))


if __name__ == "__main__":
    main(sys.argv[1:])
