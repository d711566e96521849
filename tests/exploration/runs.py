"""A run of the collection, one API request at a time, with the real ``decide`` in the middle.

Between any two requests everything else may happen; it may be killed, or give up, which ends a pause of ours; several
may run at once (the Lease is what prevents it; here it is missing).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import BRIDGE, NEW, OLD, RENEWED, number_of, numbers_of, signer
from .events import Event
from .state import (
    CERTIFICATE,
    KAFKA,
    KEY,
    LEDGER,
    OWN,
    POD_SETS,
    Authorities,
    Leaf,
    Pause,
    Run,
    Secrets,
    Slot,
    World,
    Write,
    leaf_secret,
    pod,
)
from .translation import books_of, snapshot_of

#: Which CA the model's next one is: keys are not made while exploring.
_SUCCESSOR = {Goal.CREATE: OLD, Goal.RENEW: RENEWED, Goal.REPLACE_KEY: NEW}


@dataclass
class Runner:
    """All runs have the same intent. decided: what was decided on before, since ``decide`` is pure."""

    intent: Intent
    decided: dict[Any, tuple[tuple[Write, ...], Decision]] = field(default_factory=dict)

    def moves(self, world: World) -> Iterator[Event]:
        for number, run in enumerate(world.runs):
            if run.idle:
                yield f"run {number} reads the Secrets", world.with_run(number, Run(seen=world.secrets))
                continue
            yield f"run {number} is killed", world.with_run(number, Run())
            if world.pause.asked:
                yield f"run {number} gives up", _resume(world.with_run(number, Run()))
            yield self._goes_on(world, number, run)

    def _goes_on(self, world: World, number: int, run: Run) -> Event:
        return self._writes(world, number, run) if run.seen is None else self._decides(world, number, run, run.seen)

    def _decides(self, world: World, number: int, run: Run, seen: Secrets) -> Event:
        """Secrets as they were read before, pods as they are now (DESIGN section 5, the pod-UID rule)."""
        writes, _decision = self.decision(seen, world.slots)
        after = Run(None, writes, run.changed) if writes else Run()
        return f"run {number} lists the pods and decides {say(writes)}", world.with_run(number, after)

    def is_done(self, world: World) -> bool:
        """Whether a run that began now would find nothing left to do."""
        return self.decision(world.secrets, world.slots)[1].done

    def decision(self, secrets: Secrets, slots: tuple[Slot, ...]) -> tuple[tuple[Write, ...], Decision]:
        """The writes of the next step that writes anything, and the decision itself."""
        return self.once(
            visible(secrets, slots), secrets, lambda: decide(snapshot_of(secrets, slots, bool(slots)), self.intent)
        )

    def once(self, about: Any, secrets: Secrets, make: Callable[[], Decision]) -> tuple[tuple[Write, ...], Decision]:
        """about: all that the decision depends on."""
        if about not in self.decided:
            decision = make()
            self.decided[about] = (next(filter(None, (writes_of(s, secrets) for s in decision.steps)), ()), decision)
        return self.decided[about]

    def _writes(self, world: World, number: int, run: Run) -> Event:
        write, rest = run.writes[0], run.writes[1:]
        if self.refuses(write, run):
            return f"run {number} is refused: the {write.target} has changed", world.with_run(number, Run())
        # What it has written itself does not stand in the way of the rest.
        after = Run(None, rest, run.changed) if rest else Run()
        return f"run {number} writes {say((write,))}", apply(write, world).with_run(number, after)

    def refuses(self, write: Write, run: Run) -> bool:
        """The API server refuses what was decided on another version of the object (I6)."""
        return write.target in run.changed


def visible(secrets: Secrets, slots: tuple[Slot, ...]) -> Any:
    """What a run can tell of the cluster without asking its nodes."""
    return (secrets, tuple((slot.annotated, slot.up, slot.component) for slot in slots))


def say(writes: tuple[Write, ...]) -> str:
    return ", ".join(f"{write.verb} ({write.target})" for write in writes) or "nothing"


def writes_of(step: steps.Step, seen: Secrets) -> tuple[Write, ...]:
    """A step as its single API writes, as the apply layer makes them; a wait is none."""
    make = _WRITES.get(type(step))
    return make(step, seen) if make else ()


def _prepare(step: steps.PrepareAuthority, seen: Secrets) -> tuple[Write, ...]:
    return (Write(KEY, "prepare", frozenset({_SUCCESSOR[step.goal], *([BRIDGE] if step.bridged else [])})),)


def _promote(step: steps.Promote, seen: Secrets) -> tuple[Write, ...]:
    number = number_of(step.fingerprint)
    assert number is not None
    key = () if seen.ca.key is not None and signer(seen.ca.key) == signer(number) else (Write(KEY, "key", number),)
    return (*key, Write(CERTIFICATE, "certificate", (BRIDGE if step.bridged else number, step.generation)))


def _project(step: steps.Project, seen: Secrets) -> tuple[Write, ...]:
    return (Write(CERTIFICATE, "project", frozenset(number_of(chain[0].fingerprint) for chain in step.chains)),)


def _issue(step: steps.IssueLeaves, seen: Secrets) -> tuple[Write, ...]:
    assert seen.ca.current is not None
    leaf = Leaf(seen.ca.current, step.generation)
    return tuple(
        Write(OWN, "own leaf", leaf) if secret == "own" else _leaf(int(secret.removeprefix("leaf-")), leaf)
        for secret in step.secrets
    )


def _leaf(slot: int, leaf: Leaf) -> Write:
    return Write(leaf_secret(slot), "leaf", leaf, slot)


def _keep(step: steps.KeepLeaves, seen: Secrets) -> tuple[Write, ...]:
    assert seen.own is not None
    assert step.secrets == ("own",)
    return (Write(OWN, "own leaf", seen.own._replace(generation=step.generation)),)


def _tidy(step: steps.TidyKeys, seen: Secrets) -> tuple[Write, ...]:
    prepared = numbers_of(step.prepared)
    files = prepared | ({BRIDGE} if NEW in prepared else set())
    return (Write(KEY, "tidy", (files, prepared | numbers_of(step.kept_keys))),)


def _rechain(step: steps.RechainLeaves, seen: Secrets) -> tuple[Write, ...]:
    assert seen.ca.current is not None
    leaf = Leaf(seen.ca.current, step.generation, kept=True)
    return tuple(
        Write(OWN, "own leaf", leaf) if secret == "own" else _leaf(int(secret.removeprefix("leaf-")), leaf)
        for secret in step.secrets
    )


def _stamp(step: steps.StampPods, seen: Secrets) -> tuple[Write, ...]:
    """What pods are made from first: one that is recreated meanwhile has it."""
    leaves = [(number, one._replace(generation=step.generation)) for number, one in enumerate(seen.stored)]
    return (
        *(Write(POD_SETS, "template", leaf, number) for number, leaf in leaves),
        *(Write(pod(number), "stamp", leaf, number) for number, leaf in leaves),
    )


def _reload(step: steps.Reload, seen: Secrets) -> tuple[Write, ...]:
    """A request to each node, which no version stands before."""
    return tuple(Write("a node", "reload", None, number) for number in sorted(map(int, step.uids)))


_WRITES: dict[type, Callable[[Any, Secrets], tuple[Write, ...]]] = {
    steps.WriteLedger: lambda step, seen: (Write(LEDGER, "ledger", books_of(step.ledger)),),
    steps.PrepareAuthority: _prepare,
    steps.Promote: _promote,
    steps.RestoreKey: lambda step, seen: (Write(KEY, "key back", number_of(step.fingerprint)),),
    steps.Project: _project,
    steps.Withdraw: lambda step, seen: (Write(CERTIFICATE, "withdraw", number_of(step.fingerprint)),),
    steps.TidyKeys: _tidy,
    steps.IssueLeaves: _issue,
    steps.KeepLeaves: _keep,
    steps.RechainLeaves: _rechain,
    steps.StampPods: _stamp,
    steps.Reload: _reload,
    steps.Pause: lambda step, seen: () if seen.pause.asked else (Write(KAFKA, "pause", None),),
    steps.Resume: lambda step, seen: (Write(KAFKA, "resume", None),),
    steps.SetGenerated: lambda step, seen: (Write(KAFKA, "generated", step.generated),),
}


def apply(write: Write, world: World) -> World:
    """The world after one write of ours."""
    return _APPLY[write.verb](world, write).changed(write.target)


def _resume(world: World) -> World:
    return replace(world, pause=Pause(False, False)).changed(KAFKA)


def _with_ca(world: World, ca: Authorities) -> World:
    return replace(world, ca=ca)


def _write_key(world: World, write: Write) -> World:
    ca, number = world.ca, write.value
    kept = ca.kept | {ca.current} if ca.current is not None and ca.key == ca.current else ca.kept
    return _with_ca(world, ca._replace(key=number, kept=kept))


def _write_certificate(world: World, write: Write) -> World:
    ca, (number, generation) = world.ca, write.value
    others = (ca.others | ({ca.current} if ca.current is not None else set())) - {number}
    return _with_ca(world, ca._replace(current=number, others=others, generation=generation))


def _write_tidy(world: World, write: Write) -> World:
    prepared, kept = write.value
    return _with_ca(world, world.ca._replace(prepared=world.ca.prepared - prepared, kept=world.ca.kept - kept))


def _write_leaf(world: World, write: Write) -> World:
    return world.with_slot(write.slot, world.slots[write.slot]._replace(stored=write.value))


def _template(world: World, write: Write) -> World:
    return world.with_slot(write.slot, world.slots[write.slot]._replace(template=write.value))


def _stamped(world: World, write: Write) -> World:
    return world.with_slot(write.slot, world.slots[write.slot]._replace(annotated=write.value))


def _reloaded(world: World, write: Write) -> World:
    """Its listeners read what is stored now; the rest of the process does not."""
    slot = world.slots[write.slot]
    new = slot._replace(
        presents=slot.stored, trusts=world.bundle or frozenset(), started=slot.started or slot.listeners
    )
    return world.with_slot(write.slot, new) if slot.up else world


_APPLY: dict[str, Callable[[World, Any], World]] = {
    "ledger": lambda world, write: replace(world, books=write.value),
    "prepare": lambda world, write: _with_ca(world, world.ca._replace(prepared=world.ca.prepared | write.value)),
    "key": _write_key,
    "key back": lambda world, write: _with_ca(world, world.ca._replace(key=write.value)),
    "certificate": _write_certificate,
    "project": lambda world, write: _with_ca(
        world, world.ca._replace(others=world.ca.others | (write.value - {world.ca.current}))
    ),
    "withdraw": lambda world, write: _with_ca(world, world.ca._replace(others=world.ca.others - {write.value})),
    "tidy": _write_tidy,
    "leaf": _write_leaf,
    "template": _template,
    "stamp": _stamped,
    "reload": _reloaded,
    "own leaf": lambda world, write: replace(world, own=write.value),
    "pause": lambda world, write: replace(world, pause=Pause(True, False)),
    "resume": lambda world, write: replace(world, pause=Pause(False, False)),
    "generated": lambda world, write: replace(world, generated=write.value),
}
