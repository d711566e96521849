# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Making the Cluster Operator reconcile, and waiting until it has acted (docs/operator.md, "Trust
bundle", "Re-issue", "Pause").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from ..._errors import KubeError, OperatorSilent, StepError, TimedOut
from ..._kube.resources import PODS, SECRETS
from ..._kube.wait import HEARTBEAT, Objects, wait_until
from ..._trust.model.steps.authority import SetGenerated
from ..._trust.model.steps.nodes import AwaitLeaves, AwaitVerdict, Pause, Resume
from ..._trust.model.steps.trust import AwaitBundle
from .. import names
from ..cluster.ca_secrets import read_bundle
from ..cluster.kafka import PAUSED, condition, failure_of, is_observed
from ..cluster.observe import Observation
from ..cluster.pods import is_ready
from ..names import KAFKAS
from ..secret_data import annotation
from .work import Action, Target, Work, Write, WriteVerb, as_stored, find_object, version, write_all


def request_reconcile(observation: Observation, work: Work, phase: str, token: str) -> None:
    """Touch the Kafka resource, which the operator watches; it notices changes of Secrets and pods only periodically.

    The token names the request, so that the same request is not written twice.
    """
    kafka = observation.kafka
    if kafka is None or annotation(kafka, names.RECONCILE_REQUEST) == token:
        return
    write = Write(
        WriteVerb.UPDATE,
        as_stored(KAFKAS, kafka),
        work.scope.cluster,
        "ask the operator to reconcile now",
        {"metadata": {"annotations": {names.RECONCILE_REQUEST: token}}},
    )
    write_all((write,), work, phase)


def forget_request(observation: Observation) -> tuple[Write, ...]:
    """Remove the name of the last request from the Kafka resource. The same request counts as new then."""
    kafka = observation.kafka
    if kafka is None or annotation(kafka, names.RECONCILE_REQUEST) is None:
        return ()
    patch = {"metadata": {"annotations": {names.RECONCILE_REQUEST: None}}}
    return (
        Write(
            WriteVerb.UPDATE,
            as_stored(KAFKAS, kafka),
            observation.scope.cluster,
            "remove the name of the last request to reconcile",
            patch,
        ),
    )


def await_bundle(step: AwaitBundle, observation: Observation, work: Work) -> None:
    """Wait until the trust bundle contains the content of the certificate Secret, and no more."""
    name = work.scope.trust_bundle_secret
    if observation.secret(name) is None:
        return
    where, phase = Target(SECRETS.kind, work.scope.namespace, name), step.phase.value
    if work.dry_run:
        work.record(Action("wait", where, "the operator updates the trust bundle", phase))
        return
    absent = frozenset(certificate.fingerprint for certificate in step.absent)
    # The same CAs may be wanted there another time, after any of them has been away.
    parts = [version(observation.secrets[work.scope.ca_certificate_secret]), *sorted(f[:12] for f in step.present)]
    token = "bundle-" + "-".join([*parts, "without", *sorted(f[:12] for f in absent)])
    request_reconcile(observation, work, phase, token)

    def settled(objects: Objects) -> bool:
        bundle = read_bundle(objects.get(name), work.scope) or frozenset()
        return step.present <= bundle and not absent & bundle

    seconds = _wait(work, settled, SECRETS, name, f"updated {where}")
    waited = f"the operator updated the trust bundle ({len(step.present)} trusted)"
    work.record(Action("wait", where, waited, phase, seconds=seconds))


def await_leaves(phase: str, observation: Observation, work: Work) -> None:
    """Wait until the operator has issued the leaves of another generation than its CA. Raises OperatorSilent."""
    wanted = str(observation.snapshot.ca.certificate_generation)
    for leaf in observation.snapshot.leaves.stored:
        if str(leaf.generation) != wanted:
            seconds = _await_leaf(
                leaf.secret, lambda secret: annotation(secret, names.CLUSTER_CA_CERT_GENERATION) == wanted, work
            )
            where = Target(SECRETS.kind, work.scope.namespace, leaf.secret)
            what = f"the operator issued the leaf, generation {wanted}"
            work.record(Action("wait", where, what, phase, seconds=seconds))


def await_issued(step: AwaitLeaves, observation: Observation, work: Work) -> None:
    """Wait until the operator has replaced these ended leaves. Raises OperatorSilent."""
    phase, before = step.phase.value, {name: observation.secrets[name] for name in step.secrets}
    if not work.dry_run:
        request_reconcile(observation, work, phase, f"ended-{max(map(version, before.values()))}")
    for name, before_issue in before.items():
        seconds = None if work.dry_run else _await_leaf(name, partial(_is_replaced, before_issue), work)
        where = Target(SECRETS.kind, work.scope.namespace, name)
        work.record(Action("wait", where, "the operator replaces the leaf, which has ended", phase, seconds=seconds))


def _is_replaced(before: Mapping[str, Any], secret: Mapping[str, Any] | None) -> bool:
    """Whether the Secret has another content than at its reading. A label or an annotation of another program is
    nothing new.
    """
    return secret is not None and secret.get("data") != before.get("data")


def _await_leaf(name: str, is_issued: Callable[[Mapping[str, Any] | None], bool], work: Work) -> float:
    """Wait until this Secret is as wanted; the seconds that it took."""
    where = f"Secret {work.scope.namespace}/{name}"
    return _wait(work, lambda objects: is_issued(objects.get(name)), SECRETS, name, f"issued the leaf in {where}")


def _wait(
    work: Work,
    settled: Callable[[Objects], bool],
    resource: Any,
    name: str,
    what: str,
    alive: Callable[[], None] | None = None,
    heartbeat: float = HEARTBEAT,
) -> float:
    """Wait for the operator, and return the seconds of the wait. Messages say ``what`` it has not done in time. About
    every ``heartbeat`` seconds the wait calls ``alive``, which renews the Lease; None is the renewal alone.
    """
    begun, limit = work.clock.monotonic(), work.settings.operator_timeout.total_seconds()
    try:
        wait_until(
            work.client,
            resource,
            work.scope.namespace,
            settled,
            field_selector=f"metadata.name={name}",
            timeout=work.settings.operator_timeout,
            monotonic=work.clock.monotonic,
            alive=alive or work.renew_lease,
            heartbeat=heartbeat,
        )
    except TimedOut:
        raise OperatorSilent(
            "The Cluster Operator",
            f"has not {what} within {limit:.0f} s",
            "Check that the Cluster Operator runs, watches this namespace and reports no error in the Kafka "
            "resource's status; then run the flow again, it continues where it stopped.",
        ) from None
    return work.clock.monotonic() - begun


def _wait_for_kafka(
    work: Work,
    settled: Callable[[Mapping[str, Any]], bool],
    what: str,
    alive: Callable[[], None] | None = None,
    heartbeat: float = HEARTBEAT,
) -> float:
    cluster = work.scope.cluster
    return _wait(
        work,
        lambda objects: cluster in objects and settled(objects[cluster]),
        KAFKAS,
        cluster,
        f"{what} Kafka {work.scope.namespace}/{cluster}",
        alive,
        heartbeat,
    )


def _edit_kafka(observation: Observation, work: Work, phase: str, what: str, patch: dict[str, Any]) -> None:
    kafka = observation.kafka or {}
    write = Write(WriteVerb.UPDATE, as_stored(KAFKAS, kafka), work.scope.cluster, what, patch, version(kafka))
    write_all((write,), work, phase)


def pause(step: Pause, observation: Observation, work: Work) -> None:
    """Pause the Kafka resource in the name of this collection and wait for the operator's confirmation
    (docs/operator.md, "Pause"). After the end of an earlier pause it has to be decided again first.
    """
    if request_pause(step, observation, work) and not work.dry_run:
        await_confirmation(work)


def request_pause(step: Pause, observation: Observation, work: Work) -> bool:
    """Whether the operator is to confirm a pause. The call requests the pause if the Kafka resource has none yet. If
    the call has waited for the end of an earlier pause, there is nothing to confirm: it has to be decided again then.
    """
    if not observation.snapshot.reconciliation.pause.is_set:
        if await_end_of_pause(observation, work):
            return False
        annotations = _marks_of_pause(observation, work.scope.paused_by, work.settings.holder)
        _edit_kafka(
            observation, work, step.phase.value, "pause reconciliation", {"metadata": {"annotations": annotations}}
        )
    return True


def await_confirmation(work: Work, alive: Callable[[], None] | None = None, heartbeat: float = HEARTBEAT) -> None:
    """Wait until the operator has confirmed the pause, with ``alive`` and ``heartbeat`` as for every wait. Raises
    OperatorSilent.
    """
    _wait_for_kafka(work, lambda kafka: condition(kafka, PAUSED), "confirmed the pause of", alive, heartbeat)


def _marks_of_pause(observation: Observation, mark: str, holder: str) -> dict[str, str | None]:
    """The annotations of a new pause. If a person has ended an earlier pause by hand, its mark may be left, and would
    give the pause a second holder.
    """
    scope = observation.scope
    marks = (scope.paused_by, scope.other_ca.paused_by, names.PAUSED_FOR)
    left = {name: None for name in marks if annotation(observation.kafka, name) is not None}
    return {**left, names.PAUSE_RECONCILIATION: "true", mark: holder}


def describe_left_pause(work: Work, is_seen: bool = True, holder: str = "") -> str:
    """The object of a pause that a call leaves behind, and the way to end the pause, as sentences. If the
    call saw the pause, ``is_seen`` is true. The holder is the party behind the pause, if this is no flow.
    """
    scope = work.scope
    left = (
        f"The Cluster Operator {'is' if is_seen else 'may be'} left paused for Kafka {scope.namespace}/{scope.cluster}"
    )
    command = f"kubectl annotate kafka {scope.cluster} -n {scope.namespace} {names.PAUSE_RECONCILIATION}-"
    if holder:
        return (
            f"{left}, in the name of {holder}. The module strimzi_reconciliation ends the pause with state=resumed and "
            f"holder={holder}; by hand: {command} {names.PAUSED_FOR}-."
        )
    return (
        f"{left}; what it must not see half-way may not be at its end. Run any playbook of this collection on this "
        "cluster again when the cause below is gone: it finishes this and ends the pause. By hand, where no other run "
        f"is at work, and at the price of restarts of nodes, each of them at most: {command} {scope.paused_by}-."
    )


def await_end_of_pause(observation: Observation, work: Work) -> bool:
    """Whether the status still showed an earlier pause; it no longer does when this returns. Otherwise this status
    would count as the confirmation of the next pause while the operator is at work. Raises OperatorSilent.
    """
    if work.dry_run or not condition(observation.kafka, PAUSED):
        return False
    _wait_for_kafka(work, lambda kafka: not condition(kafka, PAUSED), "gone on with")
    return True


def resume(step: Resume, observation: Observation, work: Work) -> None:
    """End the pause of this collection. The operator starts at once; the next step waits for its work."""
    annotations = {names.PAUSE_RECONCILIATION: None, work.scope.paused_by: None}
    _edit_kafka(
        observation, work, step.phase.value, "resume reconciliation", {"metadata": {"annotations": annotations}}
    )


def await_verdict(step: AwaitVerdict, observation: Observation, work: Work) -> None:
    """Wait until the operator has ended the reconcile after a pause. If it says that it cannot use the stored Secrets,
    wait until it is content or says something else. While pods move it is at work, and is given its time again. If
    nothing comes, its last words stay.
    """
    where, phase = Target(KAFKAS.kind, work.scope.namespace, work.scope.cluster), step.phase.value
    if work.dry_run:
        work.record(Action("wait", where, step.sentence(), phase))
        return
    if step.request:
        request_reconcile(observation, work, phase, step.request)
    failure_before, moves, begun = (
        failure_of(observation.kafka),
        _readiness_of_pods(observation, work),
        work.clock.monotonic(),
    )

    def settled(kafka: Mapping[str, Any]) -> bool:
        return not condition(kafka, PAUSED) if not step.request else failure_of(kafka) != failure_before

    if failure_before is not None:
        work.tell(f"{where}: {step.sentence()}, which says now: {failure_before}")
    while True:
        try:
            _wait_for_kafka(work, settled, "gone on with")
            break
        except OperatorSilent:
            before, moves = moves, _readiness_of_pods(observation, work)
            if moves != before:
                continue
            if not step.request:
                raise
            break
    work.record(Action("wait", where, step.sentence(), phase, seconds=work.clock.monotonic() - begun))


def _readiness_of_pods(observation: Observation, work: Work) -> frozenset[tuple[str, bool]]:
    """The pods of the cluster by UID, and whether each is ready: it changes while the operator is at work."""
    listed = work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
    own = (pod for pod in listed if observation.owners.component_of(pod))
    return frozenset((str(pod["metadata"]["uid"]), is_ready(pod)) for pod in own)


def pause_for(holder: str, observation: Observation, work: Work) -> None:
    """Pause the Kafka resource for a holder, which ends the pause by itself."""
    if not observation.snapshot.reconciliation.pause.is_set:
        annotations = _marks_of_pause(observation, names.PAUSED_FOR, holder)
        what = f"pause reconciliation for {holder}"
        _edit_kafka(observation, work, "", what, {"metadata": {"annotations": annotations}})
    if not work.dry_run:
        await_confirmation(work)


def resume_for(observation: Observation, work: Work) -> None:
    """End any pause, and wait until the operator goes on."""
    gone = dict.fromkeys((names.PAUSE_RECONCILIATION, work.scope.paused_by, names.PAUSED_FOR))
    if observation.snapshot.reconciliation.pause.is_set:
        _edit_kafka(observation, work, "", "resume reconciliation", {"metadata": {"annotations": gone}})
    if not work.dry_run:
        _wait_for_kafka(work, lambda kafka: not condition(kafka, PAUSED), "gone on with")


def set_generated(step: SetGenerated, observation: Observation, work: Work) -> None:
    """Give the CA to the operator or take it from it. No byte of a CA changes, so neither rolls anything
    (docs/operator.md, "Switching"). If the operator has changed the CA meanwhile, the CA stays with it. Raises
    OperatorSilent, StepError.
    """
    try:
        write_all((_generated_write(step, work, observation),), work, step.phase.value)
    except KubeError as error:
        if error.outcome_unknown and not step.generated:
            work.left_behind = replace(work.left_behind, unadopted_ca=_describe_unadopted(work, is_seen=False))
        raise
    if work.dry_run:
        return
    work.left_behind = replace(work.left_behind, unadopted_ca="" if step.generated else _describe_unadopted(work))
    _wait_for_kafka(work, is_observed, "acted on")
    if not step.generated and _has_changed_ca(observation, work):
        _give_back(step, observation, work)


def _generated_write(step: SetGenerated, work: Work, observation: Observation) -> Write:
    """The write of the field that says whether the operator generates the CA. It rests on the observed version of the
    resource, if there is one.
    """
    kafka = observation.kafka
    patch = {"spec": {work.scope.ca_specification: {"generateCertificateAuthority": step.generated}}}
    ca = f"the {work.scope.ca.value} CA"
    what = f"the operator manages {ca}" if step.generated else f"{ca} is user-managed"
    before = version(kafka) if kafka else None
    return Write(WriteVerb.UPDATE, as_stored(KAFKAS, kafka), work.scope.cluster, what, patch, before)


def _has_changed_ca(observation: Observation, work: Work) -> bool:
    """Whether the CA Secrets differ from the observation: a reconcile under way has renewed or replaced the CA."""
    scope = work.scope
    return any(
        (find_object(work.client, SECRETS, scope.namespace, name) or {}).get("data")
        != (observation.secret(name) or {}).get("data")
        for name in (scope.ca_certificate_secret, scope.ca_key_secret)
    )


def _give_back(step: SetGenerated, observation: Observation, work: Work) -> NoReturn:
    """Leave the CA to the operator. It takes out the old CA when every process has the next CA. If the old CA were
    adopted before, it would be trusted for good.
    """
    scope = work.scope
    # No resource version: the CA stays with the operator, whatever else it has written to the resource.
    write = replace(_generated_write(replace(step, generated=True), work, observation), resource_version=None)
    write_all((write,), work, step.phase.value)
    work.left_behind = replace(work.left_behind, unadopted_ca="")
    raise StepError(
        f"Kafka {scope.namespace}/{scope.cluster}",
        f"has a {scope.ca.value} CA that the Cluster Operator began to renew or replace by itself at the moment of its "
        "adoption, so the operator goes on managing it",
        "Let it come to its end, for which it may restart every node up to three times, then run the flow again.",
    )


def _describe_unadopted(work: Work, is_seen: bool = True) -> str:
    """The sentences for a call that fails before the CA is in the ledger. If the CA was seen as
    user-managed, ``is_seen`` is true.
    """
    scope = work.scope
    patch = f'{{"spec":{{"{scope.ca_specification}":{{"generateCertificateAuthority":true}}}}}}'
    return (
        f"The Cluster Operator {'no longer renews' if is_seen else 'may no longer renew'} the {scope.ca.value} CA of "
        f"Kafka {scope.namespace}/{scope.cluster}, and its adoption is not complete: "
        f"{'nothing renews it' if is_seen else 'it may be that nothing renews it'}. Run the adoption again when the "
        f"cause below is gone; or give it back as it is: kubectl patch kafka {scope.cluster} --namespace "
        f"{scope.namespace} --type merge --patch '{patch}'."
    )
