# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call from its options to its result; only this file knows AnsibleModule. Ansible's module says nothing
secret however a call ends, also if it refuses an option before any code of this collection runs.

A call fails with a message if a Python library that it needs is missing or too old. It refuses impossible names of
objects first, because the values of these options become parts of paths and selectors (an empty name would list, and a
slash would address another resource).

Without pipelining the module comes as a file that contains all of its options, a private key among them. It unpacks its
code into a folder, which contains no option. A call removes both, also if Ansible is killed before it can. The action
plugin shows lines while a module works: the module appends them to a file on the same machine.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from .._errors import CollectionError, ConditionUnmet, KubeError, RollStuck, printable
from .._kube import _kubernetes
from .._kube.client import KubeClient
from .._kube.private_files import keep_folder, remove_abandoned
from .._pki import _cryptography
from .._strimzi.names import ClusterNames
from . import connect
from .arguments import AUTH, ArgumentSpec
from .connect import credentials_of, presentable, without_contents, worth_hiding

if TYPE_CHECKING:
    from .._kube.lease import TrustLease

_Part = TypeVar("_Part")


def missing_library() -> tuple[str, str | None] | None:
    """A message and, for a failed import, its traceback; None when everything is there."""
    for name, library, minimum, import_error in (
        ("kubernetes", _kubernetes.kubernetes, _kubernetes.MINIMUM_KUBERNETES, _kubernetes.KUBERNETES_IMPORT_ERROR),
        (
            "cryptography",
            _cryptography.cryptography,
            _cryptography.MINIMUM_CRYPTOGRAPHY,
            _cryptography.CRYPTOGRAPHY_IMPORT_ERROR,
        ),
    ):
        if library is None:
            return str(missing_required_lib(f"{name} >= {minimum}")), import_error
        if _numbers(library.__version__) < _numbers(minimum):
            return (
                f"The Python library {name} {library.__version__} of {sys.executable} is too old: {minimum} or later "
                "is needed. Install a newer version there, or let ansible_python_interpreter name a Python that has it."
            ), None
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAMESPACE = re.compile(_LABEL)
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LONGEST_NAMESPACE, _LONGEST_NAME = 63, 253


def name_problem(options: Mapping[str, Any]) -> str:
    """The first option whose value no object can have as its name, as a message; empty if none is."""
    for option, name, is_namespace in _read_given(options):
        pattern, longest = (_NAMESPACE, _LONGEST_NAMESPACE) if is_namespace else (_NAME, _LONGEST_NAME)
        if not pattern.fullmatch(name) or len(name) > longest:
            kind = "namespace" if is_namespace else "object"
            return (
                f"{option}: {name!r} cannot be the name of any {kind} in Kubernetes. Give the name as kubectl shows "
                f"it: lower case letters, digits, hyphens{'' if is_namespace else ' and dots'}, at most {longest}."
            )
    return ""


def _read_given(options: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Each option that is given, its value, and whether that is a namespace."""
    for option in ("cluster", "pool", "user", "secret"):
        if options.get(option) is not None:
            yield option, options[option], False
    yield "namespace", options["namespace"], True
    if options.get("user_namespace"):
        yield "user_namespace", options["user_namespace"], True
    for user_namespace in options.get("user_namespaces") or ():
        yield "user_namespaces", user_namespace["namespace"], True
    login = (options.get("issuer") or {}).get("login") or {}
    for option, reference, name in (
        ("ca_source", options.get("ca_source"), "name"),
        ("certificate_from", options.get("certificate_from"), "secret"),
        ("issuer.login.token_from", login.get("token_from"), "secret"),
    ):
        if reference:
            yield option, reference[name], False
            if reference["namespace"]:
                yield option, reference["namespace"], True


_WRAPPER = "AnsiballZ_strimzi_*.py"
_PAYLOADS = "ansible_trustops.strimzi.*_payload_*"


def remove_remains(code: str, command: Sequence[str]) -> None:
    """Remove what Ansible leaves of a module call: the wrapper that ``command`` of this process names, and the folder
    with ``code``, a file of this collection as it was imported.
    """
    for argument in command[1:]:
        _remove_wrapper(Path(argument))
    for folder in Path(code).parents:
        if folder.match(_PAYLOADS) and folder.is_dir():
            keep_folder(folder)
            remove_abandoned(folder.parent, _PAYLOADS)


def _remove_wrapper(file: Path) -> None:
    """Remove the wrapper: Python has read it by now, and Ansible does not mind that it is gone already."""
    if file.match(f"ansible-tmp-*/{_WRAPPER}"):
        try:
            os.unlink(file)
        except OSError:
            # With become it belongs to the connecting user, and Ansible removes it at the end of the task.
            return


def reporter(path: str | None) -> Callable[[str], None]:
    """A function that appends one line, which is shown at once; without a file it does nothing."""
    return lambda line: _append(path, {"line": printable(line)})


def beginner(path: str | None) -> Callable[[str, str, bool], None]:
    """A function that appends what the module begins and what it awaits, which are shown if that takes long, and
    whether a line shows the beginning already; without a file it does nothing.
    """

    def begin(sentence: str, awaited: str, is_shown: bool) -> None:
        _append(path, {"begins": printable(sentence), "awaited": printable(awaited), "is_shown": is_shown})

    return begin


def _append(path: str | None, entry: Mapping[str, Any]) -> None:
    """Append an entry of public facts, one JSON object in a line.

    Its texts go to a terminal as they are, so nothing in them may command the terminal or begin another line. An entry
    that cannot be written is lost: nothing stops for that, least of all while the operator is paused.
    """
    if path:
        with suppress(OSError), open(path, "a", encoding="utf-8") as progress:
            progress.write(f"{json.dumps(entry, ensure_ascii=False)}\n")


class QuietModule(AnsibleModule):  # type: ignore[misc]
    """Lets no credential of an option out through result, message or system log, and sees to it that messages and
    warnings command no terminal, whatever a server or a certificate put into them.
    """

    no_log_values: set[str]

    def log(self, msg: Any, log_args: Mapping[str, Any] | None = None) -> None:
        """Write to syslog or the journal, where Ansible writes the options of every call."""
        arguments = {name: self._without_secrets(str(value)) for name, value in (log_args or {}).items()}
        super().log(self._without_secrets(str(msg)), log_args=arguments)

    def warn(self, warning: Any, **about: Any) -> None:
        super().warn(self._without_secrets(str(warning)), **about)

    def exit_json(self, **result: Any) -> NoReturn:
        super().exit_json(**self._complete_result(result))
        raise SystemExit(0)

    def fail_json(self, msg: Any, **result: Any) -> NoReturn:
        super().fail_json(self._without_secrets(self._add_option_name(str(msg))), **self._complete_result(result))
        raise SystemExit(1)

    def _add_option_name(self, message: str) -> str:
        """The message with the option that it is about: Ansible does not say which option should be a dictionary."""
        if not message.startswith("dictionary requested"):
            return message
        options, values = self.argument_spec, self.params
        texts = [name for name in options if options[name]["type"] == "dict" and isinstance(values.get(name), str)]
        # Ansible has emptied a list that it cannot read.
        emptied = [name for name in options if options[name].get("elements") == "dict" and values.get(name) == []]
        return f"{', '.join(texts or emptied)}: {message}. Give a dictionary, with its options by their names."

    def _without_secrets(self, text: str) -> str:
        return printable(without_contents(text, self.params), keep="\n")

    def _complete_result(self, result: dict[str, Any]) -> dict[str, Any]:
        credentials = credentials_of(self.argument_spec)
        hidden = worth_hiding(self.no_log_values, self.params, credentials)
        # Ansible looks for secrets in the texts in which bytes are replaced by then.
        self.no_log_values = hidden | {printable(text, keep="\n") for text in hidden}
        return {
            "invocation": {"module_args": presentable(self.params, credentials)},
            **{name: _printable(value) for name, value in result.items()},
        }


def _printable(value: Any) -> Any:
    """The value with texts that command no terminal."""
    if isinstance(value, str):
        return printable(value, keep="\n")
    if isinstance(value, Mapping):
        return {_printable(name): _printable(item) for name, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, (list, tuple)) else value


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        return time.monotonic()

    def since_boot(self) -> float:
        """Seconds that go on while the machine sleeps: a Lease runs out meanwhile. On Linux ``monotonic`` stops."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ClusterModule:
    """A call of one module. It ends with a result or a message, and with no traceback."""

    def __init__(self, spec: ArgumentSpec) -> None:
        self.module = QuietModule(supports_check_mode=True, **(AUTH + spec).as_arguments())
        self.params: dict[str, Any] = self.module.params
        self._spec = spec
        # The holder of the Lease: another call that waits for this call has to know where it runs.
        self.holder = f"call-{uuid.uuid4()}@{platform.node()}"
        self._lease: TrustLease | None = None

    def done_so_far(self) -> dict[str, Any]:
        """The part of a result about the changes made; also in the result of a call that fails half-way."""
        return {"changed": False}

    @property
    def left_half_way(self) -> str:
        """The sentences that a failure begins with: what it leaves, such as a paused operator, and what ends that;
        empty if it leaves nothing.
        """
        return ""

    @property
    def check_mode(self) -> bool:
        return bool(self.module.check_mode)

    def execute(self, body: Callable[[], dict[str, Any]]) -> NoReturn:
        """Run the module's body and end with its result; failures become messages with a remedy."""
        self._require_libraries()
        if problem := self._spec.problem_of(self.params) or name_problem(self.params):
            self.fail(problem)
        # A person who keeps these files wants to look at them.
        if not self.module._keep_remote_files:  # pylint: disable=protected-access
            remove_remains(__file__, sys.orig_argv)
        try:
            result = body()
        except CollectionError as error:
            self.fail(f"{error} {error.remedy}", **_describe_conditions(error))
        except Exception as error:  # pylint: disable=broad-except
            # The text of an unexpected exception could contain anything.
            self.fail(
                f"Unexpected {type(error).__name__} at {_place_of_error(error)}. Please report it; the flow can be run "
                "again."
            )
        finally:
            self._end_call()
        if result.get("failed_message"):
            self.fail(result.pop("failed_message"), **result)
        self.module.exit_json(**result)

    def _require_libraries(self) -> None:
        problem = missing_library()
        if problem is None:
            return
        message, trace = problem
        self.module.fail_json(msg=message, **({"exception": trace} if trace else {}))

    def fail(self, message: str, **result: Any) -> NoReturn:
        self.module.fail_json(
            msg=" ".join(filter(None, (self.left_half_way, message))), **{**self.done_so_far(), **result}
        )

    def hide(self, *values: str) -> None:
        self.module.no_log_values.update(value for value in values if value.strip())

    # The tools of bodies -----------------------------------------------------------------------------------------

    def client(self) -> KubeClient:
        client = connect.client_for(connect.connection_options(self.params), self.module.warn)
        client.tell = self._report
        return client

    def scope(self) -> ClusterNames:
        return self.said(ClusterNames)

    def said(self, part: type[_Part]) -> _Part:
        """This dataclass with the values that the options give its fields. Raises OptionsError."""
        return self._spec.read(part, self.params, SystemClock().now())

    def value(self, option: str) -> Any:
        """The value that this option stands for; None if the task does not give it. Raises OptionsError."""
        return self._spec.value_of(option, self.params, SystemClock().now())

    # The Lease -----------------------------------------------------------------------------------------------------

    def lease(self, client: KubeClient) -> TrustLease:
        # Imported only by calls that write.
        from .._kube.lease import TrustLease
        from .._kube.resources import LEASES
        from .._strimzi.cluster.taken_names import why_taken

        scope, clock = self.scope(), SystemClock()
        return TrustLease(
            client, scope.namespace, scope.lease, self.holder,
            now=clock.now, monotonic=clock.since_boot, cluster=scope.cluster, labels=scope.labels, tell=self._tell,
            why_taken=lambda lease: why_taken(scope, lease, LEASES.kind),
        )  # fmt: skip

    def _tell(self, sentence: str) -> None:
        """Tell the sentence while the call works if a console shows it, else at the end of the call."""
        if self.params.get("progress_file"):
            self._report(sentence)
        else:
            self.module.warn(sentence)

    def _report(self, sentence: str) -> None:
        """Tell the sentence while the call works, if a console shows it."""
        reporter(self.params.get("progress_file"))(sentence)

    def take_lease(self, client: KubeClient, after_another: Callable[[], None] | None = None) -> None:
        """Take the Lease before the first write of a call, so that a single run works at a time (I10).
        ``after_another`` is called if another run had it until now.
        """
        if self._lease is None:
            self._lease = self.lease(client)
        if not self._lease.is_owned and self._lease.acquire() and after_another is not None:
            after_another()

    def keep_lease(self) -> None:
        if self._lease is not None:
            self._lease.renew_if_due()

    def give_lease_back(self) -> None:
        """Give the Lease back before a wait in which other runs may work. ``take_lease`` takes it again before the next
        write.
        """
        self._end_call()
        self._lease = None

    def delete_lease(self, client: KubeClient) -> bool:
        """Delete the Lease, and return whether it was there. If that is not permitted it stays, which does no harm."""
        lease, self._lease = self._lease or self.lease(client), None
        try:
            return lease.delete()
        except KubeError as error:
            scope = self.scope()
            self.module.warn(
                f"{error} The Lease stays: kubectl delete lease {scope.lease} --namespace {scope.namespace} removes it."
            )
            return False

    def _end_call(self) -> None:
        if self._lease is not None:
            self._release_quietly(self._lease)

    def _release_quietly(self, lease: TrustLease) -> None:
        try:
            lease.release()
        except KubeError as error:
            self.module.warn(f"The Lease could not be given back and will run out by itself: {error}")


def _describe_conditions(error: CollectionError) -> dict[str, Any]:
    """The conditions that have ended the call, as results list them; empty if none have."""
    conditions = error.violations if isinstance(error, (ConditionUnmet, RollStuck)) else ()
    return {"violations": list(conditions)} if conditions else {}


def _place_of_error(error: BaseException) -> str:
    """The file and the line of the error, which contain no secret."""
    trace, place = error.__traceback__, "an unknown place"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
