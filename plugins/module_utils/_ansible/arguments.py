# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Option groups with their constraints; each has a documentation fragment of the same name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ArgumentSpec:
    """Options and what holds between them."""

    options: dict[str, dict[str, Any]]
    required_together: tuple[tuple[str, ...], ...] = ()
    mutually_exclusive: tuple[tuple[str, ...], ...] = ()

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        return ArgumentSpec(
            {**self.options, **other.options},
            (*self.required_together, *other.required_together),
            (*self.mutually_exclusive, *other.mutually_exclusive),
        )

    def as_arguments(self) -> dict[str, Any]:
        """Keyword arguments for AnsibleModule."""
        return {
            "argument_spec": {name: dict(option) for name, option in self.options.items()},
            "required_together": [list(group) for group in self.required_together],
            "mutually_exclusive": [list(group) for group in self.mutually_exclusive],
        }


AUTH = ArgumentSpec(
    {
        "kubeconfig": {"type": "raw"},
        "context": {"type": "str"},
        "host": {"type": "str"},
        "api_key": {"type": "str", "no_log": True},
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
        "ca_cert": {"type": "path", "aliases": ["ssl_ca_cert"]},
        "client_cert": {"type": "path", "aliases": ["cert_file"]},
        "client_key": {"type": "path", "aliases": ["key_file"], "no_log": False},
        "proxy": {"type": "str"},
        "no_proxy": {"type": "str"},
        "proxy_headers": {
            "type": "dict",
            "options": {
                "proxy_basic_auth": {"type": "str", "no_log": True},
                "basic_auth": {"type": "str", "no_log": True},
                "user_agent": {"type": "str"},
            },
        },
        "persist_config": {"type": "bool"},
        "impersonate_user": {"type": "str"},
        "impersonate_groups": {"type": "list", "elements": "str"},
    }
)

CLUSTER = ArgumentSpec(
    {
        "cluster": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
    }
)

GOALS = ["create", "renew", "replace_key", "upgrade", "downgrade", "renew_leaves", "reconcile"]

#: What every module of a flow has to know so that all of them decide the same.
FLOW = ArgumentSpec(
    {
        "way": {"type": "str", "choices": ["cooperate", "takeover"], "default": "cooperate"},
        "evidence": {"type": "str", "choices": ["auto", "handshake", "annotations"], "default": "auto"},
        "pod_access": {"type": "str", "choices": ["port_forward", "direct"], "default": "port_forward"},
        "bridge": {"type": "str", "choices": ["auto", "always", "never"], "default": "auto"},
        "spread": {"type": "str", "choices": ["auto", "reload", "restart"], "default": "auto"},
        "renew_before_days": {"type": "int", "default": 45},
        "client_bundle": {"type": "bool", "default": False},
        "trusting_secrets": {"type": "list", "elements": "str", "no_log": False},
        "waivers": {
            "type": "list",
            "elements": "dict",
            "options": {
                "client": {"type": "str", "required": True},
                "until": {"type": "str", "required": True},
                "reason": {"type": "str", "required": True},
            },
        },
        "replaces": {"type": "str"},
        "fresh_for_hours": {"type": "int", "default": 24},
        "until_phase": {"type": "str", "choices": ["prepare", "trust", "use", "retire"], "default": "retire"},
        "run_id": {"type": "str"},
        "operator_timeout": {"type": "int", "default": 300},
        "pod_timeout": {"type": "int", "default": 600},
    }
)

GOAL = ArgumentSpec({"goal": {"type": "str", "choices": GOALS, "default": "reconcile"}})

AUTHORITY = ArgumentSpec(
    {
        "validity_days": {"type": "int", "default": 365},
        "key_algorithm": {"type": "str", "choices": ["rsa", "ecdsa"], "default": "rsa"},
        "key_size": {"type": "int", "no_log": False},
        "path_length": {"type": "int", "default": 1},
        "certificate": {"type": "str"},
        "private_key": {"type": "str", "no_log": True},
    },
    required_together=(("certificate", "private_key"),),
)
