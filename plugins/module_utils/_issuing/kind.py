# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A kind of issuer: its options, and its issuer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._errors import OptionsError
from .._strimzi.issuer_settings import IssuerSettings

if TYPE_CHECKING:
    from .._strimzi.apply.work import Work
    from .issuer import Issuer
    from .pending.requests import StoredRequest

#: Options of several kinds.
NAME, URL, CA_CERTIFICATE = {"name": {"type": "str"}}, {"url": {"type": "str"}}, {"ca_certificate": {"type": "str"}}


@dataclass(frozen=True)
class IssuerKind:
    """A kind of issuer. Its options and its issuer are in the folder of the kind."""

    #: The value of the option ``issuer.type``.
    name: str
    #: The classes of its settings.
    settings: tuple[type[IssuerSettings], ...]
    #: Gives the issuer of settings of these classes, in a call. The stored requests of the cluster are for an issuer
    #: with no other place for answers. The function imports the code of the issuer, so a call imports the code of no
    #: other issuer.
    connect: Callable[[Any, Work, Iterable[StoredRequest]], Issuer]
    #: Gives the settings of the options. Raises OptionsError.
    read: Callable[[Mapping[str, Any]], IssuerSettings]
    #: The options inside ``issuer`` that it reads beside the type, with their facts for Ansible's argument spec. If
    #: kinds share an option, they have the same facts for it.
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: The needed options.
    needed: tuple[str, ...] = ()


def refuse_others(
    where: str, options: Mapping[str, Any], read: Mapping[str, frozenset[str]], known: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raises OptionsError if an option is given that the given ``type`` does not read. ``read`` has the names of the
    read options by type, and ``known`` the facts of all options. Messages begin with ``where``, the place of the
    options. They quote no value: some are credentials.
    """
    kind = options["type"]
    for name in known:
        if name != "type" and name not in read[kind] and is_given(options, name, known):
            kinds = " or ".join(other for other, names in read.items() if name in names)
            raise OptionsError(
                where, f"{name} counts with type={kinds} only, and type is {kind}",
                f"Give the type that is meant, or leave {name} out."
            )  # fmt: skip


def is_given(options: Mapping[str, Any], name: str, known: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the task gives the option. An empty value counts as left out."""
    return bool(options[name]) and options[name] != known[name].get("default")
