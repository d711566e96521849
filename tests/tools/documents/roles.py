"""The files in which roles describe themselves: argument_specs.yml, main.yml and README.md of each, from roles.yml and variables.yml.

vars/main/variables.yml of the role ``flow`` has the same variables as options of modules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from .entries import entries_of
from .facts import OPTIONS, short, with_facts

HERE = Path(__file__).parent
ROLES = HERE.parents[2] / "roles"

#: Facts of the variables that are options of modules. An empty answer of a survey counts as none.
VARIABLES = {
    f"strimzi_{name}": {
        **option,
        **({"choices": [*option["choices"], ""]} if option["type"] == "str" and "choices" in option else {}),
    }
    for name, option in OPTIONS.items()
}
#: The roles that change nothing.
_ONLY_LOOKS = ("plan", "status")
_WIDTH = 120
#: Variables that playbooks read; all else is a role's. Each is known to every role, so that none takes it for a slip of the pen.
_OF_PLAYBOOKS = ("strimzi_hosts", "strimzi_serial", "strimzi_max_fail_percentage")


def role_documents() -> Iterator[tuple[Path, str]]:
    """Each file, and its content."""
    texts = entries_of((HERE / "variables.yml").read_text())
    variables = yaml.safe_load((HERE / "variables.yml").read_text())
    yield ROLES / "flow" / "vars" / "main" / "variables.yml", _values(variables)
    texts = {name: _documented(text) for name, text in texts.items()}
    groups = {name: set(variable["groups"]) for name, variable in variables.items()}
    for name, role in yaml.safe_load((HERE / "roles.yml").read_text()).items():
        yield (
            ROLES / name / "meta" / "argument_specs.yml",
            _argument_specs(
                role, {name: text for name, text in texts.items() if groups[name] & set(role["variables"])}
            ),
        )
        yield ROLES / name / "meta" / "main.yml", _main(role, variables)
        yield ROLES / name / "README.md", _readme(name, role)


def _values(variables: Mapping[str, Mapping[str, Any]]) -> str:
    """The names of all variables, and by group the options of modules that they are."""
    lines = [
        "---",
        "# Written by ``make documents`` from tests/tools/documents/variables.yml, by group; what is empty is not given.",
        "flow_known:",
    ]
    lines += [f"  - {name}" for name in (*variables, *_OF_PLAYBOOKS)]
    lines.append(
        "# The defaults that the roles read: their own defaults, and the defaults of options whose values they make."
    )
    lines.append("flow_defaults:")
    lines += [f"  {name.removeprefix('strimzi_')}: {short(value)}" for name, value in _defaults_read(variables)]
    for group in dict.fromkeys(group for variable in variables.values() for group in variable["groups"]):
        values = {
            name.removeprefix("strimzi_"): _value(name, variable)
            for name, variable in variables.items()
            if group in variable["groups"] and name.removeprefix("strimzi_") in OPTIONS
        }
        if values:
            lines += [f"flow_{group}_values:", *(f'  {option}: "{value}"' for option, value in values.items())]
    return "\n".join(lines) + "\n"


def _defaults_read(variables: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, variable in variables.items():
        if "default" in variable:
            yield name, variable["default"]
        elif "value" in variable and VARIABLES[name].get("default") is not None:
            yield name, VARIABLES[name]["default"]


def _value(name: str, variable: Mapping[str, Any]) -> str:
    """The template of the option: without the variable, the option gets the default of the roles if they have one, else nothing."""
    own = f"flow_defaults.{name.removeprefix('strimzi_')}, true" if "default" in variable else "''"
    return str(variable.get("value", f"{{{{ {name} | default({own}) }}}}"))


def _documented(text: str) -> str:
    """The entry as argument_specs.yml has it: with the facts of the option, and without what is for the role ``flow`` alone."""
    own = "\n".join(line for line in text.split("\n") if not line.startswith(("  groups: ", "  value: ", "  # ")))
    return with_facts(own, VARIABLES, "options", may_differ=True)


def _argument_specs(role: dict[str, Any], texts: dict[str, str]) -> str:
    options = "\n".join(textwrap.indent(text, " " * 6) for text in texts.values())
    about = "\n".join(_item(role[key]) for key in ("description", "details") if key in role)
    return (
        "---\nargument_specs:\n  main:\n"
        f"    short_description: {role['short']}\n    description:\n{about}\n    options:\n{options}\n"
    )


def _item(text: str) -> str:
    return _filled(text, initial_indent="      - ", subsequent_indent="        ")


def _filled(text: str, initial_indent: str = "", subsequent_indent: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=initial_indent, subsequent_indent=subsequent_indent, break_on_hyphens=False
    )


def _main(role: dict[str, Any], variables: Mapping[str, Mapping[str, Any]]) -> str:
    needed = [line for line in role.get("example", ()) if variables[line.partition(":")[0]].get("required")]
    return (
        "---\ngalaxy_info:\n  author: The trustops.strimzi contributors\n"
        f"  description: {role['short']}\n  license: GPL-3.0-or-later\n"
        '  min_ansible_version: "2.16"\ndependencies:\n  - role: trustops.strimzi.flow\n'
        + (f"    vars:\n      flow_needed: {{{', '.join(needed)}}}\n" if needed else "")
    )


def _readme(name: str, role: dict[str, Any]) -> str:
    about = "\n\n".join(_filled(role[key]) for key in ("description", "details") if key in role)
    again = "Interrupted at any point, the same role continues when it is run again. A second run changes nothing."
    example = (
        textwrap.dedent(f"""\
        ```yaml
        - hosts: localhost
          gather_facts: false
          roles:
            - role: trustops.strimzi.{name}
              vars:
                strimzi_cluster: demo
                strimzi_namespace: kafka
        """)
        + "".join(f"        {line}\n" for line in role.get("example", ()))
        + "```"
    )
    variables = f"`ansible-doc -t role trustops.strimzi.{name}` describes all variables."
    refused = " The role refuses a variable that begins with `strimzi_` and that no role reads, so a misspelt one does not pass in silence."
    end = [] if name in _ONLY_LOOKS else [again]
    parts = [
        f"# trustops.strimzi.{name}",
        f"{role['short']}.",
        about,
        example,
        _filled(variables + refused),
    ]
    return "\n\n".join([*parts, *end]) + "\n"
