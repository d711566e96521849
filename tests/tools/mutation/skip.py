"""A filter for Cosmic Ray: leaves out mutants that say nothing about the tests.

It runs in Cosmic Ray's own environment, as a program and not as a part of this package: ``python skip.py SESSION``.
"""

from __future__ import annotations

from argparse import Namespace

from cosmic_ray.tools.filters.filter_app import FilterApp
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkResult
from spans import annotations, text_of

#: ``is`` stands only beside None, booleans and members of enums: ``==`` says the same of them.
_SAME = ("Is_Eq", "IsNot_NotEq")
#: The other way round it is chance which equal values are one object: in these tests most, in the flows, where they are
#: read from Secrets, none.
_CHANCE = ("Eq_Is", "NotEq_IsNot")
#: No programmer puts members of an enum in an order by mistake, and which come first follows from the letters of their texts.
#: Whether a test knows the comparison is told by the mutant that turns it round, ``is`` to ``is not``.
_BY_LETTERS = tuple(f"{operator}_{order}" for operator in ("Is", "IsNot") for order in ("Lt", "LtE", "Gt", "GtE"))
_LEFT_OUT = frozenset(f"core/ReplaceComparisonOperator_{name}" for name in (*_SAME, *_CHANCE, *_BY_LETTERS))


class Skip(FilterApp):
    """Marks them as skipped in the session."""

    def description(self) -> str:
        return "Leave out mutants that say nothing about the tests."

    def filter(self, work_db: WorkDB, args: Namespace) -> None:
        for item in list(work_db.pending_work_items):
            if any(_says_nothing(mutation) or _cannot_be_made(mutation) for mutation in item.mutations):
                skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="says nothing")
                work_db.set_result(item.job_id, skipped)


def _says_nothing(mutation: MutationSpec) -> bool:
    if mutation.operator_name in _LEFT_OUT:
        return True
    begin, end = tuple(mutation.start_pos), tuple(mutation.end_pos)
    return any(first <= begin and end <= last for first, last in annotations(mutation.module_path.read_text()))


def _cannot_be_made(mutation: MutationSpec) -> bool:
    """Cosmic Ray gives up at exceptions that are named with their module, as ``x509.DuplicateExtension``."""
    span = tuple(mutation.start_pos), tuple(mutation.end_pos)
    return mutation.operator_name == "core/ExceptionReplacer" and "." in text_of(
        mutation.module_path.read_text(), *span
    )


if __name__ == "__main__":
    Skip().main()
