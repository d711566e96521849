# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The PKCS#12 truststore in the CA certificate Secret: kept in step with the PEM entries, same password.

The operator has made it while it managed the CA. Clients that read it get a new CA only if it is kept up to date.
"""

from __future__ import annotations

from collections.abc import Mapping

from .._errors import CertificateError
from .._pki.certificates import Certificate, parse_certificates
from .._pki.keystores import pkcs12_truststore

STORE = "ca.p12"
PASSWORD = "ca.password"  # noqa: S105 - the name of an entry


def password_problem(present: Mapping[str, bytes]) -> str:
    """Why the store cannot be written with its password, as a sentence; empty where it can, or where there is none."""
    password = present.get(PASSWORD)
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
    return f"entry {PASSWORD}, the password of the truststore {STORE}, cannot be used: {why}."


def truststore_entries(present: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """The rewritten store, aliases as Strimzi's (the entry names); nothing where there was no store."""
    password = present.get(PASSWORD)
    if STORE not in present or password is None:
        return {}
    certificates: dict[str, Certificate] = {}
    for key in sorted(wanted):
        if key.endswith(".crt"):
            try:
                certificates[key] = parse_certificates(wanted[key])[0]
            except CertificateError:
                continue
    return {STORE: pkcs12_truststore(certificates, password)}
