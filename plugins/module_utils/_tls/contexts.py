# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The settings of every TLS connection of this collection, by purpose: what a connection verifies, and why. No other
file of the collection makes them.

Each verifying connection asks for a path of valid certificates to a trusted CA, and for a certificate with the called
name or address. The programs that people use beside this collection ask for the same: kubectl and vault (Go), Kafka's
clients and Strimzi's operators (a JVM). None of them asks for the strict form of OpenSSL (X509_STRICT), such as key
identifiers in every certificate (RFC 5280 section 4.2.1). CAs without that form are in use: the CA of each cluster of
Amazon EKS has basicConstraints and no key identifier.

The default settings of Python 3.13, and of urllib3 2.4 with that Python, are strict. Earlier releases are not. So this
file sets every flag itself, and connections behave alike with each Python.
"""

from __future__ import annotations

import ssl

#: Each trusted certificate is the end of a path, a CA below a root too, as for Go and a JVM. Without X509_STRICT: see
#: above.
_FLAGS = ssl.VERIFY_X509_TRUSTED_FIRST | ssl.VERIFY_X509_PARTIAL_CHAIN
#: X509_V_FLAG_NO_CHECK_TIME of OpenSSL. Python has no name for it.
_NO_CHECK_TIME = 0x200000


def to_api_server(ca_file: str | None, *, verify: bool) -> ssl.SSLContext:
    """The settings for the Kubernetes API server, its requests and its websockets, and for a proxy before it. They
    trust the CAs of the file, or of the system. They verify what kubectl verifies. If ``verify`` is False, which a
    person has to choose, they verify nothing. Raises OSError (ssl.SSLError is one) if the file cannot be used.
    """
    context = _verifying()
    if not verify:
        return _seeing(context)
    if ca_file:
        context.load_verify_locations(ca_file)
    else:
        context.load_default_certs()
    return context


def to_identity_provider(ca_file: str | None, ca_pem: str | None) -> ssl.SSLContext:
    """The settings for the identity provider of a kubeconfig, which gets a refresh token and a client secret. They
    trust the CAs of the file or text, or of the system. They verify what kubectl verifies. Raises OSError (ssl.SSLError
    is one) and ValueError if file or text cannot be used.
    """
    context = _verifying()
    if ca_file or ca_pem:
        context.load_verify_locations(cafile=ca_file, cadata=ca_pem)
    else:
        context.load_default_certs()
    return context


def to_issuer(ca_pem: str | None) -> ssl.SSLContext:
    """The settings for the server of an issuer, such as Vault, which gets tokens and signs leaves. They trust the given
    CAs in PEM form, or the CAs of the system. They verify what the program of such a server verifies: administrators
    make the CA of a Vault by hand, and see with the program vault if it works. Raises ssl.SSLError and ValueError if
    the text is no certificate.
    """
    context = _verifying()
    if ca_pem is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cadata=ca_pem)
    return context


def to_proxy() -> ssl.SSLContext:
    """The settings for a proxy with TLS from the environment. They trust the CAs of the system."""
    context = _verifying()
    context.load_default_certs()
    return context


def to_kafka_node() -> ssl.SSLContext:
    """The settings for requests to Kafka nodes as the Cluster Operator. They trust no CA yet: the caller loads the CAs
    of the operator's trust. They verify what the JVM of the operator verifies.
    """
    return _verifying()


def accept_ended(context: ssl.SSLContext) -> ssl.SSLContext:
    """The context, changed to accept ended certificates: names and signatures count, dates do not. For connections
    without a secret.
    """
    context.verify_flags |= ssl.VerifyFlags(_NO_CHECK_TIME)
    return context


def to_look_at(version: ssl.TLSVersion) -> ssl.SSLContext:
    """The settings for a look at what a listener presents and trusts, in this version of TLS. They verify nothing: the
    gates judge the presented certificates, and the connection carries no secret.
    """
    context = _seeing(_verifying())
    context.minimum_version = context.maximum_version = version
    return context


def _verifying() -> ssl.SSLContext:
    """The settings that verify path and name, and trust no CA yet."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags = _FLAGS
    # Only the subjectAltName has names, as for Go.
    context.hostname_checks_common_name = False
    return context


def _seeing(context: ssl.SSLContext) -> ssl.SSLContext:
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
