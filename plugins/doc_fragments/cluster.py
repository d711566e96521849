# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options that name the Kafka cluster."""

    DOCUMENTATION = r"""
options:
  cluster:
    description:
      - Name of the C(Kafka) resource.
    type: str
    required: true
  namespace:
    description:
      - Namespace of the C(Kafka) resource.
    type: str
    required: true
"""
