# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PKI mount: issuers, roles, and what is signed by which rules."""

from __future__ import annotations

import fnmatch
import ipaddress
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .errors import ApiError

_HOST = re.compile(r"^(\*\.)?([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9]))*\.?$")  # fmt: skip
#: The texts that the encoder of Vault's language writes as PrintableString; everything else becomes UTF8String.
_PRINTABLE = re.compile(r"^[A-Za-z0-9 '()+,\-./:=?]*$")
_DURATION = re.compile(r"^(\d+)([smhd]?)$")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_ROLE: Mapping[str, Any] = {
    "allowed_domains": [], "allow_any_name": False, "allow_bare_domains": False, "allow_subdomains": False,
    "allow_glob_domains": False, "allow_localhost": True, "allow_ip_sans": True, "enforce_hostnames": True,
    "cn_validations": ["email", "hostname"], "require_cn": True, "use_csr_common_name": True, "use_csr_sans": True,
    "organization": [], "ou": [], "key_type": "rsa", "key_bits": 0, "ttl": 0, "max_ttl": 0, "server_flag": True,
    "client_flag": True, "key_usage": ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "not_before_duration": "30s",
}  # fmt: skip
_USAGES = {
    "DigitalSignature": "digital_signature", "KeyAgreement": "key_agreement", "KeyEncipherment": "key_encipherment",
}  # fmt: skip
#: Fields for the parts of a name, in the order in which they stand before the common name.
_PARTS = (
    ("country", NameOID.COUNTRY_NAME), ("locality", NameOID.LOCALITY_NAME), ("province", NameOID.STATE_OR_PROVINCE_NAME),
    ("organization", NameOID.ORGANIZATION_NAME), ("ou", NameOID.ORGANIZATIONAL_UNIT_NAME),
)  # fmt: skip
_NO_USAGE = dict.fromkeys(
    (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    ),
    False,
)  # fmt: skip


@dataclass
class StoredIssuer:
    certificate: x509.Certificate
    key: Any
    #: The CAs over it, up to the root.
    above: tuple[x509.Certificate, ...] = ()
    name: str = ""
    leaf_not_after_behavior: str = "err"
    identifier: str = field(default_factory=lambda: str(uuid.uuid4()))
    key_identifier: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass
class Mount:
    #: The longest lease that the mount grants; 32 days by default.
    longest: timedelta = timedelta(days=32)
    issuers: list[StoredIssuer] = field(default_factory=list)
    roles: dict[str, dict[str, Any]] = field(default_factory=dict)
    default: str = ""
    waiting: list[Any] = field(default_factory=list)
    #: The time by the server's clock.
    now: Callable[[], datetime] = field(default=lambda: datetime.now(timezone.utc))

    def copy(self) -> Mount:
        """A mount with the same CAs and roles, which changes alone."""
        roles = {name: dict(role) for name, role in self.roles.items()}
        return replace(self, issuers=[replace(one) for one in self.issuers], roles=roles, waiting=list(self.waiting))

    def issuer(self, reference: str) -> StoredIssuer:
        wanted = self.default if reference == "default" else reference
        for issuer in self.issuers:
            if wanted and wanted in (issuer.identifier, issuer.name):
                return issuer
        raise ApiError(
            500, "1 error occurred:\n\t* could not fetch the CA certificate (was one set?): "
            f"unable to find PKI issuer for reference: {reference}\n\n",
        )  # fmt: skip

    def add(self, issuer: StoredIssuer) -> StoredIssuer:
        self.issuers.append(issuer)
        self.default = self.default or issuer.identifier
        return issuer

    def generate_root(self, body: Mapping[str, Any]) -> dict[str, Any]:
        own = ec.generate_private_key(ec.SECP256R1())
        name = _asked_name(body)
        begin, life = self.now() - timedelta(seconds=30), seconds(body.get("ttl", "768h"))
        made = _authority(name, name, own.public_key(), own, None, (begin, begin + life), None)
        issuer = self.add(StoredIssuer(made, own, name=str(body.get("issuer_name", ""))))
        return {
            "certificate": pem(made), "issuing_ca": pem(made), "issuer_id": issuer.identifier, "issuer_name": issuer.name,
            "serial_number": serial_number(made), "expiration": int(made.not_valid_after_utc.timestamp()),
        }  # fmt: skip

    def generate_intermediate(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The key stays; its certificate is to come from elsewhere."""
        own = ec.generate_private_key(ec.SECP256R1())
        self.waiting.append(own)
        name = _name(_listed(body.get("organization")), [], str(body["common_name"]))
        request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(own, hashes.SHA256())
        return {"csr": pem_of_request(request), "key_id": str(uuid.uuid4())}

    def read_issuer(self, reference: str) -> dict[str, Any]:
        issuer = self.issuer(reference)
        return {
            "issuer_id": issuer.identifier,
            "issuer_name": issuer.name,
            "key_id": issuer.key_identifier,
            "certificate": pem(issuer.certificate),
        }

    def cross_sign(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request with a key that is here."""
        kept = next((issuer for issuer in self.issuers if issuer.key_identifier == body.get("key_ref")), None)
        if kept is None:
            raise ApiError(
                500, f"1 error occurred:\n\t* unable to find PKI key for reference: {body.get('key_ref')}\n\n"
            )
        request = (
            x509.CertificateSigningRequestBuilder().subject_name(_asked_name(body)).sign(kept.key, hashes.SHA256())
        )
        return {"csr": pem_of_request(request), "key_id": kept.key_identifier}

    def sign_intermediate(self, reference: str, body: Mapping[str, Any]) -> dict[str, Any]:
        issuer, request = self.issuer(reference), _request(body)
        length = body.get("max_path_length", -1)
        if issuer.certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.path_length == 0:
            raise ApiError(
                400, "signing certificate has a max path length of zero, and cannot issue further CA certificates"
            )
        begin = self.now() - seconds(body.get("not_before_duration", "30s"))
        made = _authority(
            _signed_subject(request, body), issuer.certificate.subject, request.public_key(), issuer.key, issuer.certificate,
            (begin, self._intermediate_end(body)), None if int(length) < 0 else int(length),
            bytes.fromhex(str(body.get("skid", ""))), request.extensions if body.get("use_csr_values") else (),
        )  # fmt: skip
        chain = [made, issuer.certificate, *issuer.above]
        return {
            "certificate": pem(made), "issuing_ca": pem(issuer.certificate), "ca_chain": list(map(pem, chain)),
            "serial_number": serial_number(made), "expiration": int(made.not_valid_after_utc.timestamp()),
        }  # fmt: skip

    def sign_self_issued(self, reference: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """As it is, but for its issuer and the name of that one's key."""
        issuer, given = self.issuer(reference), x509.load_pem_x509_certificate(str(body["certificate"]).encode())
        if not given.extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            raise ApiError(400, "given certificate is not a CA certificate")
        if given.subject != given.issuer:
            raise ApiError(400, "given certificate is not self-issued")
        builder = x509.CertificateBuilder(
            issuer.certificate.subject, given.subject, given.public_key(), given.serial_number,
            given.not_valid_before_utc, given.not_valid_after_utc,
        )  # fmt: skip
        for extension in given.extensions:
            if not isinstance(extension.value, x509.AuthorityKeyIdentifier):
                builder = builder.add_extension(extension.value, extension.critical)
        identifier = issuer.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        named = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
        made = builder.add_extension(named, critical=False).sign(issuer.key, hashes.SHA256())
        return {"certificate": pem(made), "issuing_ca": pem(issuer.certificate)}

    def _intermediate_end(self, body: Mapping[str, Any]) -> datetime:
        """The end of an intermediate CA, which may be after that of its issuer. A life is cut to that of a lease, and a date is not."""
        if not body.get("not_after"):
            return self.now() + min(seconds(body.get("ttl", "768h")), self.longest)
        if body.get("ttl"):
            raise ApiError(
                400, "Either ttl or not_after should be provided. Both should not be provided in the same request."
            )
        return datetime.fromisoformat(str(body["not_after"]).replace("Z", "+00:00"))

    def set_signed(self, body: Mapping[str, Any]) -> dict[str, Any]:
        made = x509.load_pem_x509_certificate(str(body["certificate"]).encode())
        own = next(key for key in self.waiting if key.public_key() == made.public_key())
        above = next(issuer for issuer in self.issuers if issuer.certificate.subject == made.issuer)
        issuer = self.add(StoredIssuer(made, own, (above.certificate, *above.above)))
        return {"imported_issuers": [issuer.identifier], "imported_keys": [], "mapping": {issuer.identifier: ""}}

    def set_role(self, name: str, body: Mapping[str, Any]) -> None:
        unknown = set(body) - set(_ROLE)
        assert not unknown, f"the double knows no {unknown} of a role"
        self.roles[name] = {**_ROLE, **{key: _like(_ROLE[key], value) for key, value in body.items()}}

    def sign(self, reference: str, role_name: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The data and the warnings of the answer."""
        role = self.roles.get(role_name)
        if role is None:
            raise ApiError(400, f"unknown role: {role_name}")
        issuer, request = self.issuer(reference), _request(body)
        _check_key(request.public_key(), role)
        common_name, names, addresses = _names(request, role, body)
        not_after, warnings = self._not_after(issuer, role, body)
        subject = _name(role["organization"], role["ou"], common_name)
        made = _leaf(subject, request, issuer, role, names, addresses, not_after)
        if role["use_csr_sans"] and body.get("alt_names"):
            warnings.append('the alt_names field was provided but the role is set with "use_csr_sans" set to true')
        chain = [issuer.certificate, *issuer.above]
        if body.get("remove_roots_from_chain"):
            chain = [certificate for certificate in chain if certificate.issuer != certificate.subject]
        data = {
            "certificate": pem(made), "issuing_ca": pem(issuer.certificate), "serial_number": serial_number(made),
            "expiration": int(made.not_valid_after_utc.timestamp()),
            "not_before": int(made.not_valid_before_utc.timestamp()),
        }  # fmt: skip
        return data | ({"ca_chain": list(map(pem, chain))} if chain else {}), warnings

    def _not_after(
        self, issuer: StoredIssuer, role: Mapping[str, Any], body: Mapping[str, Any]
    ) -> tuple[datetime, list[str]]:
        asked = seconds(body.get("ttl") or role["ttl"] or "768h")
        longest = seconds(role["max_ttl"]) or self.longest
        warnings = []
        if asked > longest:
            warnings.append(f'TTL "{asked}" is longer than permitted maxTTL "{longest}", so maxTTL is being used')
        not_after = datetime.now(timezone.utc) + min(asked, longest)
        end = issuer.certificate.not_valid_after_utc
        if not_after > end and issuer.leaf_not_after_behavior == "err":
            raise ApiError(
                400, f"cannot satisfy request, as TTL would result in notAfter of {not_after.isoformat()} that is beyond "
                f"the expiration of the CA certificate at {end.isoformat()}",
            )  # fmt: skip
        return (min(not_after, end) if issuer.leaf_not_after_behavior == "truncate" else not_after), warnings


def pem(certificate: x509.Certificate) -> str:
    """Without the last line end, as the API has it."""
    return certificate.public_bytes(serialization.Encoding.PEM).decode().strip()


def pem_of_request(request: x509.CertificateSigningRequest) -> str:
    return request.public_bytes(serialization.Encoding.PEM).decode().strip()


def serial_number(certificate: x509.Certificate) -> str:
    digits = f"{certificate.serial_number:x}"
    digits = digits.zfill(len(digits) + len(digits) % 2)
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def seconds(text: Any) -> timedelta:
    found = _DURATION.match(str(text))
    if found is None:
        raise ApiError(400, f'error converting input {text} for field "ttl": time: invalid duration')
    return timedelta(seconds=int(found[1]) * _UNITS[found[2]])


def _like(default: Any, value: Any) -> Any:
    """The command line sends texts, and the API takes them for what they have to be."""
    if isinstance(default, bool):
        return value in (True, "true", "1")
    return _listed(value) if isinstance(default, list) else value


def _listed(value: Any) -> list[str]:
    """The API takes a list, or a text with commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value or [])


def _asked_name(body: Mapping[str, Any]) -> x509.Name:
    """In the order in which Vault's language writes a name."""
    pairs = [(oid, value) for field, oid in _PARTS for value in _listed(body.get(field))]
    return _written([*pairs, (NameOID.COMMON_NAME, str(body["common_name"]))])


def _name(organizations: Iterable[str], units: Iterable[str], common_name: str) -> x509.Name:
    """In the order and in the types of text in which Vault's language writes a name."""
    pairs = [(NameOID.ORGANIZATION_NAME, organization) for organization in organizations]
    pairs += [(NameOID.ORGANIZATIONAL_UNIT_NAME, unit) for unit in units]
    pairs += [(NameOID.COMMON_NAME, common_name)] if common_name else []
    return _written(pairs)


def _written(pairs: Iterable[tuple[x509.ObjectIdentifier, str]]) -> x509.Name:
    """Each part by itself."""
    return x509.Name(
        [
            x509.NameAttribute(
                oid, text, _type=_ASN1Type.PrintableString if _PRINTABLE.match(text) else _ASN1Type.UTF8String
            )
            for oid, text in pairs
        ]
    )


def _signed_subject(request: x509.CertificateSigningRequest, body: Mapping[str, Any]) -> x509.Name:
    """The subject of an intermediate CA. Vault decodes each name and encodes it again, also a name of its own."""
    if body.get("use_csr_values"):
        return _written((attribute.oid, str(attribute.value)) for attribute in request.subject)
    names = [str(attribute.value) for attribute in request.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    common_name = str(body.get("common_name") or "".join(names[:1]))
    return _name(_listed(body.get("organization")), _listed(body.get("ou")), common_name)


def _request(body: Mapping[str, Any]) -> x509.CertificateSigningRequest:
    if not body.get("csr"):
        raise ApiError(400, '"csr" is empty')
    try:
        request = x509.load_pem_x509_csr(str(body["csr"]).encode())
    except ValueError:
        raise ApiError(400, "certificate request could not be parsed: asn1: structure error") from None
    if not request.is_signature_valid:
        raise ApiError(400, "request signature invalid")
    return request


def _check_key(key: Any, role: Mapping[str, Any]) -> None:
    kinds = {"rsa": rsa.RSAPublicKey, "ec": ec.EllipticCurvePublicKey}
    wanted = role["key_type"]
    if wanted in kinds and not isinstance(key, kinds[wanted]):
        raise ApiError(400, f"role requires keys of type {wanted}")
    least = int(role["key_bits"]) or (2048 if wanted == "rsa" else 224)
    if wanted != "any" and key.key_size < least:
        raise ApiError(400, f"role requires a minimum of a {least}-bit key, but CSR's key is {key.key_size} bits")


def _names(
    request: x509.CertificateSigningRequest, role: Mapping[str, Any], body: Mapping[str, Any]
) -> tuple[str, list[str], list[str]]:
    names = [attribute.value for attribute in request.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    common_name = str(names[0]) if names and role["use_csr_common_name"] else str(body.get("common_name", ""))
    if not common_name and role["require_cn"]:
        raise ApiError(
            400, 'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, '
            'unless "require_cn" is set to false',
        )  # fmt: skip
    names, addresses = _listed(body.get("alt_names")), _listed(body.get("ip_sans"))
    # Names that are no hosts are left out without a word.
    names = [name for name in names if _HOST.match(name)]
    source = "the API"
    if role["use_csr_sans"]:
        names, addresses, source = [], [], "CSR"
        for extension in request.extensions:
            if isinstance(extension.value, x509.SubjectAlternativeName):
                names = extension.value.get_values_for_type(x509.DNSName)
                addresses = list(map(str, extension.value.get_values_for_type(x509.IPAddress)))
    if common_name and not body.get("exclude_cn_from_sans") and _HOST.match(common_name):
        names = [*names, common_name]
    if common_name and "disabled" not in role["cn_validations"] and not _allowed(common_name, role):
        raise ApiError(400, f"common name {common_name} not allowed by this role")
    for name in names:
        if not _allowed(name, role):
            raise ApiError(400, f"subject alternate name {name} not allowed by this role")
    if addresses and not role["allow_ip_sans"]:
        raise ApiError(400, f"IP Subject Alternative Names are not allowed in this role, but was provided via {source}")
    return common_name, sorted(set(names)), addresses


def _allowed(name: str, role: Mapping[str, Any]) -> bool:
    if role["enforce_hostnames"] and not _HOST.match(name):
        return False
    if role["allow_any_name"] or (role["allow_localhost"] and name in ("localhost", "localdomain")):
        return True
    for domain in role["allowed_domains"]:
        if role["allow_bare_domains"] and name.lower() == domain.lower():
            return True
        if role["allow_subdomains"] and name.endswith(f".{domain}"):
            return True
        if role["allow_glob_domains"] and "*" in domain and fnmatch.fnmatchcase(name, domain):
            return True
    return False


def _leaf(
    subject: x509.Name, request: x509.CertificateSigningRequest, issuer: StoredIssuer, role: Mapping[str, Any],
    names: list[str], addresses: list[str], not_after: datetime,
) -> x509.Certificate:  # fmt: skip
    begin = datetime.now(timezone.utc) - seconds(role["not_before_duration"])
    builder = _builder(subject, issuer.certificate.subject, request.public_key(), begin, not_after)
    usages = {_USAGES[usage]: True for usage in role["key_usage"]}
    if usages:
        builder = builder.add_extension(x509.KeyUsage(**{**_NO_USAGE, **usages}), critical=True)
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH] * role["server_flag"] + [ExtendedKeyUsageOID.CLIENT_AUTH] * role["client_flag"]  # fmt: skip
    if purposes:
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    builder = _identified(builder, request.public_key(), issuer.certificate)
    general: list[x509.GeneralName] = [x509.DNSName(name) for name in names]
    general += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    if general:
        builder = builder.add_extension(x509.SubjectAlternativeName(general), critical=False)
    return builder.sign(issuer.key, hashes.SHA256())


def _authority(
    subject: x509.Name, issuer_name: x509.Name, key: Any, signer: Any, issuer: x509.Certificate | None,
    dates: tuple[datetime, datetime], path_length: int | None, identifier: bytes = b"",
    more: Iterable[x509.Extension[x509.ExtensionType]] = (),
) -> x509.Certificate:  # fmt: skip
    """more: the extensions of a request, which Vault takes over where its values are used."""
    builder = _builder(subject, issuer_name, key, *dates)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=path_length), critical=True)
    usage = {**_NO_USAGE, "key_cert_sign": True, "crl_sign": True}
    builder = _identified(builder.add_extension(x509.KeyUsage(**usage), critical=True), key, issuer, identifier)
    for extension in more:
        builder = builder.add_extension(extension.value, extension.critical)
    return builder.sign(signer, hashes.SHA256())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Any, begin: datetime, end: datetime
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number(), begin, end)


def _identified(
    builder: x509.CertificateBuilder, key: Any, issuer: x509.Certificate | None, identifier: bytes = b""
) -> x509.CertificateBuilder:
    own = x509.SubjectKeyIdentifier(identifier) if identifier else x509.SubjectKeyIdentifier.from_public_key(key)
    builder = builder.add_extension(own, critical=False)
    if issuer is None:
        return builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key), critical=False)
    identifier = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False
    )
