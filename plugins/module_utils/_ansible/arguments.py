# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Option groups with their constraints, and the limits of what options may say. Each group has a block of its name in a
documentation fragment. A call refuses a mistake in its options before it reads or writes anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from .._issuing.kinds import ISSUER
from .._pki.building import common_name_problem
from .._pki.keys import KeyType
from .._pki.names import address_of
from .._trust.model.goals import Retire, Retirement


@dataclass(frozen=True)
class OnlyWith:
    """The option counts only where the other option has any of these values; elsewhere it would be ignored."""

    #: The name of the option.
    option: str
    #: The name of the other option.
    other: str
    #: The values of the other option with which the option counts.
    values: tuple[str, ...]

    def problem(self, options: Mapping[str, Any]) -> str:
        """The option as it is ignored, with what helps; empty where it is not given, or counts. What is empty is not given."""
        actual = options.get(self.other)
        if not options.get(self.option) or actual in self.values:
            return ""
        wanted = " or ".join(f"{self.other}={value}" for value in self.values)
        return (
            f"{self.option}: it counts with {wanted} only, and {self.other} is {actual or 'not given'}. "
            f"Give {wanted} with it, or leave {self.option} out."
        )


@dataclass(frozen=True)
class ArgumentSpec:
    """Options and the constraints between them."""

    #: The options of the module, as Ansible's ``argument_spec``.
    options: dict[str, dict[str, Any]]
    #: Options of which a caller gives all or none.
    required_together: tuple[tuple[str, ...], ...] = ()
    #: Options of which a caller gives at most one.
    mutually_exclusive: tuple[tuple[str, ...], ...] = ()
    #: Options that a value of another option requires, as Ansible's ``required_if``.
    required_if: tuple[tuple[Any, ...], ...] = ()
    #: Options that each of these options requires, whatever its value.
    required_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Constraints of this collection: an option that counts only with certain values of another.
    only_with: tuple[OnlyWith, ...] = ()

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        return ArgumentSpec(
            {**self.options, **other.options},
            (*self.required_together, *other.required_together),
            (*self.mutually_exclusive, *other.mutually_exclusive),
            (*self.required_if, *other.required_if),
            {**self.required_by, **other.required_by},
            (*self.only_with, *other.only_with),
        )

    def as_arguments(self) -> dict[str, Any]:
        """Keyword arguments for AnsibleModule."""
        return {
            "argument_spec": {name: dict(option) for name, option in self.options.items()},
            "required_together": [list(group) for group in self.required_together],
            "mutually_exclusive": [list(group) for group in self.mutually_exclusive],
            "required_if": [list(group) for group in self.required_if],
            "required_by": {name: list(others) for name, others in self.required_by.items()},
        }

    def problem_of(self, options: Mapping[str, Any]) -> str:
        """The first option that is given where it would be ignored, as a message; empty where none is."""
        return next(filter(None, (rule.problem(options) for rule in self.only_with)), "")


#: kubeconfig and client_key are not logged because some give them content; what is left of them is decided in
#: ``redaction``.
AUTH = ArgumentSpec(
    {
        "kubeconfig": {"type": "raw", "no_log": True},
        "context": {"type": "str"},
        "host": {"type": "str"},
        "api_key": {"type": "str", "no_log": True},
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
        "ca_cert": {"type": "path", "aliases": ["ssl_ca_cert"]},
        "client_cert": {"type": "path", "aliases": ["cert_file"]},
        "client_key": {"type": "path", "aliases": ["key_file"], "no_log": True},
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
        "audit": {"type": "bool", "default": True},
    }
)

#: The option that says which CA of a cluster a module is about.
CA = ArgumentSpec({"ca": {"type": "str", "choices": ["cluster", "clients"], "default": "cluster"}})

GOALS = ["create", "renew", "replace_key", "upgrade", "downgrade", "renew_leaves", "reconcile", "abort", "recover"]

#: Where the CAs lie that a cluster is to trust.
SOURCE = ArgumentSpec(
    {
        "ca_source": {
            "type": "dict",
            "options": {
                "kind": {"type": "str", "choices": ["Secret", "ConfigMap"], "default": "Secret"},
                "name": {"type": "str", "required": True},
                "namespace": {"type": "str"},
                "key": {"type": "str", "default": "ca.crt", "no_log": False},
            },
        },
    }
)

#: The rules that certificates have to meet.
POLICY = ArgumentSpec(
    {
        "key_policy": {
            "type": "dict",
            "no_log": False,
            "options": {
                "name": {"type": "str", "default": "key_policy"},
                "rsa_bits": {"type": "int"},
                "curves": {"type": "list", "elements": "str"},
                "hashes": {"type": "list", "elements": "str"},
                "ca_days": {"type": "int"},
                "leaf_days": {"type": "int"},
            },
        },
    }
)

#: The namespaces of users that present certificates of the clients CA, beside the users of the cluster's User Operator.
PRESENTING = ArgumentSpec(
    {
        "presenting_secrets": {"type": "list", "elements": "str", "no_log": False},
        "user_namespaces": {
            "type": "list",
            "elements": "dict",
            "options": {
                "namespace": {"type": "str", "required": True},
                "secret_prefix": {"type": "str", "default": "", "no_log": False},
            },
        },
    }
)

#: The options of every module that takes part in a flow, so that all of them decide the same.
FLOW = ArgumentSpec(
    {
        "evidence": {"type": "str", "choices": ["auto", "handshake", "annotations"], "default": "auto"},
        "pod_access": {"type": "str", "choices": ["port_forward", "direct"], "default": "port_forward"},
        "node_answers": {"type": "str"},
        "restart_count": {"type": "dict"},
        "spread": {"type": "str", "choices": ["auto", "reload", "restart"], "default": "auto"},
        "strategy": {"type": "str", "choices": ["operator", "direct"], "default": "operator"},
        "kafka_bootstrap": {"type": "list", "elements": "str"},
        "retire": {"type": "str"},
        "client_grace": {"type": "int"},
        "link_until": {"type": "str"},
        "user_batch": {"type": "int"},
        "client_bundle": {"type": "bool", "default": False},
        "trusting_secrets": {"type": "list", "elements": "str", "no_log": False},
        **PRESENTING.options,
        "waivers": {
            "type": "list",
            "elements": "dict",
            "options": {
                "client": {"type": "str", "required": True},
                "until": {"type": "str", "required": True},
                "reason": {"type": "str", "required": True},
            },
        },
        "issuer": ISSUER,
        "rotation_policy": {"type": "str", "choices": ["always", "never"], "default": "always"},
        "leaf_key_size": {"type": "int", "choices": [2048, 3072, 4096], "default": 2048, "no_log": False},
        **POLICY.options,
        **SOURCE.options,
        "trust_new_roots": {"type": "str", "choices": ["ask", "never"], "default": "ask"},
        "confirm_roots": {"type": "list", "elements": "str"},
        "retry_failed": {"type": "bool", "default": False},
        "issue_timeout": {"type": "int", "default": 0},
        "spare_leaves": {"type": "int", "default": 1},
        "dns_domain": {"type": "str"},
        "until_phase": {"type": "str", "choices": ["prepare", "trust", "use", "retire"], "default": "retire"},
        "continue_stopped": {"type": "bool", "default": False},
        "ignore_maintenance_windows": {"type": "bool", "default": False},
        "backup": {"type": "bool", "default": True},
        "operator_timeout": {"type": "int", "default": 300},
        "pod_timeout": {"type": "int", "default": 600},
        "progress_file": {"type": "path"},
    },
)

#: The options that name the CA of a renewal or replacement, so that a second run does nothing.
REPLACED = ArgumentSpec({"replaces": {"type": "str"}, "fresh_for_hours": {"type": "int", "default": 24}})

#: The option that names the CA of an adoption, so that it cannot be meant by accident, and whether it is to be renewed.
ADOPTED = ArgumentSpec({"adopts": {"type": "str"}, "raise_path_length": {"type": "bool", "default": False}})

#: The options of a CA that is handed back: whether the operator may renew it at once, and whether it stays user-managed.
HANDED_BACK = ArgumentSpec(
    {"operator_may_renew": {"type": "bool", "default": False}, "keep_ca": {"type": "bool", "default": False}},
)

RENEWAL = ArgumentSpec({"renew_before_days": {"type": "int", "default": 45}})

#: The options that choose between renewing and replacing a CA in its time for renewal.
UPKEEP = ArgumentSpec(
    {
        "ca_renewal": {
            "type": "str",
            "choices": ["specified", "renew-certificate", "replace-key", "none"],
        },
        "ca_renewal_days": {"type": "int"},
    },
    only_with=(OnlyWith("ca_renewal_days", "ca_renewal", ("specified", "renew-certificate", "replace-key")),),
)

GOAL = ArgumentSpec({"goal": {"type": "str", "choices": GOALS}})

AUTHORITY = ArgumentSpec(
    {
        "validity_days": {"type": "int"},
        "key_type": {"type": "str", "choices": [kind.value for kind in KeyType]},
        "path_length": {"type": "int"},
        "certificate": {"type": "str"},
        "private_key": {"type": "str", "no_log": True},
        "certificate_from": {
            "type": "dict",
            "options": {"secret": {"type": "str", "required": True, "no_log": False}, "namespace": {"type": "str"}},
        },
    },
    mutually_exclusive=(("certificate", "ca_source", "certificate_from"),),
    required_by={"private_key": ("certificate",)},
)


#: Each is a key in a Secret; all nodes together have two such Secrets.
MOST_SPARE = 100
_MINIMUM = {
    "validity_days": 1,
    "path_length": 0,
    "fresh_for_hours": 0,
    "operator_timeout": 1,
    "pod_timeout": 1,
    "spare_leaves": 0,
    "replicas": 0,
    "user_batch": 1,
    "client_grace": 0,
    "issue_timeout": 0,
    "renew_before_days": 0,
    "ca_renewal_days": 1,
    "expiring_within_days": 0,
}
#: A hundred years: dates have an end, and a number with a digit too many is not meant.
MOST_DAYS = 36500
#: The queue of the User Operator drops what does not fit in (docs/operator.md, "Users").
MOST_USERS = 500
_YEAR = 365 * 24 * 3600
_MAXIMUM = {
    "spare_leaves": MOST_SPARE,
    "user_batch": MOST_USERS,
    "validity_days": MOST_DAYS,
    "renew_before_days": MOST_DAYS,
    "ca_renewal_days": MOST_DAYS,
    "expiring_within_days": MOST_DAYS,
    "fresh_for_hours": MOST_DAYS * 24,
    "client_grace": _YEAR,
    "issue_timeout": _YEAR,
    "operator_timeout": _YEAR,
    "pod_timeout": _YEAR,
    "path_length": 100,
}
_ENTRY = re.compile(r"[-._a-zA-Z0-9]+")
_DNS = re.compile(r"(?:\*\.)?[-_a-zA-Z0-9]+(?:\.[-_a-zA-Z0-9]+)*")
_HOST_AND_PORT = re.compile(r"[^\s/]+:[0-9]{1,5}")
_FINGERPRINT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def time_of(text: str) -> datetime:
    """ISO 8601, UTC where no offset is given. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except OverflowError:
        raise ValueError(f"{text!r} has no time in UTC") from None


def time_text(moment: datetime | None) -> str | None:
    """The time as results have it, and as ``time_of`` reads it."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def retire_of(text: str) -> Retirement:
    """The option ``retire``. Raises ValueError."""
    return Retire(text) if text in [choice.value for choice in Retire] else time_of(text)


def problem_of(options: Mapping[str, Any]) -> str:
    """The first option that is out of bounds, as a message; empty when none is."""
    for name, minimum in _MINIMUM.items():
        value = options.get(name)
        if value is not None and value < minimum:
            return (
                f"{name}: {value} is too small. Give {minimum} or more, or leave the option out where it has a default."
            )
    for name, maximum in _MAXIMUM.items():
        if (options.get(name) or 0) > maximum:
            return f"{name}: {options[name]} is too large. Give {maximum} or less, or leave the option out where it has a default."
    if problem := (
        _fingerprint_problem(options)
        or _bootstrap_problem(options)
        or _retire_problem(options)
        or _policy_problem(options)
    ):
        return problem
    common_name = options.get("common_name")
    if common_name is not None and (problem := common_name_problem(common_name)):
        return f"common_name: {problem}. Give another common name; alternative names may be longer."
    return _names_problem(common_name, options.get("subject_alternative_names") or ())


def _names_problem(common_name: str | None, others: Iterable[str]) -> str:
    """The first name that no entry of a Secret, or no certificate, can have; also in check mode, in which no server would refuse it."""
    if common_name is not None and not _ENTRY.fullmatch(common_name):
        return (
            f"common_name: {common_name!r} cannot name the entry <common_name>.crt of a Secret. Give letters, digits, '-', '_' and '.' alone; "
            "alternative names may have others."
        )
    for name in others:
        if not _DNS.fullmatch(name) and address_of(name) is None:
            return (
                f"subject_alternative_names: {name!r} is neither a DNS name in ASCII form nor an IP address. Give names as clients look them "
                "up, without a scheme and a port."
            )
    return ""


def _fingerprint_problem(options: Mapping[str, Any]) -> str:
    """Refuse a malformed fingerprint: no CA matches it, so the CA would count as already absent."""
    given = options.get("fingerprint")
    if given is None or _FINGERPRINT.fullmatch(given.replace(":", "").lower()):
        return ""
    return (
        f"fingerprint: {given!r} is neither a SHA-1 nor a SHA-256 fingerprint. Give the 40 or 64 hexadecimal digits, with or without "
        "colons, as strimzi_ca_info returns them in cas."
    )


def _retire_problem(options: Mapping[str, Any]) -> str:
    given = options.get("retire")
    if not given:
        return ""
    try:
        retire_of(given)
    except ValueError:
        return (
            f"retire: {given!r} is neither now nor when_restarted nor when_needed nor a time. Give one of the three words, or the time at which nodes "
            "that still hold the old CA are restarted at the latest, such as 2026-12-24T18:00:00Z."
        )
    return ""


def _policy_problem(options: Mapping[str, Any]) -> str:
    policy = options.get("key_policy") or {}
    for name in ("ca_days", "leaf_days"):
        days = policy.get(name)
        if days is not None and not 1 <= days <= MOST_DAYS:
            return f"key_policy: {name} is {days}. Give a number from 1 to {MOST_DAYS}, or leave it out, which sets no such rule."
    return ""


def _bootstrap_problem(options: Mapping[str, Any]) -> str:
    """Without a port the Kafka library takes 9092, where no listener accepts the operator's certificate."""
    for address in options.get("kafka_bootstrap") or ():
        if not _HOST_AND_PORT.fullmatch(address):
            return f"kafka_bootstrap: {address!r} is not a host and a port. Give each as host:port, such as demo-kafka-bootstrap.kafka.svc:9091."
    return ""
