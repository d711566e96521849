# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Finding paths from a leaf to an anchor, as the different verifiers search them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .certificates import Certificate
from .path_checks import date_problem, path_problem
from .verifiers import PathResult, Verifier

Path = tuple[Certificate, ...]

#: Bounds the search where many CAs certify each other; the deepest chain in practice has four certificates.
_MOST_STEPS = 500


@dataclass(frozen=True)
class Search:
    """A question about paths. Exactly one of leaf and issuer is given: issuer stands for a leaf that does not exist yet."""

    leaf: Certificate | None
    issuer: Certificate | None
    #: The certificates that the party presents after the leaf, in their order.
    sent: Path
    anchors: Path
    at: datetime
    verifier: Verifier
    #: Whether the verifier looks at the dates of a trust anchor.
    dated_anchors: bool = True

    def result(self) -> PathResult:
        return self._whatever_is_chosen() if self.verifier is Verifier.OPENSSL else self._any_path()

    def _any_path(self) -> PathResult:
        """The first valid path, shortest first. A path ends at an anchor: a longer one would not become valid."""
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
            waiting.extend((*path, one) for one in self._signers(path, self.sent) if self._leads_on(path, one))
        return failures[0] if failures else self._dead_end(longest)

    def _whatever_is_chosen(self) -> PathResult:
        """Valid only if every path is valid that OpenSSL might choose. Of several trusted issuers it takes the first in an order that is
        its own, of those that are sent the first as they are sent.
        """
        waiting = deque([(self._start(), False)])
        good = self._dead_end(self._start())
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
                # Only the very same certificate in its store would help, and not a renewal of it.
                return self._dead_end(path)
            # OpenSSL does not go from trusted certificates back to presented ones.
            fitting = self._fitting(path, self.anchors)
            if not fitting and not trusted:
                fitting = self._fitting(path, self.sent)[:1]
                waiting.extend(((*path, one), False) for one in fitting)
            else:
                waiting.extend(((*path, one), True) for one in fitting)
            if not fitting:
                return self._dead_end(path)
        return good

    def _start(self) -> Path:
        return () if self.leaf is None else (self.leaf,)

    def _judge(self, path: Path) -> PathResult:
        authorities = path if self.leaf is None else path[1:]
        problem = path_problem(self.leaf, authorities, self.at, self.verifier, dated_anchors=self.dated_anchors)
        if self.leaf is None and not self._is_twin(authorities[0]):
            problem = f"{authorities[0].subject} has another key than the issuer of the same name"
        return PathResult(False, reason=problem) if problem else PathResult(True, path)

    def _ends(self, path: Path) -> list[Certificate]:
        """The anchors that this verifier would try here."""
        signers = self._signers(path, self.anchors)
        return [one for one in signers if self._names(path, one)]

    def _names(self, path: Path, anchor: Certificate) -> bool:
        """Whether the path names this anchor. Issuers that are asked here write no serial number into their leaves."""
        if not self.verifier.compares_anchor_identifiers:
            return True
        if not path:
            return self.issuer is not None and anchor.stands_in_for(self.issuer)
        return path[-1].names_key_of(anchor) and path[-1].names_serial_number_of(anchor)

    def _leads_on(self, path: Path, sent: Certificate) -> bool:
        if _repeats(path, sent):
            return False
        return not (self.verifier.cuts_off_at_twins and any(sent.passes_for(anchor) for anchor in self.anchors))

    def _signers(self, path: Path, candidates: Path) -> list[Certificate]:
        if not path:
            return [one for one in candidates if self._is_twin(one)]
        return [one for one in candidates if path[-1].signed_by(one)]

    def _is_twin(self, candidate: Certificate) -> bool:
        """Whether this CA has the name and the key of the issuer."""
        issuer = self.issuer
        return issuer is not None and candidate.is_twin_of(issuer)

    def _fitting(self, path: Path, candidates: Path) -> list[Certificate]:
        """Issuers by name and identifier, those valid now before others (X509_STORE_CTX_get1_issuer)."""
        found = [one for one in candidates if one not in path and self._fits(path, one)]
        current = [one for one in found if not date_problem(one, self.at)]
        return current or found

    def _fits(self, path: Path, candidate: Certificate) -> bool:
        if path:
            child = path[-1]
            return child.folded_issuer == candidate.folded_subject and child.names_as_issuer(candidate)
        if self.issuer is None or candidate.folded_subject != self.issuer.folded_subject:
            return False
        return candidate.subject_key_identifier in (None, self.issuer.identifier_in_leaves)

    def _dead_end(self, path: Path) -> PathResult:
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


def _repeats(path: Path, candidate: Certificate) -> bool:
    """A second certificate of the same CA on a path never helps; it could go in circles (RFC 4158 section 5.2)."""
    return any(one.is_twin_of(candidate) for one in path)


def drop_repetitions(certificates: Iterable[Certificate]) -> Path:
    """Without repetitions, in order."""
    return tuple(dict.fromkeys(certificates))
