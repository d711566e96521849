# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that takes its part in a flow, and its diff in check mode: public facts of each object as they are, and
as the whole plan would leave them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .._engine.engine import run
from .._engine.looking import observe_cluster
from .._engine.outcome import AT_FIRST, Patience, inspect, plan
from .._engine.rounds import RoundPlanner, describe_rounds_of_roll
from .._errors import KubeError, LeaseTaken
from .._pki.certificates import Certificate, Chain, encode_certificates
from .._strimzi.apply.events import Announcer, events_at_the_end, events_between, events_of_issued
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.backups import unreadable_backups
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import BACKUP
from .._trust.ledger.journal import is_starting
from .._trust.model.goals import Goal, Phase
from .._trust.model.intent import Extent, Intent, Strategy
from .._trust.model.ledger import TRUSTED_STATES
from .._trust.model.names import named
from .._trust.model.snapshot import Snapshot
from .._trust.plan import Forecast, Reached, to_the_end
from .._trust.rules.expiring import describe_missing_schedule, expiring
from .arguments import ArgumentSpec
from .results import describe_forecast, describe_violations, failure_text
from .trust_module import TrustModule


def planned_diff(seen: Snapshot, planned: Forecast) -> list[dict[str, Any]]:
    """Every object that the plan writes to or restarts, in the form that ``--diff`` shows. The text of a certificate
    that is yet to be made says so.
    """
    if planned.end is None:
        return []
    existing = _certificates(seen)
    before, after = (_facts(snapshot, existing) for snapshot in (seen, planned.end))
    for pod, times in Counter(pod for step in planned.steps for pod in (*step.nodes, *step.others)).items():
        after[seen.names.pod(pod)] = {"restarts": times}
    return [
        {"before_header": what, "after_header": what, "before": dict(was), "after": dict(will_be)}
        for what in dict.fromkeys((*before, *after))
        if (was := before.get(what, {})) != (will_be := after.get(what, {}))
    ]


def _certificates(snapshot: Snapshot) -> frozenset[Certificate]:
    ca, ledger = snapshot.ca, snapshot.ledger
    authorities = [
        ca.current,
        *ca.other_entries.values(),
        *(authority.chain for authority in ca.prepared),
        *(entry.chain for entry in (ledger.entries if ledger else ())),
        *(backup.ca.current for backup in snapshot.backups),
    ]
    leaves = [leaf.chain for leaf in snapshot.every_leaf if leaf.chain]
    return frozenset(chain[0] for chain in (*authorities, *leaves) if chain)


def _facts(snapshot: Snapshot, existing: frozenset[Certificate]) -> dict[str, Mapping[str, Any]]:
    """Public facts by object, with the certificates that exist."""

    def described(chain: Chain | None) -> str | None:
        if not chain:
            return None
        return named(chain[0]) if chain[0] in existing else f"{chain[0].subject} (to be made)"

    ca, names, ledger = snapshot.ca, snapshot.names, snapshot.ledger
    authorities = [ca.current, *(authority.chain for authority in ca.prepared)]
    signing = next((chain for chain in authorities if chain and chain[0].public_key_sha256 == ca.key), None)
    facts: dict[str, Mapping[str, Any]] = {
        names.kafka: {"generated": snapshot.reconciliation.generated},
        **{
            f"KafkaNodePool {names.namespace}/{pool}": {"replicas": size}
            for pool, size in snapshot.pools.replicas.items()
        },
        names.certificate_secret: {
            "ca.crt": described(ca.current),
            "beside it": sorted(filter(None, map(described, ca.other_entries.values()))),
            "generation": ca.certificate_generation,
        },
        names.key_secret: {
            "key of": described(signing),
            "prepared": sorted(filter(None, map(described, authorities[1:]))),
            "generation": ca.key_generation,
        },
    }
    if ledger is not None:
        stop = ledger.journal.options.stop if ledger.journal else None
        states = {described(entry.chain) or "": entry.state.value for entry in ledger.entries}
        facts[names.ledger] = {
            **states,
            "layout": ledger.layout.value,
            "stops after": stop.after.value if stop else None,
        }
    facts.update({backup.name: {"contains": described(backup.ca.current)} for backup in snapshot.backups})
    for leaf in snapshot.every_leaf:
        own = leaf.chain[0] if leaf.chain else None
        which = None if own is None else own.sha256[:12] if own in existing else "to be issued"
        facts[names.secret(leaf.secret)] = {
            "certificate": which, "issuer": own.issuer if own else None, "generation": leaf.generation,
        }  # fmt: skip
    return facts


def _require_in_sync(work: Work, intent: Intent, reached: Reached) -> None:
    """Require every replica to be in sync if this call begins a flow that restarts nodes. A flow in flight goes on:
    each restart has its own checks. Raises StepError, KafkaUnavailable, KubeError.
    """
    outcome = Patience(work).through(lambda: inspect(work, intent), AT_FIRST)
    seen = outcome.observation
    if outcome.decision.violations or not is_starting(seen.snapshot):
        return
    planner = RoundPlanner(seen, work)
    planned = plan(work, outcome, intent, reached, planner)
    if any(step.nodes for step in planned.whole):
        # Imported only for this strategy, because all of this code speaks to Kafka.
        from .._rollout.admin import connect_to
        from .._rollout.direct import require_in_sync

        require_in_sync(seen, connect_to(work.settings.kafka_bootstrap))
        for sentence in (*planner.remarks, *_describe_rounds(planned)):
            work.tell(sentence)


def _describe_rounds(planned: Forecast) -> Iterator[str]:
    """Sentences about the rounds in which nodes restart."""
    for step in planned.whole:
        if step.reason is not None:
            yield from describe_rounds_of_roll(step.reason, step.nodes, step.rounds)


def _describe_left_secrets(seen: Observation) -> Iterator[str]:
    """Sentences about Secrets that stay after this collection has given the CA up."""
    scope, objects = seen.scope, seen.snapshot.names
    if seen.snapshot.outside_clients.published is not None:
        yield (
            f"{objects.secret(scope.client_bundle_secret)}, the bundle for clients, stays, and gets no new CA from now "
            "on: clients that read it will refuse the nodes when the CA changes. Have them read "
            f"{objects.certificate_secret}, then delete it."
        )
    for name in unreadable_backups(seen.secrets, scope):
        yield (
            f"{objects.secret(name)} stays: it has the name of a backup, and no annotation {BACKUP} that this "
            "collection can read. A backup contains private keys of CAs. If this is a backup that was edited, delete "
            f"it: kubectl delete secret {name} -n {scope.namespace}."
        )


class FlowModule(TrustModule):
    """A call of a module that brings a cluster nearer to a goal."""

    def __init__(self, spec: ArgumentSpec) -> None:
        super().__init__(spec)
        self.announcer: Announcer | None = None
        #: The cluster as the flow of this call has left it; None before that.
        self._seen_at_end: Snapshot | None = None

    def work(self) -> Work:
        work = super().work()
        self.announcer = Announcer(work.client, work.scope, self.holder, work.clock.now)
        work.display = replace(work.display, announce=self.announcer.note)
        if (given := self.params.get("node_answers")) and self._live_look is not None:
            # Imported only if a task hands answers over.
            from .handed_answers import from_text

            work.earlier_answers = self._live_look.take_over(from_text(given, work.clock.now()))
        return work

    def run(
        self,
        goal: Goal,
        until: Phase = Phase.RETIRE,
        reached: Reached | None = None,
        *,
        required: Reached | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        """Go on with the flow up to this phase, and describe it. Unless something is waited for, the call fails if
        the state that the caller asks for is not reached.

        That state is ``reached`` if the call ends with it, and ``required`` if the call goes on to the end of the
        phase.
        """
        self.require_library_of_strategy()
        work = self.work()
        intent = self.intent(work, goal, until, **more)
        if intent.pace.strategy is Strategy.DIRECT and not self.check_mode:
            _require_in_sync(work, intent, reached or to_the_end)

        def take_lease() -> None:
            # While another run had it, that run may have changed what this call has read.
            self.take_lease(work.client, work.written.forget)

        try:
            outcome = run(work, intent, take_lease, reached or to_the_end)
        except Exception as error:
            self._announce_before_failure(work, error)
            raise
        self.warn_of_unfinished(outcome.before, goal)
        for sentence in outcome.decision.waiting:
            work.tell(sentence)
        self._seen_at_end = seen = outcome.observation.snapshot
        if goal is Goal.UPGRADE and (warning := describe_missing_schedule(seen)):
            self.module.warn(warning)
        if goal is Goal.DOWNGRADE and not outcome.decision.violations:
            for sentence in _describe_left_secrets(outcome.observation):
                self.module.warn(sentence)
        result = self.result(outcome)
        if self.announcer is not None and not self.check_mode:
            happened = (*events_of_issued(work.actions), *events_between(outcome.before.snapshot, seen))
            self.announcer.write((*happened, *events_at_the_end(seen, outcome.decision.violations, expiring(seen))))
        if self.check_mode:
            planned = plan(work, outcome, intent, reached or to_the_end)
            # Outside a maintenance window the plan has steps, and the run takes none.
            result |= self._describe_forecast(planned, seen, begins=bool(outcome.decision.steps))
        wanted = required or reached
        waits = bool(outcome.decision.waiting) and outcome.decision.stop is None
        if wanted is not None and not wanted(seen) and not waits and not self.check_mode:
            left = "; ".join(result["pending"]) or "nothing that this module could do"
            why = "".join(f" {sentence}" for sentence in outcome.decision.waiting) or self._ends_early(until)
            result.setdefault(
                "failed_message",
                f"{seen.names.kafka}: the cluster is not yet in the state that this task asks for. Left: {left}.{why}",
            )
        return result

    def _announce_before_failure(self, work: Work, error: Exception) -> None:
        """Write the events about the changes of this call: the next call compares with the changed cluster, and would
        write none about them. A call that has lost the API server or its Lease writes no event.
        """
        is_lost = isinstance(error, KubeError) and (error.is_transient or isinstance(error, LeaseTaken))
        has_changed = not self.check_mode and any(action.is_change for action in work.actions)
        if self.announcer is None or work.first is None or is_lost or not has_changed:
            return
        # The caller raises the first error.
        with suppress(Exception):
            self.announcer.write(events_of_issued(work.actions))
            self.announcer.write(events_between(work.first.snapshot, observe_cluster(work).snapshot))

    def leave(self) -> dict[str, Any]:
        """Give the CA up, which stays user-managed, and delete the Lease: no further call needs it."""
        result, scope = self.run(Goal.DOWNGRADE), self.scope()
        if result["done"] and not self.check_mode and self.delete_lease(self.client()):
            lease = Target("Lease", scope.namespace, scope.lease)
            deleted = Action("delete", lease, "no further call needs it", Phase.RETIRE.value)
            result |= {"changed": True, "actions": [*result["actions"], deleted.as_result()]}
        return result

    def _describe_forecast(self, planned: Forecast, seen: Snapshot, *, begins: bool) -> dict[str, Any]:
        """The part of a result in check mode that is about the whole plan, and says whether the run would take its
        first step now.
        """
        changed = begins and any(step.is_change for step in planned.steps)
        if planned.steps and planned.after:
            self.module.warn(f"The run would be held before its end. {failure_text(planned.violations, seen)}")
        shows_diff = self.module._diff  # pylint: disable=protected-access
        shown = {"diff": planned_diff(seen, planned) if changed else []} if shows_diff else {}
        violations = describe_violations(planned.violations)
        return {**describe_forecast(planned, seen), "violations": violations, "changed": changed, **shown}

    def _ends_early(self, until: Phase) -> str:
        """A sentence if the caller lets this call enter fewer phases than it needs, else empty."""
        last = self.said(Extent).stop_after
        if last is None or last.position >= until.position:
            return ""
        return f" until_phase={last.value} ends before it: give a later phase, or leave the option out."

    def observed(self) -> Snapshot:
        """The cluster as the flow of this call has left it; before that, as it is stored now."""
        if self._seen_at_end is not None:
            return self._seen_at_end
        work = self.work()
        return Patience(work).through(lambda: observe_cluster(work).snapshot, AT_FIRST)

    def fingerprint_of(self, named: str) -> str:
        """The SHA-1 fingerprint of the CA with this SHA-1 or SHA-256 fingerprint; without such a CA, as it is."""
        snapshot, wanted = self.observed(), named.replace(":", "").lower()
        authorities = (entry.certificate for entry in snapshot.ledger_or_empty.entries)
        return next(
            (
                certificate.fingerprint
                for certificate in authorities
                if wanted in (certificate.fingerprint, certificate.sha256)
            ),
            wanted,
        )

    def chains_of(self, option: str) -> tuple[Chain, ...]:
        """The CA that this option gives, with its chain; nothing if it gives none."""
        return (self.certificates(option),) if self.params.get(option) else ()

    def trusted_certificates(self) -> list[str]:
        """The trusted CAs of the ledger as this call leaves it, in PEM form, each with its chain."""
        ledger = self.observed().ledger_or_empty
        trusted = (entry for entry in ledger.entries if entry.state in TRUSTED_STATES)
        return [encode_certificates(entry.chain).decode("ascii") for entry in trusted]
