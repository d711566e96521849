# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that looks at the users of a cluster, and at the listeners on which they log in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._kube.client import KubeClient
from .._kube.connection import ConnectionOptionsError
from .._kube.errors import KubeError
from .._strimzi.users import Users, read_users
from . import connect
from .module import ClusterModule, SystemClock
from .outside_options import outside_of
from .user_results import describe_user_listeners, describe_users

if TYPE_CHECKING:
    from .._trust.model.listeners import ObservedListener

#: Seconds for all listeners together, as in a flow.
_LIMIT = 120.0


class UsersModule(ClusterModule):
    """A call that looks at users and listeners."""

    def show(self) -> dict[str, Any]:
        client = self.client()
        found = read_users(client, self.scope(), SystemClock().now(), outside_of(self.params).named())
        listeners, why = self._look(client, found)
        described, asked = describe_users(found), describe_user_listeners(found, listeners)
        return {
            **self.done_so_far(),
            **described,
            "user_listeners": asked,
            "problems": [*described["problems"], *(problem for one in asked for problem in one["problems"])],
            "unasked": why,
        }

    def _look(self, client: KubeClient, found: Users) -> tuple[tuple[ObservedListener, ...], str]:
        """The answers of the listeners, and why nobody was asked."""
        wanted = self.params["evidence"]
        if wanted == "annotations":
            return (), "asked for"
        # Imported only when a look is taken.
        from .._strimzi.user_looking import look_at_user_listeners

        try:
            seen = look_at_user_listeners(
                client,
                self.scope(),
                found.kafka,
                found.clients_ca,
                connect.opener_for(self.params, client, self.scope()),
                now=SystemClock().now(),
                seconds=_LIMIT,
            )
        except (KubeError, ConnectionOptionsError) as error:
            if wanted == "handshake":
                raise
            return (), str(error)
        if seen and wanted == "auto" and not any(one.presents for one in seen):
            return (), seen[0].why
        return seen, ""
