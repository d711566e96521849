# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a new CA is wanted: a rerun continues or does nothing, and never starts over (I9, I10); and a CA in its time for renewal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count, permutations
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import (
    Target,
    due_rotation,
    leads_to_replacement,
    note_upkeep,
    resolve,
    rotation_of,
    why_answered,
    why_due,
    why_not_made_here,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    NO_FLOW_OPTIONS,
    CaSource,
    FlowOptions,
    Ledger,
    RemovedEntry,
    Stop,
    Upkeep,
    UpkeepOptions,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    Reconciliation,
    Snapshot,
)

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent
from .. import unlinked as stage
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, SHORT, THIRD, chain_of, name_of
from ..builders import cluster, prepared, secrets
from ..ledgers import a_journal, entry, ledger
from ..requested import elsewhere

BELOW = chain_of(INTERMEDIATE, ROOT)
ROTATING = [Goal.RENEW, Goal.REPLACE_KEY]
FIRST = cluster(ca=secrets(None), ledger=None, pods=(), leaves=())


def target(snapshot: Snapshot, goal: Goal = Goal.REPLACE_KEY, named: str | None = None, **fields: Any) -> Target:
    intent = an_intent(goal, replaces=named, **fields)
    return resolve(snapshot, intent, snapshot.ledger or Ledger())


def sha1(authority: Entity) -> str:
    return name_of(authority)


def sha256(authority: Entity) -> str:
    return authority.certificate.sha256


def colons(authority: Entity) -> str:
    """As ``openssl x509 -fingerprint`` prints it."""
    digits = sha256(authority).upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


WAYS_TO_NAME = pytest.mark.parametrize("named", [sha1, sha256, colons])


@pytest.mark.parametrize("goal", ROTATING)
def test_without_a_name_the_ca_in_use_is_meant(goal: Goal) -> None:
    assert target(stage.SETTLED, goal) == Target(True, replaces=name_of(OLD))


def test_of_a_chain_the_ca_that_issues_is_meant() -> None:
    below = cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)), ledger=ledger(entry(chain_of(INTERMEDIATE, ROOT))))
    assert target(below) == Target(True, replaces=name_of(INTERMEDIATE))
    assert not target(below, named=name_of(ROOT)).needs_new_ca


@WAYS_TO_NAME
@pytest.mark.parametrize("goal", ROTATING)
def test_the_ca_in_use_by_name(goal: Goal, named: Callable[[Entity], str]) -> None:
    found = target(stage.SETTLED, goal, named(OLD))
    assert found == Target(True, replaces=name_of(OLD))


@WAYS_TO_NAME
@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(stage.FINISHED, id="the last flow replaced it"),
        pytest.param(
            replace(
                stage.FINISHED, ledger=ledger(entry(NEW), removed_cas=(RemovedEntry(OLD.certificate, frozenset()),))
            ),
            id="it was removed",
        ),
        pytest.param(
            replace(stage.FINISHED, ledger=ledger(entry(NEW), entry(OLD))), id="it is trusted, and another is in use"
        ),
    ],
)
def test_a_ca_that_is_not_in_use_any_more_needs_no_replacement(
    snapshot: Snapshot, named: Callable[[Entity], str]
) -> None:
    found = target(snapshot, named=named(OLD))
    assert (found.needs_new_ca, found.is_unknown) == (False, False)


@WAYS_TO_NAME
@pytest.mark.parametrize("snapshot", [stage.SETTLED, stage.FINISHED, cluster(ledger=None)])
def test_a_ca_that_this_cluster_never_had_is_unknown(snapshot: Snapshot, named: Callable[[Entity], str]) -> None:
    found = target(snapshot, named=named(THIRD))
    assert (found.needs_new_ca, found.is_unknown) == (False, True)


def test_a_part_of_a_fingerprint_is_no_name() -> None:
    assert target(stage.SETTLED, named=name_of(OLD)[:16]).is_unknown


def test_a_call_may_name_the_successor_to_replace_it_next() -> None:
    assert target(stage.FINISHED, named=name_of(NEW)) == Target(True, replaces=name_of(NEW))


@pytest.mark.parametrize("goal", [Goal.CREATE, *ROTATING])
@pytest.mark.parametrize("named", [None, name_of(OLD), name_of(NEW), name_of(THIRD)])
@pytest.mark.parametrize("step", ["ENROLLED", "TRUSTED", "SWITCHED", "PHASED_OUT", "REMOVED"])
def test_a_flow_in_flight_is_continued_whatever_is_asked_for(step: str, named: str | None, goal: Goal) -> None:
    assert target(stage.STAGES[step], goal, named) == Target(False, replaces=name_of(OLD))


def test_a_ca_that_is_prepared_and_not_yet_in_the_books_is_a_flow_in_flight() -> None:
    """The run that made it ended before the ledger was written."""
    assert target(stage.PREPARED) == Target(False, replaces=name_of(OLD))
    assert target(replace(FIRST, ca=secrets(None, prepared=(prepared(NEW),))), Goal.CREATE) == Target(False)


DONE = stage.FINISHED


def finished(ago: timedelta, goal: Goal = Goal.REPLACE_KEY) -> Snapshot:
    return replace(DONE, ledger=ledger(entry(NEW), journal=a_journal(goal, finished_at=NOW - ago)))


@pytest.mark.parametrize(
    ("ago", "fresh_for", "wanted"),
    [
        (HOUR, DAY, False),
        (DAY - timedelta(seconds=1), DAY, False),
        (DAY, DAY, True),
        (2 * DAY, DAY, True),
        (timedelta(0), timedelta(0), True),
        (2 * DAY, 3 * DAY, False),
    ],
)
def test_a_rerun_without_a_name_is_answered_by_a_fresh_flow(ago: timedelta, fresh_for: timedelta, wanted: bool) -> None:
    expected = Target(True, replaces=name_of(NEW)) if wanted else Target(False, replaces=name_of(OLD))
    assert target(finished(ago), fresh_for=fresh_for) == expected


def test_a_finished_flow_answers_the_same_goal_for_a_day_by_default() -> None:
    assert not target(finished(DAY - HOUR)).needs_new_ca
    assert target(finished(DAY)).needs_new_ca


@pytest.mark.parametrize(("done", "goal"), [*permutations(ROTATING)])
def test_a_fresh_flow_with_another_goal_is_no_answer(done: Goal, goal: Goal) -> None:
    assert target(finished(HOUR, done), goal) == Target(True, replaces=name_of(NEW))


def test_a_name_counts_more_than_freshness() -> None:
    assert target(finished(HOUR), named=name_of(NEW)).needs_new_ca


@pytest.mark.parametrize("goal", ROTATING)
@pytest.mark.parametrize(
    ("snapshot", "replaces"),
    [
        pytest.param(finished(HOUR), name_of(OLD), id="put there by the last flow"),
        pytest.param(finished(2 * DAY), name_of(OLD), id="put there by a flow of long ago"),
        pytest.param(cluster(ca=secrets(NEW), ledger=ledger(entry(NEW))), None, id="always there"),
    ],
)
def test_a_supplied_ca_that_is_in_use_is_wanted_no_more(snapshot: Snapshot, replaces: str | None, goal: Goal) -> None:
    assert target(snapshot, goal, supplied=prepared(NEW)) == Target(False, replaces=replaces)


@pytest.mark.parametrize(("current", "other"), [*permutations((OLD, NEW))])
def test_the_last_flow_with_another_successor_is_no_answer(current: Entity, other: Entity) -> None:
    books = ledger(entry(current), journal=a_journal(old=THIRD, new=other, finished_at=NOW - HOUR))
    snapshot = cluster(ca=secrets(current), ledger=books)
    assert target(snapshot, supplied=prepared(current)) == Target(False, replaces=None)


@pytest.mark.parametrize("goal", ROTATING)
def test_another_supplied_ca_is_wanted_however_fresh_the_last_flow_is(goal: Goal) -> None:
    for supplied in (THIRD, OLD, ROOT, INTERMEDIATE):
        assert target(finished(HOUR, goal), goal, supplied=prepared(supplied)) == Target(True, replaces=name_of(NEW))


def test_a_name_counts_more_than_a_supplied_ca() -> None:
    """The rerun of a playbook from before the latest replacement brings nothing back."""
    assert not target(finished(HOUR), named=name_of(OLD), supplied=prepared(THIRD)).needs_new_ca


@pytest.mark.parametrize("goal", [Goal.UPGRADE, Goal.DOWNGRADE, Goal.RECONCILE])
@pytest.mark.parametrize("named", [None, name_of(OLD), name_of(THIRD)])
def test_goals_without_a_rotation_want_no_ca(goal: Goal, named: str | None) -> None:
    assert target(stage.SETTLED, goal, named) == Target(False)


def test_create_makes_the_first_ca_and_no_second() -> None:
    assert target(FIRST, Goal.CREATE) == Target(True)
    assert target(stage.SETTLED, Goal.CREATE) == Target(False)


@pytest.mark.parametrize("goal", ROTATING)
def test_where_there_is_no_ca_there_is_nothing_to_replace(goal: Goal) -> None:
    assert target(FIRST, goal) == Target(False)


def test_the_renewal_is_another_ca_than_the_renewed() -> None:
    renewed = replace(
        DONE, ca=secrets(RENEWED), ledger=ledger(entry(RENEWED), journal=a_journal(Goal.RENEW, OLD, RENEWED))
    )
    done = replace(
        renewed, ledger=replace(renewed.ledger_or_empty, journal=a_journal(Goal.RENEW, OLD, RENEWED, finished_at=NOW))
    )
    assert target(done, Goal.RENEW, name_of(OLD)) == Target(False, replaces=name_of(OLD))
    assert target(done, Goal.RENEW, name_of(RENEWED)) == Target(True, replaces=name_of(RENEWED))


# A renewal is no replacement of the key. -------------------------------------------------------------------------------

LAST = a_journal(Goal.RENEW, OLD, RENEWED, finished_at=NOW - HOUR)


def after_renewal(**journal: Any) -> Snapshot:
    return cluster(
        ca=secrets(RENEWED), ledger=ledger(entry(RENEWED, generations={1}), journal=replace(LAST, **journal))
    )


@WAYS_TO_NAME
def test_an_earlier_certificate_of_a_renewed_ca_names_that_ca_for_a_new_key(named: Callable[[Entity], str]) -> None:
    assert target(after_renewal(), named=named(OLD)) == Target(True, replaces=named(OLD))
    assert target(after_renewal(), Goal.RENEW, named(OLD)) == Target(False, replaces=named(OLD))


@WAYS_TO_NAME
def test_a_named_certificate_whose_key_was_replaced_needs_no_flow(named: Callable[[Entity], str]) -> None:
    earlier = frozenset({name_of(OLD), OLD.certificate.sha256})
    journal = a_journal(Goal.REPLACE_KEY, RENEWED, NEW, finished_at=NOW - HOUR, earlier_fingerprints=earlier)
    done = cluster(ca=secrets(NEW), ledger=ledger(entry(NEW, generations={2}), journal=journal))
    assert target(done, named=named(OLD)) == Target(False, replaces=named(OLD))


@pytest.mark.parametrize(
    ("fields", "intent", "wanted"),
    [
        pytest.param({}, {"raise_path_length": True}, True, id="adopted"),
        pytest.param({}, {}, False, id="the intent does not ask for it"),
        pytest.param({"ledger": None}, {"raise_path_length": True}, False, id="not adopted yet"),
        pytest.param(
            {"reconciliation": Reconciliation(generated=True)}, {"raise_path_length": True}, False, id="the operator's"
        ),
        pytest.param({}, {"raise_path_length": True, "adopts": name_of(NEW)}, False, id="another one is adopted first"),
        pytest.param(
            {"ca": secrets(SHORT, prepared=(prepared(NEW),))}, {"raise_path_length": True}, False, id="one is prepared"
        ),
        pytest.param({"ca": secrets(OLD)}, {"raise_path_length": True}, False, id="it has room"),
        pytest.param({"ca": secrets(SHORT, key=None)}, {"raise_path_length": True}, False, id="its key is lost"),
        pytest.param({"users": CaUsers()}, {"raise_path_length": True}, False, id="its leaves carry no chain"),
    ],
)
def test_an_adopted_ca_is_renewed_for_room(fields: dict[str, Any], intent: dict[str, Any], wanted: bool) -> None:
    snapshot = cluster(**{"ca": secrets(SHORT), "ledger": ledger(entry(SHORT, generations={0})), **fields})
    assert target(snapshot, Goal.UPGRADE, **intent) == Target(wanted)


def renewing(**journal: Any) -> Snapshot:
    begun = replace(LAST, finished_at=None, **journal)
    return cluster(
        ca=secrets(OLD, prepared=(prepared(RENEWED),)), ledger=ledger(entry(OLD, generations={0}), journal=begun)
    )


#: The only CA that is wanted.
WISH = CaSource("ConfigMap kafka/roots, entry ca.crt", (NEW.certificate,))


@pytest.mark.parametrize(
    ("snapshot", "goal", "leads_on"),
    [
        pytest.param(renewing(), Goal.REPLACE_KEY, True, id="a renewal, and another key is wanted"),
        *(
            pytest.param(renewing(), goal, False, id=f"a renewal, and nothing else is wanted: {goal.value}")
            for goal in Goal if goal is not Goal.REPLACE_KEY
        ),
        pytest.param(renewing(is_abort=True), Goal.REPLACE_KEY, False, id="it is undone"),
        pytest.param(renewing(goal=Goal.REPLACE_KEY), Goal.REPLACE_KEY, False, id="the replacement itself"),
        pytest.param(after_renewal(), Goal.REPLACE_KEY, False, id="it has finished"),
        pytest.param(replace(renewing(), source=WISH), Goal.RECONCILE, True, id="the source wants another key"),
        pytest.param(replace(renewing(), source=WISH), Goal.RENEW, False, id="the source is not asked"),
        pytest.param(
            replace(renewing(), source=replace(WISH, certificates=(RENEWED.certificate,))), Goal.RECONCILE, False,
            id="the source wants the renewal alone",
        ),
        pytest.param(
            replace(renewing(), ca=secrets(BELOW), source=replace(WISH, certificates=BELOW)), Goal.RECONCILE, False, id="it has the CA in use and its root"
        ),
        pytest.param(replace(renewing(), source=replace(WISH, problem="is empty.")), Goal.RECONCILE, False, id="no source"),
    ],
)  # fmt: skip
def test_when_a_renewal_is_the_first_part_of_a_replacement(snapshot: Snapshot, goal: Goal, leads_on: bool) -> None:
    intent = an_intent(goal, confirmed_roots=frozenset({NEW.certificate.sha256}))
    assert leads_to_replacement(snapshot, intent, snapshot.ledger_or_empty) is leads_on


@pytest.mark.parametrize("sorts_behind", [False, True])
def test_digests_of_keys_have_no_order_that_means_anything(sorts_behind: bool) -> None:
    digest = OLD.certificate.public_key_sha256
    others = (make("wanted", key(number), path_length=1).certificate for number in count(100))
    wanted = next(one for one in others if (one.public_key_sha256 > digest) is sorts_behind)
    snapshot = replace(renewing(), source=replace(WISH, certificates=(wanted,)))
    intent = an_intent(Goal.RECONCILE, confirmed_roots=frozenset({wanted.sha256}))
    assert leads_to_replacement(snapshot, intent, snapshot.ledger_or_empty)


def test_a_ca_of_the_source_replaces_the_ca_that_issues() -> None:
    below = cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)), source=WISH)
    target = resolve(
        below, an_intent(Goal.RECONCILE, confirmed_roots=frozenset({NEW.certificate.sha256})), below.ledger_or_empty
    )
    assert (target.needs_new_ca, target.replaces) == (True, name_of(INTERMEDIATE))


def answered(snapshot: Snapshot, goal: Goal = Goal.REPLACE_KEY, **fields: Any) -> str:
    return why_answered(snapshot, an_intent(goal, **fields), snapshot.ledger or Ledger())


def test_a_fresh_flow_is_told_as_the_answer(golden: GoldenFiles) -> None:
    sentences = []
    for minutes in (-5, 0, 12, 119, 120, 1439):
        ended = a_journal(started_at=NOW - DAY * 2, finished_at=NOW - timedelta(minutes=minutes))
        sentences.append(answered(cluster(ledger=ledger(journal=ended)), fresh_for=timedelta(hours=24.5)))
    assert all(OLD.certificate.sha256 in sentence for sentence in sentences)
    golden.compare_said("stops_in_rules", "\n".join(sentences))


def test_a_ca_that_is_named_and_in_use_no_longer(golden: GoldenFiles) -> None:
    ended = a_journal(replaces=name_of(THIRD), finished_at=NOW - DAY)
    for supplied in (None, NEW, ROOT, INTERMEDIATE):
        given = prepared(supplied) if supplied else None
        sentence = answered(cluster(ledger=ledger(journal=ended)), replaces=name_of(THIRD), supplied=given)
        golden.compare_said("stops_in_rules", sentence)


ANSWERED = cluster(ledger=ledger(journal=a_journal(finished_at=NOW - HOUR)))


@pytest.mark.parametrize(
    "asked", [{}, {"replaces": name_of(THIRD)}, {"supplied": prepared(OLD)}], ids=["", "a CA is named", "a CA is given"]
)
@pytest.mark.parametrize(
    ("snapshot", "goal"),
    [
        *((ANSWERED, goal) for goal in Goal if goal not in ROTATING),
        (cluster(ledger=ledger(journal=a_journal())), Goal.REPLACE_KEY),
        (replace(ANSWERED, ca=secrets(prepared=(prepared(NEW),))), Goal.REPLACE_KEY),
        (replace(ANSWERED, source=CaSource("ConfigMap kafka/roots, entry ca.crt")), Goal.REPLACE_KEY),
        (FIRST, Goal.REPLACE_KEY),
    ],
)
def test_no_answer_is_told_where_no_flow_is_asked_for_or_a_flow_is_begun(
    snapshot: Snapshot, goal: Goal, asked: dict[str, Any]
) -> None:
    assert answered(snapshot, goal, **asked) == ""


@pytest.mark.parametrize(
    ("snapshot", "asked"),
    [
        (cluster(ledger=ledger()), {}),
        (finished(DAY), {}),
        (ANSWERED, {"replaces": name_of(OLD)}),
        (ANSWERED, {"supplied": prepared(NEW)}),
    ],
)
def test_no_answer_is_told_where_the_flow_begins(snapshot: Snapshot, asked: dict[str, Any]) -> None:
    assert answered(snapshot, **asked) == ""


# A CA in its time for renewal, and the record of what is done with it then.

KEPT = an_intent(Goal.RECONCILE, upkeep=UpkeepOptions())
REPLACING = an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(WhenDue.REPLACE_KEY))
RENEWED_FIRST = {
    "goal": Goal.RENEW,
    "is_upkeep": True,
    "options": FlowOptions(precedes_replacement=True),
    "finished_at": NOW - HOUR,
}


def ends_in(days: float, life: timedelta = YEAR) -> Entity:
    end = NOW + timedelta(days=days)
    return make("cluster-ca v0", key(0), path_length=1, begin=end - life, end=end)


def using(authority: Entity, **fields: object) -> Snapshot:
    return cluster(**{"ca": secrets(authority), "ledger": ledger(entry(authority, generations={0})), **fields})


ENDING = ends_in(36)


#: Half of its life is less than the window.
BRIEF = ends_in(25, timedelta(days=40))
REPLACED = Reconciliation(replaces_key=True)


def half_replaced(**fields: Any) -> Snapshot:
    """The last flow has renewed the CA in use, so that its key can be replaced."""
    journal = a_journal(new=OLD, old=None, **{**RENEWED_FIRST, **fields})
    return using(OLD, ledger=ledger(entry(OLD, generations={0}), journal=journal))


HALF = half_replaced()
SOURCE = CaSource("ConfigMap pki/roots", chain_of(ENDING))


@pytest.mark.parametrize(
    ("snapshot", "intent", "begins"),
    [
        (using(ENDING), KEPT, Goal.RENEW),
        (using(ends_in(38)), KEPT, None),
        (using(ENDING, ca=secrets(chain_of(ENDING, ROOT))), KEPT, Goal.RENEW),
        (using(BRIEF), KEPT, None),
        (using(ends_in(19, timedelta(days=40))), KEPT, Goal.RENEW),
        (using(ENDING, renewal_window=20 * DAY), KEPT, None),
        (using(ends_in(89)), an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(window=90 * DAY)), Goal.RENEW),
        (using(ENDING, reconciliation=REPLACED), KEPT, Goal.REPLACE_KEY),
        (using(ENDING), REPLACING, Goal.REPLACE_KEY),
        (using(ENDING), an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(WhenDue.NONE)), None),
        (using(ENDING), Intent(Goal.RECONCILE), None),
        (using(ENDING), an_intent(Goal.ABORT, upkeep=UpkeepOptions()), None),
        (using(ENDING, ca=secrets(ENDING, prepared=(prepared(NEW),))), KEPT, None),
        (using(ENDING, ledger=ledger(entry(ENDING), journal=a_journal(old=ENDING))), KEPT, None),
        (elsewhere(using(ENDING), ENDING), KEPT, None),
        (using(ENDING, source=SOURCE), KEPT, None),
        (using(ENDING, ca=secrets(chain_of(INTERMEDIATE, ROOT)), now=NOW + YEAR - DAY), KEPT, None),
        (cluster(ca=secrets(None)), KEPT, None),
        # The renewal before a replacement has put the end off.
        (HALF, REPLACING, Goal.REPLACE_KEY),
        (HALF, KEPT, None),
        *(
            (half_replaced(**other), REPLACING, None)
            for other in ({"is_upkeep": False}, {"options": NO_FLOW_OPTIONS}, {"is_abort": True}, {"successor": "0" * 40}, {"successor": "f" * 40})
        ),
        (using(OLD), REPLACING, None),
    ],
)  # fmt: skip
def test_upkeep_begins_a_flow_only_in_the_renewal_window_of_the_ca(
    snapshot: Snapshot, intent: Intent, begins: Goal | None
) -> None:
    found = resolve(snapshot, intent, snapshot.ledger_or_empty)
    assert found.needs_new_ca is (begins is not None)
    if begins is not None:
        assert found.replaces == snapshot.ca.current[0].fingerprint
        assert rotation_of(snapshot, intent, snapshot.ledger_or_empty) is begins


def test_why_another_has_to_make_the_successor_of_a_ca(golden: GoldenFiles) -> None:
    assert why_not_made_here(cluster()) == why_not_made_here(cluster(ca=secrets(None))) == ""
    by_others = [
        cluster(ca=secrets(BELOW)),
        elsewhere(cluster(ca=secrets(BELOW)), INTERMEDIATE),
        cluster(ca=secrets(BELOW), source=SOURCE),
    ]
    golden.compare_said("stops_in_rules", "\n".join(map(why_not_made_here, by_others)))


def test_a_ca_that_is_given_and_in_use(golden: GoldenFiles) -> None:
    given, using_it = prepared(INTERMEDIATE), cluster(ca=secrets(BELOW), ledger=ledger(entry(BELOW)))
    golden.compare_said("stops_in_rules", answered(using_it, supplied=given))


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        (using(ENDING), "ends on 2026-07-07; its time for renewal began on 2026-05-31."),
        (using(ends_in(19, timedelta(days=40))), "ends on 2026-06-20; its time for renewal began on 2026-05-31."),
        (HALF, "was renewed so that its key can be replaced."),
    ],
)
def test_the_reason_for_a_flow_that_upkeep_begins(snapshot: Snapshot, told: str) -> None:
    (current,) = snapshot.ca.current
    reason = why_due(current, snapshot, REPLACING.parameters.upkeep or UpkeepOptions())
    assert reason == f"{current.subject} ({current.sha256[:12]}) {told}"


@pytest.mark.parametrize(
    ("intent", "journal", "leads"),
    [
        (REPLACING, {}, True),
        (KEPT, {}, False),
        (Intent(Goal.RECONCILE), {}, False),
        (REPLACING, {"is_upkeep": False}, False),
        (REPLACING, {"options": NO_FLOW_OPTIONS}, False),
    ],
)
def test_a_renewal_leads_to_the_replacement_that_upkeep_began(
    intent: Intent, journal: dict[str, object], leads: bool
) -> None:
    begun = a_journal(new=OLD, old=None, **{**RENEWED_FIRST, "finished_at": None, **journal})
    books = ledger(entry(OLD, generations={0}), journal=begun)
    assert leads_to_replacement(using(OLD, ledger=books), intent, books) is leads
    assert due_rotation(using(OLD, ledger=books), intent, books) is None


@pytest.mark.parametrize(
    ("before", "intent", "after"),
    [
        (None, KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), REPLACING, Upkeep(WhenDue.REPLACE_KEY, 37 * DAY, NOW)),
        (Upkeep(WhenDue.REPLACE_KEY, 37 * DAY, NOW - DAY), KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW)),
        (Upkeep(WhenDue.RENEW, 38 * DAY, NOW - DAY), KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), Intent(Goal.RECONCILE), Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(WhenDue.NONE)), None),
    ],
)  # fmt: skip
def test_the_ledger_records_the_last_word(before: Upkeep | None, intent: Intent, after: Upkeep | None) -> None:
    books = ledger(entry(OLD, generations={0}), upkeep=before)
    assert note_upkeep(using(OLD, ledger=books), intent, books).upkeep == after


def test_upkeep_begins_no_flow_while_a_flow_stops_for_an_approval() -> None:
    """The schedule does not lead a stopped flow on."""
    stopped = a_journal(old=ENDING, is_upkeep=True, options=FlowOptions(stop=Stop(Phase.TRUST, NOW - DAY)))
    books = ledger(entry(ENDING, generations={0}), journal=stopped)
    assert not resolve(using(ENDING, ledger=books), KEPT, books).needs_new_ca
