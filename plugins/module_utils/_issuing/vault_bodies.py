# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The bodies of requests that have Vault sign something (docs/issuers/vault.md)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from .._pki.addresses import hosts_and_addresses
from .._pki.certificates import Certificate
from .issuer import LeafOrder, LinkOrder

#: A link certificate is dated back by the clock of Vault, which may be ahead of that of the run.
_AHEAD = timedelta(minutes=5)
#: Parts of names (RFC 5280 Appendix A) for which the API has fields.
_TEXTS: Mapping[str, str] = {"2.5.4.3": "common_name", "2.5.4.5": "serial_number"}
_LISTS: Mapping[str, str] = {
    "2.5.4.6": "country", "2.5.4.7": "locality", "2.5.4.8": "province", "2.5.4.9": "street_address",
    "2.5.4.10": "organization", "2.5.4.11": "ou", "2.5.4.17": "postal_code",
}  # fmt: skip


def leaf_body(order: LeafOrder) -> Mapping[str, Any]:
    """Names are sent beside the CSR too, for roles that do not take them from it. A common name that is no host must not
    become one.
    """
    subject = order.subject
    hosts, addresses = hosts_and_addresses(subject.names)
    return {
        "csr": order.csr.decode("ascii"),
        "common_name": subject.distinguished_name.common_name,
        "alt_names": ",".join(hosts),
        "ip_sans": ",".join(addresses),
        "exclude_cn_from_sans": True,
        "ttl": f"{int(order.validity.total_seconds())}s",
        "format": "pem",
    }


def request_body(authority: Certificate, key: str) -> Mapping[str, Any]:
    """The body that has a key of the mount sign the request for a link certificate. A name with parts that the API has no field for becomes
    another name, and the certificate that is signed for it is refused.
    """
    lists = {
        field: [value for kind, value in authority.subject_attributes if kind == wanted]
        for wanted, field in _LISTS.items()
    }
    texts = {_TEXTS[kind]: value for kind, value in authority.subject_attributes if kind in _TEXTS}
    return {**lists, **texts, "key_ref": key, "exclude_cn_from_sans": True, "format": "pem"}


def link_body(order: LinkOrder, csr: bytes, now: datetime) -> Mapping[str, Any]:
    """The name is that of the request. Its key identifier is told, for Vault would compute one of its own; and its end as a date, for
    a life would be cut to what the mount permits.
    """
    back = now - order.not_before + _AHEAD
    return {
        "csr": csr.decode("ascii"),
        "use_csr_values": True,
        "exclude_cn_from_sans": True,
        "skid": order.authority.identifier_in_leaves.hex(),
        "max_path_length": 0,
        "not_before_duration": f"{int(back.total_seconds())}s",
        "not_after": f"{order.not_after:%Y-%m-%dT%H:%M:%SZ}",
        "format": "pem",
    }


def self_issued_body(certificate: Certificate) -> Mapping[str, Any]:
    """Its key may be of another kind than that of the issuer."""
    return {"certificate": certificate.pem.decode("ascii"), "require_matching_certificate_algorithms": False}
