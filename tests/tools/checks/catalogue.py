"""Every check, in the order in which the checks of a lane start."""

from __future__ import annotations

from functools import partial

from ...kafka import needs
from ..packing import VARIABLES
from .check import Check, Lane, docker_reason
from .environments import CannotPrepare, reason_to_do_without
from .pythons import OLDEST, PAIRS, Pair, available_pairs

_UNITS = ("pytest", "tests/unit", "--numprocesses=2")
#: The unit tests that take Ansible itself: modules by their real ``main()``, filters, templates.
_BY_ANSIBLE = tuple(
    f"tests/unit/{part}" for part in ("_ansible", "action", "filter", "inventory", "modules", "report", "roles")
)
_MODULES = ("pytest", *_BY_ANSIBLE, "--numprocesses=2")
_PURE = (*_UNITS, *(f"--ignore={folder}" for folder in _BY_ANSIBLE))
#: The unit tests of connections: TLS, requests to the API server, ports of pods, Kafka nodes, Vault.
_CONNECTIONS = (
    "pytest", *(f"tests/unit/{part}" for part in ("_tls", "_kube", "_handshake", "_issuing/https", "_issuing/vault")),
    "tests/unit/_rollout/test_admin.py", "tests/unit/_rollout/test_reload_request.py", "--numprocesses=2",
)  # fmt: skip
#: Tests of the parts that other tests are made of, each beside its part.
_DOUBLES = ("pytest", "tests/tools", "--numprocesses=2")
#: A little of what `make traffic` measures in an hour, by the same rules, with fewer logins and no clients of the JVM, which take most of the
#: processors. The check before it replaces the key of the cluster CA on real nodes.
_TRAFFIC = (
    "--variant", "reload", "--flow", "clients-upgrade", "--flow", "clients-replace_key", "--control", "promoted-early",
    "--rate", "8", "--library", "rdkafka", "--output", "build/traffic-short.json",
)  # fmt: skip
#: The sanity tests that take most of the time of all.
_SLOW = ("pylint", "import")
#: The collection's Python below the collections root, as mypy and import-linter name it.
_PLUGINS = "ansible_collections.trustops.strimzi.plugins"
_TYPED = tuple(
    part
    for name in ("modules", "module_utils", "plugin_utils", "filter", "inventory")
    for part in ("--package", f"{_PLUGINS}.{name}")
)


def checks() -> list[Check]:
    """All checks for this machine. Raises CannotPrepare when no supported Python is here."""
    pairs = available_pairs()
    if not pairs:
        raise CannotPrepare(f"none of Python {', '.join(pair.python for pair in PAIRS)} is here")
    main = pairs[0]
    bed = Check("bed", "prepare what simulated nodes take", main, (("python", "-m", "tests.tools.cluster", "build"),))
    return [
        bed,
        *_on_real_nodes(main),
        *_with_the_bed(main),
        *_on_one_processor(main),
        *_on_all_processors(main),
        *_other_pairs(main),
    ]


def _script(name: str, *arguments: str) -> tuple[str, ...]:
    return ("python", "-m", f"tests.tools.checks.{name}", *arguments)


def _sanity(option: str) -> tuple[str, ...]:
    """option: what to do with the slow tests."""
    return _script("sanity", *(part for name in _SLOW for part in (option, name)))


def _scenario(name: str) -> tuple[tuple[str, ...], ...]:
    """A run that was killed leaves word that its cluster exists, and the next would not make one."""
    return tuple(("molecule", command, "--scenario-name", name) for command in ("reset", "test"))


def _on_one_processor(main: Pair) -> list[Check]:
    def single(name: str, about: str, *command: str, long: bool = False) -> Check:
        return Check(name, about, main, (command,), lane=Lane.SINGLE, long=long)

    return [
        single("sanity", "ansible-test sanity tests but the slow ones, none ignored", *_sanity("--skip-test")),
        single("sanity-slow", f"the sanity tests {', '.join(_SLOW)}", *_sanity("--test"), long=True),
        single("docs", "antsibull-docs lint", *_script("docs")),
        single("site", "the documentation site, and every link inside it", *_script("site")),
        single("ansible-lint", "ansible-lint, profile production", *_script("lint")),
        single("ee", "execution environment metadata", *_script("execution_environment")),
        single("importer", "galaxy-importer on the built collection", *_script("importer")),
        single("types", "mypy --strict on modules, filters, the inventory and what they import", "mypy", *_TYPED),
        Check("style", "ruff", main, (("ruff", "check"), ("ruff", "format", "--check")), lane=Lane.SINGLE),
        single("layers", "import-linter", "lint-imports", "--no-cache"),
        single("yaml", "yamllint", "yamllint", "--strict", "."),
        single("shell", "shellcheck", *_script("shell")),
        single("changelog", "antsibull-changelog lint", "antsibull-changelog", "lint"),
        single("action-group", "meta/runtime.yml names every module", *_script("action_group")),
        single("documents", "documentation that several files share", "python", "-m", "tests.tools.documents"),
        single("citations", "every citation leads somewhere", *_script("citations")),
        single(
            "wording", "docstrings begin with what they are about, sentences name their subject", *_script("wording")
        ),
        single("readings", "no code of the collection reads its own sentences", *_script("readings")),
        single("architecture", "docs/architecture.md is true to the tree", *_script("architecture")),
        single("verifiers", "certificate paths as Go and a JVM see them", "pytest", "tests/verifiers"),
        single("watch", "alerting rules and the dashboard as promtool sees them", "pytest", "tests/watch"),
        single("broker", "the Kafka admin client against real nodes", "pytest", "tests/broker"),
    ]


def _on_all_processors(main: Pair) -> list[Check]:
    def busy(name: str, about: str, *command: str) -> Check:
        return Check(name, about, main, (command,))

    return [
        busy("unit", "unit and property tests", *_PURE),
        busy("modules", "modules by their real main(), filters, templates", *_MODULES),
        busy("faults", "flows, killed at every thirty-second write", "pytest", "tests/faults", "--numprocesses=2"),
        busy(
            "flows", "whole flows in memory, and roles as Ansible runs them",
            "pytest", "tests/flows", "tests/roles", "--numprocesses=2",
        ),
        busy("exploration", "every state that a flow can reach", "pytest", "tests/exploration", "--numprocesses=2"),
        busy("doubles", "the parts of these tests: operator double, bed, checks, traffic", *_DOUBLES),
    ]  # fmt: skip


def _with_the_bed(main: Pair) -> list[Check]:
    bed = ("bed",)
    # A command of its own builds what only these tests take: a test would be given up before that is done.
    built = ("python", "-m", "tests.issuers")
    # A worker has a bed of its own and takes whole files, as the tests of a file go on where the one before left off.
    api = ("pytest", "tests/api", "--numprocesses=2", "--dist=loadfile")
    return [
        Check("api", "API tier", main, (built, api), after=bed, lane=Lane.WAITING),
        Check(
            "issuers",
            "issuers before the real cert-manager and Vault",
            main,
            (built, ("pytest", "tests/issuers")),
            after=bed,
            lane=Lane.WAITING,
        ),
        Check(
            "molecule",
            "scenario default",
            main,
            _scenario("default"),
            after=bed,
            lane=Lane.WAITING,
            variables=VARIABLES,
        ),
        # The playbooks of scenario default, on a cluster that runs already.
        Check("molecule-given", "scenario given", main, _scenario("given"), after=bed, lane=Lane.WAITING, long=True),
        Check("molecule-kind", "scenario kind", main, _scenario("kind"), reason_to_skip=docker_reason),
    ]


def _on_real_nodes(main: Pair) -> list[Check]:
    """Checks with real Kafka nodes."""

    def on_nodes(name: str, about: str, *commands: tuple[str, ...], long: bool = False) -> Check:
        return Check(
            name, about, main, commands, after=("nodes",), lane=Lane.WAITING, long=long,
            reason_to_skip=needs.reason_to_skip,
        )  # fmt: skip

    about, build = "prepare what real nodes take", (("python", "-m", "tests.kafka", "build"),)
    return [
        # Both beds have most in common: the second would only wait for the first.
        Check("nodes", about, main, build, after=("bed",), reason_to_skip=needs.reason_to_skip),
        on_nodes("kafka", "real Kafka nodes on a real kubelet", ("pytest", "tests/kafka")),
        on_nodes(
            "traffic",
            "the clients CA replaced while its users log in",
            ("python", "-m", "tests.tools.traffic", *_TRAFFIC),
            long=True,
        ),
        # On simulated nodes the same playbooks run in every run, and the two checks above replace keys on real ones.
        on_nodes("molecule-kafka", "scenario kafka", *_scenario("kafka"), long=True),
    ]


def _other_pairs(main: Pair) -> list[Check]:
    others = [pair for pair in PAIRS if pair != main]
    # Python and urllib3 have rules for TLS that change with their releases. The oldest ansible-core may lack what
    # modules use, the newest may deprecate it.
    short = {"modules-part": (*_MODULES, "--part=1/6"), "connections": _CONNECTIONS}
    long = {"modules": _MODULES, "unit": _PURE, "sanity": _script("sanity", "--skip-test", "pylint")}
    return [
        *(_with(pair, name, command) for pair in others for name, command in short.items()),
        *(_with(pair, name, command, long=True) for pair in others for name, command in long.items()),
        _with(OLDEST, "modules-part", short["modules-part"]),
        _with(OLDEST, "modules", _MODULES, long=True),
    ]


def _with(pair: Pair, name: str, command: tuple[str, ...], *, long: bool = False) -> Check:
    return Check(
        f"{name}-{pair.core}",
        f"{name} tests with ansible-core {pair.core} on Python {pair.python}",
        pair,
        (command,),
        long=long,
        reason_to_skip=partial(reason_to_do_without, pair.python),
    )
