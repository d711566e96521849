"""The files in which roles describe themselves: argument_specs.yml, main.yml and README.md of each, from roles.yml and variables.yml."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from .entries import entries_of

HERE = Path(__file__).parent
ROLES = HERE.parents[1] / "roles"

#: Variables that belong together, by the name of their group.
VARIABLES = {
    "cluster": ("cluster", "namespace", "kubeconfig", "context"),
    "ca": ("ca",),
    "flow": (
        "strategy", "kafka_bootstrap", "spread", "client_bundle", "trusting_secrets", "waivers",
        "issuer", "ca_source", "trust_new_roots", "confirm_roots", "issue_timeout", "retry_failed", "rotation_policy", "leaf_key_size", "pending",
        "spare_leaves", "dns_domain",
        "until_phase", "continue_stopped", "ignore_maintenance_windows", "operator_timeout", "pod_timeout",
    ),
    "retirement": ("retire", "retire_by"),
    "batches": ("user_batch",),
    "adopted": ("adopts", "make_room"),
    "handed_back": ("operator_may_renew", "keep_ca"),
    "replaced": ("replaces", "fresh_for_hours"),
    "authority": ("validity_days", "key_algorithm", "key_size", "path_length", "certificate", "private_key", "certificate_from"),
    "leaves": ("renew_before_days", "validity_days"),
    "report": ("report_dir",),
    "requests": ("requests_dir",),
    "source": ("ca_source", "dns_domain"),
    "pool": ("node_pool", "replicas"),
    "layout": ("ledger_layout",),
    "users": ("show_users",),
    "presenters": ("presenting_secrets", "user_namespaces"),
    "spare": ("spare_leaves",),
    "outside": ("trusting_secrets", "waivers"),
    "asked": ("issuer", "leaf_key_size"),
    "evidence": ("evidence", "pod_access"),
    "grace": ("client_grace",),
    "upkeep": ("ca_renewal", "ca_renewal_days"),
    "alarm": ("fail_when_expiring_within",),
    "link": ("link_until",),
}  # fmt: skip
#: The one role that changes nothing.
_ONLY_LOOKS = ("status",)
_WIDTH = 130


def role_documents() -> Iterator[tuple[Path, str]]:
    """Each file, and its content."""
    texts = entries_of((HERE / "variables.yml").read_text())
    for name, role in yaml.safe_load((HERE / "roles.yml").read_text()).items():
        yield ROLES / name / "meta" / "argument_specs.yml", _argument_specs(role, texts)
        yield ROLES / name / "meta" / "main.yml", _main(role)
        yield ROLES / name / "README.md", _readme(name, role)


def _argument_specs(role: dict[str, Any], texts: dict[str, str]) -> str:
    wanted = {f"strimzi_{name}" for group in role["variables"] for name in VARIABLES[group]}
    options = "\n".join(textwrap.indent(text, " " * 6) for name, text in texts.items() if name in wanted)
    about = "\n".join(_item(role[key]) for key in ("description", "details") if key in role)
    return (
        "---\nargument_specs:\n  main:\n"
        f"    short_description: {role['short']}\n    description:\n{about}\n    options:\n{options}\n"
    )


def _item(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="      - ", subsequent_indent="        ")


def _main(role: dict[str, Any]) -> str:
    return (
        "---\ngalaxy_info:\n  author: The trustops.strimzi contributors\n"
        f"  description: {role['short']}\n  license: GPL-3.0-or-later\n"
        '  min_ansible_version: "2.16"\ndependencies:\n  - role: trustops.strimzi.flow\n'
    )


def _readme(name: str, role: dict[str, Any]) -> str:
    about = "\n\n".join(textwrap.fill(role[key], _WIDTH) for key in ("description", "details") if key in role)
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
        textwrap.fill(variables + refused, _WIDTH),
    ]
    return "\n\n".join([*parts, *end]) + "\n"
