"""The requests of a run on the cluster CA, and what each of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAgain,
    PrepareAuthority,
    RestoreKey,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitVerdict,
    Reload,
    Resume,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause as PauseStep
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    DeleteLedger,
    Project,
    Withdraw,
    WriteBundle,
    WriteLedger,
)

from .authorities import NEW, OLD, RENEWED, chain, number_of, numbers_of, signer
from .events import Event
from .runner import Walker
from .state import (
    BUNDLE,
    CERTIFICATE,
    KAFKA,
    KEY,
    LEDGER,
    OWN,
    POD_SETS,
    Authorities,
    Follows,
    Heard,
    Leaf,
    ModelCluster,
    Pause,
    Run,
    Secrets,
    Sent,
    Slot,
    Write,
    leaf_secret,
    pod,
)
from .translation import books_of, phase_of, sent_by_nodes, snapshot_of

#: The model's next CA by goal, where none is supplied: keys are not made while exploring.
SUCCESSOR = {Goal.CREATE: OLD, Goal.RENEW: RENEWED, Goal.REPLACE_KEY: NEW}


@dataclass
class Runner(Walker[ModelCluster]):
    """Runs on the cluster CA. Nodes are not asked, and not told anything."""

    def listed(self, model: ModelCluster) -> tuple[Slot, ...]:
        return model.slots

    def visible(self, seen: Secrets, listed: tuple[Slot, ...]) -> Any:
        return (seen, tuple((slot.annotated, slot.up, slot.component, slot.labelled, slot.follows) for slot in listed))

    def snapshot(self, seen: Secrets, listed: tuple[Slot, ...]) -> Snapshot:
        return snapshot_of(seen, listed, bool(listed))

    def writes_of(self, step: Step, seen: Secrets, listed: tuple[Slot, ...]) -> tuple[Write, ...]:
        if isinstance(step, PrepareAuthority):
            supplied = self.intent.new_ca.supplied
            number = number_of(supplied.fingerprint) if supplied else SUCCESSOR[step.goal]
            return (
                Write(KEY, "prepare", (number, phase_of(step.stop), step.links is not None, step.precedes_replacement)),
            )
        make = _WRITES.get(type(step))
        return make(step, seen) if make else ()

    def apply(self, write: Write, model: ModelCluster) -> ModelCluster:
        return apply(write, model)

    def gives_up(self, model: ModelCluster, number: int) -> Iterator[Event]:
        if model.pause.asked:
            yield f"run {number} gives up", _resume(model.with_run(number, Run()))


def _switch(step: Switch, seen: Secrets) -> tuple[Write, ...]:
    number = number_of(step.authority.fingerprint)
    leaving = number_of(step.leaving.fingerprint) if step.leaving else None
    assert number is not None
    key = () if seen.ca.key is not None and signer(seen.ca.key) == signer(number) else (Write(KEY, "key", number),)
    return (*key, Write(CERTIFICATE, "certificate", (number, step.generation, leaving)))


def _project(step: Project, seen: Secrets) -> tuple[Write, ...]:
    return (Write(CERTIFICATE, "project", frozenset(number_of(chain[0].fingerprint) for chain in step.chains)),)


def _issue(step: IssueLeaves, seen: Secrets) -> tuple[Write, ...]:
    number = number_of(step.issuer[0].fingerprint)
    assert number is not None
    leaf = Leaf(number, step.generation, Sent.TO_OLD if step.link else sent_by_nodes(step.issuer, seen.ca))
    return tuple(
        Write(OWN, "own leaf", _sent_by_others(leaf))
        if secret == "own"
        else _leaf(int(secret.removeprefix("leaf-")), leaf, "issue")
        for secret in step.secrets
    )


def _leaf(slot: int, leaf: Leaf, verb: str = "leaf") -> Write:
    return Write(leaf_secret(slot), verb, leaf, slot)


def _sent_by_others(leaf: Leaf) -> Leaf:
    """No component sends both link certificates."""
    return leaf._replace(sent=Sent.ALONE) if leaf.sent is Sent.BOTH_WAYS else leaf


def _rechain(step: RechainLeaves, seen: Secrets) -> tuple[Write, ...]:
    assert seen.ca.current is not None
    sent = sent_by_nodes(chain(seen.ca.current), seen.ca)
    return tuple(
        Write(OWN, "own leaf", _at(seen.own, step))
        if secret == "own"
        else _leaf(
            number := int(secret.removeprefix("leaf-")), _at(seen.stored[number], step)._replace(sent=sent), "rechain"
        )
        for secret in step.secrets
    )


def _at(leaf: Leaf | None, step: RechainLeaves) -> Leaf:
    assert leaf is not None
    return leaf._replace(generation=step.generation)


def _prepare_again(step: PrepareAgain, seen: Secrets) -> Write:
    """A stop and link certificates that are there stay."""
    return Write(
        KEY, "prepare", (number_of(step.chain[0].fingerprint), seen.ca.stop, seen.ca.linked, seen.ca.to_replace)
    )


def _tidy(step: TidyKeys, seen: Secrets) -> tuple[Write, ...]:
    prepared = numbers_of(step.prepared)
    kept, linked = prepared | numbers_of(step.kept_keys), seen.ca.linked and NEW not in numbers_of(step.links)
    return (Write(KEY, "tidy", (prepared, kept, linked)),)


def _stamp(step: StampPods, seen: Secrets) -> tuple[Write, ...]:
    """Templates come before pods: a pod that is recreated meanwhile has the new annotation. Key generations are not looked at here."""
    if step.generation is None:
        return ()
    leaves = list(enumerate(seen.stored))
    templates = tuple(Write(POD_SETS, "template", leaf, number) for number, leaf in leaves)
    if step.before_restart:
        return templates
    return (*templates, *(Write(pod(number), "stamp", leaf, number) for number, leaf in leaves))


def _reload(step: Reload, seen: Secrets) -> tuple[Write, ...]:
    """A request to each node; no version of an object guards it."""
    return tuple(Write("a node", "reload", None, number) for number in sorted(map(int, step.uids)))


_WRITES: dict[type, Callable[[Any, Secrets], tuple[Write, ...]]] = {
    WriteLedger: lambda step, seen: (Write(LEDGER, "ledger", books_of(step.ledger)),),
    PrepareAgain: lambda step, seen: (_prepare_again(step, seen),),
    Switch: _switch,
    RestoreKey: lambda step, seen: (Write(KEY, "key back", number_of(step.certificate.fingerprint)),),
    Project: _project,
    WriteBundle: lambda step, seen: (Write(BUNDLE, "bundle", seen.ca.projected),),
    Withdraw: lambda step, seen: (Write(CERTIFICATE, "withdraw", number_of(step.certificate.fingerprint)),),
    TidyKeys: _tidy,
    IssueLeaves: _issue,
    RechainLeaves: _rechain,
    StampPods: _stamp,
    Reload: _reload,
    PauseStep: lambda step, seen: () if seen.pause.asked else (Write(KAFKA, "pause", None),),
    Resume: lambda step, seen: (Write(KAFKA, "resume", None),),
    AwaitVerdict: lambda step, seen: (Write(KAFKA, "request", step.request),) if step.request else (),
    SetGenerated: lambda step, seen: (Write(KAFKA, "generated", step.generated),),
    DeleteLedger: lambda step, seen: (Write(LEDGER, "no ledger", None),),
}


def apply(write: Write, model: ModelCluster) -> ModelCluster:
    """The cluster after one write of ours."""
    return _APPLY[write.verb](model, write).changed(write.target)


def _resume(model: ModelCluster) -> ModelCluster:
    return _let_on(model).changed(KAFKA)


def _let_on(model: ModelCluster) -> ModelCluster:
    return model._replace(pause=Pause(False, False), status=model.status and model.status._replace(resuming=True))


def _asked_to_look(model: ModelCluster, write: Any) -> ModelCluster:
    assert model.status is not None
    return model._replace(status=model.status._replace(request=write.value))


def _with_ca(model: ModelCluster, ca: Authorities) -> ModelCluster:
    return model._replace(ca=ca)


def _write_key(model: ModelCluster, write: Write) -> ModelCluster:
    ca, number = model.ca, write.value
    kept = ca.kept | {ca.current} if ca.current is not None and ca.key == ca.current else ca.kept
    return _with_ca(model, ca._replace(key=number, kept=kept))


def _write_certificate(model: ModelCluster, write: Write) -> ModelCluster:
    ca, (number, generation, leaving) = model.ca, write.value
    others = (ca.others | ({ca.current} if ca.current is not None else set())) - {number, leaving}
    return _with_ca(model, ca._replace(current=number, others=others, generation=generation))


def _write_prepared(model: ModelCluster, write: Write) -> ModelCluster:
    number, stop, linked, to_replace = write.value
    ca = model.ca._replace(prepared=model.ca.prepared | {number}, stop=stop, linked=linked, to_replace=to_replace)
    return _with_ca(model, ca)


def _write_tidy(model: ModelCluster, write: Write) -> ModelCluster:
    (prepared, kept, linked), ca = write.value, model.ca
    left = ca._replace(prepared=ca.prepared - prepared, kept=ca.kept - kept, linked=linked)
    return _with_ca(model, left._replace(stop=None, to_replace=False) if prepared else left)


def _write_leaf(model: ModelCluster, write: Write) -> ModelCluster:
    return model.with_slot(write.slot, model.slots[write.slot]._replace(stored=write.value))


def _issue_leaf(model: ModelCluster, write: Write) -> ModelCluster:
    assert write.slot is not None
    leaf = write.value if model.slots[write.slot].node else _sent_by_others(write.value)
    return _write_leaf(model, write._replace(value=model.issued(write.slot, leaf)))


def _rechain_leaf(model: ModelCluster, write: Any) -> ModelCluster:
    """Components keep the chain that they have."""
    slot = model.slots[write.slot]
    return _write_leaf(model, write if slot.node else write._replace(value=write.value._replace(sent=slot.stored.sent)))


def _template(model: ModelCluster, write: Write) -> ModelCluster:
    slot = model.slots[write.slot]
    return model.with_slot(write.slot, slot._replace(template=write.value)) if slot.node else model


def _stamped(model: ModelCluster, write: Write) -> ModelCluster:
    """Stamps only pods of nodes: the operator restarts the pods of Deployments in any case."""
    slot = model.slots[write.slot]
    return model.with_slot(write.slot, slot._replace(annotated=write.value)) if slot.node else model


def _reloaded(model: ModelCluster, write: Write) -> ModelCluster:
    """Its listeners read what is stored now, and the channels that follow them; the rest of the process does not."""
    slot, read = model.slots[write.slot], Heard(model.slots[write.slot].stored, model.bundle or frozenset())
    new = slot._replace(presents=read.presents, trusts=read.trusts)
    if slot.follows is not Follows.ALL:
        raft = read if slot.follows is Follows.RAFT_CLIENT else slot.raft
        new = new._replace(started=slot.started or slot.listeners, raft=raft)
    return model.with_slot(write.slot, new) if slot.up else model


_APPLY: dict[str, Callable[[ModelCluster, Any], ModelCluster]] = {
    "ledger": lambda model, write: model._replace(books=write.value),
    "no ledger": lambda model, write: model._replace(books=None),
    "prepare": _write_prepared,
    "key": _write_key,
    "key back": lambda model, write: _with_ca(model, model.ca._replace(key=write.value)),
    "certificate": _write_certificate,
    "project": lambda model, write: _with_ca(
        model, model.ca._replace(others=model.ca.others | (write.value - {model.ca.current}))
    ),
    "withdraw": lambda model, write: _with_ca(model, model.ca._replace(others=model.ca.others - {write.value})),
    "tidy": _write_tidy,
    "bundle": lambda model, write: model._replace(bundle=write.value),
    "leaf": _write_leaf,
    "issue": _issue_leaf,
    "rechain": _rechain_leaf,
    "template": _template,
    "stamp": _stamped,
    "reload": _reloaded,
    "own leaf": lambda model, write: model._replace(own=write.value),
    "pause": lambda model, write: model._replace(pause=Pause(True, False)),
    "resume": lambda model, write: _let_on(model),
    "request": _asked_to_look,
    "generated": lambda model, write: model._replace(generated=write.value),
}
