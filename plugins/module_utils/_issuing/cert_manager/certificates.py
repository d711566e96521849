# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that asks cert-manager for leaves by a Certificate for each. cert-manager renews them by itself, and has
the keys of leaves too (docs/issuers/cert-manager.md; External Certificate Manager, "Tracking changes to Cluster CA
end-entity certificates").

Certificates of cert-manager: how they are written, and what their conditions and their Secrets mean
(docs/issuers/cert-manager.md, "States of a Certificate"; External Certificate Manager, "Issuing Cluster CA end-entity
certificates"). An unneeded Certificate is left over: its removal is a call of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta
from typing import Any

from ..._errors import CertificateError, Conflict, Forbidden, Invalid, KubeError, NotFound, ResourceTypeMissing
from ..._kube.client import KubeClient
from ..._kube.resources import SECRETS, read_json, read_time
from ..._pki.certificates import Certificate, parse_chain
from ..._strimzi.apply.work import Clock, Work, Write, WriteVerb, version, write_all
from ..._strimzi.cluster.ca_secrets import usable_key
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.cluster.subjects import every_leaf
from ..._strimzi.cluster.taken_names import describe_owner
from ..._strimzi.issuer_settings import CertManagerCertificates
from ..._strimzi.names import (
    CERTIFICATE_REQUESTS,
    CERTIFICATES,
    KAFKA_USERS,
    KIND_LABEL,
    OWN_DOMAIN,
    CaKind,
    ClusterNames,
    selector_of,
)
from ..._strimzi.secret_data import entries
from ..issuer import Answer, IssuedCertificate, Kept, LeafOrder, Refused, Token, Waiting
from .conditions import (
    IssuerReference,
    Object,
    conditions_of,
    is_true,
    message_of,
    not_installed,
    refuse_foreign_token,
    refuse_unwritten,
    status_of,
)
from .requests import (
    Circumstances,
    by_name,
    certificate_of,
    describe_requests,
    extend_chain,
    forget_requests,
    read_ca_field,
)
from .specification import Review, Terms, manifest, own_mark, secret_name, wanted_spec

#: The name for people to type: other APIs have certificates too.
PLURAL = f"{CERTIFICATES.plural}.{CERTIFICATES.group}"


def label_certificate(name: str, namespace: str) -> str:
    """The Certificate in sentences."""
    return f"{CERTIFICATES.kind} {namespace}/{name}"


def refuse_foreign_certificate(certificate: Object, scope: ClusterNames) -> Refused | None:
    """The refusal of a Certificate of another writer with the name of a leaf; None for a Certificate of this
    collection.
    """
    name, labels = str(certificate["metadata"]["name"]), certificate["metadata"].get("labels") or {}
    missing = [label for label, value in scope.own_labels.items() if labels.get(label) != value]
    if not missing:
        return None
    return Refused(
        f"{label_certificate(name, scope.namespace)} exists already and belongs to another owner: it lacks labels of "
        f"ours ({', '.join(missing)}). Found there: {describe_owner(certificate)}.",
        f"Remove it if nothing uses it (kubectl delete -n {scope.namespace} {PLURAL} {name}), then run again.",
    )


def refuse_taken_secret(secret: Object | None, namespace: str) -> Refused | None:
    """The refusal if cert-manager would put key and certificate into a Secret of Strimzi's operators or of another
    owner; None if it would not.
    """
    metadata: Object = secret["metadata"] if secret is not None else {}
    kind = (metadata.get("labels") or {}).get(KIND_LABEL)
    if kind is None:
        return _refuse_foreign_secret(secret, namespace) if secret is not None else None
    return Refused(
        f"cert-manager would keep the certificate in Secret {namespace}/{metadata['name']}, which belongs to a {kind}, "
        "and both would write to it without end.",
        f"Give that {kind} another name; or have requests made instead of Certificates (resource=CertificateRequest).",
    )


#: The domains of annotations of a Secret of cert-manager.
_MARKS = ("cert-manager.io", OWN_DOMAIN)


def _refuse_foreign_secret(secret: Object, namespace: str) -> Refused | None:
    """The refusal if cert-manager would put key and certificate beside the content of another owner; None if the Secret
    has a mark or a certificate of cert-manager.
    """
    metadata = secret["metadata"]
    domains = {name.partition("/")[0] for name in metadata.get("annotations") or ()}
    if "tls.crt" in (secret.get("data") or {}) or not domains.isdisjoint(_MARKS):
        return None
    name = metadata["name"]
    return Refused(
        f"cert-manager would keep the certificate in Secret {namespace}/{name}, which belongs to another owner "
        f"({describe_owner(secret)}).",
        f"Have its owner give it another name, or delete it where no program needs it (kubectl delete secret {name} "
        f"--namespace {namespace}), then run again; or have requests made instead of Certificates "
        "(resource=CertificateRequest).",
    )


def is_issuing(certificate: Object) -> bool:
    return is_true(conditions_of(certificate), "Issuing")


def last_failure_of(certificate: Object, scope: ClusterNames) -> Refused | None:
    """Why the last issuance failed; None if none has failed since the last success."""
    issuing = conditions_of(certificate).get("Issuing", {})
    if issuing.get("status") != "False" or issuing.get("reason") == "Issued":
        return None
    status = status_of(certificate)
    count, since = status.get("failedIssuanceAttempts") or 1, status.get("lastFailureTime") or "an unknown time"
    return Refused(
        f"{label_certificate(str(certificate['metadata']['name']), scope.namespace)} could not be issued: "
        f"{message_of(issuing)}. It has failed {count} {'time' if count == 1 else 'times'} in a row, on {since} the "
        "last time.",
        "Correct the issuer as this says. cert-manager tries again by itself, later each time; retry_failed has it try "
        "at once.",
    )


def failed_at(certificate: Object) -> datetime | None:
    """When the last issuance failed; None if none has, or that is unknown."""
    moment = read_time(status_of(certificate).get("lastFailureTime"))
    # Adding a delay to a time in the last year of datetime would overflow.
    return None if moment is None or moment.year == MAXYEAR else moment


def issuing_patch(certificate: Object, now: datetime) -> dict[str, Any]:
    """The patch of its status that has cert-manager issue it, as ``cmctl renew`` does. If failed requests are older
    than this condition, to the second, cert-manager drops them and so tries at once.
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
    others = (condition for kind, condition in conditions_of(certificate).items() if kind != "Issuing")
    return {"status": {"conditions": [*others, condition]}}


def read_issued(secret: Object | None, name: str, namespace: str) -> IssuedCertificate | Waiting:
    """The certificate with its key in cert-manager's Secret of this name."""
    target = f"Secret {namespace}/{name}"
    if secret is None:
        return Waiting(f"{target} is not there yet, or lacks its labels; cert-manager makes both again.")
    content = entries(secret)
    try:
        leaf, *above = parse_chain(content.get("tls.crt", b""))
    except CertificateError as problem:
        return Waiting(f"{target} contains no usable tls.crt: {problem}. cert-manager replaces a spoilt Secret.")
    key = usable_key(content.get("tls.key"))
    if key is None:
        return Waiting(f"{target} contains no usable tls.key. cert-manager replaces a spoilt Secret.")
    return IssuedCertificate(leaf, extend_chain((leaf, *above), read_ca_field(content.get("ca.crt", b"")))[1:], key)


#: The reason of the condition Ready while cert-manager has seen no Secret of the Certificate. It can stay for a moment
#: after cert-manager has written the Secret, and then cert-manager sometimes issues the certificate a second time
#: (cert-manager's reason DoesNotExist, ``internal/controller/certificates/policies``).
_NOT_SEEN = "DoesNotExist"


def answer_to(
    certificate: Object,
    secret: Object | None,
    unfit: Iterable[str],
    scope: ClusterNames,
    detail: str = "",
) -> Answer:
    """The answer of a Certificate. Its Secret was read after it, so the Secret is no older. Certificates with a SHA-256
    in ``unfit`` are no answer. Sentences in ``detail`` say what its request waits for; they are empty if no request was
    made.
    """
    name = str(certificate["metadata"]["name"])
    target, conditions = label_certificate(name, scope.namespace), conditions_of(certificate)
    if is_issuing(certificate):
        return Waiting(
            " ".join(filter(None, (f"{target} is being issued: {message_of(conditions['Issuing'])}.", detail)))
        )
    ready = conditions.get("Ready")
    if ready is None or ready.get("observedGeneration") != certificate["metadata"].get("generation"):
        return Waiting(
            f"{target} was not looked at yet. Check that cert-manager runs, and that it serves this namespace."
        )
    stored = read_issued(secret, secret_name(name), scope.namespace)
    if isinstance(stored, IssuedCertificate) and ready.get("reason") == _NOT_SEEN:
        return Waiting(
            f"{target}: cert-manager has not seen its Secret {scope.namespace}/{secret_name(name)} yet, and may issue "
            "it again. Check that cert-manager runs."
        )
    if isinstance(stored, IssuedCertificate) and stored.leaf.sha256 not in set(unfit):
        return stored
    if trouble := last_failure_of(certificate, scope):
        return trouble
    if isinstance(stored, Waiting):
        return Waiting(f"{target}: {message_of(ready)}. {stored.reason}")
    return Refused(
        f"{target} was not issued again: it is {'Ready' if is_true(conditions, 'Ready') else 'not Ready'} with the "
        "certificate that it had.",
        "Find the program or person that has reset its condition Issuing; run again, so that it is requested again.",
    )


def is_refused(request: Object) -> bool:
    """Whether the request has ended without a certificate, and stays."""
    conditions = conditions_of(request)
    return is_true(conditions, "Denied") or is_true(conditions, "InvalidRequest")


#: How often a condition is set if controllers of cert-manager change it at the same time.
_ATTEMPTS = 5


class CertManagerByCertificates:
    """The issuer by Certificates. It needs create, get, list and patch on certificates and patch on their status in the
    cluster's namespace. It needs list and delete on certificaterequests, to report what they say and to remove refused
    requests, and get on the issuer, to say what is wrong with it. A token names the Certificate, and the unfit
    certificates of this leaf.
    """

    #: A Certificate is for all later leaves, and no request.
    remembers = False

    def __init__(self, client: KubeClient, terms: Terms, clock: Clock) -> None:
        self._client = client
        self._terms = terms
        self._scope = terms.scope
        self._namespace = terms.scope.namespace
        self._clock = clock

    @property
    def reference(self) -> str:
        return f"cert-manager {self._terms.issuer} by Certificates"

    def request(self, order: LeafOrder) -> Token | Refused:
        """Request a leaf. If cert-manager already has a fit certificate, it is the answer; else cert-manager issues
        another.
        """
        try:
            refused = self._apply_order(order)
        except KubeError as error:
            return refuse_unwritten(error, label_certificate(order.name, self._namespace), self._terms.issuer)
        return refused or _token(order)

    def _apply_order(self, order: LeafOrder) -> Refused | None:
        """Write the order. If the fit certificate is there already and cert-manager issues no other, a refused
        correction waits: a later step makes it, or says why it cannot.
        """
        certificate = self._client.get_or_none(CERTIFICATES, self._namespace, order.name)
        if certificate is None:
            if refused := refuse_taken_secret(self._read_secret_of(order), self._namespace):
                return refused
            certificate = self._client.create(CERTIFICATES, self._namespace, manifest(order, self._terms))
        elif refused := refuse_foreign_certificate(certificate, self._scope):
            return refused
        elif patch := self._review_spec(certificate, order).patch:
            try:
                certificate = self._client.patch(
                    CERTIFICATES, self._namespace, order.name, patch, resource_version=version(certificate)
                )
            except (Invalid, Forbidden):
                if is_issuing(certificate) or not self._has_fit(order):
                    raise
        if self._is_to_be_issued(certificate, order):
            self._issue(certificate)
        return None

    def _review_spec(self, certificate: Object, order: LeafOrder) -> Review:
        return Review.of(certificate, wanted_spec(order, self._terms), self._clock.now())

    def _stored(self, order: LeafOrder) -> IssuedCertificate | Waiting:
        return read_issued(self._read_secret_of(order), secret_name(order.name), self._namespace)

    def _has_fit(self, order: LeafOrder) -> bool:
        stored = self._stored(order)
        return isinstance(stored, IssuedCertificate) and stored.leaf.sha256 not in order.unfit

    def _is_to_be_issued(self, certificate: Object, order: LeafOrder) -> bool:
        """Whether cert-manager would not issue it now by itself: it keeps an unfit certificate, or waits after a
        failure.
        """
        stored = self._stored(order)
        if isinstance(stored, IssuedCertificate):
            return stored.leaf.sha256 in order.unfit
        return last_failure_of(certificate, self._scope) is not None

    def _read_secret_of(self, order: LeafOrder) -> Object | None:
        return self._client.get_or_none(SECRETS, self._namespace, secret_name(order.name))

    def _issue(self, certificate: Object) -> None:
        """Have cert-manager issue it, as ``cmctl renew`` does."""
        name = str(certificate["metadata"]["name"])
        if last_failure_of(certificate, self._scope) is not None:
            self._remove_refused(name)
        for attempt in range(1, _ATTEMPTS + 1):
            if is_issuing(certificate):
                return
            try:
                self._client.patch(
                    CERTIFICATES, self._namespace, name, issuing_patch(certificate, self._clock.now()),
                    resource_version=version(certificate), subresource="status",
                )  # fmt: skip
                return
            except Conflict:
                if attempt == _ATTEMPTS:
                    raise
                certificate = self._client.get(CERTIFICATES, self._namespace, name)

    def _remove_refused(self, name: str) -> None:
        """Remove refused requests. cert-manager drops a failed request before it tries again, but keeps a denied or
        invalid request: the Certificate would fail again by the old answer.
        """
        for request in self._listed_requests():
            if certificate_of(request) == name and is_refused(request):
                with suppress(NotFound, Conflict):
                    uid = request["metadata"].get("uid")
                    self._client.delete(CERTIFICATE_REQUESTS, self._namespace, request["metadata"]["name"], uid=uid)

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        """The answers to tokens. Lists Certificates, Secrets and requests once each at most, however many there are."""
        if not tokens:
            return ()
        try:
            certificates = self._certificates()
        except ResourceTypeMissing:
            return (not_installed(CERTIFICATES),) * len(tokens)
        secrets, details = self._secrets(), self._describe_requests(certificates)
        return tuple(self._answer(token, certificates, secrets, details) for token in tokens)

    def _answer(
        self,
        token: Token,
        certificates: Mapping[str, Object],
        secrets: Mapping[str, Object],
        details: Mapping[str, str],
    ) -> Answer:
        record = _read(token)
        if record is None:
            return refuse_foreign_token(self.reference)
        name, unfit = record
        certificate = certificates.get(name)
        if certificate is None:
            return Refused(
                f"{label_certificate(name, self._namespace)} was deleted.",
                "Find the program or person that removes Certificates that are in use; run again, so that the leaf is "
                "requested again.",
            )
        return refuse_foreign_certificate(certificate, self._scope) or answer_to(
            certificate, secrets.get(secret_name(name)), unfit, self._scope, details.get(name, "")
        )

    def forget(self, tokens: Sequence[Token]) -> None:
        """Forget no Certificate: cert-manager goes on to renew the leaves in use, and ``find_left_over`` finds the
        unneeded Certificates. Requests without a Certificate, to an earlier issuer of the caller, go.
        """
        forget_requests(self._client, self._namespace, self._scope.own_labels, tokens)

    def review(self, orders: Sequence[LeafOrder]) -> Mapping[str, Kept]:
        try:
            certificates = self._certificates()
        except ResourceTypeMissing:
            return {order.name: Kept(not_installed(CERTIFICATES)) for order in orders}
        secrets, details = self._secrets(), self._describe_requests(certificates)
        without = {secret_name(order.name) for order in orders if order.name in certificates} - secrets.keys()
        taken = self._taken_secrets() if without and self._scope.ca is CaKind.CLIENTS else {}
        return {
            order.name: self._judge_kept(
                order,
                certificates.get(order.name),
                secrets.get(secret_name(order.name)),
                details.get(order.name, ""),
                taken,
            )
            for order in orders
        }

    def _judge_kept(
        self,
        order: LeafOrder,
        certificate: Object | None,
        secret: Object | None,
        detail: str,
        taken: Mapping[str, Object],
    ) -> Kept:
        """The state of one leaf at the issuer. ``taken`` has the Secrets of users by name: no Certificate may write
        them.
        """
        if certificate is None:
            return self._missing(order)
        if theirs := refuse_foreign_certificate(certificate, self._scope) or refuse_taken_secret(
            taken.get(secret_name(order.name)), self._namespace
        ):
            return Kept(theirs)
        trouble = last_failure_of(certificate, self._scope)
        review = self._review_spec(certificate, order)
        return Kept(
            answer_to(certificate, secret, (), self._scope, detail),
            f"{trouble.reason} {trouble.remedy}" if trouble else "",
            self._correction(order, review) if review.due else None,
            f"its {', '.join(map(str, review.due))}" if review.due else "",
            review.description_of_written_back,
        )

    def _missing(self, order: LeafOrder) -> Kept:
        if refused := refuse_taken_secret(self._read_secret_of(order), self._namespace):
            return Kept(refused)
        body = manifest(order, self._terms)
        what = f"have {self._terms.issuer} issue and renew it"
        made = Write(WriteVerb.CREATE, CERTIFICATES, order.name, what, body, before={}, after=body["spec"])
        return Kept(
            Waiting(f"{label_certificate(order.name, self._namespace)} is not there."), "", made, "it is not there"
        )

    def _correction(self, order: LeafOrder, review: Review) -> Write:
        before = {difference.name: difference.shown for difference in review.due}
        after = {difference.name: difference.wanted for difference in review.due}
        what, resource_version = f"correct {', '.join(before)}", version(review.certificate)
        return Write(
            WriteVerb.UPDATE, CERTIFICATES, order.name, what, review.patch, resource_version, before=before, after=after
        )

    def _certificates(self) -> Mapping[str, dict[str, Any]]:
        """Certificates by name; also another owner's, possibly with the name of a leaf."""
        return by_name(self._client.list(CERTIFICATES, self._namespace).items)

    def _secrets(self) -> Mapping[str, dict[str, Any]]:
        """Secrets, read after their Certificates: if a Certificate is no longer being issued, its Secret has its
        certificate.
        """
        selector = selector_of(self._scope.beside_labels)
        return by_name(self._client.list(SECRETS, self._namespace, label_selector=selector).items)

    def _taken_secrets(self) -> Mapping[str, dict[str, Any]]:
        """The Secrets of KafkaUsers, by name. A later user may have the name of a Secret at cert-manager."""
        selector = selector_of({KIND_LABEL: KAFKA_USERS.kind})
        secrets = self._client.each(
            SECRETS, self._namespace, lambda one: one, label_selector=selector, metadata_only=True
        )
        return by_name(secrets)

    def _describe_requests(self, certificates: Mapping[str, Object]) -> Mapping[str, str]:
        """Sentences about the request of each Certificate in issuance, by the name of the Certificate."""
        issuing = [name for name, certificate in certificates.items() if is_issuing(certificate)]
        if not issuing:
            return {}
        at = Circumstances(self._client, self._terms.issuer, self._clock.now())
        return describe_requests(issuing, self._listed_requests(), at)

    def _listed_requests(self) -> Sequence[dict[str, Any]]:
        """The requests of this cluster's Certificates: they have its labels."""
        selector = selector_of(self._scope.own_labels)
        return self._client.list(CERTIFICATE_REQUESTS, self._namespace, label_selector=selector).items


def _token(order: LeafOrder) -> Token:
    return Token(json.dumps({"certificate": order.name, "unfit": sorted(order.unfit)}).encode())


def _read(token: Token) -> tuple[str, frozenset[str]] | None:
    """Name and ``unfit``; None if the token is spoilt."""
    match read_json(token.value):
        case {"certificate": str() as name, "unfit": list() as unfit}:
            return name, frozenset(map(str, unfit))
    return None


@dataclass(frozen=True, repr=False)
class LeftOver:
    """An unneeded Certificate of cert-manager with its Secret; or that Secret, if the Certificate is gone."""

    #: The name of the Certificate.
    name: str
    #: Why no leaf needs it, as a part of a sentence.
    reason: str
    #: The Certificate, as the API server has it; None if it is gone.
    certificate: Object | None
    #: The Secret of cert-manager for it; None if there is none.
    secret: Object | None


def find_left_over(observation: Observation, work: Work) -> tuple[LeftOver, ...]:
    """The unneeded Certificates of this collection for this cluster, also gone Certificates with a remaining Secret. A
    Certificate is unneeded if it belongs to no leaf. It is unneeded too if it belongs to another issuer than the named
    issuer, and the leaf in use is not its certificate. Raises KubeError.
    """
    scope = observation.scope
    # Read before the Certificates, so the Certificate of a Secret is in the second list.
    listed = work.client.list(SECRETS, scope.namespace, label_selector=selector_of(scope.beside_labels)).items
    try:
        certificates = by_name(work.client.list(CERTIFICATES, scope.namespace).items)
    except ResourceTypeMissing:
        certificates = {}
    secrets = by_name(listed)
    stored = observation.snapshot.every_certificate
    secrets_of_leaves = {leaf.secret for leaf in every_leaf(observation)}
    own = {name: one for name, one in certificates.items() if refuse_foreign_certificate(one, scope) is None}
    left_over: list[LeftOver] = []
    for name, certificate in (own | _gone(certificates, secrets, scope)).items():
        secret = secrets.get(secret_name(name))
        if name not in secrets_of_leaves:
            left_over.append(LeftOver(name, "this cluster has no such leaf", certificate, secret))
        elif not _is_continued(certificate, work) and not _is_in_use(secret, name, stored.get(name), work):
            left_over.append(LeftOver(name, "another issuer issues this leaf", certificate, secret))
    return tuple(left_over)


def _gone(
    certificates: Mapping[str, Object], secrets: Mapping[str, Object], scope: ClusterNames
) -> dict[str, Object | None]:
    """The names of gone Certificates of this collection with a remaining Secret: a call was killed between the two, or
    a person has deleted the Certificate. cert-manager marks a Secret with the name of its Certificate.
    """
    kept_for = {str((one.get("spec") or {}).get("secretName")) for one in certificates.values()}
    names = (
        certificate_of(secret)
        for name, secret in secrets.items()
        if name == secret_name(certificate_of(secret)) and name not in kept_for and _has_mark(secret, scope)
    )
    return {name: None for name in names if name not in certificates}


def _has_mark(secret: Object, scope: ClusterNames) -> bool:
    return own_mark(scope).items() <= (secret["metadata"].get("annotations") or {}).items()


def _is_continued(certificate: Object | None, work: Work) -> bool:
    """Whether the caller's issuer goes on with it; ``reconcile`` corrects differences, and makes a gone Certificate
    again.
    """
    settings = work.settings.issuer
    if not isinstance(settings, CertManagerCertificates):
        return False
    return certificate is None or IssuerReference(settings.issuer, work.scope.namespace).is_of(certificate)


def _is_in_use(secret: Object | None, name: str, used: Certificate | None, work: Work) -> bool:
    issued = read_issued(secret, secret_name(name), work.scope.namespace)
    return isinstance(issued, IssuedCertificate) and issued.leaf == used


def remove(left: tuple[LeftOver, ...], work: Work) -> None:
    """Remove each Certificate, and its Secret after it: the other way round cert-manager would make the Secret again.
    After a failure, the next call goes on with the rest. Raises KubeError.
    """
    for one in left:
        what = f"left over: {one.reason}"
        if one.certificate is not None:
            _remove_object(Write(WriteVerb.DELETE, CERTIFICATES, one.name, what, None, version(one.certificate)), work)
        if one.secret is not None:
            _remove_object(
                Write(WriteVerb.DELETE, SECRETS, secret_name(one.name), what, None, version(one.secret)), work
            )


def _remove_object(write: Write, work: Work) -> None:
    """Remove the object if it is still there. An earlier try may have removed it. A setting of cert-manager may have
    removed a Secret with its Certificate.
    """
    with suppress(NotFound):
        write_all((write,), work, "")
