"""Programs in Go: the control plane, kwok and what else tests need, built, or taken from KUBEBUILDER_ASSETS."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .cache import MissingTool, cached, digest
from .versions import COREDNS, KUBERNETES, KWOK, MINIMUM_GO

HERE = Path(__file__).parent / "binaries"
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
NODE_COMPONENTS = ("kubelet", "kube-proxy")

#: Joined into one file for kwok; nodes come up and renew their leases, pods start and end at once.
STAGES = ("node/fast/node-initialize.yaml", "node/heartbeat-with-lease/*.yaml", "pod/fast/pod-ready.yaml",
          "pod/fast/pod-delete.yaml")  # fmt: skip


def find_binaries() -> dict[str, Path]:
    """Paths by component, kwok and its stages included. Raises MissingTool."""
    kwok = cached(_key("kwok", KWOK), _build_kwok)
    found = {"kwok": kwok / "kwok", "stages": kwok / "stages.yaml"}
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    given = {c: Path(assets) / c for c in COMPONENTS if assets and (Path(assets) / c).exists()}
    if len(given) < len(COMPONENTS):
        folder = cached(_key("controlplane", KUBERNETES), _build_control_plane)
        found.update({component: folder / component for component in COMPONENTS})
    return {**found, **given}


def find_node_binaries() -> dict[str, Path]:
    """Paths of what runs on a real node, by component. Raises MissingTool."""
    node = cached(_key("node", KUBERNETES), _build_node)
    coredns = cached(_key("coredns", COREDNS), _build_coredns)
    return {**{component: node / component for component in NODE_COMPONENTS}, "coredns": coredns / "coredns"}


def find_go_client() -> Path:
    """A TLS client of Go's own libraries. Raises MissingTool."""
    return _of_go_alone("client")


def find_path_verifier() -> Path:
    """What asks Go's own libraries about certificate paths. Raises MissingTool."""
    return _of_go_alone("paths")


def _of_go_alone(module: str) -> Path:
    """A program that needs nothing but Go."""

    def build(target: Path) -> None:
        _run(module, "build", "-trimpath", "-o", str(target / module), ".")

    return cached(_key(module, ".".join(map(str, MINIMUM_GO))), build) / module


def _key(module: str, version: str) -> str:
    sources = [file for file in (HERE / module).iterdir() if file.suffix in (".go", ".mod", ".sum")]
    return f"{module}-{version}-{digest(*sorted(sources))}"


def _go() -> str:
    go = shutil.which("go")
    if go is None:
        raise MissingTool(
            "The test bed builds Kubernetes from Go modules and finds no 'go'. Install Go "
            f"{'.'.join(map(str, MINIMUM_GO))} or later, or set KUBEBUILDER_ASSETS to a folder with {', '.join(COMPONENTS)}."
        )
    version = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < MINIMUM_GO:
        raise MissingTool(f"Go {'.'.join(map(str, MINIMUM_GO))} or later is needed, {version.strip()} is installed.")
    return go


def _run(module: str, *arguments: str) -> str:
    go = _go()
    print(f"building {module} (once, some minutes) ...", file=sys.stderr, flush=True)
    done = subprocess.run([go, *arguments], cwd=HERE / module, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingTool(f"go {arguments[0]} failed in {HERE / module}:\n{done.stderr[-2000:]}")
    return done.stdout.strip()


def _build_control_plane(target: Path) -> None:
    _build_kubernetes("controlplane", COMPONENTS, target)


def _build_node(target: Path) -> None:
    _build_kubernetes("node", NODE_COMPONENTS, target)


def _build_kubernetes(module: str, components: tuple[str, ...], target: Path) -> None:
    """One binary that is called by the names of its components."""
    base = "k8s.io/component-base/version"
    major, minor = KUBERNETES.split(".")[:2]
    stamps = f"-X {base}.gitVersion=v{KUBERNETES} -X {base}.gitMajor={major} -X {base}.gitMinor={minor}"
    _run(module, "build", "-trimpath", f"-ldflags=-s -w {stamps}", "-o", str(target / module), ".")
    for component in components:
        (target / component).symlink_to(module)


def _build_coredns(target: Path) -> None:
    _run("coredns", "build", "-trimpath", "-ldflags=-s -w", "-o", str(target / "coredns"), ".")


def _build_kwok(target: Path) -> None:
    module = "sigs.k8s.io/kwok"
    _run("kwok", "build", "-trimpath", "-ldflags=-s -w", "-o", str(target / "kwok"), f"{module}/cmd/kwok")
    sources = Path(_run("kwok", "list", "-m", "-f", "{{.Dir}}", module)) / "kustomize" / "stage"
    files = [file for pattern in STAGES for file in sorted(sources.glob(pattern)) if file.name != "kustomization.yaml"]
    (target / "stages.yaml").write_text("\n---\n".join(file.read_text() for file in files))
