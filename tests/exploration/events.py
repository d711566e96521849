"""Events without us: the operator's single acts, and pods that restart at any moment.

The operator acts on what it read at the beginning of a reconcile (docs/operator.md, "Tried by hand"): it may be far
behind. What it does within one reconcile may come in any order here, which is more than the real one does.
"""

from __future__ import annotations

from collections.abc import Iterator

from .authorities import signer
from .state import BUNDLE, KAFKA, OWN, POD_SETS, Leaf, ModelCluster, Pause, Run, Slot, View, leaf_secret, pod
from .uids import map_uids

Event = tuple[str, ModelCluster]


def events(model: ModelCluster, nodes: int) -> Iterator[Event]:
    yield from _restarts(model)
    yield from _cluster_starts(model, nodes)
    yield from _pause_confirmed(model)
    if model.view is None:
        yield from _reconcile_begins(model)
    else:
        yield from _reconcile_acts(model, model.view)


def _restarts(model: ModelCluster) -> Iterator[Event]:
    for number, slot in enumerate(model.slots):
        if slot.up:
            yield f"pod {number} restarts", start(model, number)


def start(model: ModelCluster, number: int) -> ModelCluster:
    """A new pod: it loads what is stored now."""
    slot = model.slots[number]
    new = slot._replace(
        annotated=slot.template, presents=slot.stored, trusts=model.bundle or frozenset(), up=True, started=None,
        raft=None, labelled=True, silent=False,
    )  # fmt: skip
    return forget(model.with_slot(number, new), number)


def forget(model: ModelCluster, number: int) -> ModelCluster:
    """The pod with this UID is gone: no run waits for it any more, and its answers do not count."""
    model = map_uids(model, lambda uids: uids - {number}).touched(pod(number))
    return model._replace(runs=tuple(_without_answer(run, number) for run in model.runs))


def _without_answer(run: Run, number: int) -> Run:
    if run.heard is None:
        return run
    return run._replace(heard=(*run.heard[:number], None, *run.heard[number + 1 :]))


def _cluster_starts(model: ModelCluster, nodes: int) -> Iterator[Event]:
    """The Kafka resource is created: leaves first, then the bundle, then pods."""
    if model.slots or model.ca.current is None or model.ca.key is None:
        return
    leaf = Leaf(model.ca.current, model.ca.generation)
    slots = (Slot(leaf, leaf, leaf, leaf, model.ca.projected),) * nodes
    yield "the cluster is created", model._replace(slots=slots, bundle=model.ca.projected).changed(KAFKA)


def _pause_confirmed(model: ModelCluster) -> Iterator[Event]:
    if model.pause.asked and not model.pause.effective and model.view is None:
        yield "the operator confirms the pause", model._replace(pause=Pause(True, True)).changed(KAFKA)


def _reconcile_begins(model: ModelCluster) -> Iterator[Event]:
    """With a key that is not the certificate's the operator does nothing (docs/operator.md, "Tried by hand", 6)."""
    ca = model.ca
    if model.pause.asked or not model.slots or ca.current is None or ca.key is None:
        return
    if signer(ca.key) == signer(ca.current):
        view = View(ca.current, ca.generation, ca.projected, (*model.secrets.stored, *_own(model)))
        if _has_work(model, view):
            yield "the operator looks", model._replace(view=view)


def _has_work(model: ModelCluster, view: View) -> bool:
    if model.bundle != view.projected or any(slot.template != slot.stored for slot in model.slots):
        return True
    return any(leaf.generation != view.generation for leaf in (*model.secrets.stored, *_own(model)))


def _own(model: ModelCluster) -> tuple[Leaf, ...]:
    return () if model.own is None else (model.own,)


def _reconcile_acts(model: ModelCluster, view: View) -> Iterator[Event]:
    yield "the operator ends its reconcile", model._replace(view=None)
    if model.bundle != view.projected:
        yield "the operator writes the bundle", model._replace(bundle=view.projected).changed(BUNDLE)
    for own in _own(model):
        if own.generation != view.generation:
            issued = model._replace(own=_issued(view), view=_knowing(view, len(view.leaves) - 1, None))
            yield "the operator issues its own leaf", issued.changed(OWN)
        elif (read := view.leaves[-1]) and read != own and read.generation == view.generation:
            back = model._replace(own=read, view=_knowing(view, len(view.leaves) - 1, None))
            yield "the operator puts its own leaf back", back.changed(OWN)
    for number, slot in enumerate(model.slots):
        if not slot.node and not _nodes_are_done(model, view):
            continue
        if slot.stored.generation != view.generation:
            leaf = model.issued(number, _issued(view))
            issued = model.with_slot(number, slot._replace(stored=leaf)).changed(leaf_secret(number))
            yield f"the operator issues leaf {number}", issued._replace(view=_knowing(view, number, leaf))
        elif number < len(view.leaves) and (known := view.leaves[number]) and known.generation == view.generation:
            yield from _goes_on_with(model, view, number, known)


def _nodes_are_done(model: ModelCluster, view: View) -> bool:
    """Components come when every node has been restarted with its leaf, in the same reconcile (docs/operator.md,
    "CA reconcile").
    """
    nodes = [slot for slot in model.slots if slot.node]
    return all(
        slot.up and slot.annotated == slot.stored and slot.stored.generation == view.generation for slot in nodes
    )


def _knowing(view: View, number: int, leaf: Leaf | None) -> View:
    return view._replace(leaves=(*view.leaves[:number], leaf, *view.leaves[number + 1 :]))


def _goes_on_with(model: ModelCluster, view: View, number: int, known: Leaf) -> Iterator[Event]:
    """The operator makes pods from the leaf that it read or issued; where a run has written another leaf since, it may put its own
    back first (docs/operator.md, "Tried by hand": a reconcile that was under way may put back the pair it had read)."""
    slot = model.slots[number]
    if slot.stored != known:
        back = model.with_slot(number, slot._replace(stored=known)).changed(leaf_secret(number))
        yield f"the operator puts leaf {number} back", back
    if slot.template != known:
        updated = model.with_slot(number, slot._replace(template=known)).touched(POD_SETS)
        yield f"the operator updates the template of pod {number}", updated._replace(view=_knowing(view, number, None))


def _issued(view: View) -> Leaf:
    return Leaf(view.current, view.generation)
