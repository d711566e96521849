# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation (RFC 5280 section 6), as the different kinds of verifiers in a Kafka cluster do it. It finds paths
from a leaf to an anchor as each kind searches, and judges a complete path (sections 6.1.3 to 6.1.5).

Several roots, link certificates, renewals with the same key and different keys with one name all count, in any order of
the certificates.

CAs of a path make demands on the certificates below them: on names (section 4.2.1.10) and on policies (section
4.2.1.11). If verifiers differ, the strictest counts (docs/operator.md, "Constraints").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import pairwise

from .certificates import MOST_IN_A_CHAIN, Certificate, length_problem
from .verifiers import Verifier


@dataclass(frozen=True)
class PathResult:
    """The result of path validation for one verifier."""

    #: Whether the verifier finds a path to an anchor.
    valid: bool
    #: The certificates from the leaf to the anchor; empty if it is not valid.
    path: tuple[Certificate, ...] = ()
    #: Why it is not valid, without a full stop.
    reason: str = ""


#: Names times constraints. OpenSSL gives up above 1,048,576 (NAME_CHECK_MAX). The search here would take seconds for so
#: many; no certificate in use comes near.
MOST_COMPARISONS = 1 << 16


def constraint_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """Why a path does not keep to the constraints of its CAs; empty if it does. The leaf is None if it does not exist
    yet. Its names are judged when it exists: before it is stored.
    """
    return _name_problem(leaf, authorities) or _policy_problem(leaf, authorities)


def _name_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """Why the names of a path do not keep to the name constraints; empty if they do. A JVM leaves the constraints of
    the anchor out, and the others do not.
    """
    below = [] if leaf is None else [leaf]
    for authority in authorities:
        constraints = authority.name_constraints
        if constraints is not None:
            for certificate in below:
                names = certificate.names_under_constraints
                if names.count * constraints.count > MOST_COMPARISONS:
                    return (
                        f"{authority.subject} has more name constraints than OpenSSL compares with the names of "
                        f"{certificate.subject}"
                    )
                read = names.alternative | (names.to_openssl if certificate is leaf else frozenset())
                if authority != authorities[-1]:
                    read |= names.to_jvm
                refused = sorted(names.unmatched.union(str(name) for name in read if not constraints.admits(name)))
                if refused:
                    return (
                        f"the name constraints of {authority.subject} do not admit the name {refused[0]} of "
                        f"{certificate.subject}"
                    )
        below.append(authority)
    return _joint_constraint_problem(authorities[:-1])


def _joint_constraint_problem(intermediates: Sequence[Certificate]) -> str:
    """Why JVMs cannot put constraints together; empty if they can. A JVM puts the constraints of all CAs below the
    anchor together. It stumbles over the result in more ways than this function checks, also if no certificate below
    has such names.
    """
    constrained = [intermediate for intermediate in intermediates if intermediate.name_constraints is not None]
    for lower, upper in pairwise(constrained):
        if lower.name_constraints != upper.name_constraints:
            return (
                f"{lower.subject} and {upper.subject} have different name constraints, which JVMs cannot put together"
            )
    return ""


def _policy_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """Why the path does not have the required policies. No verifier applies the policy constraints of the anchor.
    OpenSSL applies none by default. If a certificate requires an explicit policy from some depth on, all
    certificates of the path have to share a policy. A leaf that does not exist yet has none, like every leaf issued
    here.
    """
    middle = authorities[:-1]
    path = [*([] if leaf is None else [leaf]), *middle]
    for below, certificate in enumerate(path, start=0 if leaf is not None else 1):
        required = certificate.requires_explicit_policy_after
        if required is not None and required <= below and not _share_a_policy(leaf, path):
            return f"{certificate.subject} requires certificate policies, and the path below it has no common one"
    return ""


def _share_a_policy(leaf: Certificate | None, path: Sequence[Certificate]) -> bool:
    mapped = any(certificate.maps_policies for certificate in path)
    return (
        leaf is not None
        and not mapped
        and bool(frozenset.intersection(*(certificate.policies for certificate in path)))
    )


def path_problem(
    leaf: Certificate | None,
    authorities: Sequence[Certificate],
    at: datetime,
    verifier: Verifier,
) -> str:
    """Why the path is not valid; empty if it is. The leaf is None if it does not exist yet. The last of the authorities
    is the anchor.

    Not every verifier looks at the dates of an anchor (``Verifier``). Each looks at its usages.
    """
    certificates = authorities if leaf is None else (leaf, *authorities)
    dated = certificates if verifier.checks_anchor_dates or not authorities else certificates[:-1]
    return (
        _first_problem(
            (certificate in dated and date_problem(certificate, at)) or extension_problem(certificate)
            for certificate in certificates
        )
        or _first_problem(map(authority_problem, authorities))
        or _first_problem(
            f"{child.subject} was not signed by {parent.subject}"
            for child, parent in pairwise(certificates)
            if not child.signed_by(parent)
        )
        or _path_length_problem(authorities, verifier)
        or constraint_problem(leaf, authorities)
    )


def _first_problem(problems: Iterable[str]) -> str:
    return next(filter(None, problems), "")


def date_problem(certificate: Certificate, at: datetime) -> str:
    """Why a certificate is not valid at this time; empty if it is. The bounds themselves are within the validity (RFC
    5280 section 4.1.2.5), but OpenSSL refuses the last second.
    """
    if certificate.not_before > at:
        return f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M:%S} UTC"
    if certificate.has_ended(at):
        return f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M:%S} UTC"
    return ""


def extension_problem(certificate: Certificate) -> str:
    """Why verifiers could refuse a certificate for an extension unknown to this code; empty if it has none."""
    if not certificate.unprocessed_extensions:
        return ""
    extensions = ", ".join(certificate.unprocessed_extensions)
    return f"{certificate.subject} has extensions that cannot be judged here ({extensions})"


def authority_problem(certificate: Certificate) -> str:
    """Why a certificate cannot be an issuer; empty if it can."""
    if not certificate.is_ca:
        return f"{certificate.subject} is not a CA certificate"
    if not certificate.key_usage_allows_signing:
        return f"the key usage of {certificate.subject} does not allow signing certificates"
    return ""


def _path_length_problem(authorities: Sequence[Certificate], verifier: Verifier) -> str:
    below = 0
    for position, certificate in enumerate(authorities, start=1):
        applies = position < len(authorities) or verifier.applies_anchor_path_length
        limit = certificate.path_length
        if applies and limit is not None and below > limit:
            return f"{certificate.subject} allows {limit} CAs below it (path length constraint), and there are {below}"
        if verifier is Verifier.GO or not certificate.self_issued:
            below += 1
    return ""


Path = tuple[Certificate, ...]

#: Bounds the search if many CAs certify each other; the deepest chain in practice has four certificates.
_MOST_STEPS = 500


@dataclass(frozen=True)
class Search:
    """A question about paths. Exactly one of leaf and issuer is given. If the leaf does not exist yet, the issuer
    stands for it.
    """

    #: The leaf to verify; None if an issuer is given.
    leaf: Certificate | None
    #: The CA that would sign the leaf; None if a leaf is given.
    issuer: Certificate | None
    #: The certificates that the party presents after the leaf, in their order.
    sent: Path
    #: The CAs that the verifier trusts.
    anchors: Path
    #: The time of the verification, in UTC.
    at: datetime
    #: The library whose rules apply.
    verifier: Verifier

    def result(self) -> PathResult:
        return self._every_possible_path() if self.verifier is Verifier.OPENSSL else self._any_path()

    def _any_path(self) -> PathResult:
        """The first valid path, shortest first. A path ends at an anchor: a longer path would not become valid."""
        start = self._start()
        if self.leaf is not None and self.leaf in self.anchors:
            return self._judge(start)
        waiting, failures, longest = deque([start]), [], start
        steps = 0
        while waiting and steps < _MOST_STEPS:
            steps += 1
            path = longest = waiting.popleft()
            for anchor in self._ends(path):
                judged = self._judge((*path, anchor))
                if judged.valid:
                    return judged
                failures.append(judged)
            waiting.extend(
                (*path, certificate)
                for certificate in self._signers(path, self.sent)
                if self._leads_on(path, certificate)
            )
        return failures[0] if failures else self._explain_dead_end(longest)

    def _every_possible_path(self) -> PathResult:
        """A valid path only if every path is valid that OpenSSL might choose. Of several trusted issuers it takes the
        first in an order of its own; of several sent issuers, the first as sent.
        """
        waiting = deque([(self._start(), False)])
        good = self._explain_dead_end(self._start())
        steps = 0
        while waiting:
            steps += 1
            if steps > _MOST_STEPS:
                return PathResult(False, reason="there are too many possible paths")
            path, trusted = waiting.popleft()
            if path and path[-1] in self.anchors and _counts_as_self_signed(path[-1]):
                good = self._judge(path)
                if not good.valid:
                    return good
                continue
            if path and not trusted and _counts_as_self_signed(path[-1]):
                # Only the very same certificate in its store would help. A renewal of it would not.
                return self._explain_dead_end(path)
            # OpenSSL does not go from trusted certificates back to presented certificates.
            fitting = self._sort_issuers(path, self.anchors)
            repeated = next((certificate for certificate in fitting if certificate in path), None)
            if repeated is not None:
                # OpenSSL takes the same trusted certificate again and again, but each presented certificate only once.
                return PathResult(
                    False, reason=f"{path[-1].subject} leads back to {repeated.subject}, and OpenSSL may go in circles"
                )
            if not fitting and not trusted:
                fitting = self._sort_issuers(
                    path, [certificate for certificate in self.sent if certificate not in path]
                )[:1]
                waiting.extend(((*path, certificate), False) for certificate in fitting)
            else:
                waiting.extend(((*path, certificate), True) for certificate in fitting)
            if not fitting:
                return self._explain_dead_end(path)
        return good

    def _start(self) -> Path:
        return () if self.leaf is None else (self.leaf,)

    def _judge(self, path: Path) -> PathResult:
        authorities = path if self.leaf is None else path[1:]
        problem = path_problem(self.leaf, authorities, self.at, self.verifier)
        if self.leaf is None and not self._is_twin(authorities[0]):
            problem = f"{authorities[0].subject} has another key than the issuer of the same name"
        return PathResult(False, reason=problem) if problem else PathResult(True, path)

    def _ends(self, path: Path) -> list[Certificate]:
        """The anchors that this verifier would try here."""
        signers = self._signers(path, self.anchors)
        return [signer for signer in signers if self._names(path, signer)]

    def _names(self, path: Path, anchor: Certificate) -> bool:
        """Whether the path names this anchor. The issuers in question write no serial number into their leaves."""
        if self.verifier is Verifier.GO:
            return True
        if not path:
            return self.issuer is not None and anchor.stands_in_for(self.issuer)
        return path[-1].names_key_of(anchor) and path[-1].names_serial_number_of(anchor)

    def _leads_on(self, path: Path, sent: Certificate) -> bool:
        # A second certificate of the same CA on a path never helps; it could go in circles (RFC 4158 section 5.2).
        if any(certificate.is_twin_of(sent) for certificate in path):
            return False
        return not (self.verifier is Verifier.JVM and any(sent.passes_for(anchor) for anchor in self.anchors))

    def _signers(self, path: Path, candidates: Path) -> list[Certificate]:
        if not path:
            return [candidate for candidate in candidates if self._is_twin(candidate)]
        return [candidate for candidate in candidates if path[-1].signed_by(candidate)]

    def _is_twin(self, candidate: Certificate) -> bool:
        """Whether this CA has the name and the key of the issuer."""
        issuer = self.issuer
        return issuer is not None and candidate.is_twin_of(issuer)

    def _sort_issuers(self, path: Path, candidates: Sequence[Certificate]) -> list[Certificate]:
        """Issuers by name and identifier, presently valid issuers before others (X509_STORE_CTX_get1_issuer)."""
        fitting = [candidate for candidate in candidates if self._fits(path, candidate)]
        current = [certificate for certificate in fitting if not date_problem(certificate, self.at)]
        return current or fitting

    def _fits(self, path: Path, candidate: Certificate) -> bool:
        if path:
            child = path[-1]
            return child.folded_issuer == candidate.folded_subject and child.names_as_issuer(candidate)
        if self.issuer is None or candidate.folded_subject != self.issuer.folded_subject:
            return False
        return candidate.subject_key_identifier in (None, self.issuer.identifier_in_leaves)

    def _explain_dead_end(self, path: Path) -> PathResult:
        if path:
            what, name = path[-1].subject, path[-1].issuer_der
            issuer = path[-1].issuer
        else:
            what, name = "the leaf", self.issuer.subject_der if self.issuer else b""
            issuer = self.issuer.subject if self.issuer else ""
        if self._signers(path, self.anchors):
            return PathResult(
                False, reason=f"{what} names another key identifier or serial number than the trusted {issuer} has"
            )
        if any(anchor.subject_der == name for anchor in self.anchors):
            return PathResult(False, reason=f"{what} was signed by another key than that of the trusted {issuer}")
        return PathResult(False, reason=f"no trusted certificate for {issuer}, the issuer of {what}")


def _counts_as_self_signed(certificate: Certificate) -> bool:
    """Whether OpenSSL lets a path end here: it compares name and identifier, and does not verify this signature."""
    return certificate.folded_subject == certificate.folded_issuer and certificate.names_as_issuer(certificate)


def drop_repetitions(certificates: Iterable[Certificate]) -> Path:
    """The certificates without repetitions, in order."""
    return tuple(dict.fromkeys(certificates))


def validate_path(
    presented: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
) -> PathResult:
    """Whether the leaf ``presented[0]`` validates at this time with the certificates sent along. Never raises."""
    if not presented:
        return PathResult(False, reason="no certificate was presented")
    if len(presented) > MOST_IN_A_CHAIN:
        return PathResult(False, reason=f"the presented chain cannot be used: {length_problem(len(presented))}")
    sent = drop_repetitions(presented[1:])
    return Search(presented[0], None, sent, drop_repetitions(anchors), _with_zone(at), verifier).result()


def validate_issued_by(
    issuer: Certificate,
    sent: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
) -> PathResult:
    """Whether a leaf issued by ``issuer`` would validate. The issuer itself is sent along only if ``sent`` is not
    empty.

    The trust gate asks this before the leaf exists. A leaf sent alone validates only if an anchor has the issuer's name
    and key. Never raises.
    """
    along = drop_repetitions((issuer, *sent)) if sent else ()
    return Search(None, issuer, along, drop_repetitions(anchors), _with_zone(at), verifier).result()


def check_authority_chain(chain: Sequence[Certificate]) -> list[str]:
    """Problems of a CA chain in one Secret entry, as sentences: one ordered chain, issuing CA first.

    A chain has problems if Strimzi's CertificateUtils.validateUserCaCertChain refuses it (docs/operator.md,
    "User-managed CA"), or if Kafka does not load it behind a leaf. As there, a single certificate has no problems, and
    dates do not matter.
    """
    if len(chain) < 2:
        return []
    problems = [f"{problem}." for problem in map(authority_problem, chain) if problem]
    # The last is the operator's anchor. A JVM does not process the extensions of an anchor.
    problems += [
        f"{certificate.subject} has critical extensions that a JVM does not know "
        f"({', '.join(certificate.unknown_critical_extensions)})."
        for certificate in chain[:-1]
        if certificate.unknown_critical_extensions
    ]
    # The first is the end of the operator's path, so no path length counts it.
    if problem := _path_length_problem(chain[1:], Verifier.JVM):
        problems.append(f"{problem}.")
    # A root is its own issuer, so a second copy of it passes as in order. But it keeps every node from starting.
    problems += [
        f"{certificate.subject} ({certificate.sha256[:16]}) is in the chain more than once, and Kafka loads no such "
        "chain."
        for certificate in dict.fromkeys(chain)
        if chain.count(certificate) > 1
    ]
    for lower, upper in pairwise(chain):
        if not _follows(lower, upper):
            problems.append(f"the chain is out of order: {lower.subject} was not issued by {upper.subject}.")
    # If the certificate below does not name an anchor, such as a renewed root, a JVM passes over this anchor. Between
    # the others it looks at names alone.
    below, anchor = chain[-2:]
    if _follows(below, anchor) and not (below.names_key_of(anchor) and below.names_serial_number_of(anchor)):
        problems.append(
            f"{below.subject} names another key identifier or serial number than {anchor.subject} has: put the "
            f"certificate of {anchor.subject} there that has it, or leave that CA out."
        )
    return problems


def _follows(lower: Certificate, upper: Certificate) -> bool:
    """Whether Strimzi's JVM lets one CA follow the other: it minds neither signatures with SHA-1 nor the case of a
    name. If a caller supplies a CA, ``usability`` says which verifiers mind them.
    """
    return lower.folded_issuer == upper.folded_subject and lower.bears_signature_of(upper)


def _with_zone(at: datetime) -> datetime:
    return at.replace(tzinfo=timezone.utc) if at.tzinfo is None else at
