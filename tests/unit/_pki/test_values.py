# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No value of this package changes after it is made."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ...tools.support.values import changeable_dataclasses, imported_modules


def test_every_value_stays_as_it_was_made() -> None:
    """Certificates and keys are kept in sets and remembered between questions."""
    modules = list(imported_modules(Certificate.__module__.rpartition(".")[0]))
    assert {"certificates", "keys", "paths"} <= {module.__name__.rpartition(".")[2] for module in modules}
    assert changeable_dataclasses(modules) == []
