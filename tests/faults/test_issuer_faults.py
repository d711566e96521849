# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of issuers, and things that they cannot do: each is told with its object, cause and remedy, harms nothing that is in use, and
when the cause is gone the flow goes on to its end. The table is in ``issuer_faults``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, StepError

from ..flows.test_kept_elsewhere import issuing_secrets
from ..tools.support.watched_cluster import assert_only
from .issuer_faults import CERTIFICATES, FAULTS, STATUSES, Cell, Ends, Fault, NotPossible
from .issuer_happenings import Course, begun

LEAVES = ("demo-cluster-operator-certs", "demo-kafka-0", "demo-kafka-1")
#: A little more than the hour and its spread after which a failed request is made again.
A_WHILE = 4000.0


def _cells(number: int, row: Fault) -> Iterator[object]:
    """Every run of the tests takes only one issuer of each row that judges a certificate, in turn: the issuers share the judge. The unit
    tests of Vault's errors have every status too.
    """
    for place, (kind, cell) in enumerate(row):
        if isinstance(cell, Cell):
            every_run = row not in STATUSES and (row not in CERTIFICATES or place == number % 3)
            marks = () if every_run else (pytest.mark.long,)
            yield pytest.param(kind, cell, id=f"{row.name}, {kind}", marks=marks)


@pytest.fixture
def course(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Course]:
    with begun(request.param, monkeypatch) as made:
        yield made


def told(course: Course) -> tuple[Ends, str]:
    """How a run ends, and its sentences."""
    try:
        decision = course.run().outcome.decision
    except (KubeError, StepError) as error:
        return Ends.STOPPED, f"{error} {error.remedy}"
    assert decision.violations == ()
    said = " ".join(decision.waiting)
    if decision.done:
        return Ends.HEEDLESS, said
    return (Ends.FAILED if "The next request goes out on" in said else Ends.WAITING), said


@pytest.mark.parametrize(
    ("course", "cell"),
    list(chain.from_iterable(_cells(number, row) for number, row in enumerate([*FAULTS, *STATUSES]))),
    indirect=["course"],
)
def test_a_fault_of_an_issuer_is_reported_harms_no_process_and_heals(course: Course, cell: Cell) -> None:
    cluster, issuer = course.cluster, course.issuer
    before, old = {name: cluster.secret(name) for name in LEAVES}, cluster.current
    cell.begins(course)
    ends, said = told(course)
    if ends is Ends.WAITING and (cell.ends is not ends or not all(part in said for part in cell.said)):
        # The issuer's people have not looked yet.
        issuer.work()
        ends, said = told(course)
    assert ends is cell.ends, said
    for part in cell.said:
        assert part in said
    if ends is not Ends.HEEDLESS:
        assert cell.late or ({name: cluster.secret(name) for name in LEAVES}, cluster.current) == (before, old)
        assert not cluster.paused
        cell.cured(course)
    if ends is Ends.FAILED:
        # The issuer is not asked before it is time.
        asked = len(issuer.signing.requests)
        assert told(course) == (ends, said)
        assert len(issuer.signing.requests) == asked
        cluster.memory.seconds += A_WHILE
    course.finish()
    assert_only(cluster, course.supplied.fingerprint)
    assert (issuing_secrets(cluster), issuer.left(), cluster.issued_by_operator) == ([], [], [])


@pytest.mark.parametrize("row", [*FAULTS, *STATUSES], ids=lambda row: row.name)
def test_each_row_has_an_issuer_that_can_do_it_and_reasons_for_the_others(row: Fault) -> None:
    cells = [cell for _kind, cell in row]
    assert any(isinstance(cell, Cell) for cell in cells)
    assert all(cell.why for cell in cells if isinstance(cell, NotPossible))
