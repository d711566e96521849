# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The outcome of ``decide``: steps, transitions, and violations.

A step is a plain value that describes itself; other layers carry it out. The steps themselves are in ``steps/``. A
violation names an unmet condition, the object, the cause and the remedy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

from ..._errors import ConditionUnmet
from ..._leaves.trigger import Due
from .folding import describe_way_out
from .goals import Phase
from .ledger import Stop, TrustState, Usage

if TYPE_CHECKING:
    from ..._pki.certificates import Certificate, Chain
    from .authority_order import AuthorityOrder
    from .snapshot import PreparedAuthority, Snapshot


class Look(Enum):
    """Whether a call asks running nodes before a step."""

    #: The call does not ask them.
    NONE = 0
    #: The call asks them, and their earlier answers in this call count as well.
    REMEMBERED = 1
    #: The call asks them now.
    FRESH = 2


def look_at_gate(snapshot: Snapshot) -> Look:
    """The look before a step behind a gate. If a node has shown an ended certificate, earlier answers count as well:
    programs refuse it until it has restarted, and no look delays the restart.
    """
    if not snapshot.nodes.pods:
        return Look.NONE
    return Look.REMEMBERED if snapshot.shows_ended else Look.FRESH


class StandIn(Protocol):
    """Makes certificates for a forecast, so the gates can validate them. They are not stored."""

    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        """The CA that a step with this order would make."""

    def leaf(self, issuer: Chain) -> Certificate:
        """A leaf of a CA of this cluster, or of a CA made by ``authority``."""


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """A step of a flow: the work of one call of the engine."""

    #: The phase of the step.
    phase: Phase
    #: Why this is done and not something else that a reader may expect, as a sentence; empty if there was no choice.
    because: str = ""
    #: Why nodes restart after it although they could read the change again, as a sentence; empty if they do not.
    avoidable_restart: str = ""
    #: Whether a call shows a line when it begins.
    is_announced: ClassVar[bool] = True
    #: Whether it only waits: if it is decided on again, nothing was done twice.
    only_waits: ClassVar[bool] = False
    #: Whether it only waits, for as long as others take: other runs may work meanwhile.
    releases_lease: ClassVar[bool] = False

    @abstractmethod
    def sentence(self) -> str:
        """The step in words, for people; it names CAs by subject and the start of their SHA-256."""

    @abstractmethod
    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """The next snapshot, when the operator does its part and every restart succeeds: for forecasts only."""

    def describe_as_left(self) -> str:
        """The step in words if a flow stops before it, as work for later."""
        return self.sentence()

    @property
    def awaited(self) -> str:
        """The object of the wait in a few words, for a line that repeats; empty if the step waits for nothing but its
        own work.
        """
        return ""

    def look(self, snapshot: Snapshot) -> Look:
        """Whether a call asks running nodes before this step."""
        return Look.NONE

    @property
    def changes_what_nodes_say(self) -> bool:
        """Whether running nodes may answer differently after it."""
        return False

    @property
    def restarts(self) -> frozenset[str]:
        """UIDs of the pods replaced by it."""
        return frozenset()


#: The steps of one rule; empty if it has nothing to do.
Steps: TypeAlias = tuple[Step, ...]


class Condition(str, Enum):
    """The conditions: one per precondition and one per gate. Results show the value as ``gate``."""

    CLOCKS_AGREE = "clocks_agree"
    CLUSTER_EXISTS = "cluster_exists"
    NOTHING_IS_IN_DELETION = "nothing_is_in_deletion"
    OPERATOR_IS_THERE = "operator_is_there"
    OPERATOR_IS_NEW_ENOUGH = "operator_is_new_enough"
    NOT_PAUSED_BY_OTHERS = "not_paused_by_others"
    OPERATOR_IS_WORKING = "operator_is_working"
    SECURITY_IS_KNOWN = "security_is_known"
    AUTHORITY_IS_NOT_FOREIGN = "authority_is_not_foreign"
    AUTHORITY_IS_USER_MANAGED = "authority_is_user_managed"
    PODS_ARE_LABELLED = "pods_are_labelled"
    NAMES_ARE_FREE = "names_are_free"
    SECRETS_ARE_LABELLED = "secrets_are_labelled"
    PODS_ARE_OWNED = "pods_are_owned"
    OPERATOR_HAS_FINISHED = "operator_has_finished"
    NO_LEFT_OVER_TRIGGER = "no_left_over_trigger"
    SECRETS_ARE_COMPLETE = "secrets_are_complete"
    LEDGER_IS_OURS = "ledger_is_ours"
    LEDGER_IS_OF_THE_PAST = "ledger_is_of_the_past"
    LEAVES_IN_USE_ARE_VALID = "leaves_in_use_are_valid"
    POOLS_ARE_OF_A_SIZE = "pools_are_of_a_size"
    SECRETS_CAN_BE_WRITTEN = "secrets_can_be_written"
    AUTHORITY_SECRETS_ARE_USABLE = "authority_secrets_are_usable"
    GENERATIONS_ARE_TOLD = "generations_are_told"
    KEY_MATCHES = "key_matches"
    CHAINS_ARE_IN_ORDER = "chains_are_in_order"
    AUTHORITY_IS_VALID_NOW = "authority_is_valid_now"
    AUTHORITY_IS_KNOWN = "authority_is_known"
    ADOPTED_IS_USABLE = "adopted_is_usable"
    CURRENT_IS_USABLE = "current_is_usable"
    KEYS_ARE_TOLD_APART = "keys_are_told_apart"
    GENERATION_IS_UNAMBIGUOUS = "generation_is_unambiguous"
    SOURCE_IS_USABLE = "source_is_usable"
    ROOTS_ARE_KNOWN = "roots_are_known"
    SUPPLIED_IS_USABLE = "supplied_is_usable"
    SUPPLIED_FITS_THE_GOAL = "supplied_fits_the_goal"
    RENEWAL_KEEPS_THE_KEY = "renewal_keeps_the_key"
    AUTHORITY_IS_AS_ASKED = "authority_is_as_asked"
    TRUSTING_IS_USABLE = "trusting_is_usable"
    AUTHORITIES_ARE_APART = "authorities_are_apart"
    LEAVES_OUTLAST_THE_WINDOW = "leaves_outlast_the_window"
    LINK_UNTIL_IS_AHEAD = "link_until_is_ahead"
    LEAVING_IS_UNUSED = "leaving_is_unused"
    NOT_STOPPED = "not_stopped"
    TARGET_IS_KNOWN = "target_is_known"
    FLOW_CAN_BE_UNDONE = "flow_can_be_undone"
    LEAVES_ARE_KNOWN = "leaves_are_known"
    POOL_IS_KNOWN = "pool_is_known"
    NOTHING_IS_BEGUN = "nothing_is_begun"
    OPERATOR_COULD_RENEW = "operator_could_renew"
    OPERATOR_KEEPS_AUTHORITY = "operator_keeps_authority"
    READY_TO_HAND_BACK = "ready_to_hand_back"
    WAIVERS_ARE_VALID = "waivers_are_valid"
    TRUSTED_MEET_POLICY = "trusted_meet_policy"
    VERIFIERS_ARE_KNOWN = "verifiers_are_known"
    USERS_HAVE_AN_ISSUER = "users_have_an_issuer"
    PRESENTERS_CAN_BE_ISSUED_TO = "presenters_can_be_issued_to"
    PRESENTERS_ARE_KNOWN = "presenters_are_known"
    PRESENTERS_ARE_SERVED = "presenters_are_served"
    CLUSTER_IS_SETTLED = "cluster_is_settled"
    AUTHORITY_MEETS_POLICY = "authority_meets_policy"
    LEAVES_MEET_POLICY = "leaves_meet_policy"
    NO_REBALANCE_IS_RUNNING = "no_rebalance_is_running"
    LEAVES_ARE_OURS = "leaves_are_ours"
    LEAVES_CAN_BE_RENEWED = "leaves_can_be_renewed"
    SECRETS_HAVE_ROOM = "secrets_have_room"
    EVIDENCE = "evidence"
    TRUST = "trust"
    REMOVAL = "removal"
    LEAVES_ARE_ISSUED = "leaves_are_issued"
    VERDICT = "verdict"
    IN_PLACE = "in_place"
    RENEWAL_COMES_IN_TIME = "renewal_comes_in_time"
    PLAN_IS_APPROVED = "plan_is_approved"
    # Conditions before each pass of a call.
    WRITES_LAST = "writes_last"
    FLOW_ADVANCES = "flow_advances"
    RESTARTS_ARE_PLANNED = "restarts_are_planned"
    # Conditions before restarts for a reason of the caller's own.
    NOT_PAUSED = "not_paused"
    FLOW_HAS_ENDED = "flow_has_ended"
    WINDOW_IS_OPEN = "window_is_open"
    # Conditions before the restart of a node by this collection itself.
    QUORUM = "quorum"
    AVAILABILITY = "availability"
    RETURN = "return"
    SOLITUDE = "solitude"
    KAFKA_ANSWERS = "kafka_answers"


@dataclass(frozen=True)
class Violation:
    """An unmet condition, as messages show it."""

    #: The unmet condition.
    condition: Condition
    #: The object of the condition.
    subject: str
    #: The cause, as a sentence about the object.
    message: str
    #: The remedy, as sentences.
    remedy: str
    #: The kind of the object, if the violation is that another program or person owns it; empty otherwise.
    kind: str = ""
    #: The command of the remedy, which names the object; empty if the remedy has none. Cause and remedy do not name the
    #: object, so that violations which say the same of many objects are one row.
    command: str = ""

    @property
    def holds(self) -> bool:
        """Whether it holds the flow. If not, the run fails because of it, after all of its other work."""
        return self.condition is not Condition.LEAVES_ARE_ISSUED

    def __str__(self) -> str:
        return f"{self.subject}: {self.message} {describe_way_out(self.as_result())}"

    def as_error(self) -> ConditionUnmet:
        """The error of a call that ends because of the violation, and has no decision to list it."""
        result = self.as_result()
        return ConditionUnmet(f"{self.subject}:", self.message, describe_way_out(result), result)

    def as_result(self) -> dict[str, str]:
        """The violation as results list it."""
        return {
            "gate": self.condition.value,
            "subject": self.subject,
            "message": self.message,
            "remedy": self.remedy,
            "command": self.command,
        }


@dataclass(frozen=True)
class Wait:
    """Why a rule with more work takes no step now."""

    #: The violations that hold the flow until they are gone.
    violations: tuple[Violation, ...] = ()
    #: The phase that these violations keep the flow from.
    phase: Phase = Phase.PREPARE
    #: Sentences about what the flow awaits from outside: it is not done before that has come.
    awaited: tuple[str, ...] = ()
    #: Sentences about the rest, for the time after this call: the flow is done for now.
    left_for_later: tuple[str, ...] = ()


#: The answer of a rule: steps, the reason why it waits, or an empty tuple if it has no work.
Turn: TypeAlias = Steps | Wait


def steps_of(turn: Turn) -> Steps:
    """The steps of a rule that does not wait."""
    return () if isinstance(turn, Wait) else turn


@dataclass(frozen=True)
class Transition:
    """A taken edge of one CA, with the evidence for it."""

    #: Fingerprint of the CA.
    fingerprint: str
    #: Subject of the CA, as RFC 4514 writes it.
    subject: str
    #: The state that the CA leaves; None if it enters the ledger.
    before: TrustState | None
    #: The state that the CA enters; None if it leaves the ledger.
    after: TrustState | None
    #: How many pods present a certificate of the CA.
    usage: Usage
    #: The facts behind the edge, as a sentence.
    evidence: str


@dataclass(frozen=True)
class Decision:
    """The next steps of a flow, or the reason why there are none."""

    #: The next steps, in order.
    steps: tuple[Step, ...] = ()
    #: The transitions of CAs in the record of the first step.
    transitions: tuple[Transition, ...] = ()
    #: The reasons that hold the flow. With them ``steps`` only ends pauses.
    violations: tuple[Violation, ...] = ()
    #: The steps after the last phase of the call, as sentences.
    pending: tuple[str, ...] = ()
    #: Sentences about what running processes still trust or present, if the flow waits for their next restart.
    waiting: tuple[str, ...] = ()
    #: Whether the flow has reached its goal, or the phase to stop after.
    done: bool = False
    #: The reasons why an issuer has to issue leaves, by their Secret.
    issue_reasons: Mapping[str, Due] = field(default_factory=dict)
    #: The stop of the flow in flight, if this call may not go beyond it.
    stop: Stop | None = None

    @property
    def is_held(self) -> bool:
        """Whether a violation holds the flow."""
        return any(violation.holds for violation in self.violations)
