"""What happens without us: the operator's single acts, and pods that restart at any moment.

The operator acts on what it read at the beginning of a reconcile (operator-facts, "user-managed CA"): it may be far
behind. What it does within one reconcile may come in any order here, which is more than the real one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .authorities import BRIDGE, signer
from .state import KAFKA, OWN, POD_SETS, Leaf, Pause, Run, Slot, View, World, leaf_secret, map_uids, pod

Event = tuple[str, World]


def events(world: World, nodes: int) -> Iterator[Event]:
    yield from _restarts(world)
    yield from _cluster_starts(world, nodes)
    yield from _pause_confirmed(world)
    if world.view is None:
        yield from _reconcile_begins(world)
    else:
        yield from _reconcile_acts(world, world.view)


def _restarts(world: World) -> Iterator[Event]:
    for number, slot in enumerate(world.slots):
        if slot.up:
            yield f"pod {number} restarts", start(world, number)


def start(world: World, number: int) -> World:
    """A new pod: it loads what is stored now."""
    slot = world.slots[number]
    new = slot._replace(
        annotated=slot.template, presents=slot.stored, trusts=world.bundle or frozenset(), up=True, started=None
    )  # fmt: skip
    return forget(world.with_slot(number, new), number)


def forget(world: World, number: int) -> World:
    """The pod with this UID is gone: nobody waits for it any more, and its answers say nothing."""
    world = map_uids(world, lambda uids: uids - {number}).touched(pod(number))
    return replace(world, runs=tuple(_without_answer(run, number) for run in world.runs))


def _without_answer(run: Run, number: int) -> Run:
    if run.heard is None:
        return run
    return run._replace(heard=(*run.heard[:number], None, *run.heard[number + 1 :]))


def _cluster_starts(world: World, nodes: int) -> Iterator[Event]:
    """The Kafka resource is created: leaves first, then the bundle, then pods."""
    if world.slots or world.ca.current is None or world.ca.key is None:
        return
    leaf = Leaf(world.ca.current, world.ca.generation)
    slots = (Slot(leaf, leaf, leaf, leaf, world.ca.projected),) * nodes
    yield "the cluster is created", replace(world, slots=slots, bundle=world.ca.projected).changed(KAFKA)


def _pause_confirmed(world: World) -> Iterator[Event]:
    if world.pause.asked and not world.pause.effective and world.view is None:
        yield "the operator confirms the pause", replace(world, pause=Pause(True, True)).changed(KAFKA)


def _reconcile_begins(world: World) -> Iterator[Event]:
    """With a key that is not the certificate's it does nothing (operator-facts, user-managed CA, 6)."""
    ca = world.ca
    if world.pause.asked or not world.slots or ca.current is None or ca.key is None:
        return
    if signer(ca.key) == signer(ca.current):
        view = View(ca.current, ca.generation, ca.projected)
        if _has_work(world, view):
            yield "the operator looks", replace(world, view=view)


def _has_work(world: World, view: View) -> bool:
    if world.bundle != view.projected or any(slot.template != slot.stored for slot in world.slots):
        return True
    return any(leaf.generation != view.generation for leaf in (*world.secrets.stored, *_own(world)))


def _own(world: World) -> tuple[Leaf, ...]:
    return () if world.own is None else (world.own,)


def _reconcile_acts(world: World, view: View) -> Iterator[Event]:
    yield "the operator ends its reconcile", replace(world, view=None)
    if world.bundle != view.projected:
        yield "the operator writes the bundle", replace(world, bundle=view.projected)
    for own in _own(world):
        if own.generation != view.generation:
            yield "the operator issues its own leaf", replace(world, own=_issued(view, False)).changed(OWN)
    for number, slot in enumerate(world.slots):
        if not slot.node and not _nodes_are_done(world, view):
            continue
        if slot.stored.generation != view.generation:
            leaf = _issued(view, slot.node)
            issued = world.with_slot(number, slot._replace(stored=leaf)).changed(leaf_secret(number))
            yield f"the operator issues leaf {number}", issued
        elif slot.template != slot.stored:
            template = slot._replace(template=slot.stored)
            updated = world.with_slot(number, template).touched(POD_SETS)
            yield f"the operator updates the template of pod {number}", updated


def _nodes_are_done(world: World, view: View) -> bool:
    """Components come when every node has been restarted with its leaf, in the same reconcile (strimzi.md 4.1)."""
    nodes = [slot for slot in world.slots if slot.node]
    return all(
        slot.up and slot.annotated == slot.stored and slot.stored.generation == view.generation for slot in nodes
    )


def _issued(view: View, node: bool) -> Leaf:
    """Nodes present the chain of the CA, and nobody else does (strimzi.md 1.4)."""
    return Leaf(view.current, view.generation, alone=view.current == BRIDGE and not node)
