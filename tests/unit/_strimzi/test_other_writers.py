# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other writers of an object: their names by what the API server notes, and the remedy for each."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import (
    Field,
    Writer,
    owners_of,
    remedy_for,
    writers_of,
)

CA: Field = ("data", "ca.crt")
NOTE: Field = ("metadata", "annotations", "note")


def noted(manager: str, *fields: Field, time: str = "2026-01-01T00:00:00Z", **more: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for field in fields:
        here = tree
        for part in field:
            here = here.setdefault(f"f:{part}", {})
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": tree, **more}


def managed(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "x", "managedFields": list(entries)}}


def managers(writers: tuple[Writer, ...]) -> list[str]:
    return [one.manager for one in writers]


@pytest.mark.parametrize(
    ("manager", "returns"),
    [
        ("argocd-controller", True),
        ("externalsecrets.external-secrets.io/x", True),
        ("kustomize-controller", True),
        ("helm", True),
        ("", True),
        ("kubectl", False),
        ("kubectl-client-side-apply", False),
        ("kubectlish", True),
        ("oc", False),
        ("ocm-agent", True),
        ("before-first-apply", False),
        ("kube-apiserver", False),
        ("strimzi-cluster-operator", False),
        ("strimzi-user-operator", False),
        ("trustops.strimzi", False),
    ],
)
def test_programs_that_may_write_again_are_told_from_others(manager: str, returns: bool) -> None:
    assert Writer(manager).returns is returns


def test_the_owner_of_a_field_has_written_it() -> None:
    found = managed(noted("argocd-controller", CA), noted("kubectl-edit", NOTE), noted("trustops.strimzi", NOTE))
    assert managers(writers_of(found, [CA])) == ["argocd-controller"]
    assert managers(owners_of(found, [("metadata", "annotations")])) == ["kubectl-edit"], "this collection is left out"


def test_of_several_the_last_comes_first() -> None:
    found = managed(noted("a", CA), noted("b", CA, time="2026-01-02T00:00:00Z"))
    assert list(map(str, writers_of(found, [CA]))) == [
        "b (Update, 2026-01-02T00:00:00Z)",
        "a (Update, 2026-01-01T00:00:00Z)",
    ]


def test_of_a_field_that_is_gone_a_program_is_suspected_before_a_person() -> None:
    found = managed(noted("kubectl-edit", ("data", "other")), noted("argocd-controller", ("spec", "x")))
    assert managers(writers_of(found, [CA])) == ["argocd-controller", "kubectl-edit"]


def test_writers_of_the_status_have_not_written_it() -> None:
    assert writers_of(managed(noted("someone", CA, subresource="status"))) == ()


@pytest.mark.parametrize("found", [None, {}, {"metadata": {}}, managed({})])
def test_where_nothing_is_noted_no_name_is_invented(found: dict[str, Any] | None) -> None:
    assert set(managers(writers_of(found, [CA]))) <= {""}


@pytest.mark.parametrize(
    ("manager", "said"),
    [
        ("argocd-controller", "ignoreDifferences"),
        ("externalsecrets.external-secrets.io/x", "creationPolicy"),
        ("kustomize-controller", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent"),
        ("kubernetes-replicator", "replicat"),
        ("something", "exclude the object"),
    ],
)
def test_each_has_its_remedy(manager: str, said: str) -> None:
    remedy = remedy_for([Writer(manager), Writer(manager)])
    assert said.lower() in remedy.lower()
    assert remedy.count("docs/other-writers.md") == 1
