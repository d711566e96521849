"""Events that some explorations add to those that always may happen: a person's edits, a node's outage."""

from __future__ import annotations

from collections.abc import Iterator

from .authorities import OLD, OTHER, signer
from .events import Event, forget, start
from .state import CERTIFICATE, KAFKA, Heard, Leaf, ModelCluster, Pause, Slot, leaf_secret, pod

#: More nodes than this are not added.
MOST = 2
#: Events that tests look for.
PUTS_A_REMOVED_CA_BACK = "a person puts a removed CA back"
REFUSES_WHAT_IS_STORED = "the operator refuses what is stored"


def keep_hands_off(model: ModelCluster) -> Iterator[Event]:
    """No person changes anything."""
    yield from ()


def adds_another_ca(model: ModelCluster) -> Iterator[Event]:
    if model.ca.current is not None and OTHER not in model.ca.others:
        yield "a person adds a CA", _with_others(model, model.ca.others | {OTHER})


def takes_out_the_prepared_ca(model: ModelCluster) -> Iterator[Event]:
    for prepared in model.ca.prepared & model.ca.others:
        yield "a person takes out the prepared CA", _with_others(model, model.ca.others - {prepared})


def puts_a_removed_ca_back(model: ModelCluster) -> Iterator[Event]:
    """From a backup, while the ledger remembers the pods that may know it."""
    for removed in model.books.removed if model.books else ():
        if removed.authority not in model.ca.projected:
            yield PUTS_A_REMOVED_CA_BACK, _with_others(model, model.ca.others | {removed.authority})


def _with_others(model: ModelCluster, others: frozenset[int]) -> ModelCluster:
    return model._replace(ca=model.ca._replace(others=others)).changed(CERTIFICATE)


def a_pod_stays_away(model: ModelCluster) -> Iterator[Event]:
    """A node is lost with its pod, and comes back much later; one at a time."""
    for number, slot in enumerate(model.slots):
        if not slot.up:
            yield f"pod {number} comes back", start(model, number)
        elif all(other.up for other in model.slots):
            away = slot._replace(
                up=False,
                annotated=slot.template,
                presents=slot.stored,
                trusts=frozenset(),
                started=None,
                raft=None,
            )
            yield f"pod {number} stays away", forget(model.with_slot(number, away), number)


def removes_an_annotation(model: ModelCluster) -> Iterator[Event]:
    for number, slot in enumerate(model.slots):
        if slot.annotated is not None and all(other.annotated for other in model.slots):
            yield (
                f"a person removes an annotation of pod {number}",
                model.with_slot(number, slot._replace(annotated=None)).touched(pod(number)),
            )


def takes_a_label_away(model: ModelCluster) -> Iterator[Event]:
    """A person takes a label from a pod and puts it back, of one pod at a time."""
    for number, slot in enumerate(model.slots):
        if slot.up and (not slot.labelled or all(other.labelled for other in model.slots)):
            what = f"takes a label of pod {number} away" if slot.labelled else f"gives pod {number} its label back"
            changed = model.with_slot(number, slot._replace(labelled=not slot.labelled))
            yield f"a person {what}", changed.touched(pod(number))


def takes_the_permission_away(model: ModelCluster) -> Iterator[Event]:
    """As long as it is gone, no node can be told to read again."""
    what = "takes the permission to reload away" if model.reloadable else "gives the permission to reload back"
    yield f"a person {what}", model._replace(reloadable=not model.reloadable)


def hangs(model: ModelCluster) -> Iterator[Event]:
    """The listeners of a node do not answer for as long as they like, of one node at a time; otherwise it is at work."""
    for number, slot in enumerate(model.slots):
        if slot.up and slot.node and (slot.silent or not any(other.silent for other in model.slots)):
            what = "answers again" if slot.silent else "hangs"
            yield f"node {number} {what}", model.with_slot(number, slot._replace(silent=not slot.silent))


def raft_clients_read_again(model: ModelCluster) -> Iterator[Event]:
    """At any moment, whether a run has told the node to or not: by no answer a run could see it."""
    for number, slot in enumerate(model.slots):
        read = Heard(slot.stored, model.bundle or frozenset())
        if slot.up and slot.node and read != (slot.raft or slot.started or slot.listeners):
            after = slot._replace(raft=read, started=slot.started or slot.listeners)
            yield f"the Raft client of pod {number} reads again", model.with_slot(number, after)


def passes_a_verdict(model: ModelCluster) -> Iterator[Event]:
    """The operator ends a reconcile, and is content with what is stored or refuses it."""
    status = model.status
    if status is not None and model.view is None and not model.pause.asked:
        for failure, event in (("", "the operator is content"), ("refused", REFUSES_WHAT_IS_STORED)):
            said = status._replace(resuming=False, failure=failure)
            if said != status:
                yield event, model._replace(status=said).changed(KAFKA)


def lifts_the_pause(model: ModelCluster) -> Iterator[Event]:
    """By hand, or as the clean-up of a run that was refused would, if it did not ask for the Lease."""
    if model.pause.asked:
        yield "a person lifts the pause", model._replace(pause=Pause(False, False)).changed(KAFKA)


def adds_a_node(model: ModelCluster) -> Iterator[Event]:
    """A person scales the cluster up: the operator issues a leaf of the CA that it knows, and makes the pod."""
    ca, view = model.ca, model.view
    if model.pause.asked or not model.slots or ca.current is None or ca.key is None or len(model.slots) >= MOST:
        return
    if view is None and signer(ca.key) != signer(ca.current):
        return
    leaf = Leaf(view.current, view.generation) if view else Leaf(ca.current, ca.generation)
    new = Slot(leaf, leaf, leaf, leaf, model.bundle or frozenset())
    read = view and view._replace(leaves=(*view.leaves[: len(model.slots)], None, *view.leaves[len(model.slots) :]))
    runs = tuple(run if run.heard is None else run._replace(heard=(*run.heard, None)) for run in model.runs)
    yield "the operator adds a node", model._replace(slots=(*model.slots, new), view=read, runs=runs)


def restores_an_old_leaf(model: ModelCluster) -> Iterator[Event]:
    """From a backup, under the annotation that the Secret has now: the operator sees nothing to do.

    Not between a run's reading and its writing, nor when the CA has left already: against that nothing helps.
    """
    if OLD not in model.ca.projected or not all(run.idle for run in model.runs):
        return
    for number, slot in enumerate(model.slots):
        old = Leaf(OLD, slot.stored.generation)
        if slot.stored.authority != OLD and all(other.stored.authority != OLD for other in model.slots):
            restored = model.with_slot(number, slot._replace(stored=old)).changed(leaf_secret(number))
            yield f"a person restores the old leaf {number}", restored
