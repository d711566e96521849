# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that speaks as much of the API of Vault and OpenBao as a PKI issuer needs, written from their API
documentation. The same tests run against a real one (tests/issuers/test_vault.py).
"""
