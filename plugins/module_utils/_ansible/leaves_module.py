# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call about leaves: those of a flow, one for names of the caller's own, or the objects that are kept for no leaf any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from .._engine.looking import see_existing
from .._engine.patience import IN_A_FLOW, Patience
from .._issuing.left_over import left_over, remove
from .._issuing.own import OwnCertificate, have_certificate
from .._trust.model.intent import Selection
from .._trust.model.snapshot import Component
from .flow_module import FlowModule
from .results import describe_own


class LeavesModule(FlowModule):
    """A call about leaves."""

    def wanted_leaves(self) -> Selection:
        components = frozenset(map(Component, self.params.get("components") or ()))
        return Selection(components, frozenset(self.params.get("secrets") or ()))

    def own_certificate(self) -> dict[str, Any]:
        """A certificate for names of the caller's own."""
        work = self.work()
        seen = see_existing(work)
        self.hide_secrets(seen)
        wanted = OwnCertificate(
            self.params["secret"], self.params["common_name"],
            frozenset(self.params["subject_alternative_names"] or ()), timedelta(days=self.params["renew_before_days"]),
        )  # fmt: skip
        chain, why = Patience(work).through(lambda: have_certificate(wanted, see_existing(work), work), IN_A_FLOW)
        return {**self.described(seen), "certificate": describe_own(wanted, chain, why, seen.snapshot)}

    def tidy_certificates(self) -> dict[str, Any]:
        """Remove what cert-manager keeps for leaves that it does not issue any more."""
        work = self.work()
        seen = see_existing(work)
        left = left_over(seen, work)
        if left and not work.dry_run:
            self.take_lease(work.client)
        remove(left, work)
        return self.described(seen)
