# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call about leaves: those of a flow, one for names of the caller's own, or the objects that are kept for no leaf any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from .._engine.looking import observe_cluster, observe_existing
from .._engine.patience import IN_A_FLOW, Patience
from .._engine.targets import are_replaced
from .._issuing.left_over import find_left_over, remove
from .._issuing.own import have_certificate
from .._issuing.own_forms import Form, OwnCertificate
from .._trust.model.goals import Goal
from .._trust.model.intent import Selection
from .._trust.model.names import listed
from .._trust.model.snapshot import Component
from .flow_module import FlowModule
from .results import describe_own


class LeavesModule(FlowModule):
    """A call about leaves."""

    def wanted_leaves(self) -> Selection:
        components = frozenset(map(Component, self.params.get("components") or ()))
        return Selection(components, frozenset(self.params.get("secrets") or ()))

    def renew(self) -> dict[str, Any]:
        """Renew what is in its time for renewal, or with ``force`` the leaves that are named, whenever they end."""
        chosen = self.wanted_leaves()
        if bool(chosen.secrets or chosen.components) is not self.params["force"]:
            self.fail(
                "force: name the certificates that are to be issued anew in secrets or components, and give force=true with these alone."
            )
        if not self.params["force"]:
            return self.run(Goal.RENEW_LEAVES)
        if (self.params.get("issuer") or {}).get("resource") == "Certificate":
            self.fail(
                "force: cert-manager renews these certificates by itself. Run cmctl renew with the name of the Certificate; the reconcile playbook takes it up."
            )
        stored = observe_cluster(self.work()).snapshot.every_leaf
        leaves = [leaf for leaf in stored if leaf.chain and chosen.has(leaf.secret, leaf.component)]
        if missing := chosen.secrets - {leaf.secret for leaf in leaves}:
            self.fail(
                f"secrets: there is no certificate of this CA in {listed(sorted(missing))} in namespace {self.params['namespace']}. Give names of leaves that "
                "strimzi_ca_info returns. One that is missing or unreadable is issued with state=issued or by the Cluster Operator."
            )
        unwanted = frozenset(leaf.chain[0].sha256 for leaf in leaves if leaf.chain)
        return self.run(Goal.RENEW_LEAVES, required=are_replaced(unwanted), unwanted=unwanted)

    def own_certificate(self) -> dict[str, Any]:
        """A certificate for names of the caller's own."""
        work = self.work()
        seen = observe_existing(work)
        self.hide_secrets(seen)
        wanted = OwnCertificate(
            self.params["secret"], self.params["common_name"],
            frozenset(self.params["subject_alternative_names"] or ()), timedelta(days=self.params["renew_before_days"]),
            frozenset(map(Form, self.params["forms"] or ())),
        )  # fmt: skip
        chain, why = Patience(work).through(lambda: have_certificate(wanted, observe_existing(work), work), IN_A_FLOW)
        return {**self.described(seen), "certificate": describe_own(wanted, chain, why, seen.snapshot)}

    def tidy_certificates(self) -> dict[str, Any]:
        """Remove what cert-manager keeps for leaves that it does not issue any more."""
        work = self.work()
        seen = observe_existing(work)
        left = find_left_over(seen, work)
        if left and not work.dry_run:
            self.take_lease(work.client)
        remove(left, work)
        return self.described(seen)
