# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that belong to another state or goal than the one that is asked for, and values of another type than an option has."""

from __future__ import annotations

from typing import Any

import pytest

from . import stages
from .running import call

SHA_1 = "ab" * 20
#: Besides strimzi_ca.
FLOWS = ("strimzi_ca_info", "strimzi_trusted_certs", "strimzi_roll", "strimzi_ee_cert")


def only(option: str, wanted: str, other: str, actual: str) -> str:
    return f"{option}: it counts with {wanted} only, and {other} is {actual}. Give {wanted} with it, or leave {option} out."


PUBLIC = {"secret": "tools-tls", "common_name": "tools"}
HELD = "such as 2026-12-24T18:00:00Z."
OTHER_STATE: list[tuple[str, dict[str, Any], str]] = [
    # A user who means this CA alone would have the CA in use replaced, whichever it is.
    (
        "strimzi_ca", {"state": "replaced", "fingerprint": SHA_1},
        only("fingerprint", "state=absent", "state", "replaced"),
    ),
    # A user who means a renewal only where the CA ends soon would have it renewed at once.
    (
        "strimzi_ca", {"state": "renewed", "renew_before_days": 60},
        only("renew_before_days", "state=present", "state", "renewed"),
    ),
    ("strimzi_ca", {"state": "renewed", "adopts": SHA_1}, only("adopts", "state=adopted", "state", "renewed")),
    ("strimzi_ca", {"state": "renewed", "raise_path_length": True}, only("raise_path_length", "state=adopted", "state", "renewed")),
    ("strimzi_ca_info", {"raise_path_length": True}, only("raise_path_length", "goal=upgrade", "goal", "not given")),
    ("strimzi_ca_info", {"adopts": SHA_1}, only("adopts", "goal=upgrade", "goal", "not given")),
    ("strimzi_trusted_certs", {"layout": "split"}, only("layout", "state=converted", "state", "trusted")),
    (
        "strimzi_trusted_certs", {"state": "converted", "layout": "split", "certificate": "a certificate"},
        only("certificate", "state=trusted or state=retired", "state", "converted"),
    ),
    # A user who means one node would have the leaves of all renewed.
    (
        "strimzi_ee_cert", {"state": "tidied", "secret": "tools-tls", "common_name": "tools"},
        only("secret", "state=issued", "state", "tidied"),
    ),
    (
        "strimzi_csr", {"directory": "/tmp/requests"},
        only("directory", "state=exported or state=imported", "state", "listed"),
    ),
    (
        "strimzi_csr", {"certificates": ["a certificate"]},
        only("certificates", "state=imported", "state", "listed"),
    ),
]  # fmt: skip
MALFORMED: list[tuple[str, dict[str, Any], str]] = [
    *(
        (
            "strimzi_ca", {"state": "absent", "fingerprint": given},
            f"fingerprint: {given!r} is neither a SHA-1 nor a SHA-256 fingerprint. Give the 40 or 64 hexadecimal digits, with or without colons, as "
            "strimzi_ca_info returns them in cas.",
        )
        for given in ("", "no fingerprint", "abcd", "ab" * 21)
    ),
    *(
        (
            "strimzi_roll", {"strategy": "direct", "kafka_bootstrap": ["broker:9091", given]},
            f"kafka_bootstrap: {given!r} is not a host and a port. Give each as host:port, such as demo-kafka-bootstrap.kafka.svc:9091.",
        )
        for given in ("broker", "https://broker:9091/", "broker:", "", "broker :9091")
    ),
    *(
        (
            "strimzi_roll", {"strategy": "direct", "batch": given},
            f"batch: {given!r} is neither a number of nodes nor a share of them nor rack. Give a number such as 10, a share from 1% to 100%, or rack for the "
            "nodes of one rack; without it one node after the other restarts.",
        )
        for given in ("0", "-1", "0%", "101%", "a few", "racks", "1.5")
    ),
    *(
        (
            "strimzi_roll", {"batch": "rack", **strategy},
            "batch: it counts with strategy=direct only, and strategy is operator. Give strategy=direct with it, or leave batch out.",
        )
        for strategy in ({}, {"strategy": "operator"})
    ),
    *(
        (
            "strimzi_ee_cert", {**PUBLIC, "subject_alternative_names": ["tools.kafka.svc", name]},
            f"subject_alternative_names: {name!r} is neither a DNS name in ASCII form nor an IP address. Give names as clients look them up, without a "
            "scheme and a port.",
        )
        for name in ("b\u00fccher.example", "", "not a name", "https://tools.kafka.svc", "tools:9092", "tools/one", "a..b", "*")
    ),
    *(
        (
            "strimzi_ee_cert", {**PUBLIC, "common_name": name},
            f"common_name: {name!r} cannot name the entry <common_name>.crt of a Secret. Give letters, digits, '-', '_' and '.' alone; alternative names "
            "may have others.",
        )
        for name in ("tools/../other", "the tools", "CN=tools")
    ),
    (
        "strimzi_ee_cert", {**PUBLIC, "common_name": "n" * 65},
        "common_name: it has 65 bytes, and the common name of a certificate can have at most 64. Give another common name; alternative names may be longer.",
    ),
    (
        "strimzi_ca", {"dns_domain": "https://corp"},
        "dns_domain: 'https://corp' is no DNS domain. Give the domain of Services in this Kubernetes cluster, such as cluster.local.",
    ),
    ("strimzi_roll", {"reason": "x", "since": "yesterday"}, f"since: 'yesterday' is not a time. Give one {HELD}"),
    (
        "strimzi_roll", {"reason": "x", "since": "2099-01-01"},
        "since: 2099-01-01T00:00:00Z is still to come. Pods that this task makes would be older than that, and the same task would restart them again. "
        "Give a time that is over.",
    ),
    *(
        (
            "strimzi_ca_info", {"waivers": [{"client": "KafkaConnect kafka/connect", "until": given, "reason": "moves"}]},
            f"waivers: {given!r} is not a time until when KafkaConnect kafka/connect can be waived. Give one {HELD}",
        )
        # The second is no time of UTC, whose years have four digits.
        for given in ("next week", "9999-12-31T23:59:59-01:00")
    ),
    ("strimzi_ca_info", {"link_until": "9999-12-31T23:59:59-01:00"}, f"link_until: '9999-12-31T23:59:59-01:00' is not a time. Give one {HELD}"),
    *(
        (
            "strimzi_ca_info", {"key_policy": {name: days}},
            f"key_policy: {name} is {days}. Give a number from 1 to 36500, or leave it out, which sets no such rule.",
        )
        for name in ("ca_days", "leaf_days")
        # The last but one is more than dates have room for, the last more than a period has.
        for days in (-1, 0, 36501, 999_999_999, 1_000_000_000)
    ),
    (
        "strimzi_ca", {"state": "replaced", "ca": "clients", "user_batch": 501},
        "user_batch: 501 is too large. Give 500 or less, or leave the option out if it has a default.",
    ),
    (
        "strimzi_ca_info", {"trusting_secrets": ["a/b/c"]},
        "trusting_secrets: 'a/b/c' is not the name of a Secret. Give name, namespace/name or namespace/name:entry.",
    ),
    *(
        (
            module, {**options, "retire": given},
            f"retire: {given!r} is neither now nor when_restarted nor when_needed nor a time. Give one of the three words, or the time at which nodes that "
            f"still trust the old CA are restarted at the latest, {HELD}",
        )
        for module, options in (("strimzi_ca", {"state": "replaced"}), *((one, {}) for one in FLOWS))
        for given in ("later", "never", "when-restarted", "NOW", "2026-13-01", "24.12.2026", "9999-12-31T23:59:59-01:00")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("module", "options", "message"), OTHER_STATE + MALFORMED)
def test_an_option_that_cannot_be_meant_is_refused_before_anything_is_asked(
    module: str, options: dict[str, Any], message: str
) -> None:
    memory = stages.managed()
    before = len(memory.api.requests)
    for check in (True, False):
        ended = call(module, memory, check=check, **options)
        assert (ended.failed, ended.result["changed"], ended.result["msg"]) == (True, False, message)
    assert len(memory.api.requests) == before


#: The cluster, or a folder, is read before.
READ_BEFORE: list[tuple[str, dict[str, Any], str]] = [
    ("strimzi_ee_cert", {**PUBLIC, "common_name": "ca"}, "common_name: the entry ca.crt contains the trusted CAs. Give another common name."),
    *(
        ("strimzi_csr", {"state": state, "directory": ""}, "directory: it is empty. Give a folder on the machine where the module runs.")
        for state in ("exported", "imported")
    ),
    (
        "strimzi_user_info", {"presenting_secrets": ["kafka/partner/tls.crt"]},
        "presenting_secrets: 'kafka/partner/tls.crt' is not the name of a Secret. Give name, namespace/name or namespace/name:entry.",
    ),
]  # fmt: skip
ABSENT = "are missing: "
TOGETHER = "parameters are mutually exclusive: "
REQUIRED_BY = "missing parameter(s) required by "


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        *READ_BEFORE,
        ("strimzi_ca", {"state": "absent"}, f"state is absent but all of the following {ABSENT}fingerprint"),
        ("strimzi_trusted_certs", {"state": "converted"}, f"state is converted but all of the following {ABSENT}layout"),
        ("strimzi_csr", {"state": "exported"}, f"state is exported but all of the following {ABSENT}directory"),
        ("strimzi_csr", {"state": "imported"}, f"state is imported but any of the following {ABSENT}directory, certificates"),
        ("strimzi_csr", {"state": "imported", "directory": "/tmp", "certificates": []}, f"{TOGETHER}directory|certificates"),
        ("strimzi_ee_cert", {**PUBLIC, "secrets": ["demo-kafka-0"]}, f"{TOGETHER}secret|secrets"),
        ("strimzi_ee_cert", {**PUBLIC, "components": ["kafka"]}, f"{TOGETHER}secret|components"),
        ("strimzi_ee_cert", {"secret": "tools-tls"}, "parameters are required together: secret, common_name"),
        ("strimzi_ee_cert", {"subject_alternative_names": ["tools.kafka.svc"]}, f"{REQUIRED_BY}'subject_alternative_names': secret"),
        ("strimzi_roll", {"pods": ["demo-kafka-0"]}, f"{REQUIRED_BY}'pods': reason"),
        ("strimzi_roll", {"reason": "", "pods": ["demo-kafka-0"]}, f"{REQUIRED_BY}'pods': reason"),
        ("strimzi_roll", {"reason": "", "components": ["kafka"]}, f"{REQUIRED_BY}'components': reason"),
        ("strimzi_roll", {"since": "2026-01-01"}, f"{REQUIRED_BY}'since': reason"),
        ("strimzi_roll", {"reason": "x", "pods": ["demo-kafka-0"], "components": ["kafka"]}, f"{TOGETHER}pods|components"),
    ],
)  # fmt: skip
def test_an_option_is_refused_before_a_write(module: str, options: dict[str, Any], message: str) -> None:
    for check in (True, False):
        ended = call(module, stages.managed(), check=check, **options)
        assert (ended.failed, ended.result["msg"], ended.writes) == (True, message, [])


@pytest.mark.parametrize("given", ["ab" * 20, "AB:" * 31 + "AB"])
def test_an_unknown_ca_is_absent(given: str) -> None:
    ended = stages.done(stages.managed(), "strimzi_ca", state="absent", fingerprint=given)
    assert (ended.result["changed"], ended.writes) == (False, [])


# Values of another type than an option has: Ansible refuses them, and the message says which option it is.

DICTIONARY = (
    "dictionary requested, could not parse JSON or key=value. Give a dictionary, with its options by their names."
)


@pytest.mark.parametrize("given", ["broker.example:9091", "10.0.0.1:9091", "[fd00::1]:9091"])
def test_a_broker_with_a_port(given: str) -> None:
    stages.done(stages.managed(), "strimzi_ca_info", kafka_bootstrap=[given])


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        ("strimzi_ca_info", {"issuer": "corporate"}, f"issuer: {DICTIONARY}"),
        ("strimzi_ca_info", {"ca_source": "corporate-ca"}, f"ca_source: {DICTIONARY}"),
        ("strimzi_ca_info", {"proxy_headers": "me"}, f"proxy_headers: {DICTIONARY}"),
        ("strimzi_ca_info", {"issue_timeout": "a week"}, "argument 'issue_timeout' is of type "),
        ("strimzi_ca_info", {"client_bundle": "perhaps"}, "argument 'client_bundle' is of type "),
        ("strimzi_ca_info", {"waivers": ["KafkaConnect kafka/connect"]}, f"waivers: {DICTIONARY}"),
        ("strimzi_ca_info", {"trusting_secrets": {"name": "app"}}, "argument 'trusting_secrets' is of type "),
        ("strimzi_ca_info", {"issuer": {"typ": "vault"}}, "Unsupported parameters for (basic.py) module: issuer.typ. "),
        (
            "strimzi_ca_info",
            {"key_type": "rsa-1024"},
            "value of key_type must be one of: rsa-2048, rsa-3072, rsa-4096, rsa-8192, ecdsa-p256, ecdsa-p384, got: rsa-1024",
        ),
        ("strimzi_roll", {"reason": "x", "components": ["cluster-operator"]}, "value of components must be one or more of: kafka, "),
    ],
)  # fmt: skip
def test_a_value_of_another_type(module: str, options: dict[str, Any], message: str) -> None:
    ended = call(module, stages.managed(), **options)
    assert ended.failed
    assert ended.result["msg"].startswith(message)
