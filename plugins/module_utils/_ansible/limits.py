# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Limits of what options may say; a mistake is told before anything is read or written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import PrivateKeyError
from .._pki.addresses import address_of
from .._pki.authorities import common_name_problem
from .._pki.keys import KeyAlgorithm, KeySpec, check_size

#: Each is a key in a Secret, of which there are two for all nodes together.
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
_YEAR = 365 * 24 * 3600
_MAXIMUM = {
    "spare_leaves": MOST_SPARE,
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


def key_spec(options: Mapping[str, Any]) -> KeySpec:
    """The key of a new CA: RSA 4096 or ECDSA P-256 where nothing is said."""
    algorithm = KeyAlgorithm(options.get("key_algorithm") or "rsa")
    size = options.get("key_size")
    return KeySpec(algorithm, (4096 if algorithm is KeyAlgorithm.RSA else 256) if size is None else size)


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
    if problem := _fingerprint_problem(options) or _bootstrap_problem(options):
        return problem
    try:
        check_size(key_spec(options))
    except PrivateKeyError as error:
        return f"key_size: {error}. Give one of them, or leave the option out for the default of the algorithm."
    common_name = options.get("common_name")
    if common_name is not None and (problem := common_name_problem(common_name)):
        return f"common_name: {problem}. Give another one; alternative names may be longer."
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
    """A text that is no fingerprint is that of no CA, which would count as absent."""
    given = options.get("fingerprint")
    if given is None or _FINGERPRINT.fullmatch(given.replace(":", "").lower()):
        return ""
    return (
        f"fingerprint: {given!r} is neither a SHA-1 nor a SHA-256 fingerprint. Give the 40 or 64 hexadecimal digits, with or without "
        "colons, as strimzi_ca_info returns them in cas."
    )


def _bootstrap_problem(options: Mapping[str, Any]) -> str:
    """Without a port the Kafka library takes 9092, where no listener accepts the operator's certificate."""
    for one in options.get("kafka_bootstrap") or ():
        if not _HOST_AND_PORT.fullmatch(one):
            return f"kafka_bootstrap: {one!r} is not a host and a port. Give each as host:port, such as demo-kafka-bootstrap.kafka.svc:9091."
    return ""
