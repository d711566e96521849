# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Rows and tables of options (``tables``). A row says once what an option is. The argument spec, the facts of its
documentation, its limits, and the value with which the code decides or works are made from it. A default stands at the
field that the option fills, or in the row if it fills none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any, TypeVar

from .._errors import OptionsError

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Call:
    """The call whose options are read."""

    #: The name of the option that is read.
    option: str
    #: All options of the call, or all options beside the read option inside another option.
    options: Mapping[str, Any]
    #: The time of the call, UTC.
    now: datetime


@dataclass(frozen=True)
class Kind:
    """The kind of value that an option has: as Ansible takes it, and as the value that the code works with."""

    #: The facts for Ansible's argument spec: type, elements, choices, options inside the option.
    facts: Mapping[str, Any]
    #: The value that the option stands for. Raises OptionsError.
    read: Callable[[Any, Call], Any] = lambda value, call: value
    #: The text, number or list that stands for a default value; None if the option has no default then.
    spell: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True)
class Field:
    """The field that an option fills."""

    #: The dataclass with the field.
    part: type
    #: The name of the field.
    name: str

    @property
    def default(self) -> Any:
        """The default of the field; None if it has none."""
        return getattr(self.part, self.name, None)


@dataclass(frozen=True)
class Option:
    """A row of a table: an option."""

    #: The kind of its value.
    kind: Kind
    #: The field that it fills; None: its module reads it.
    fills: Field | None = None
    #: The value in a call that does not give it, if no field has a default. None means none.
    default: Any = None
    #: Whether each call has to give it.
    required: bool = False
    #: Whether Ansible hides its value; None: Ansible decides by its name.
    no_log: bool | None = None
    #: Other names of the option.
    aliases: tuple[str, ...] = ()
    #: The least number that it takes; None: no number is too small.
    least: int | None = None
    #: The greatest number that it takes; None: no number is too great.
    most: int | None = None

    @property
    def argument(self) -> dict[str, Any]:
        """The option in Ansible's ``argument_spec``."""
        value = self.fills.default if self.fills is not None and self.default is None else self.default
        facts = {
            "required": self.required or None,
            "default": self.kind.spell(value),
            "aliases": list(self.aliases) or None,
            "no_log": self.no_log,
        }
        return {**self.kind.facts, **{name: fact for name, fact in facts.items() if fact is not None}}

    def check_limits(self, name: str, value: Any) -> None:
        """Raises OptionsError if the value of the option, which has this name, breaks a limit."""
        remedy = "or leave the option out if it has a default."
        if self.least is not None and value < self.least:
            raise OptionsError(f"{name}:", f"{value} is too small", f"Give {self.least} or more, {remedy}")
        if self.most is not None and value > self.most:
            raise OptionsError(f"{name}:", f"{value} is too large", f"Give {self.most} or less, {remedy}")


Table = Mapping[str, Option]


def read_part(part: type[_Part], table: Table, options: Mapping[str, Any], now: datetime) -> _Part:
    """The values of the options that fill fields of this dataclass. A field whose option is not given has its default.
    Raises OptionsError.
    """
    filled = {
        option.fills.name: option.kind.read(options[name], Call(name, options, now))
        for name, option in table.items()
        if option.fills is not None and option.fills.part is part and is_given(options.get(name))
    }
    return part(**filled)


def is_given(value: Any) -> bool:
    """Whether a call gives an option that has this value. An empty text, as a template may come to, is no value."""
    return value not in (None, "")


# Kinds -------------------------------------------------------------------------------------------------------------

FLAG = Kind({"type": "bool"})
NUMBER = Kind({"type": "int"})
TEXT = Kind({"type": "str"})
PATH = Kind({"type": "path"})
DICTIONARY = Kind({"type": "dict"})
#: No default is a list of texts that is not empty.
TEXTS = Kind({"type": "list", "elements": "str"}, lambda value, call: tuple(value), lambda value: None)
SET_OF_TEXTS = Kind(TEXTS.facts, lambda value, call: frozenset(value), TEXTS.spell)


def one_of(words: Iterable[Enum]) -> Kind:
    """A kind of value: the value of one of these members of an enum."""
    word_by_value = {word.value: word for word in words}
    return Kind(
        {"type": "str", "choices": list(word_by_value)},
        lambda value, call: word_by_value[value],
        lambda word: word and word.value,
    )


def some_of(words: Iterable[Enum]) -> Kind:
    """A kind of value: any number of values of these members of an enum."""
    word_by_value = {word.value: word for word in words}
    return Kind(
        {"type": "list", "elements": "str", "choices": list(word_by_value)},
        lambda values, call: frozenset(map(word_by_value.__getitem__, values)),
        lambda chosen: None,
    )


def word_of(*choices: str) -> Kind:
    """A kind of value: one of these words."""
    return Kind({"type": "str", "choices": list(choices)})


def span_of(unit: timedelta) -> Kind:
    """A kind of value: a whole number of this unit of time."""
    return Kind({"type": "int"}, lambda value, call: value * unit, lambda span: None if span is None else span // unit)


SECONDS, HOURS, DAYS = span_of(timedelta(seconds=1)), span_of(timedelta(hours=1)), span_of(timedelta(days=1))


def _read_time(text: str, call: Call) -> datetime:
    try:
        return time_of(text)
    except ValueError:
        raise OptionsError(
            f"{call.option}:", f"{text!r} is not a time", "Give one such as 2026-12-24T18:00:00Z."
        ) from None


#: A time in ISO 8601, UTC if it has no offset.
TIME = Kind({"type": "str"}, _read_time)


def options_inside(
    table: Table,
    read: Callable[[Any, Call], Any] = lambda value, call: value,
    *,
    is_list: bool = False,
    **constraints: Any,
) -> Kind:
    """A kind of value: options inside an option; with ``is_list`` a list of such values."""
    form = {"type": "list", "elements": "dict"} if is_list else {"type": "dict"}
    arguments = {name: option.argument for name, option in table.items()}
    return Kind({**form, "options": arguments, **constraints}, read, lambda value: None)


def time_of(text: str) -> datetime:
    """ISO 8601, UTC if no offset is given. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except OverflowError:
        raise ValueError(f"{text!r} has no time in UTC") from None


def time_text(moment: datetime | None) -> str | None:
    """The time as results have it, and as ``time_of`` reads it."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# Tables ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnlyWith:
    """The option counts only if the other option has any of these values; else it would be ignored."""

    #: The name of the option.
    option: str
    #: The name of the other option.
    other: str
    #: The values of the other option with which the option counts.
    values: tuple[str, ...]

    def problem(self, options: Mapping[str, Any]) -> str:
        """A message that the option would be ignored, with the remedy; empty if the option is not given, or counts. An
        option with an empty value is not given.
        """
        actual = options.get(self.other)
        if not options.get(self.option) or actual in self.values:
            return ""
        wanted = " or ".join(f"{self.other}={value}" for value in self.values)
        return (
            f"{self.option}: it counts with {wanted} only, and {self.other} is {actual or 'not given'}. "
            f"Give {wanted} with it, or leave {self.option} out."
        )


@dataclass(frozen=True)
class ArgumentSpec:
    """A table of options, and the constraints between them."""

    #: The rows, by the names of the options.
    table: Table
    #: Options of which a caller gives all or none.
    required_together: tuple[tuple[str, ...], ...] = ()
    #: Options of which a caller gives at most one.
    mutually_exclusive: tuple[tuple[str, ...], ...] = ()
    #: Options that a value of another option requires, as Ansible's ``required_if``.
    required_if: tuple[tuple[Any, ...], ...] = ()
    #: Options that each of these options requires, whatever its value.
    required_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Constraints of this collection: an option that counts only with certain values of another.
    only_with: tuple[OnlyWith, ...] = ()

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        return ArgumentSpec(
            {**self.table, **other.table},
            (*self.required_together, *other.required_together),
            (*self.mutually_exclusive, *other.mutually_exclusive),
            (*self.required_if, *other.required_if),
            {**self.required_by, **other.required_by},
            (*self.only_with, *other.only_with),
        )

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        """The options, as Ansible's ``argument_spec``."""
        return {name: option.argument for name, option in self.table.items()}

    def as_arguments(self) -> dict[str, Any]:
        """Keyword arguments for AnsibleModule."""
        return {
            "argument_spec": self.options,
            "required_together": [list(group) for group in self.required_together],
            "mutually_exclusive": [list(group) for group in self.mutually_exclusive],
            "required_if": [list(group) for group in self.required_if],
            "required_by": {name: list(others) for name, others in self.required_by.items()},
        }

    def read(self, part: type[_Part], options: Mapping[str, Any], now: datetime) -> _Part:
        """The values of the options that fill fields of this dataclass. Raises OptionsError."""
        return read_part(part, self.table, options, now)

    def value_of(self, name: str, options: Mapping[str, Any], now: datetime) -> Any:
        """The value that the option of this name stands for; None if it is not given. Raises OptionsError."""
        return self.table[name].kind.read(options[name], Call(name, options, now)) if is_given(options[name]) else None

    def check(self, options: Mapping[str, Any], now: datetime) -> None:
        """Raises OptionsError for a number beyond a limit, and for a value that its module reads and that stands for
        nothing, such as an empty text.
        """
        given = {name: option for name, option in self.table.items() if options.get(name) is not None}
        for name, option in given.items():
            option.check_limits(name, options[name])
        for name, option in given.items():
            if option.fills is None:
                option.kind.read(options[name], Call(name, options, now))

    def problem_of(self, options: Mapping[str, Any]) -> str:
        """The first option that is given if it would be ignored, as a message; empty if none is."""
        return next(filter(None, (rule.problem(options) for rule in self.only_with)), "")


#: The options of the connection. kubeconfig and client_key are not logged, because some callers give them content.
#: ``connect.py`` decides what of them is hidden.
AUTH = ArgumentSpec(
    {
        "kubeconfig": Option(Kind({"type": "raw"}), no_log=True),
        "context": Option(TEXT),
        "host": Option(TEXT),
        "api_key": Option(TEXT, no_log=True),
        "username": Option(TEXT),
        "password": Option(TEXT, no_log=True),
        "validate_certs": Option(FLAG, aliases=("verify_ssl",)),
        "ca_cert": Option(PATH, aliases=("ssl_ca_cert",)),
        "client_cert": Option(PATH, aliases=("cert_file",)),
        "client_key": Option(PATH, aliases=("key_file",), no_log=True),
        "proxy": Option(TEXT),
        "no_proxy": Option(TEXT),
        "proxy_headers": Option(
            options_inside(
                {
                    "proxy_basic_auth": Option(TEXT, no_log=True),
                    "basic_auth": Option(TEXT, no_log=True),
                    "user_agent": Option(TEXT),
                }
            )
        ),
        "persist_config": Option(FLAG),
        "impersonate_user": Option(TEXT),
        "impersonate_groups": Option(TEXTS),
    }
)
