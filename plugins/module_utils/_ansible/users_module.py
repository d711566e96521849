# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that looks at the users of a cluster, and at the listeners on which they log in."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._engine.live_look import LOOK_SECONDS, Evidence, LiveLook
from .._kube.client import KubeClient
from .._strimzi.ca_secrets import read_ca_secrets
from .._strimzi.finding_secrets import read_secrets
from .._strimzi.ledger_layouts import read_ledger
from .._strimzi.names import CaKind
from .._strimzi.users import Users, read_users
from .._trust.model.listeners import ObservedListener
from .._trust.model.named import Named
from . import connect
from .module import ClusterModule, SystemClock
from .outside_options import outside_of
from .user_results import describe_user_listeners, describe_users


class UsersModule(ClusterModule):
    """A call that looks at users and listeners."""

    def show(self) -> dict[str, Any]:
        client = self.client()
        found = read_users(client, self.scope(), SystemClock().now(), self._asked(client))
        look = LiveLook(Evidence(self.params["evidence"]))
        listeners = look.take(partial(self._ask, client, found))
        described, asked = describe_users(found), describe_user_listeners(found, listeners or ())
        return {
            **self.done_so_far(),
            **described,
            "user_listeners": asked,
            "problems": [*described["problems"], *(problem for one in asked for problem in one["problems"])],
            "unasked": look.why,
        }

    def _asked(self, client: KubeClient) -> Named:
        """Where to look: what is given, and in place of what is not, what the flow in flight on the clients CA was told."""
        scope = self.scope().of(CaKind.CLIENTS)
        secrets = read_secrets(client, scope)
        certificates, keys = (secrets.get(name) for name in (scope.ca_certificate_secret, scope.ca_key_secret))
        ca = read_ca_secrets(certificates, keys, scope.certificate_generation)
        return outside_of(self.params).to_look_at(ca, read_ledger(secrets, scope))

    def _ask(self, client: KubeClient, found: Users) -> tuple[ObservedListener, ...]:
        # Imported only when a look is taken.
        from .._strimzi.user_looking import look_at_user_listeners

        return look_at_user_listeners(
            client,
            self.scope(),
            found.kafka,
            found.clients_ca,
            connect.opener_for(self.params, client, self.scope()),
            now=SystemClock().now(),
            seconds=LOOK_SECONDS,
        )
