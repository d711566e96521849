"""What may happen while a run is under way, beyond what always does: a person's edits, a node's outage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .authorities import OLD, OTHER
from .events import Event, forget, start
from .state import CERTIFICATE, Leaf, World, leaf_secret, pod


def nobody(world: World) -> Iterator[Event]:
    """Everybody keeps their hands off."""
    yield from ()


def adds_another_ca(world: World) -> Iterator[Event]:
    if world.ca.current is not None and OTHER not in world.ca.others:
        yield "somebody adds a CA", _with_others(world, world.ca.others | {OTHER})


def takes_out_the_prepared_ca(world: World) -> Iterator[Event]:
    for prepared in world.ca.prepared & world.ca.others:
        yield "somebody takes out the prepared CA", _with_others(world, world.ca.others - {prepared})


def _with_others(world: World, others: frozenset[int]) -> World:
    return replace(world, ca=world.ca._replace(others=others)).changed(CERTIFICATE)


def a_pod_stays_away(world: World) -> Iterator[Event]:
    """A node is lost with its pod, and comes back much later; one at a time."""
    for number, slot in enumerate(world.slots):
        if not slot.up:
            yield f"pod {number} comes back", start(world, number)
        elif all(other.up for other in world.slots):
            away = slot._replace(
                up=False, annotated=slot.template, presents=slot.stored, trusts=frozenset(), started=None
            )
            yield f"pod {number} stays away", forget(world.with_slot(number, away), number)


def removes_an_annotation(world: World) -> Iterator[Event]:
    for number, slot in enumerate(world.slots):
        if slot.annotated is not None and all(other.annotated for other in world.slots):
            yield (
                f"somebody removes an annotation of pod {number}",
                world.with_slot(number, slot._replace(annotated=None)).touched(pod(number)),
            )


def takes_the_permission_away(world: World) -> Iterator[Event]:
    """From then on no node can be told to read again."""
    if world.reloadable:
        yield "somebody takes the permission to reload away", replace(world, reloadable=False)


def restores_an_old_leaf(world: World) -> Iterator[Event]:
    """From a backup, under the annotation that the Secret has now: the operator sees nothing to do.

    Not between a run's reading and its writing, nor when the CA has left already: against that nothing helps.
    """
    if OLD not in world.ca.projected or not all(run.idle for run in world.runs):
        return
    for number, slot in enumerate(world.slots):
        old = Leaf(OLD, slot.stored.generation)
        if slot.stored.authority != OLD and all(other.stored.authority != OLD for other in world.slots):
            restored = world.with_slot(number, slot._replace(stored=old)).changed(leaf_secret(number))
            yield f"somebody restores the old leaf {number}", restored
