# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the PKCS#12 file of a user holds the certificate that lies beside it. The User Operator makes it with the certificate, and never
looks at it again (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._pki.certificates import Certificate
from .._pki.keystores import KeystoreError, certificate_in_pkcs12
from .names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD
from .secret_data import entries

_WRITTEN_TOGETHER = (USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD)
#: As the API server notes who has written (docs/operator.md, "Users").
_USER_OPERATOR = "strimzi-user-operator"
REMEDY = (
    f"Remove the entries {USER_KEYSTORE} and {USER_PASSWORD} from its Secret: the User Operator makes both anew. Where its key is none of RSA, annotate the "
    "Secret strimzi.io/force-renew=true instead"
)


def why_stale(secret: Mapping[str, Any], leaf: Certificate) -> str:
    """Why the file may hold something else, without a full stop; empty where it holds the certificate and its key, or where there is none.

    A file that the User Operator wrote together with the certificate is not opened: that takes too long for ten thousand.
    """
    data = entries(secret)
    if USER_KEYSTORE not in data or _wrote_all(secret):
        return ""
    try:
        found = certificate_in_pkcs12(data[USER_KEYSTORE], data.get(USER_PASSWORD, b""))
    except KeystoreError as error:
        return f"its {USER_KEYSTORE} {error}"
    return "" if found == leaf.sha256 else f"its {USER_KEYSTORE} holds another certificate than its {USER_CERTIFICATE}"


def _wrote_all(secret: Mapping[str, Any]) -> bool:
    """Whether the User Operator has written each of these entries last. It writes all of them, or none."""
    for field in secret["metadata"].get("managedFields") or ():
        owned = (field.get("fieldsV1") or {}).get("f:data") or {}
        if field.get("manager") == _USER_OPERATOR and all(f"f:{entry}" in owned for entry in _WRITTEN_TOGETHER):
            return True
    return False
