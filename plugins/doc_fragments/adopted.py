# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The option that names the CA to adopt, which somebody has put into the place of the one in use."""

    DOCUMENTATION = r"""
options:
  adopts:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of a CA that somebody has put into the place of the one in use, past this
        collection. Every flow is held by such a CA, and names it, until it is adopted by this option or the other one is put back.
      - For the flow that adopts only. Where every process has started with this CA already, it enters the ledger as the CA in use. Else the CA
        of before takes its place again, and this one replaces it through every gate.
    type: str
"""
