# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Annotations of KafkaUsers, by which the User Operator is kept from a user or asked to look at it (docs/operator.md, "Users")."""

from __future__ import annotations

from collections.abc import Container, Mapping

from .._errors import Conflict, NotFound, StepError
from .._trust.model.presenters import ReissuePause
from . import names
from .kafka import user_pause
from .resources import KAFKA_USERS
from .work import Work
from .writes import version

#: How often a user is read again that another writer changes at the same time.
_TRIES = 10
#: Without a pause of this collection.
FREE: Mapping[str, str | None] = {names.PAUSE_RECONCILIATION: None, names.PAUSED_FOR_CLIENTS_CA: None}


def annotate(
    user: str, annotations: Mapping[str, str | None], work: Work, leaving_out: Container[ReissuePause] = (ReissuePause.FOREIGN,)
) -> None:  # fmt: skip
    """Set annotations of a user, or remove those that are None. user: as presenters are named. leaving_out: users that are paused so are left
    as they are: those that another writer has paused, at least.

    A user that is gone is left out as well. Raises KubeError, StepError.
    """
    namespace, _slash, name = user.partition(" ")[2].partition("/")
    for _try in range(_TRIES):
        work.alive()
        found = work.client.get_or_none(KAFKA_USERS, namespace, name)
        if found is None or user_pause(found) in leaving_out:
            return
        try:
            patch = {"metadata": {"annotations": dict(annotations)}}
            work.client.patch(KAFKA_USERS, namespace, name, patch, resource_version=version(found))
            return
        except NotFound:
            return
        except Conflict:
            # The User Operator may write its status at any time.
            continue
    raise StepError(user, "changes all the time", "See who writes it; then run the flow again.")
