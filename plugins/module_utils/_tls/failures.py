# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Why a TLS connection failed, and the remedy: one row for each reason from OpenSSL or the other side.

OpenSSL judges the certificates of the server and says why by a number (``verify_code``, openssl-verification-options(1)
and x509_vfy.h). The server judges the certificate of this side and says why by an alert. The remaining failures have a
name in OpenSSL's list of errors.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from .alerts import alert_of


class Reason(str, Enum):
    """The reason of a failure. The value is the first cell of its row in docs/troubleshooting.md, "TLS connections"."""

    # A certificate of the server's path is past its last moment.
    EXPIRED = "expired"
    # A certificate of the server's path is before its first moment.
    NOT_YET_VALID = "not yet valid"
    # The certificate of the server is signed by its own key, and it is not trusted.
    SELF_SIGNED = "self-signed"
    # The server presents a chain up to an untrusted root CA.
    UNKNOWN_ROOT = "unknown root"
    # No trusted CA has issued the last certificate of the server's chain.
    UNKNOWN_ISSUER = "unknown issuer"
    # A trusted CA has the name of the issuer, and another key.
    OTHER_KEY = "another key"
    # The certificate does not contain the called host name or IP address.
    OTHER_NAME = "another name"
    # An issuer in the path may not issue certificates (basicConstraints, keyUsage).
    NO_CA = "no CA"
    # The path has more CAs than the path length of one of them permits.
    PATH_LENGTH = "path length"
    # The path has more certificates than OpenSSL takes.
    LONG_CHAIN = "long chain"
    # The certificate is not for servers (extended key usage).
    NO_SERVER = "not for servers"
    # The certificate has a name that a CA of its path may not certify (name constraints).
    NAME_CONSTRAINTS = "name constraints"
    # A certificate has a critical extension that OpenSSL does not know.
    CRITICAL_EXTENSION = "critical extension"
    # A key of the path is too small for the security level of OpenSSL.
    SMALL_KEY = "small key"
    # A signature of the path has a hash that is too weak for the security level of OpenSSL.
    WEAK_HASH = "weak hash"
    # A certificate lacks a key identifier, and the verification was strict.
    NO_KEY_IDENTIFIER = "no key identifier"
    # A certificate has another form that only a strict verification refuses.
    STRICT_FORM = "strict form"
    # OpenSSL gives a reason without a row of its own.
    NOT_VERIFIED = "not verified"
    # The server wants a certificate of this side, and got none.
    OWN_MISSING = "certificate required"
    # The server does not trust the issuer of this side's certificate.
    OWN_UNKNOWN_ISSUER = "unknown CA"
    # The certificate of this side has expired by the server's clock.
    OWN_EXPIRED = "certificate expired"
    # The server refuses the certificate of this side, and says no more.
    OWN_REFUSED = "bad certificate"
    # The server refuses this side although its certificate is valid.
    OWN_DENIED = "access denied"
    # The server knows no service of the name that was called.
    UNKNOWN_NAME = "unrecognized name"
    # Both sides have no version of TLS in common.
    VERSION = "protocol version"
    # Both sides have no cipher or signature in common.
    NOTHING_IN_COMMON = "handshake failure"
    # The bytes of the other side are no TLS.
    NO_TLS = "no TLS"
    # The other side has ended the connection without a reason.
    ENDED = "ended"
    # The other side has ended the handshake with an alert without a row of its own.
    ALERT = "alert"
    # OpenSSL gives an error without a row of its own.
    LIBRARY = "library"


@dataclass(frozen=True)
class Peer:
    """The server of a connection as remedies name it, with the settings by which a person corrects the connection."""

    #: The server, such as "the API server 10.0.0.1:6443".
    name: str
    #: The setting with the trusted CAs.
    trust: str
    #: The setting with the address.
    address: str
    #: The setting with the certificate of this side.
    own: str


@dataclass(frozen=True)
class Row:
    """A reason as people read it."""

    #: The cause, as the rest of a sentence. The sentence begins with the server.
    cause: str
    #: The way out, in sentences. The names of fields of ``Peer`` stand in braces.
    remedy: str
    #: Whether another try can help by itself.
    transient: bool = False
    #: Whether the server may have read a request before the failure.
    sent: bool = False


@dataclass(frozen=True)
class TlsFailure:
    """A failed connection."""

    #: The reason.
    reason: Reason
    #: The cause with the words of OpenSSL or of the alert, as the rest of a sentence without a full stop. The sentence
    #: begins with the server.
    cause: str
    #: The way out, in sentences.
    remedy: str
    #: Whether another try can help by itself.
    transient: bool
    #: Whether the server may have read a request before the failure.
    sent: bool


ROWS = {
    Reason.EXPIRED: Row(
        "presents a certificate that has expired, or whose CA has expired",
        "Check the clock of this machine (date -u). If it is right, renew the certificate of {name}. If its CA was "
        "renewed, set {trust} to the new CA certificate.",
    ),
    Reason.NOT_YET_VALID: Row(
        "presents a certificate that is not valid yet, or whose CA is not valid yet",
        "Check the clock of this machine (date -u), and the clock of the machine that has made the certificate.",
    ),
    Reason.SELF_SIGNED: Row(
        "presents a self-signed certificate that is not trusted",
        "Check that {address} leads to the right server. If it does, set {trust} to this certificate, or give the "
        "server a certificate of a trusted CA.",
    ),
    Reason.UNKNOWN_ROOT: Row(
        "presents a chain up to a root CA that is not trusted",
        "Set {trust} to the root CA of {name}. A proxy that opens TLS connections on the way presents a chain of its "
        "own CA: let it pass this connection, or trust its CA.",
    ),
    Reason.UNKNOWN_ISSUER: Row(
        "presents a certificate of a CA that is not trusted, or leaves out an intermediate CA",
        "Set {trust} to the CA that has issued the certificate of {name}, or have the server send its intermediate "
        "CAs.",
    ),
    Reason.OTHER_KEY: Row(
        "presents a certificate that was signed with another key than that of the trusted CA of this name",
        "The CA was made again under its name: set {trust} to the CA certificate that {name} has now.",
    ),
    Reason.OTHER_NAME: Row(
        "presents a certificate without the name or address that was called",
        "Correct {address} to a name or address of the certificate, or have what was called added to the certificate "
        "of {name}.",
    ),
    Reason.NO_CA: Row(
        "presents a certificate whose issuer may not issue certificates (basicConstraints without CA:TRUE, or keyUsage "
        "without keyCertSign)",
        "Have the certificate of {name} issued by a CA; or make its issuer again with CA:TRUE and keyCertSign, and set "
        "{trust} to it.",
    ),
    Reason.PATH_LENGTH: Row(
        "presents a chain with more CAs than the path length of one of them permits (pathlen of basicConstraints)",
        "Have the certificate of {name} issued nearer to the root, or raise the path length of the CA above.",
    ),
    Reason.LONG_CHAIN: Row(
        "presents a chain with more certificates than OpenSSL takes",
        "Have {name} send its own certificate and its intermediate CAs, and nothing else.",
    ),
    Reason.NO_SERVER: Row(
        "presents a certificate that is not for servers (extendedKeyUsage)",
        "Give {name} a certificate with the extended key usage serverAuth. A CA above it that has extendedKeyUsage "
        "needs serverAuth as well.",
    ),
    Reason.NAME_CONSTRAINTS: Row(
        "presents a certificate with a name that one of its CAs may not certify (nameConstraints)",
        "Have the certificate of {name} issued by a CA that may certify its names.",
    ),
    Reason.CRITICAL_EXTENSION: Row(
        "presents a certificate with a critical extension that OpenSSL does not know",
        "Have the certificate of {name} issued without this extension, or with an extension that is not critical.",
    ),
    Reason.SMALL_KEY: Row(
        "presents a certificate with a key, or with the key of a CA, that is too small for OpenSSL on this machine",
        "Give {name} and its CA keys of 2048 bits RSA or 256 bits ECDSA at least. The security level of OpenSSL is "
        "set in openssl.cnf of this machine.",
    ),
    Reason.WEAK_HASH: Row(
        "presents a certificate with a signature by a hash that is too weak for OpenSSL on this machine, such as SHA-1",
        "Have the certificate of {name}, and its intermediate CAs, signed with SHA-256. The security level of OpenSSL"
        " is set in openssl.cnf of this machine.",
    ),
    Reason.NO_KEY_IDENTIFIER: Row(
        "presents a certificate without a key identifier, or with such a CA, and this connection was verified "
        "strictly (X509_STRICT)",
        "This collection does not ask for that. Find the program or setting that does; or make the CA of {name} again "
        "with subjectKeyIdentifier, and its certificates with authorityKeyIdentifier, and set {trust} to it.",
    ),
    Reason.STRICT_FORM: Row(
        "presents a certificate with a form that RFC 5280 does not permit, and this connection was verified strictly "
        "(X509_STRICT)",
        "This collection does not ask for that. Find the program or setting that does, or have the certificate of "
        "{name} and its CA made in that form.",
    ),
    Reason.NOT_VERIFIED: Row(
        "presents a certificate that OpenSSL refuses",
        "Look at the certificates of {name} (openssl s_client -showcerts), and at {trust}.",
    ),
    Reason.OWN_MISSING: Row(
        "requires a client certificate and got none",
        "Set {own}.",
    ),
    Reason.OWN_UNKNOWN_ISSUER: Row(
        "does not trust the CA of the client certificate",
        "Set {own} to a certificate of a CA that {name} trusts for clients, with its intermediate CAs.",
    ),
    Reason.OWN_EXPIRED: Row(
        "refuses the client certificate because it has expired",
        "Check the clocks of both machines (date -u). If they are right, set {own} to a new certificate.",
    ),
    Reason.OWN_REFUSED: Row(
        "refuses the client certificate, or got none",
        "Set {own} to a certificate that has not expired, is for clients (clientAuth), and has a CA that {name} trusts "
        "for clients.",
    ),
    Reason.OWN_DENIED: Row(
        "does not let the holder of the client certificate in",
        "Set {own} to another certificate, or permit its holder at {name}.",
    ),
    Reason.UNKNOWN_NAME: Row(
        "serves no host of the name that was called",
        "Set {address} to a name that this server or the proxy before it serves.",
    ),
    Reason.VERSION: Row(
        "speaks no version of TLS that this side accepts",
        "Have {name}, or the proxy before it, speak TLS 1.2 or 1.3. OpenSSL on this machine may ask for more "
        "(MinProtocol in openssl.cnf).",
    ),
    Reason.NOTHING_IN_COMMON: Row(
        "finds no version, cipher or signature of TLS in common with this side",
        "Have {name}, or the proxy before it, accept TLS 1.2 or 1.3 with common ciphers. A server of TLS 1.2 may also"
        " want a client certificate: set {own}.",
    ),
    Reason.NO_TLS: Row(
        "speaks no TLS on this port: plain HTTP, or another protocol",
        "Set {address} to a port with TLS. A proxy on the way may have answered as well.",
    ),
    Reason.ENDED: Row(
        "ended the connection without a reason",
        "Run again. If it fails again, check that {address} leads to a port with TLS, and look for a proxy, firewall "
        "or load balancer that ends the connection.",
        transient=True,
        sent=True,
    ),
    Reason.ALERT: Row(
        "ended the connection with an alert",
        "Look into the log of {name}, and for a proxy on the way that changes the connection.",
        sent=True,
    ),
    Reason.LIBRARY: Row(
        "does not come to a TLS connection with this side",
        "Check that {address} leads to a port with TLS, and check {own}.",
        sent=True,
    ),
}

#: By verify_code, as in x509_vfy.h of OpenSSL. "invalid CA certificate" is 24 before OpenSSL 3.0, and 79 since.
_CODES = {
    2: Reason.UNKNOWN_ISSUER,
    4: Reason.OTHER_KEY,
    7: Reason.OTHER_KEY,
    9: Reason.NOT_YET_VALID,
    10: Reason.EXPIRED,
    18: Reason.SELF_SIGNED,
    19: Reason.UNKNOWN_ROOT,
    20: Reason.UNKNOWN_ISSUER,
    21: Reason.UNKNOWN_ISSUER,
    22: Reason.LONG_CHAIN,
    24: Reason.NO_CA,
    25: Reason.PATH_LENGTH,
    26: Reason.NO_SERVER,
    27: Reason.UNKNOWN_ISSUER,
    32: Reason.NO_CA,
    34: Reason.CRITICAL_EXTENSION,
    **dict.fromkeys(range(47, 54), Reason.NAME_CONSTRAINTS),
    62: Reason.OTHER_NAME,
    64: Reason.OTHER_NAME,
    66: Reason.SMALL_KEY,
    67: Reason.SMALL_KEY,
    68: Reason.WEAK_HASH,
    79: Reason.NO_CA,
    **dict.fromkeys(range(80, 95), Reason.STRICT_FORM),
    85: Reason.NO_KEY_IDENTIFIER,
    86: Reason.NO_KEY_IDENTIFIER,
}
#: By the name of the alert.
_ALERTS = {
    "certificate_required": Reason.OWN_MISSING,
    "unknown_ca": Reason.OWN_UNKNOWN_ISSUER,
    "certificate_expired": Reason.OWN_EXPIRED,
    "bad_certificate": Reason.OWN_REFUSED,
    "unsupported_certificate": Reason.OWN_REFUSED,
    "certificate_revoked": Reason.OWN_REFUSED,
    "certificate_unknown": Reason.OWN_REFUSED,
    "access_denied": Reason.OWN_DENIED,
    "unrecognized_name": Reason.UNKNOWN_NAME,
    "protocol_version": Reason.VERSION,
    "insufficient_security": Reason.NOTHING_IN_COMMON,
    "handshake_failure": Reason.NOTHING_IN_COMMON,
}
#: By the name in OpenSSL's list of errors. Releases of OpenSSL give different names for the same bytes.
_ERRORS = {
    "WRONG_VERSION_NUMBER": Reason.NO_TLS,
    "RECORD_LAYER_FAILURE": Reason.NO_TLS,
    "HTTP_REQUEST": Reason.NO_TLS,
    "PACKET_LENGTH_TOO_LONG": Reason.NO_TLS,
    "UNKNOWN_PROTOCOL": Reason.NO_TLS,
    "UNSUPPORTED_PROTOCOL": Reason.VERSION,
    "NO_PROTOCOLS_AVAILABLE": Reason.VERSION,
    "DH_KEY_TOO_SMALL": Reason.NOTHING_IN_COMMON,
    "UNEXPECTED_EOF_WHILE_READING": Reason.ENDED,
}


#: The error of urllib3 1.26 if the certificate lacks the name or address: this release compares them itself.
_COMPARED = "CertificateError"


def explain(error: BaseException, peer: Peer) -> TlsFailure | None:
    """The failure of TLS in an error or in one of its causes; None if it is no failure of TLS. Quotes no content of the
    connection.
    """
    if tls_error := tls_error_in(error):
        return _failure(reason_of(tls_error), cause_of(tls_error), peer)
    if compared := next((one for one in causes(error) if type(one).__name__ == _COMPARED), None):
        return _failure(Reason.OTHER_NAME, f"{ROWS[Reason.OTHER_NAME].cause} ({compared})", peer)
    return None


def _failure(reason: Reason, cause: str, peer: Peer) -> TlsFailure:
    row = ROWS[reason]
    return TlsFailure(reason, cause, row.remedy.format_map(vars(peer)), row.transient, row.sent)


def cause_of(error: ssl.SSLError) -> str:
    """The cause of a failure, as ``TlsFailure.cause``."""
    cause, alert = ROWS[reason_of(error)].cause, alert_of(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        words = error.verify_message.rstrip(".")
    else:
        words = f"alert {alert}" if alert else (error.reason or "").lower().replace("_", " ")
    return f"{cause} ({words})" if words else cause


def tls_error_in(error: BaseException) -> ssl.SSLError | None:
    """The failure of TLS behind an error; None if there is none."""
    return next((one for one in causes(error) if isinstance(one, ssl.SSLError)), None)


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error, its cause, and so on to the innermost error. Libraries keep the cause in one of several places."""
    passed: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        passed.append(cause)
        inner = [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args[1:], *cause.args[:1]]
        cause = next((item for item in inner if isinstance(item, BaseException) and item not in passed), None)


def reason_of(error: ssl.SSLError) -> Reason:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CODES.get(error.verify_code, Reason.NOT_VERIFIED)
    if isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return Reason.ENDED
    if alert := alert_of(error):
        return _ALERTS.get(alert.name, Reason.ALERT)
    return _ERRORS.get(error.reason or "", Reason.LIBRARY)
