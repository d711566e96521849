# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: a module of the collection is imported with the text of the file that VARIABLE names, behind the module's path and ``=``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

VARIABLE = "MODULE_TO_REPLACE"


class _Mutated(SourceFileLoader):
    """Loads a module with another text."""

    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._text.encode(), self.path)
        return code


class _Finder(MetaPathFinder):
    """Finds what Python finds, and has the module loaded with the other text."""

    def __init__(self, module: str, text: str) -> None:
        self._module = module
        self._text = text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.rpartition(".")[2] != Path(self._module).stem:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(self._module):
            return None
        spec.loader = _Mutated(fullname, spec.origin, self._text)
        return spec


def pytest_configure() -> None:
    module, _unused, changed = os.environ[VARIABLE].partition("=")
    sys.meta_path.insert(0, _Finder(module, Path(changed).read_text()))
