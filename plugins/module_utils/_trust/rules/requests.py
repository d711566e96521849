# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves of a CA with its key elsewhere. The collection requests them from the issuer before anything depends on them,
outside any pause, and uses them when all are here.

Certificates for future nodes wait beside the requests, because the operator deletes node Secrets of nodes that no node
pool has (docs/operator.md, "Leaves"). No flow waits for them.

If only this collection can issue certificates outside the cluster, they are written after the switch: before it the
User Operator would put its own in their place. Parties outside the cluster present certificates of the CA in use only
after the switch: no issuer issues theirs before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..._leaves.request import LeafRequest, Next, Wanted, next_action, next_try
from ..._leaves.trigger import OF_TIME, Due, IssueReason, ends_with, why_ending
from ..._pki.certificates import Chain
from ..evidence.parties import awaited_presenters, parties_awaiting_issue, presenters, presenting_ended
from ..ledger.target import later_authorities, wish_of
from ..model.clients import ReissuePause, Renewal
from ..model.decision import Condition, Steps, Turn, Violation, Wait
from ..model.goals import Goal, Phase
from ..model.names import counted, listed, named
from ..model.snapshot import DnsDomain, DomainSource, Snapshot
from ..model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    AwaitKept,
    AwaitPickUp,
    AwaitReissue,
    CollectLeaves,
    ForgetRequests,
    IssueLeaves,
    RechainLeaves,
)
from .due import (
    due_reasons_under,
    ended_leaves,
    find_first_ending,
    is_kept_by_user_operator,
    leaves_before_operator_window,
    nears_operator_window,
)
from .situation import Situation, answered_once

#: Why a flow requests a leaf that only shows which CA signs.
_SIGNER = Due(IssueReason.AUTHORITY, "it tells which CA signs")


@dataclass(frozen=True)
class Asked:
    """The leaves of a request."""

    #: The CA that is to sign, with its chain.
    issuer: Chain
    #: Why each leaf is needed, by its Secret.
    reasons: Mapping[str, Due]

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(sorted(self.reasons))


@answered_once
def leaves_to_ask_for(at: Situation) -> Asked | None:
    """The leaves to request from the next CA if there is one, or else from the CA in use. If there are none, or the key
    of that CA is here, it is a leaf that only shows which CA of the source signs. None if the key is here and no such
    leaf is needed.
    """
    ca, successor = at.snapshot.ca, at.successor
    chain = successor.entry.chain if successor is not None else ca.current
    if not chain or not ca.is_kept_elsewhere(chain[0]):
        return _ask_for_sample(at)
    # If a flow is about to replace the CA in use, due_reasons_under gives no reason of time, so the ended leaves are
    # added here.
    ended = _reasons_of_ended(at.snapshot) if at.resting or at.intent.goal is Goal.RECOVER else {}
    of_authority = Asked(chain, {**ended, **due_reasons_under(at.snapshot, at.intent, at.ledger, chain)})
    return of_authority if of_authority.reasons else _ask_for_sample(at) or of_authority


def _reasons_of_ended(snapshot: Snapshot) -> dict[str, Due]:
    return {leaf.secret: why_ending(leaf.chain[0], ()) for leaf in ended_leaves(snapshot) if leaf.chain}


def _ask_for_sample(at: Situation) -> Asked | None:
    wish = wish_of(at.snapshot, at.intent, at.ledger)
    if wish is None or not wish.sample_secret or wish.unconfirmed_cas:
        return None
    return Asked(wish.candidates[0], {wish.sample_secret: _SIGNER})


def secrets_without_leaf(at: Situation, secrets: tuple[str, ...], issuer: Chain) -> tuple[str, ...]:
    """The Secrets among these without a leaf here, if none can be signed here."""
    if not at.snapshot.ca.is_kept_elsewhere(issuer[0]):
        return ()
    return tuple(name for name in secrets if next_for_leaf(at, name, issuer) is not Next.USE)


def leaves_to_await(at: Situation) -> tuple[str, ...]:
    """The leaves to request, without the leaves that are here."""
    requested = leaves_to_ask_for(at)
    return secrets_without_leaf(at, requested.secrets, requested.issuer) if requested else ()


def next_for_leaf(at: Situation, secret: str, issuer: Chain) -> Next:
    """The next thing to do about the leaf in this Secret: it is wanted from this CA."""
    return _choose_action(at, secret, _wanted_request(at, issuer))


def _wanted_request(at: Situation, issuer: Chain) -> Wanted:
    later = frozenset(chain[0].fingerprint for chain in later_authorities(at.snapshot))
    return Wanted(at.intent.issuing.external_issuer, issuer[0].fingerprint, at.intent.issuing.retry_requested_at, later)


def _choose_action(at: Situation, secret: str, wanted: Wanted) -> Next:
    return next_action(at.snapshot.leaves.requests.get(secret), wanted, at.snapshot.now)


def awaited_leaves(at: Situation) -> tuple[str, ...]:
    """The leaves that are still to come; also a leaf that only shows which CA signs."""
    sample = _ask_for_sample(at)
    return leaves_to_await(at) or (sample.secrets if sample else ())


def ask_for_leaves(at: Situation) -> Steps:
    """Record the returned certificates, then request the missing certificates."""
    requested = leaves_to_ask_for(at)
    if requested is None:
        return ()
    collected = tuple(name for name in requested.secrets if next_for_leaf(at, name, requested.issuer) is Next.COLLECT)
    if collected:
        return (
            CollectLeaves(secrets=collected, external_issuer=at.intent.issuing.external_issuer, phase=Phase.PREPARE),
        )
    missing = tuple(name for name in requested.secrets if next_for_leaf(at, name, requested.issuer) is Next.ASK)
    if not missing:
        return ()
    domain = _find_domain(at.snapshot, missing)
    because = (
        "This certificate shows which CA of the source signs."
        if requested == _ask_for_sample(at)
        else f"The key of {named(requested.issuer[0])} is kept elsewhere, so the collection asks for its certificates "
        f"before anything depends on them.{f' {describe_domain(at.snapshot)}' if domain else ''}"
    )
    return (
        AskForLeaves(
            secrets=missing, issuer=requested.issuer, external_issuer=at.intent.issuing.external_issuer,
            phase=Phase.PREPARE, because=because,
            domain=domain,
        ),
    )  # fmt: skip


_LEARNED_FROM = {
    DomainSource.CALLER: "dns_domain (strimzi_dns_domain) says so.",
    DomainSource.OPERATOR: "the environment of the Cluster Operator says so.",
    DomainSource.OWN_CERTIFICATES: "the stored certificates of this cluster have it.",
    DomainSource.OTHER_CLUSTERS: "the certificates of other Kafka clusters in the namespace have it.",
    DomainSource.DEFAULT: (
        "it is the Cluster Operator's default, and nothing here shows whether this operator has another "
        "(KUBERNETES_SERVICE_DNS_DOMAIN). With another domain the operator uses no certificate of a node, and each "
        "has to be issued a second time: give the domain first, with dns_domain (strimzi_dns_domain)."
    ),
}


def describe_domain(snapshot: Snapshot) -> str:
    """A sentence about the DNS domain in the names of requested leaves, and its origin."""
    domain = snapshot.leaves.dns_domain
    return f"The names in them end in {domain.name}: {_LEARNED_FROM[domain.source]}"


def _find_domain(snapshot: Snapshot, secrets: Collection[str]) -> DnsDomain | None:
    """The DNS domain of the names of these leaves; None if none of them has such names."""
    components = {leaf.secret: leaf.component for leaf in snapshot.every_leaf} | dict(snapshot.every_missing_leaf)
    is_named = any(component.facts.services for secret, component in components.items() if secret in secrets)
    return snapshot.leaves.dns_domain if is_named else None


def doubt_about_domain(snapshot: Snapshot) -> str:
    """A sentence, with a space before it, about a domain that no operator has confirmed; empty if the caller or the
    operator says it, or if the operator issues leaves itself.
    """
    domain = snapshot.leaves.dns_domain
    if not snapshot.ca.in_use_elsewhere or domain.source in (DomainSource.CALLER, DomainSource.OPERATOR):
        return ""
    return (
        f" Where the operator has another DNS domain (KUBERNETES_SERVICE_DNS_DOMAIN) than {domain.name}, in which the "
        "names of its certificates end, give that domain with dns_domain (strimzi_dns_domain): the run then requests "
        "the certificates again."
    )


def await_issuer(at: Situation) -> Turn:
    """Wait for open requests, as long as the caller wants to; never while the operator is paused. The rest of the wait
    is left to the next call.
    """
    requested, until, requests = leaves_to_ask_for(at), at.intent.issuing.issuer_deadline, at.snapshot.leaves.requests
    if requested is None:
        return ()
    awaited = tuple(name for name in awaited_leaves(at) if (request := requests.get(name)) and request.is_open)
    has_time = until is not None and at.snapshot.now < until and not at.snapshot.reconciliation.pause.is_ours
    if until is None or not has_time or not awaited:
        overdue = _overdue_leaves(at, awaited_leaves(at), requested.issuer)
        return Wait(violations=overdue, awaited=describe_awaited_leaves(at))
    return (
        AwaitIssuer(
            secrets=awaited,
            issuer=requested.issuer,
            external_issuer=at.intent.issuing.external_issuer,
            deadline=until,
            phase=Phase.PREPARE,
        ),
    )


def forget_requests(at: Situation) -> Steps:
    """Remove requests for leaves that the flow wants from no issuer any more: they are in use, or the flow has changed
    its mind.
    """
    requested = leaves_to_ask_for(at)
    needed = set(requested.secrets) if requested else set()
    if requested is not None:
        wanted = _wanted_request(at, requested.issuer)
        needed |= {name for name, request in at.snapshot.leaves.requests.items() if wanted.keeps(request)}
    served = tuple(sorted(set(at.snapshot.leaves.requests) - needed - set(at.snapshot.spare_leaf_nodes)))
    return (ForgetRequests(secrets=served, phase=at.phase),) if served else ()


def describe_awaited_leaves(at: Situation) -> tuple[str, ...]:
    """Sentences about the awaited certificates, their issuer, and the fate of the requests."""
    requested = leaves_to_ask_for(at)
    missing = leaves_to_await(at)
    if requested is not None and requested == _ask_for_sample(at):
        return tuple(_find_sample(at, requested))
    if requested is None or not missing:
        return ()
    total = f"{counted(len(missing), 'certificate')} of {named(requested.issuer[0])}"
    details = dict.fromkeys(_describe_request(request) for request in _requests_without_violation(at, missing))
    ending = tuple(_describe_leaves_that_end_meanwhile(at))
    is_late = bool(ending) or bool(presenting_ended(at.snapshot))
    issuer = requested.issuer[0]
    ended = (
        f"{named(issuer)} has ended, and no certificate of it is accepted until it is renewed. Have the CA renewed "
        "under its name and key, and have the issuer send the renewed CA behind each certificate that it signs.",
    )
    domain = _find_domain(at.snapshot, missing)
    is_assumed = domain is not None and domain.source is DomainSource.DEFAULT
    rest = "the next run goes on." if is_late else "no other work waits, and the next run goes on."
    return (
        f"{total} still to come from {at.intent.issuing.external_issuer}, for {listed(missing)}; {rest}",
        *(ended if issuer.has_ended(at.snapshot.now) else ()),
        *ending,
        *_explain_standstill(at, missing),
        *((describe_domain(at.snapshot),) if is_assumed else ()),
        *filter(None, details),
    )


def _find_sample(at: Situation, requested: Asked) -> Iterator[str]:
    wish = wish_of(at.snapshot, at.intent, at.ledger)
    names = listed([chain[0].subject for chain in wish.candidates]) if wish is not None else ""
    (secret,) = requested.secrets
    yield (
        f"{names} are in the source, and none of them is in use: the call requests one certificate of "
        f"{at.intent.issuing.external_issuer}, for {secret}, and the CA that signs it comes into use. Nodes trust all "
        "of these CAs meanwhile; the next run goes on."
    )
    yield from filter(None, map(_describe_request, _requests_without_violation(at, (secret,))))


def _describe_leaves_that_end_meanwhile(at: Situation) -> Iterator[str]:
    """Leaves of a CA in use that the operator cannot renew, and that no issuer renews as long as the next CA waits for
    its own.
    """
    if at.intent.goal is Goal.RECOVER:
        # The awaited leaves take the place of these.
        return
    ending = leaves_before_operator_window(at.snapshot) if at.successor is not None else ()
    if (first := find_first_ending(ending)) and at.current is not None:
        leaf, own = first
        yield (
            f"No issuer renews certificates of {named(at.current)} meanwhile: {leaf.secret} ends on "
            f"{own.not_after:%Y-%m-%d}, the first of {len(ending)}, and the operator, which can issue none, stands "
            "still before that. See that the requests are "
            f"answered{', or ' if (way_back := describe_way_back(at)) else ''}{way_back}."
        )


def describe_way_back(at: Situation) -> str:
    """How to undo the flow, as a part of a sentence: an abort is of use only if the CA in use still signs. Empty if the
    source of CAs shows that it does not.
    """
    source = at.snapshot.source
    if at.current is None or (source is not None and not source.problem and at.current not in source.certificates):
        return ""
    return f"undo the flow (abort) where the issuer still signs by {named(at.current)}"


def ending_unserved(at: Situation, requested: Asked | None) -> tuple[str, ...]:
    """A sentence about users' certificates in their time for renewal, for a call that stops before their writing."""
    of_time = (
        (name for name, due in requested.reasons.items() if due.reason in OF_TIME) if requested is not None else ()
    )
    ending = [leaf for name in of_time if (leaf := at.snapshot.user_leaves.get(name)) and leaf.chain]
    first = find_first_ending(ending)
    if first is None:
        return ()
    leaf, own = first
    return (
        f"renew {counted(len(ending), 'certificate')} of users: {leaf.secret} ends on {own.not_after:%Y-%m-%d}, the "
        "first of them",
    )


def _explain_standstill(at: Situation, missing: tuple[str, ...]) -> Iterator[str]:
    misnamed = [name for name in missing if name in at.snapshot.leaves.misnamed]
    if misnamed:
        yield (
            f"The operator wants other names in {counted(len(misnamed), 'certificate')} ({misnamed[0]}: "
            f"{at.snapshot.leaves.misnamed[misnamed[0]]}), can issue none, and touches nothing until they are "
            f"there.{_doubt_about_names(at.snapshot)}"
        )


def _doubt_about_names(snapshot: Snapshot) -> str:
    """A doubt about the listeners in ``spec``, as a sentence with a space before it: they ask for other names than an
    operator that is Ready all the same. Empty if there is no doubt.
    """
    operator = snapshot.reconciliation.operator
    return (
        f" It is Ready all the same.{operator.doubt_about_spec}"
        if operator.is_content and operator.doubt_about_spec
        else ""
    )


def _describe_request(request: LeafRequest) -> str:
    if request.failure is not None and not request.is_open:
        again = next_try(request.failure, request.secret)
        return (
            f"{request.secret}: {request.failure.reason} The next request goes out on {again:%Y-%m-%d at %H:%M} UTC, "
            "or at once with retry_failed."
        )
    failure = request.failure.reason if request.failure is not None else ""
    return " ".join(filter(None, (failure, request.waiting)))


def _overdue_leaves(at: Situation, secrets: Iterable[str], issuer: Chain) -> tuple[Violation, ...]:
    """A violation for each of these leaves of this CA for which no accepted certificate has come in a long time: they
    hold no other work.
    """
    authority = named(issuer[0])
    first, others = _overdue_requests(at, secrets)
    violations = tuple(_overdue_leaf(at, request, authority) for request in first)
    if not others:
        return violations
    rest = Violation(
        Condition.LEAVES_ARE_ISSUED, at.snapshot.names.kafka,
        f"{counted(len(others), 'more certificate')} of {authority} {'has' if len(others) == 1 else 'have'} not come "
        f"either, for {listed([request.secret for request in others])}.",
        "The sentences about the awaited certificates say what became of each request.",
    )  # fmt: skip
    return (*violations, rest)


#: How many leaves have a violation of their own: an issuer may refuse thousands of users for the same reason.
_WITH_VIOLATION = 5


def _overdue_requests(at: Situation, secrets: Iterable[str]) -> tuple[Sequence[LeafRequest], Sequence[LeafRequest]]:
    """The overdue requests for these leaves, for which runs fail: the first of them, and the others."""
    requests = at.snapshot.leaves.requests
    overdue = [requests[name] for name in secrets if name in requests and requests[name].is_overdue(at.snapshot.now)]
    return overdue[:_WITH_VIOLATION], overdue[_WITH_VIOLATION:]


def _requests_without_violation(at: Situation, secrets: Iterable[str]) -> tuple[LeafRequest, ...]:
    """The requests for these leaves without the requests in a violation."""
    secrets, requests = tuple(secrets), at.snapshot.leaves.requests
    in_violations = {request.secret for request in _overdue_requests(at, secrets)[0]}
    return tuple(requests[name] for name in secrets if name in requests and name not in in_violations)


def _overdue_leaf(at: Situation, request: LeafRequest, authority: str) -> Violation:
    users = (presenter.user for presenter in at.snapshot.presenters if presenter.secret == request.secret)
    user = next(filter(None, users), None)
    home = user.namespace if user is not None else at.snapshot.names.namespace
    failure, first = request.failure, f"{request.first_asked_at:%Y-%m-%d at %H:%M} UTC"
    if failure is None:
        cause = f"{request.issuer} has not answered since {first}. {request.waiting}"
    else:
        failed = "1 request has" if failure.count == 1 else f"{failure.count} requests in a row have"
        again = f" Another request went out on {request.asked_at:%Y-%m-%d at %H:%M} UTC: {request.waiting}"
        cause = (
            f"{failed} failed at {request.issuer}, the first of {first}. "
            f"{failure.reason}{again if request.is_open else ''}"
        )
    remedy = (
        "See that this request is answered, and run again."
        if failure is None or request.is_open
        else f"The next request goes out on {next_try(failure, request.secret):%Y-%m-%d at %H:%M} UTC, or at once with "
        "retry_failed."
    )
    return Violation(
        Condition.LEAVES_ARE_ISSUED,
        f"Secret {home}/{request.secret}", f"no certificate of {authority} has come for it: {cause.rstrip()}",
        f"{remedy} Runs fail until a certificate is accepted; nothing else waits for it.",
    )  # fmt: skip


def keep_spare_leaves(at: Situation) -> Turn:
    """Record the returned certificates, then request the missing certificates. Not while another CA is on its way: the
    leaves would be of the old CA. And not before there is a CA. No flow waits for them; a run fails for them at its
    end, after a long time.
    """
    if at.current is None or at.snapshot.ca.prepared:
        return ()
    next_works = {name: _next_spare(at, name) for name in sorted(at.snapshot.spare_leaf_nodes)}
    collected = tuple(name for name, what in next_works.items() if what is Next.COLLECT)
    if collected:
        return (
            CollectLeaves(secrets=collected, external_issuer=at.intent.issuing.external_issuer, phase=Phase.PREPARE),
        )
    missing = tuple(name for name, what in next_works.items() if what is Next.ASK)
    if not missing:
        waiting = (name for name, what in next_works.items() if what is Next.WAIT)
        last = Phase.USE if at.flow_in_flight is None else Phase.RETIRE
        overdue = _overdue_leaves(at, waiting, at.snapshot.ca.current)
        return Wait(violations=overdue, phase=last) if overdue else ()
    because = "The key of the CA is kept elsewhere, so certificates for the next nodes of each pool are kept at hand."
    issuer, reference = at.snapshot.ca.current, at.intent.issuing.external_issuer
    return (
        AskForLeaves(
            secrets=missing,
            issuer=issuer,
            external_issuer=reference,
            phase=Phase.PREPARE,
            because=because,
            spare=True,
            domain=at.snapshot.leaves.dns_domain,
        ),
    )


def _next_spare(at: Situation, secret: str) -> Next:
    """Decide on the next work for a spare leaf. This collection requests another leaf in the place of a spare leaf
    before the Cluster Operator would renew the spare leaf.
    """
    request, current = at.snapshot.leaves.requests.get(secret), at.snapshot.ca.current
    waiting = request.certificate if request is not None and request.is_recorded else None
    if waiting is None or ends_with(waiting, current):
        return next_for_leaf(at, secret, current)
    is_old = nears_operator_window(waiting, at.snapshot.leaves.renewal_window, at.snapshot.now)
    return Next.ASK if is_old else next_for_leaf(at, secret, current)


#: How many certificates are written before the User Operator is seen to keep them: its queue drops all beyond its size
#: (docs/operator.md, "Users").
_AT_ONCE = 500


def resume_served_users(at: Situation) -> Steps:
    """Let the User Operator go on with users whose certificates it keeps, and see that it keeps them, before other
    users get theirs. The flow does not wait for users with a waiver. A user whose certificate has ended, or ends soon,
    stays paused until its next certificate is written.
    """
    if at.current is None or not at.issues_to_users:
        return ()
    names = tuple(
        presenter.name
        for presenter in awaited_presenters(at.snapshot)
        if presenter.secret
        and presenter.pause.is_ours
        and not presenter.is_outdated
        and is_kept_by_user_operator(presenter.secret, at.snapshot)
    )
    return (AwaitKept(names=names, authority=at.current),) if names else ()


def write_user_leaves(at: Situation) -> Steps:
    """Give users their next certificates once every listener is known to accept them. If the CA's key signed a user's
    certificate before a renewal, the user keeps it until its successor has come, even if it ends soon. The step writes
    one certificate first, so a mistake hits a single user; then all others, or as many at a time as the caller wants.
    If a user's Secret cannot be created, the other users get theirs, and the flow is held at its end.
    """
    issuer = at.snapshot.ca.current
    if (
        not at.issues_to_users
        or at.gates.trust(at.snapshot, at.ledger, issuer)
        or at.gates.alone(at.snapshot, at.ledger, issuer)
    ):
        return ()
    reasons = due_reasons_under(at.snapshot, at.intent, at.ledger, issuer)
    wanted = (reasons.keys() & at.snapshot.user_leaves.keys()) - at.intent.obstacles.taken_names
    ready = wanted - set(secrets_without_leaf(at, tuple(wanted), issuer))
    unusable = {name for name in wanted - ready if reasons[name].reason not in OF_TIME}
    behind = (
        name for name, leaf in at.snapshot.user_leaves.items() if leaf is not None and leaf.generation != at.generation
    )
    kept = _next_batch(at, tuple(sorted(set(behind) - ready - unusable)))
    if kept:
        return (RechainLeaves(secrets=kept, generation=at.generation, phase=Phase.USE),)
    written = _next_batch(at, tuple(sorted(ready)))
    return (IssueLeaves(secrets=written, issuer=issuer, generation=at.generation, phase=Phase.USE),) if written else ()


def _next_batch(at: Situation, secrets: tuple[str, ...]) -> tuple[str, ...]:
    stored = (leaf for leaf in at.snapshot.user_leaves.values() if leaf is not None)
    is_first = all(leaf.generation != at.generation for leaf in stored)
    return secrets[: 1 if is_first else at.intent.pace.user_batch or _AT_ONCE]


def reissue(at: Situation) -> Steps:
    """Have the operator in charge issue certificates again if another CA than the CA in use has issued them; a pause of
    their issue ends with it. A presenter without a certificate gets one. If another writer has paused a presenter, the
    flow does not wait for it: the others are served, and this presenter holds the flow at its end. Nor does the flow
    wait for a presenter with a waiver.
    """
    if at.flow_in_flight is None or at.successor is not None or at.current is None or at.issues_to_users:
        return ()
    seen = (*presenters(at.snapshot), *parties_awaiting_issue(at.snapshot))
    behind = {
        presenter.name for presenter in seen if presenter.is_outdated and presenter.pause is not ReissuePause.FOREIGN
    }
    issued = (presenter for presenter in awaited_presenters(at.snapshot) if presenter.renewal is Renewal.ISSUED)
    due = tuple(presenter.name for presenter in issued if presenter.name in behind or presenter.pause.is_ours)
    return (
        (AwaitReissue(names=due, authority=at.current, batch=at.intent.pace.user_batch, phase=at.phase),) if due else ()
    )


def await_pick_up(at: Situation) -> Turn:
    """Wait for the programs that an operator restarts with their new certificates, or for which it copies these. This
    collection cannot restart the others: they hold the flow. If the certificate of a program is not issued again,
    because another writer has paused its user, the program has nothing to take up.
    """
    begun = at.flow_in_flight
    if begun is None or at.successor is not None or at.current is None:
        return ()
    replaced = begun.replaces
    late = tuple(presenter.name for presenter in presenters(at.snapshot) if presenter.is_behind(replaced))
    if late:
        return (AwaitPickUp(names=late, authority=at.current, replaced=replaced, phase=at.phase),)
    return Wait(violations=tuple(_presenters_of_replaced(at)), phase=Phase.RETIRE)


def _presenters_of_replaced(at: Situation) -> Iterator[Violation]:
    """The parties outside the cluster that still present certificates of the replaced CA."""
    replaced = at.ledger.find(at.flow_in_flight.replaces) if at.flow_in_flight else None
    for presenter in presenters(at.snapshot) if replaced is not None else ():
        if replaced is not None and replaced.fingerprint in (presenter.authorities or ()):
            why = "; ".join(filter(None, (presenter.evidence, presenter.hindrance)))
            yield Violation(
                Condition.REMOVAL, presenter.name,
                f"may present a certificate of {named(replaced.certificate)}: {why}.", presenter.remedy,
            )  # fmt: skip
