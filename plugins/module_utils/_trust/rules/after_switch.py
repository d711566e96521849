# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients that know only the replaced CA, after the switch (docs/outside-clients.md, "Who is refused, and when")."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..._pki.certificates import Certificate, Chain
from ..._pki.defects import named_verifiers
from ..._pki.verifiers import Verifier
from ..evidence.stored import presenting_pods
from ..gates.arrival import MOUNTED_SECRET, describe_clients_left_behind
from ..gates.validation import is_valid
from ..model.clients import Follows, OutsideClient
from ..model.goals import Goal, Phase
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.steps.base import Steps
from ..model.steps.trust import AwaitClients
from .in_place import why_not_in_place
from .situation import Situation, Successor


def time_for(at: Situation) -> timedelta:
    return MOUNTED_SECRET if at.intent.client_grace is None else at.intent.client_grace


def await_readers(at: Situation) -> Steps:
    """Where nodes lead to the CA in use from memory alone, they neither read again nor restart for this flow before clients have had the time to read
    the certificate Secret. A pause is not made longer for clients.
    """
    since = at.begun.read_since if at.begun is not None else None
    if (
        since is None
        or at.current is None
        or at.snapshot.reconciliation.paused_by_us
        or not presenting_pods(at.snapshot)
    ):
        return ()
    until = since + time_for(at)
    if until <= at.snapshot.now:
        return ()
    return (AwaitClients(certificate=at.current, until=until, phase=Phase.RETIRE),)


def with_clients_in_need(snapshot: Snapshot, successor: Successor) -> Snapshot:
    """The snapshot with the outside clients that need the next CA before the switch. A client to which the operator brings ``ca.crt`` alone has the
    CA in use until then, and the next one some time after: it does not need it where nodes with leaves of the next CA lead it on.
    """
    if successor.introduction.link is None:
        return snapshot
    form = snapshot.ca.led_to(successor.entry.chain, snapshot.now)
    clients = snapshot.outside.clients
    return snapshot.with_clients(tuple(one for one in clients if not _is_led_on(one, form, snapshot.now)))


def _is_led_on(client: OutsideClient, form: Chain, now: datetime) -> bool:
    if client.follows is not Follows.ISSUING or client.trusts is None or client.doubt:
        return False
    return is_valid(form, client.trusts, now, client.kind)


def describe_refused_clients(at: Situation, successor: Successor) -> str:
    """Sentences about clients that know only the CA in use, once the operator is switched to the next one: until when nodes lead them on, and which
    of them are refused from when to when. Empty where there are none, or leaves of the next CA validate under the CA in use.
    """
    begun, current = at.begun, at.current
    if begun is None or begun.goal is not Goal.REPLACE_KEY or current is None or not at.snapshot.users.sends_chains:
        return ""
    if begun.is_abort or not presenting_pods(at.snapshot):
        return ""
    old, new = named(current), named(successor.entry.certificate)
    links = successor.prepared.links
    sent = links.sent_at(at.snapshot.now) if links is not None else ()
    if sent:
        return _led_on(at, successor, current, sent)
    if successor.introduction.link is None:
        return (
            f"Nothing leads clients from {old} to {new}: {successor.introduction.because or 'there is no link certificate.'} Clients that load ca.crt "
            "alone, whatever their library, know one of the two CAs at a time: they refuse the nodes that have not restarted yet from the switch on, "
            "until each has; load every *.crt, or the bundle for clients, instead. Clients that go on with the old CA refuse each node from its "
            f"restart after the switch on, until they read again. {describe_clients_left_behind(at.snapshot)}"
        ).rstrip()
    if links is None:
        # The CA in use has issued the next one.
        return ""
    why = _why_no_way_back(successor, old)
    if why_not_in_place(at):
        return (
            f"Nodes do not lead clients on that know only {old} after the switch, because {why}. Such clients refuse each node from its restart after "
            "the switch on, until they read the certificate Secret again."
        )
    return (
        f"Nodes lead clients on that know only {old} from memory alone after the switch, because {why}. They read again "
        f"{time_for(at).total_seconds():.0f} s after it (client_grace). Clients that load ca.crt alone and have read it by then are not refused; those "
        "that read it later, or only when they start, refuse the nodes from then on, until they read it."
    )


def _led_on(at: Situation, successor: Successor, current: Certificate, sent: Chain) -> str:
    form, (forth, back) = at.snapshot.ca.led_to(successor.entry.chain, at.snapshot.now), sent
    led = frozenset(kind for kind in Verifier if is_valid(form, (current,), at.snapshot.now, kind))
    if not led:
        return ""
    clients = "Clients" if led == frozenset(Verifier) else f"Clients of {named_verifiers(led)}"
    until = f"{clients} that know only {named(current)} are led on after the switch, until {min(forth.not_after, back.not_after):%Y-%m-%d %H:%M} UTC"
    if forth.not_after <= back.not_after:
        return f"{until}: from then on they refuse the nodes, until they read again."
    return (
        f"{until}. The first run after that stores the chains of nodes without the link certificates: they refuse each node from its next restart or "
        "reading on, until they read again."
    )


def _why_no_way_back(successor: Successor, old: str) -> str:
    links = successor.prepared.links
    if links is not None and links.old_with_new is not None:
        return f"the time for that, link_until, was over on {links.old_with_new.not_after:%Y-%m-%d %H:%M} UTC"
    if successor.prepared.elsewhere:
        return (
            f"the key of {named(successor.entry.certificate)} is kept elsewhere, and its issuer has not certified {old}"
        )
    return f"{old} has ended"
