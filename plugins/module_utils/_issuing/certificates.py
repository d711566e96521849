# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates of cert-manager: how they are written, and what their conditions and their Secrets mean
(docs/issuers/cert-manager.md, "States of a Certificate"; External Certificate Manager, "Issuing Cluster CA end-entity
certificates").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta
from typing import Any

from .._errors import CertificateError
from .._kube.times import read_time
from .._pki.addresses import hosts_and_addresses
from .._pki.certificates import parse_chain
from .._pki.keys import KeyAlgorithm, KeySpec
from .._strimzi.ca_secrets import usable_key
from .._strimzi.names import KIND_LABEL, ClusterNames
from .._strimzi.resources import CERTIFICATES
from .._strimzi.secret_data import entries
from .cert_manager_conditions import Object, conditions_of, holds, said, status_of
from .certificate_requests import extend_chain, read_ca_field, usages
from .issuer import Answer, IssuedCertificate, LeafOrder, Refused, Waiting
from .issuer_reference import IssuerReference

#: As people type it: other APIs have certificates too.
PLURAL = f"{CERTIFICATES.plural}.{CERTIFICATES.group}"
_ALGORITHMS = {KeyAlgorithm.RSA: "RSA", KeyAlgorithm.ECDSA: "ECDSA"}


def secret_name(certificate: str) -> str:
    """The Secret in which cert-manager puts key and certificate."""
    return f"{certificate}-cm"


@dataclass(frozen=True)
class Terms:
    """The terms that all Certificates of a Kafka cluster share. key: the kind of keys that cert-manager makes. validity: of each leaf.
    renew_before: how long before its end cert-manager renews it.
    """

    scope: ClusterNames
    issuer: IssuerReference
    key: KeySpec
    validity: timedelta
    renew_before: timedelta


def manifest(order: LeafOrder, terms: Terms) -> dict[str, Any]:
    """The object that asks for the leaf, and for its renewals."""
    return {
        "apiVersion": CERTIFICATES.api_version,
        "kind": CERTIFICATES.kind,
        "metadata": {"name": order.name, "labels": terms.scope.own_labels},
        "spec": wanted_spec(order, terms),
    }


def wanted_spec(order: LeafOrder, terms: Terms) -> dict[str, Any]:
    subject, names = order.subject.distinguished_name, order.subject.names
    hosts, addresses = hosts_and_addresses(names)
    spec = {
        "secretName": secret_name(order.name),
        "secretTemplate": {"labels": terms.scope.beside_labels},
        "privateKey": {
            "algorithm": _ALGORITHMS[terms.key.algorithm],
            "size": terms.key.size,
            "encoding": "PKCS8",
            "rotationPolicy": "Always",
        },
        "duration": _duration(terms.validity),
        "renewBefore": _duration(terms.renew_before),
        "isCA": False,
        "usages": usages(order.subject.purposes),
        "subject": {"organizations": [subject.organization]} if subject.organization else [],
        "commonName": subject.common_name,
        "dnsNames": hosts,
        "ipAddresses": addresses,
        "issuerRef": terms.issuer.as_field,
    }
    return {name: value for name, value in spec.items() if value != []}


def _duration(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    return f"{seconds // 3600}h" if seconds % 3600 == 0 else f"{seconds}s"


def differing_fields(certificate: Object, wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of ``spec`` that are not as wanted, also fields that are to be absent: more output formats would put the key
    into further entries of the Secret.
    """
    found = certificate.get("spec") or {}
    return tuple(sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name)))


def spec_patch(certificate: Object, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes the ``spec`` as wanted."""
    found = certificate.get("spec") or {}
    return {"spec": {name: _patch(found.get(name), wanted.get(name)) for name in differing_fields(certificate, wanted)}}


def _patch(found: Any, wanted: Any) -> Any:
    """A merge patch keeps what it does not name (RFC 7386 section 2)."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return {name: _patch(found.get(name), wanted.get(name)) for name in {*found, *wanted}}
    return wanted


def named(name: str, namespace: str) -> str:
    """The Certificate in sentences."""
    return f"{CERTIFICATES.kind} {namespace}/{name}"


def refuse_foreign_certificate(certificate: Object, scope: ClusterNames) -> Refused | None:
    """The refusal of a Certificate that has the name of a leaf and was not made here; None for one that was."""
    name, labels = str(certificate["metadata"]["name"]), certificate["metadata"].get("labels") or {}
    missing = [label for label, value in scope.own_labels.items() if labels.get(label) != value]
    if not missing:
        return None
    return Refused(
        f"{named(name, scope.namespace)} exists already and belongs to another owner: it lacks labels of ours ({', '.join(missing)}).",
        f"Remove it if nothing uses it (kubectl delete -n {scope.namespace} {PLURAL} {name}), then run again.",
    )


def refuse_taken_secret(secret: Object | None, namespace: str) -> Refused | None:
    """The refusal where cert-manager would put key and certificate into a Secret of Strimzi's operators; None where it would not."""
    metadata: Object = secret["metadata"] if secret is not None else {}
    kind = (metadata.get("labels") or {}).get(KIND_LABEL)
    if kind is None:
        return None
    return Refused(
        f"cert-manager would keep the certificate in Secret {namespace}/{metadata['name']}, which is one of a {kind}, and both would write to it "
        "without end.",
        f"Give that {kind} another name; or have requests made instead of Certificates (resource=CertificateRequest).",
    )


def is_issuing(certificate: Object) -> bool:
    return holds(conditions_of(certificate), "Issuing")


def trouble_of(certificate: Object, scope: ClusterNames) -> Refused | None:
    """Why the last issuance failed; None where none has failed since the last one that succeeded."""
    issuing = conditions_of(certificate).get("Issuing", {})
    if issuing.get("status") != "False" or issuing.get("reason") == "Issued":
        return None
    status = status_of(certificate)
    count, since = status.get("failedIssuanceAttempts") or 1, status.get("lastFailureTime") or "an unknown time"
    return Refused(
        f"{named(str(certificate['metadata']['name']), scope.namespace)} could not be issued: {said(issuing)}. It has failed "
        f"{count} {'time' if count == 1 else 'times'} in a row, on {since} the last time.",
        "Correct the issuer as this says. cert-manager tries again by itself, later each time; retry_failed has it try at once.",
    )


def failed_at(certificate: Object) -> datetime | None:
    """When the last issuance failed; None where none has, or that is unknown."""
    found = read_time(status_of(certificate).get("lastFailureTime"))
    # In the last year that there is, no time can be added to it.
    return None if found is None or found.year == MAXYEAR else found


def issuing_patch(certificate: Object, now: datetime) -> dict[str, Any]:
    """The patch of its status that has cert-manager issue it, as ``cmctl renew`` does. cert-manager drops failed requests that are older
    than this condition, to the second, and so tries at once.
    """
    failed = failed_at(certificate)
    since = max(now, failed + timedelta(seconds=1)) if failed else now
    condition = {
        "type": "Issuing",
        "status": "True",
        "reason": "ManuallyTriggered",
        "message": "Certificate re-issuance triggered by trustops.strimzi",
        "lastTransitionTime": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "observedGeneration": certificate["metadata"].get("generation"),
    }
    others = (one for kind, one in conditions_of(certificate).items() if kind != "Issuing")
    return {"status": {"conditions": [*others, condition]}}


def read_issued(secret: Object | None, name: str, namespace: str) -> IssuedCertificate | Waiting:
    """The certificate with its key that cert-manager has put into a Secret of this name."""
    target = f"Secret {namespace}/{name}"
    if secret is None:
        return Waiting(f"{target} is not there yet, or lacks its labels; cert-manager makes both again.")
    content = entries(secret)
    try:
        leaf, *above = parse_chain(content.get("tls.crt", b""))
    except CertificateError as problem:
        return Waiting(f"{target} holds no usable tls.crt: {problem}. cert-manager replaces what it finds spoilt.")
    key = usable_key(content.get("tls.key"))
    if key is None:
        return Waiting(f"{target} holds no usable tls.key. cert-manager replaces what it finds spoilt.")
    return IssuedCertificate(leaf, extend_chain((leaf, *above), read_ca_field(content.get("ca.crt", b"")))[1:], key)


def answer_to(
    certificate: Object,
    secret: Object | None,
    unfit: Iterable[str],
    scope: ClusterNames,
    detail: str = "",
) -> Answer:
    """The answer of a Certificate. secret: read after it, so that it is no older. unfit: SHA-256 of certificates that
    are no answer. detail: what its request waits for, as sentences; empty where no request was made.
    """
    name = str(certificate["metadata"]["name"])
    target, conditions = named(name, scope.namespace), conditions_of(certificate)
    if is_issuing(certificate):
        return Waiting(" ".join(filter(None, (f"{target} is being issued: {said(conditions['Issuing'])}.", detail))))
    ready = conditions.get("Ready")
    if ready is None or ready.get("observedGeneration") != certificate["metadata"].get("generation"):
        return Waiting(
            f"{target} was not looked at yet. Check that cert-manager runs, and that it serves this namespace."
        )
    held = read_issued(secret, secret_name(name), scope.namespace)
    if isinstance(held, IssuedCertificate) and held.leaf.sha256 not in set(unfit):
        return held
    if trouble := trouble_of(certificate, scope):
        return trouble
    if isinstance(held, Waiting):
        return Waiting(f"{target}: {said(ready)}. {held.why}")
    return Refused(
        f"{target} was not issued anew: it is {'Ready' if holds(conditions, 'Ready') else 'not Ready'} with the certificate that it had.",
        "Find out who has reset its condition Issuing; run again, so that it is asked for anew.",
    )


def is_refused(request: Object) -> bool:
    """Whether the request has ended without a certificate, and stays."""
    conditions = conditions_of(request)
    return holds(conditions, "Denied") or holds(conditions, "InvalidRequest")
