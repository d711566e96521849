# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Reading the Secrets of a cluster with CAs. These are the pair ``<c>-cluster-ca-cert`` and ``<c>-cluster-ca``
(docs/operator.md, "CA Secrets", "User-managed CA"); the trust bundle for processes, with an entry for each CA
(docs/operator.md, "Trust bundle"); and ``<cluster>-cluster-ca-bundle``, every trusted CA in the forms for clients,
under a password that does not change.

Secrets are found by their labels, and by their names if these are known. A Secret made by hand, or put back from a
copy, often lacks its labels. If it were overlooked, a CA, a leaf or the ledger would be made again beside it.

The operator made the PKCS#12 truststore in the CA certificate Secret while it managed the CA. Clients of the truststore
get a new CA only if this collection keeps it in step with the PEM entries, under the same password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from ..._errors import CertificateError, PrivateKeyError
from ..._kube.client import KubeClient
from ..._kube.resources import SECRETS
from ..._pki.certificates import Certificate, Chain, parse_certificates, parse_chain
from ..._pki.keys import PrivateKey, load_stored_key, named_key
from ..._pki.pem_forms import why_not_for_a_jvm
from ..._trust.model.components import Component
from ..._trust.model.ledger import NO_FLOW_OPTIONS
from ..._trust.model.snapshot import (
    CaDefects,
    CaSecrets,
    LinkCertificates,
    PreparedAuthority,
    UnlabelledSecret,
)
from .. import names
from ..ledger.entries import read_beginning, read_flow_options
from ..ledger.layouts import ledger_parts
from ..names import ClusterNames
from ..secret_data import annotation, entries, integer_annotation, missing_labels
from .leaves import LeafSecret

STORE = "ca.p12"
TRUSTSTORE_PASSWORD = "ca.password"  # noqa: S105 - the name of an entry


def password_problem(present: Mapping[str, bytes]) -> str:
    """Why the store cannot be written with its password, as a sentence; empty if it can, or if there is none."""
    password = present.get(TRUSTSTORE_PASSWORD)
    if STORE not in present or password is None:
        return ""
    why = "it is empty"
    if password:
        try:
            password.decode("utf-8")
        except UnicodeDecodeError:
            why = "it is not UTF-8 text"
        else:
            return ""
    return f"entry {TRUSTSTORE_PASSWORD}, the password of the truststore {STORE}, cannot be used: {why}."


@dataclass(frozen=True, repr=False)
class SuppliedAuthority:
    """A CA brought by the caller."""

    #: The CA, with the CAs above it.
    chain: Chain
    #: Its private key; None if the key is kept elsewhere.
    key: PrivateKey | None


def truststore_entries(present: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """The rewritten store, with Strimzi's aliases (the entry names); nothing if there was no store."""
    password = present.get(TRUSTSTORE_PASSWORD)
    if STORE not in present or password is None:
        return {}
    # Imported only if a truststore is rewritten.
    from ..._pki.keystores import pkcs12_truststore

    certificates: dict[str, Certificate] = {}
    for key in sorted(wanted):
        if key.endswith(".crt"):
            try:
                certificates[key] = parse_certificates(wanted[key])[0]
            except CertificateError:
                continue
    return {STORE: pkcs12_truststore(certificates, password)}


Object = Mapping[str, Any]

#: A cluster has three CAs at most while one replaces another; a call asks every process about each of them.
_MOST_ENTRIES = 100
CURRENT = "ca.crt"
KEY = "ca.key"
#: The entries of a Secret of the type kubernetes.io/tls.
TLS_CERTIFICATE, TLS_KEY = "tls.crt", "tls.key"
#: The entry of the link certificates, beside the entry of the prepared CA: NewWithOld, then OldWithNew if there is one.
#: It stays as long as the CA is in use.
LINK_SUFFIX = ".link.crt"
_PREPARED = re.compile(r"^([0-9a-f]{40})\.crt$")
#: docs/operator.md, "CA Secrets".
_RETIRED = re.compile(r"^ca-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.crt$")
_KEPT = re.compile(r"^([0-9a-f]{40})\.key$")
_KEPT_LINKS = re.compile(r"^([0-9a-f]{40})\.link\.crt$")


def read_ca_secrets(
    certificate_secret: Object | None, key_secret: Object | None, counted_by: str = names.CA_CERT_GENERATION
) -> CaSecrets:
    """The content of the two Secrets. An unreadable entry becomes a problem. The annotation ``counted_by`` has the
    generation of the certificate; the operator's own counts until it is there.
    """
    certificates = {k: v for k, v in entries(certificate_secret).items() if k.endswith(".crt") and v.strip()}
    chains, problems = _parse_chains(certificates)
    password = password_problem(entries(certificate_secret))
    keys = entries(key_secret)
    prepared = tuple(_read_prepared(keys))
    options, unread = read_flow_options(key_secret) if prepared else (NO_FLOW_OPTIONS, [])
    beginning, unread_beginning = read_beginning(key_secret) if prepared else (None, [])
    defects = CaDefects(
        problems=(*problems, *([password] if password else []), *unread, *unread_beginning),
        is_current_unusable=CURRENT in certificates and CURRENT not in chains,
        unnumbered_generations=tuple(_find_unnumbered(certificate_secret, key_secret)),
        exposed_entries=tuple(
            sorted(key for key, value in entries(certificate_secret).items() if b"PRIVATE KEY-----" in value)
        ),
        certificate_named_for_tls=_name_if_for_tls(certificate_secret, CURRENT, TLS_CERTIFICATE),
        key_named_for_tls=_name_if_for_tls(key_secret, KEY, TLS_KEY),
        triggers=tuple(_find_triggers(certificate_secret, key_secret)),
    )
    return CaSecrets(
        current=chains.pop(CURRENT, ()),
        other_entries=chains,
        certificate_generation=_read_generation(certificate_secret, counted_by),
        key_generation=integer_annotation(key_secret, names.CA_KEY_GENERATION) or 0,
        key=_read_public_key(keys.get(KEY)),
        prepared=prepared,
        kept_keys=frozenset(match.group(1) for match in map(_KEPT.match, keys) if match),
        kept_links=_read_kept_links(keys, frozenset(authority.fingerprint for authority in prepared)),
        keys_elsewhere=frozenset(filter(None, (named_key(keys[name]) for name in keys if name.endswith(".key")))),
        retired=tuple(filter(_RETIRED.match, chains)),
        flow_options=options,
        beginning=beginning,
        defects=defects,
    )


def _read_generation(certificate_secret: Object | None, counted_by: str) -> int:
    counted = integer_annotation(certificate_secret, counted_by)
    return counted if counted is not None else integer_annotation(certificate_secret, names.CA_CERT_GENERATION) or 0


def _parse_chains(certificates: Mapping[str, bytes]) -> tuple[dict[str, Chain], list[str]]:
    chains: dict[str, Chain] = {}
    problems = []
    if len(certificates) > _MOST_ENTRIES:
        problems.append(
            f"contains {len(certificates)} entries with certificates; at most {_MOST_ENTRIES} are looked at."
        )
        certificates = {key: content for key, content in certificates.items() if key == CURRENT}
    for key in sorted(certificates):
        try:
            chain = parse_chain(certificates[key])
        except CertificateError as error:
            problems.append(f"entry {key} cannot be read: {error}.")
            continue
        if why := why_not_for_a_jvm(certificates[key], [certificate.der for certificate in chain]):
            problems.append(
                f"entry {key} cannot be read by the Cluster Operator, Kafka and other Java programs: {why}."
            )
        else:
            chains[key] = chain
    return chains, problems


def _name_if_for_tls(secret: Object | None, own: str, theirs: str) -> str:
    """The name of the Secret if it has the entry of a Secret of the type kubernetes.io/tls in the place of the
    operator's; else empty.
    """
    if secret is None or theirs not in entries(secret) or own in entries(secret):
        return ""
    return str(secret["metadata"]["name"])


def private_key(key_secret: Object | None, entry: str) -> PrivateKey | None:
    """A private key of the key Secret; None if it is absent or unusable."""
    return usable_key(entries(key_secret).get(entry))


def key_of(authority: Certificate, key_secret: Object | None) -> PrivateKey | None:
    """The private key of this CA: the key in use, or a key kept beside it; None if the cluster does not keep it."""
    for entry in (KEY, f"{authority.fingerprint}.key"):
        key = private_key(key_secret, entry)
        if key is not None and authority.is_for(key):
            return key
    return None


def usable_key(content: bytes | None) -> PrivateKey | None:
    if content is None:
        return None
    try:
        return load_stored_key(content)
    except PrivateKeyError:
        return None


def _read_public_key(content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return load_stored_key(content).public_key_sha256
    except PrivateKeyError:
        return named_key(content)


def _read_prepared(keys: Mapping[str, bytes]) -> list[PreparedAuthority]:
    prepared = []
    for name in sorted(keys):
        match = _PREPARED.match(name)
        if not match:
            continue
        try:
            chain = parse_chain(keys[name])
        except CertificateError:
            continue
        if chain[0].fingerprint == match.group(1):
            key = _read_public_key(keys.get(f"{match.group(1)}.key"))
            links = read_links(keys.get(f"{match.group(1)}{LINK_SUFFIX}"))
            links = links if links is not None and links.new_with_old.is_twin_of(chain[0]) else None
            prepared.append(
                PreparedAuthority(chain, key, links, named_key(keys.get(f"{match.group(1)}.key", b"")) is not None)
            )
    return prepared


def encode_links(links: LinkCertificates) -> bytes:
    """The PEM entry for ``read_links``."""
    return links.new_with_old.pem + (links.old_with_new.pem if links.old_with_new is not None else b"")


def read_links(content: bytes | None) -> LinkCertificates | None:
    """The link certificates of an entry; None if the first is unreadable. The second counts only if the two certify
    each other: nodes present both, and Kafka refuses to start with a chain of unrelated certificates.
    """
    try:
        first, *others = parse_certificates(content or b"")
    except CertificateError:
        return None
    second = others[0] if others and first.signed_by(others[0]) and others[0].signed_by(first) else None
    return LinkCertificates(first, second)


def _read_kept_links(keys: Mapping[str, bytes], prepared: frozenset[str]) -> dict[str, LinkCertificates]:
    """Link certificates of CAs that do not wait any more."""
    names_of_them = (match.group(1) for match in map(_KEPT_LINKS.match, sorted(keys)) if match)
    read = {name: read_links(keys[f"{name}{LINK_SUFFIX}"]) for name in names_of_them if name not in prepared}
    return {name: links for name, links in read.items() if links is not None}


def _find_unnumbered(certificate_secret: Object | None, key_secret: Object | None) -> list[str]:
    """The Secrets with their proper content but without a number."""
    wanted = ((certificate_secret, CURRENT, names.CA_CERT_GENERATION), (key_secret, KEY, names.CA_KEY_GENERATION))
    return [
        f"Secret {(secret or {})['metadata']['name']}, annotation {name}"
        for secret, entry, name in wanted
        if entry in entries(secret) and not _is_generation(integer_annotation(secret, name))
    ]


def _is_generation(number: int | None) -> bool:
    return number is not None and number >= 0


def _find_triggers(certificate_secret: Object | None, key_secret: Object | None) -> list[str]:
    wanted = ((certificate_secret, names.FORCE_RENEW), (key_secret, names.FORCE_REPLACE))
    return [
        f"Secret {(secret or {})['metadata']['name']}, annotation {name}"
        for secret, name in wanted
        if annotation(secret, name) is not None
    ]


def read_bundle(secret: Mapping[str, Any] | None, scope: ClusterNames) -> frozenset[str] | None:
    """Fingerprints of its CAs; None if there is no Secret. No process trusts an unreadable entry."""
    if secret is None:
        return None
    try:
        return frozenset(
            certificate.fingerprint for certificate in parse_certificates(entries(secret).get(scope.bundle_entry, b""))
        )
    except CertificateError:
        return frozenset()


PEM, PKCS12, JKS, PASSWORD = "ca.crt", "ca.p12", "ca.jks", "ca.password"


def read_published(secret: Mapping[str, Any] | None) -> frozenset[str] | None:
    """Fingerprints of the published certificates; None if there is no bundle, empty if it is unreadable."""
    if secret is None:
        return None
    content = entries(secret)
    try:
        certificates = parse_certificates(content.get(PEM, b""))
    except CertificateError:
        return frozenset()
    complete = all(content.get(name) for name in (PKCS12, JKS, PASSWORD))
    return frozenset(certificate.fingerprint for certificate in certificates) if complete else frozenset()


StoredSecret: TypeAlias = dict[str, Any]
Secrets: TypeAlias = Mapping[str, Mapping[str, Any]]
Read = TypeVar("Read")

#: How many Secrets are read one by one. A new cluster with many nodes has none of its Secrets yet.
_ONE_BY_ONE = 10
_ISSUED_ANEW = "without which the Cluster Operator issues another certificate in its place"
_PUT_BACK = "which the Cluster Operator puts back with its next reconcile"


def read_secrets(client: KubeClient, scope: names.ClusterNames) -> Secrets:
    """The Secrets with the labels of the cluster, and the Secrets of its CAs whatever their labels. Raises
    KubeError.
    """
    listed = client.list(SECRETS, scope.namespace, label_selector=scope.selector).items
    secrets = {str(secret["metadata"]["name"]): secret for secret in listed}
    wanted = (
        scope.ca_certificate_secret, scope.ca_key_secret, scope.other_ca.ca_certificate_secret,
        scope.trust_bundle_secret,
        *_ledger_secrets(scope, secrets),
    )  # fmt: skip
    return add_named_secrets(client, scope, secrets, wanted)


def add_named_secrets(
    client: KubeClient, scope: names.ClusterNames, secrets: Secrets, wanted: Iterable[str]
) -> Secrets:
    """The Secrets, completed with Secrets of these names. Raises KubeError."""
    return {**secrets, **dict(named_secrets(client, scope.namespace, set(wanted) - set(secrets), _by_name))}


def _by_name(secret: StoredSecret) -> tuple[str, StoredSecret]:
    return str(secret["metadata"]["name"]), secret


def named_secrets(
    client: KubeClient, namespace: str, wanted: Set[str], read: Callable[[StoredSecret], Read | None]
) -> Sequence[Read]:
    """Read the Secrets with these names: one request for each, or all Secrets of the namespace in pages if that would
    be many. Raises KubeError.
    """
    if len(wanted) > _ONE_BY_ONE:
        return client.each(
            SECRETS, namespace, lambda secret: read(secret) if secret["metadata"]["name"] in wanted else None
        )
    each = (f"metadata.name={name}" for name in sorted(wanted))
    read_items = (read(item) for name in each for item in client.list(SECRETS, namespace, field_selector=name).items)
    return [secret for secret in read_items if secret is not None]


def _ledger_secrets(scope: names.ClusterNames, secrets: Secrets) -> tuple[str, ...]:
    """Further Secrets that may belong to the ledger; none if a found Secret contains all of it."""
    shared = secrets.get(scope.trusted_certificates_secret)
    return () if shared is not None and annotation(shared, names.LAYOUT) is None else scope.ledger_secrets


def unlabelled_secrets(scope: names.ClusterNames, secrets: Secrets) -> dict[str, UnlabelledSecret]:
    """The Secrets of the CA with a lost label, by name."""
    why = dict.fromkeys((scope.ca_certificate_secret, scope.ca_key_secret), "by which the Cluster Operator finds it")
    why |= dict.fromkeys(ledger_parts(secrets, scope), "by which this collection knows what it has made")
    return {
        name: UnlabelledSecret(lost, why.get(name, _PUT_BACK), holds=name in why)
        for name in (*why, scope.trust_bundle_secret)
        if name in secrets and (lost := missing_labels(secrets[name], scope.labels))
    }


def unlabelled_leaves(
    scope: names.ClusterNames, secrets: Secrets, leaves: Iterable[LeafSecret]
) -> dict[str, UnlabelledSecret]:
    """The Secrets of these leaves with a lost label, by name."""
    unlabelled = {}
    for leaf in leaves:
        wanted = scope.node_leaf_labels if leaf.component is Component.KAFKA else scope.labels
        if lost := missing_labels(secrets[leaf.secret], wanted):
            holds = leaf.component.facts.is_found_by_labels
            unlabelled[leaf.secret] = UnlabelledSecret(lost, _ISSUED_ANEW if holds else _PUT_BACK, holds)
    return unlabelled
