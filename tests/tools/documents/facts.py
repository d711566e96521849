"""Types, defaults and choices of documented options, from the argument specs: they stand nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import arguments, flow_options, tables


def groups_of(names: Mapping[str, Any]) -> dict[str, arguments.ArgumentSpec]:
    """The argument specs among the names of a file."""
    return {name: value for name, value in names.items() if isinstance(value, arguments.ArgumentSpec)}


def options_of(names: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of these specs; options of a later spec win, as a module's own do."""
    return {name: option for spec in groups_of(names).values() for name, option in spec.options.items()}


_TABLES = {**vars(arguments), **vars(tables), **vars(flow_options)}
GROUPS, OPTIONS = groups_of(_TABLES), options_of(_TABLES)
_FACTS = ("type", "elements", "required", "choices", "default", "aliases")


def with_facts(text: str, options: Mapping[str, Any], inner: str, indent: int = 0, *, may_differ: bool = False) -> str:
    """The text of documented options with the facts of each. Anything else in it stays as it was written.

    inner: the key under which a document has the options inside an option. may_differ: a fact in the text wins.
    """
    return "\n".join(_filled(text.split("\n"), options, inner, indent, may_differ))


def _filled(lines: list[str], options: Mapping[str, Any], inner: str, indent: int, may_differ: bool) -> Iterator[str]:
    for name, entry in _split(lines, indent):
        yield from entry[:1]
        option = options.get(name)
        if option is None:
            yield from entry[1:]
            continue
        facts = {
            fact: f"{fact}: {short(option[fact])}" for fact in _FACTS if fact in option and option[fact] is not None
        }
        inside: list[str] = []
        for key, part in _split(entry[1:], indent + 2):
            if key == inner:
                deeper = _filled(part[1:], option.get("options", {}), inner, indent + 4, may_differ)
                inside = [part[0], *deeper]
            elif key not in _FACTS:
                yield from part
            elif may_differ:
                facts[key] = part[0].strip()
        yield from (" " * (indent + 2) + facts[fact] for fact in _FACTS if fact in facts)
        yield from inside


def _split(lines: list[str], indent: int) -> list[tuple[str, list[str]]]:
    """The lines of each key at this depth; lines outside any key stand under no name."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        key = re.match(rf"^ {{{indent}}}([a-z_]+):", line)
        is_outside = line.strip() and not line.startswith(" " * indent)
        if key or is_outside or not found:
            found.append((key[1] if key else "", []))
        found[-1][1].append(line)
    return found


def short(value: Any) -> str:
    """The value on one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, width=1000)
    return text.removesuffix("\n").removesuffix("\n...")
