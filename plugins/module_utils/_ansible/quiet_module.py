# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Ansible's module, which says nothing secret however a call ends: also where it refuses an option before any code of
this collection runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from .._pki.printable import printable
from .redaction import presentable, without_contents, worth_hiding


class QuietModule(AnsibleModule):  # type: ignore[misc]
    """Lets no credential of an option out through result, message or system log, and sees to it that messages and warnings
    command no terminal, whatever a server or a certificate put into them.
    """

    no_log_values: set[str]

    def log(self, msg: Any, log_args: Mapping[str, Any] | None = None) -> None:
        """To syslog or the journal, where Ansible writes the options of every call."""
        arguments = {name: self._quiet(str(value)) for name, value in (log_args or {}).items()}
        super().log(self._quiet(str(msg)), log_args=arguments)

    def warn(self, warning: Any, **about: Any) -> None:
        super().warn(self._quiet(str(warning)), **about)

    def exit_json(self, **result: Any) -> NoReturn:
        super().exit_json(**self._settled(result))
        raise SystemExit(0)

    def fail_json(self, msg: Any, **result: Any) -> NoReturn:
        super().fail_json(self._quiet(self._named(str(msg))), **self._settled(result))
        raise SystemExit(1)

    def _named(self, message: str) -> str:
        """The message with the option that it is about: Ansible does not say which one should be a dictionary."""
        if not message.startswith("dictionary requested"):
            return message
        options, values = self.argument_spec, self.params
        texts = [name for name in options if options[name]["type"] == "dict" and isinstance(values.get(name), str)]
        # Ansible has emptied a list that it cannot read.
        emptied = [name for name in options if options[name].get("elements") == "dict" and values.get(name) == []]
        return f"{', '.join(texts or emptied)}: {message}. Give a dictionary, with its options by their names."

    def _quiet(self, text: str) -> str:
        return printable(without_contents(text, self.params), keep="\n")

    def _settled(self, result: dict[str, Any]) -> dict[str, Any]:
        hidden = worth_hiding(self.no_log_values, self.params)
        # Ansible looks for secrets in the texts in which bytes are replaced by then.
        self.no_log_values = hidden | {printable(one, keep="\n") for one in hidden}
        return {
            "invocation": {"module_args": presentable(self.params)},
            **{name: _printable(value) for name, value in result.items()},
        }


def _printable(value: Any) -> Any:
    """The value with texts that command no terminal."""
    if isinstance(value, str):
        return printable(value, keep="\n")
    if isinstance(value, Mapping):
        return {_printable(name): _printable(one) for name, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, (list, tuple)) else value
