# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A waiver is valid from now to its end, and never for longer than a rotation takes; the forms of a pause, and the names of a Secret."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    LONGEST_WAIVER,
    NamedSecret,
    ReissuePause,
    Renewal,
    Waiver,
    is_of_a_ca,
    waived_as,
)

from ....tools.support.certificates import HOUR, NOW
from ..authorities import NEW, OLD, name_of
from ..of_users import presenter


@pytest.mark.parametrize(
    ("until", "holds"),
    [
        (NOW - HOUR, False),
        (NOW, False),
        (NOW + HOUR, True),
        (NOW + LONGEST_WAIVER, True),
        (NOW + LONGEST_WAIVER + HOUR, False),
    ],
)
def test_a_waiver_holds_until_its_end(until: datetime, holds: bool) -> None:
    assert Waiver("Secret kafka/app", until, "moves in week 51").is_valid_at(NOW) is holds


@given(st.timedeltas(-2 * LONGEST_WAIVER, 2 * LONGEST_WAIVER), st.timedeltas(timedelta(0), LONGEST_WAIVER))
def test_a_waiver_that_has_ended_never_holds_again(ahead: timedelta, later: timedelta) -> None:
    waiver = Waiver("Secret kafka/app", NOW + ahead, "moves in week 51")
    if ahead <= timedelta(0):
        assert not waiver.is_valid_at(NOW + later)


def test_a_pause_lasts_until_it_is_over() -> None:
    assert {pause for pause in ReissuePause if not pause.lasts} == {ReissuePause.NONE, ReissuePause.ENDED}
    assert {pause for pause in ReissuePause if pause.is_ours} == {ReissuePause.ASKED, ReissuePause.OURS}


@pytest.mark.parametrize(
    ("entry", "text", "label"),
    [
        (None, "apps/copy", "Secret apps/copy"),
        ("tls.crt", "apps/copy:tls.crt", "Secret apps/copy entry tls.crt"),
    ],
)
def test_a_named_secret_has_a_name_as_it_was_given_and_a_name_for_messages(
    entry: str | None, text: str, label: str
) -> None:
    named = NamedSecret("apps", "copy", entry)
    assert (named.key, named.text, named.label) == (("apps", "copy"), text, label)


def test_a_waiver_of_a_ca_has_its_whole_digest() -> None:
    name = waived_as(OLD.certificate)
    assert name == f"CA {OLD.certificate.sha256}"
    assert is_of_a_ca(name)
    assert not any(map(is_of_a_ca, (name[:-1], f"{name}0", f"a {name}", "Secret kafka/app")))


@pytest.mark.parametrize(
    ("fields", "replaced", "is_behind"),
    [
        ({}, name_of(OLD), True),
        ({}, name_of(NEW), False),
        ({}, None, False),
        ({"authorities": None}, name_of(NEW), True),
        ({"pause": ReissuePause.OURS}, name_of(OLD), True),
        ({"pause": ReissuePause.FOREIGN}, name_of(OLD), False),
        ({"renewal": Renewal.BY_HAND}, name_of(OLD), False),
    ],
)
def test_an_operator_has_to_replace_what_the_replaced_ca_may_have_issued(
    fields: dict[str, Any], replaced: str | None, is_behind: bool
) -> None:
    assert presenter(**{"renewal": Renewal.FOLLOWED, **fields}).is_behind(replaced) is is_behind
