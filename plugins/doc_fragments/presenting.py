# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options for presenters of the clients CA beside the users of the cluster's User Operator and the programs in their namespace."""

    DOCUMENTATION = r"""
options:
  presenting_secrets:
    description:
      - Of the clients CA, Secrets with certificates by which users log in and that the User Operator has not written, as C(name),
        C(namespace/name) or C(namespace/name:entry) - copies of a user's certificate, and certificates of users with the authentication
        C(tls-external) and of superusers by name.
      - A CA stays trusted until each holds a certificate of another one, and until all pods in its namespace that mount it, or have it in
        their environment, were created since. Without an entry, all certificates in PEM form count that are no CA's.
      - A user or superuser whose subject is that of a certificate in such a Secret needs no waiver.
      - Without this option a flow in flight goes on with the Secrets of the last run that named some; an empty list takes them back.
        M(trustops.strimzi.strimzi_user_info) and M(trustops.strimzi.strimzi_user) know those that they are given alone.
    type: list
    elements: str
  user_namespaces:
    description:
      - Of the clients CA, namespaces beside the one that the cluster's User Operator watches in which users of the cluster are, served by a User
        Operator of their own, or programs that log in as its users, such as by a C(KafkaAccess).
      - Without this option a flow in flight goes on with those of the last run that named some; an empty list takes them back.
        M(trustops.strimzi.strimzi_user_info) and M(trustops.strimzi.strimzi_user) know those that they are given alone.
    type: list
    elements: dict
    suboptions:
      namespace:
        description: The namespace.
        type: str
        required: true
      secret_prefix:
        description: What the names of users' Secrets begin with there, as its User Operator has it in C(STRIMZI_SECRET_PREFIX).
        type: str
        default: ''
"""
