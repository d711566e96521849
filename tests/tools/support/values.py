# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a package that can be changed after they are made."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from types import ModuleType


def imported_modules(package: str) -> Iterator[ModuleType]:
    """Every module of the package, at any depth. package: its whole name."""
    yield (found := importlib.import_module(package))
    for module in pkgutil.walk_packages(found.__path__, f"{package}."):
        yield importlib.import_module(module.name)


def changeable_dataclasses(modules: Iterable[ModuleType]) -> list[str]:
    """The names of the dataclasses that these modules define, nested ones too, and whose fields can be set afterwards."""
    return [
        kind.__name__
        for module in modules
        for kind in _classes(module, module.__name__)
        if is_dataclass(kind) and not getattr(kind, "__dataclass_params__").frozen  # noqa: B009 - no type stub names it
    ]


def _classes(scope: object, module: str) -> Iterator[type]:
    for thing in vars(scope).values():
        if isinstance(thing, type) and thing.__module__ == module:
            yield thing
            yield from _classes(thing, module)
