# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The kinds of issuers for callers, one row each; their options together, and the issuer of a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._errors import OptionsError
from .._strimzi.issuer_settings import IssuerSettings
from .cert_manager.row import CERT_MANAGER
from .external.row import EXTERNAL
from .kind import refuse_others
from .vault.row import VAULT

if TYPE_CHECKING:
    from .._strimzi.apply.work import Work
    from .issuer import Issuer
    from .pending.requests import StoredRequest


#: The kinds in the order of the documentation. The first is the kind if a caller names none.
KINDS = (EXTERNAL, CERT_MANAGER, VAULT)

_BY_NAME = {kind.name: kind for kind in KINDS}
_READ = {kind.name: frozenset(kind.options) for kind in KINDS}
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "type": {"type": "str", "choices": [*_BY_NAME], "default": EXTERNAL.name},
    **{name: facts for kind in KINDS for name, facts in kind.options.items()},
}
#: The option ``issuer`` in Ansible's argument spec.
ISSUER: dict[str, Any] = {
    "type": "dict",
    "options": _OPTIONS,
    "required_if": [("type", kind.name, kind.needed) for kind in KINDS if kind.needed],
}


def issuer_settings(options: Mapping[str, Any]) -> IssuerSettings:
    """The issuer in the value of the option ``issuer``. Raises OptionsError."""
    refuse_others("issuer:", options, _READ, _OPTIONS)
    kind = _BY_NAME[options["type"]]
    for name in kind.needed:
        if not options[name]:
            raise OptionsError("issuer:", f"{name} is empty", f"Name the issuer, as {kind.name} needs it.")
    return kind.read(options)


def issuer_of(work: Work, stored: Iterable[StoredRequest] = ()) -> Issuer:
    """The caller's issuer. It gets the cluster's stored data of its requests."""
    settings = work.settings.issuer
    (kind,) = (kind for kind in KINDS if isinstance(settings, kind.settings))
    return kind.connect(settings, work, stored)
