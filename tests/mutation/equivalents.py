"""Mutants that no test can notice, each with the reason: they do what the code does.

A line that is changed leaves this list with its mutant: a run says what of the list is not so any more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Equivalent:
    """module: below ``plugins/module_utils``. before: the line, without its indentation. after: it as mutants have it."""

    module: str
    before: str
    after: tuple[str, ...]
    why: str


EQUIVALENTS: tuple[Equivalent, ...] = (
    Equivalent(
        "_trust/gates/validation.py",
        "@lru_cache(maxsize=4096)",
        ("", "@lru_cache(maxsize= 4097)", "@lru_cache(maxsize= 4095)"),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_trust/gates/verifiers.py",
        "kind=Verifier.GO if pod.component is Component.KAFKA_EXPORTER else Verifier.JVM,",
        ("kind=Verifier.GO if pod.component >= Component.KAFKA_EXPORTER else Verifier.JVM,",),
        "Members of this enum are texts, and none comes after this one.",
    ),
    Equivalent(
        "_trust/rules/retire.py",
        "if entry.state is not TrustState.PHASE_OUT or not at.snapshot.pods or entry.certificate == at.current:",
        ("if entry.state > TrustState.PHASE_OUT or not at.snapshot.pods or entry.certificate == at.current:",),
        "Members of this enum are texts, and all others come after this one.",
    ),
    Equivalent(
        "_trust/rules/retire.py",
        "restarted = waiting if nodes else waiting - nodes_of(at.snapshot, waiting)",
        ("restarted = waiting if nodes else waiting ^ nodes_of(at.snapshot, waiting)",),
        "The nodes among these pods are a part of them.",
    ),
    Equivalent(
        "_trust/rules/rewrite.py",
        "replacing = at.begun is not None and at.begun.goal is Goal.REPLACE_KEY",
        ("replacing = at.begun is not None and at.begun.goal >= Goal.REPLACE_KEY",),
        "A journal names create, renew or replace_key, and none of these texts comes after the last.",
    ),
)
