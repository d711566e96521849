# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the PKCS#12 file of a user holds the certificate that lies beside it. The User Operator and this collection make it with the
certificate, and the User Operator never looks at it again (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import KeystoreError
from .._kube.client import FIELD_MANAGER
from .._pki.certificates import Certificate
from .._pki.keystores import certificate_in_pkcs12
from .names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD
from .secret_data import entries

_PAIR, _FILE = (USER_CERTIFICATE, USER_KEY), (USER_KEYSTORE, USER_PASSWORD)
#: As the API server notes who has written (docs/operator.md, "Users").
_USER_OPERATOR = "strimzi-user-operator"
#: The last writers of certificate and file with whom these belong together. Each of the two writes a file whenever it writes a certificate beside which
#: there is one, in one request; where there is none the User Operator makes it of the certificate that is there.
_TOGETHER = ((_USER_OPERATOR, _USER_OPERATOR), (FIELD_MANAGER, FIELD_MANAGER), (FIELD_MANAGER, _USER_OPERATOR))
REMEDY = (
    f"Remove the entries {USER_KEYSTORE} and {USER_PASSWORD} from its Secret: the User Operator makes both anew. Where its key is none of RSA, annotate the "
    "Secret strimzi.io/force-renew=true instead"
)


#: Of a file that only opening it tells of, and that was not opened.
UNOPENED = f"its {USER_KEYSTORE} has not been opened"


def is_to_be_opened(secret: Mapping[str, Any]) -> bool:
    """Whether only opening the file tells what it holds. One that was written together with the certificate is not opened: that takes too long for ten
    thousand.
    """
    return USER_KEYSTORE in entries(secret) and not _is_of_the_pair(secret)


def why_stale(secret: Mapping[str, Any], leaf: Certificate) -> str:
    """Why the file, which is opened, may hold something else, without a full stop; empty where it holds the certificate and its key."""
    data = entries(secret)
    try:
        found = certificate_in_pkcs12(data[USER_KEYSTORE], data.get(USER_PASSWORD, b""))
    except KeystoreError as error:
        return f"its {USER_KEYSTORE} {error}"
    return "" if found == leaf.sha256 else f"its {USER_KEYSTORE} holds another certificate than its {USER_CERTIFICATE}"


def _is_of_the_pair(secret: Mapping[str, Any]) -> bool:
    """Whether the API server has noted that the file was made of the certificate and the key that are there."""
    pair, file = (_writers_of(entries, secret) for entries in (_PAIR, _FILE))
    return any(certificate in pair and keystore in file for certificate, keystore in _TOGETHER)


def _writers_of(entries: tuple[str, ...], secret: Mapping[str, Any]) -> frozenset[str]:
    """The programs that have written each of these entries last."""
    found = secret["metadata"].get("managedFields") or ()
    owned = ((one.get("manager"), (one.get("fieldsV1") or {}).get("f:data") or {}) for one in found)
    return frozenset(name for name, fields in owned if all(f"f:{entry}" in fields for entry in entries))
