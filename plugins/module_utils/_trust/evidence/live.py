# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of running processes, and what they say together with the stored evidence (docs/design.md, "Evidence").

Each listener is a party of its own: channels of one process can know different CAs at the same moment. Evidence that
is missing or contradicts itself is UNKNOWN, with a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..._pki.certificates import Chain
from ..model.ledger import Ledger
from ..model.listeners import ObservedListener
from ..model.snapshot import Pod
from .stored import Presentation, issuers_of


@dataclass(frozen=True)
class Acceptance:
    """Whether a process trusts a CA on all of its listeners (True) or on none (False); None is UNKNOWN."""

    trusted: bool | None
    why: str


def listener_name(pod: str, port: int) -> str:
    return f"port {port} of pod {pod}"


def answers_of_running(seen: Iterable[ObservedListener], uids: frozenset[str]) -> tuple[ObservedListener, ...]:
    """Without the pods that are gone by now. uids: of the pods, listed after the listeners were asked.

    A port is opened by the name of the pod, so a new pod of that name may have answered for the one that was meant.
    """
    return tuple(one for one in seen if one.uid in uids)


def present_live(
    pod: Pod, port: int, stored: Presentation, seen: Iterable[ObservedListener], ledger: Ledger
) -> Presentation:
    """The certificates that a listener presents. stored: the same of its pod, from annotations and Secrets."""
    party = listener_name(pod.name, port)
    found = _of(pod, port, seen)
    missing = next((one.why for one in found if one.presents is None), None)
    chains = {one.presents for one in found if one.presents is not None}
    if not found or missing is not None:
        return Presentation(party, None, (), missing or _silent(pod, port))
    chain, *others = chains
    if others:
        return Presentation(party, None, (), f"{party} presented different certificates")
    candidates = issuers_of(chain, ledger)
    if not candidates:
        return Presentation(party, None, (), f"{party} presents a certificate that chains to no CA of the ledger")
    if stored.authorities is not None:
        return _joined(party, chain, candidates, stored, found[0].source)
    if len(candidates) > 1:
        return Presentation(party, None, (), f"{party} presents a certificate that chains to several CAs of the ledger")
    return Presentation(party, candidates, (chain,), found[0].source)


def _joined(party: str, chain: Chain, candidates: frozenset[str], stored: Presentation, source: str) -> Presentation:
    """Stored evidence tells apart CAs that have the same key. In everything else it has to agree with the answer of the
    listener.
    """
    if stored.chains and chain[0] not in {known[0] for known in stored.chains}:
        return Presentation(
            party,
            None,
            (),
            f"{party} presents another certificate than the one that pod was started with ({stored.why})",
        )
    common = candidates & (stored.authorities or frozenset())
    if not common:
        return Presentation(
            party, None, (), f"{party} presents a certificate of another CA than stored evidence says ({stored.why})"
        )
    return Presentation(party, common, (chain,), source)


def accepts_live(
    pod: Pod, ports: Sequence[int], fingerprint: str, stored: bool | None, seen: Iterable[ObservedListener]
) -> Acceptance:
    """Whether a process trusts a CA. ports: of all its listeners that verify clients.

    stored: what is known from the time at which it started (the ledger has it); None when nothing is known.
    """
    everything = tuple(seen)
    answers = {port: _accepts(pod, port, fingerprint, everything) for port in ports}
    if not answers:
        return Acceptance(None, f"no listener of pod {pod.name} was asked")
    unknown = next((answer for answer in answers.values() if answer.trusted is None), None)
    if unknown is not None:
        return unknown
    yes = sorted(port for port, answer in answers.items() if answer.trusted)
    no = sorted(port for port, answer in answers.items() if not answer.trusted)
    if yes and no:
        return Acceptance(None, f"pod {pod.name} trusts the CA on {_ports(yes)}, but not on {_ports(no)}")
    if stored is not None and stored is not bool(yes):
        said, live = ("trusts", "does not") if stored else ("does not trust", "does")
        return Acceptance(
            None, f"pod {pod.name} {said} the CA by the time at which it started, but on {_ports(yes or no)} it {live}"
        )
    return next(iter(answers.values()))


def _accepts(pod: Pod, port: int, fingerprint: str, seen: Iterable[ObservedListener]) -> Acceptance:
    party = listener_name(pod.name, port)
    found = _of(pod, port, seen)
    if not found:
        return Acceptance(None, _silent(pod, port))
    doubt = next(
        (one.doubts.get(fingerprint, one.why) for one in found if fingerprint not in one.accepts | one.refuses), None
    )
    if doubt is not None:
        return Acceptance(None, doubt or f"{party} was not asked about this CA")
    accepted = any(fingerprint in one.accepts for one in found)
    if accepted and any(fingerprint in one.refuses for one in found):
        return Acceptance(None, f"{party} was seen to trust the CA and not to trust it")
    return Acceptance(accepted, found[0].source)


def _of(pod: Pod, port: int, seen: Iterable[ObservedListener]) -> tuple[ObservedListener, ...]:
    return tuple(one for one in seen if (one.uid, one.port) == (pod.uid, port))


def _silent(pod: Pod, port: int) -> str:
    return f"{listener_name(pod.name, port)} was not seen: it was not asked in time, or the pod was replaced meanwhile"


def _ports(ports: Sequence[int]) -> str:
    return f"port {', '.join(map(str, ports))}"
