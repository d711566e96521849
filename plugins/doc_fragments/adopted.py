# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options about what is adopted."""

    DOCUMENTATION = r"""
options:
  adopts:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of a CA that was put into the place of the one in use, past this
        collection. Every flow is held by such a CA, and names it, until it is adopted by this option or the other one is put back.
      - For the flow that adopts only. Where every process has started with this CA already, it enters the ledger as the CA in use. Else the CA
        of before takes its place again, and this one replaces it through every gate.
    type: str
  make_room:
    description:
      - For the flow that adopts only. Whether the adopted CA is renewed where it allows no CA below it, as those that the operator makes. It keeps
        its name, its key and its end, or gets a later one, and has path length 1.
      - With that clients of OpenSSL, librdkafka and Go that have read it since can be led on to the next CA whenever its key is replaced, also those
        that read their CAs only when they start. It restarts no node that can reload; Deployments restart once.
      - By default an adoption changes no byte of a CA, so that it can be taken back at no cost, and the replacement renews it first.
    type: bool
    default: false
"""
