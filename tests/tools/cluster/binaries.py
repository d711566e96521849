"""Programs in Go: Kubernetes, kwok and what else tests need, built, or taken from KUBEBUILDER_ASSETS."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .cache import MissingTool, cached, digest
from .versions import CERT_MANAGER, KUBERNETES, KWOK, MINIMUM_GO, PROMETHEUS, VAULT

HERE = Path(__file__).parent / "binaries"
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
NODE_COMPONENTS = ("kubelet", "kube-proxy", "coredns")

#: Joined into one file for kwok; nodes come up and renew their leases, pods start and end at once.
STAGES = ("node/fast/node-initialize.yaml", "node/heartbeat-with-lease/*.yaml", "pod/fast/pod-ready.yaml",
          "pod/fast/pod-delete.yaml")  # fmt: skip

#: Half of all code that is compiled. Nothing is inlined in it: that takes a third off the time of its compilers, and the code that handles each
#: request lies elsewhere.
_LARGE = tuple(f"-gcflags=k8s.io/{module}/...=-dwarf=false -l" for module in ("kubernetes", "client-go"))


def find_components(names: tuple[str, ...]) -> dict[str, Path]:
    """Paths by component: of KUBEBUILDER_ASSETS what is there, the others built. Raises MissingTool."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    given = {name: Path(assets) / name for name in names if assets and (Path(assets) / name).exists()}
    if len(given) == len(names):
        return given
    folder = cached(_key("kubernetes", KUBERNETES), _build_kubernetes, f"Kubernetes {KUBERNETES}", "about 5 minutes")
    return {**{name: folder / name for name in names}, **given}


def find_simulator() -> dict[str, Path]:
    """kwok, which pretends to be nodes, and its stages. Raises MissingTool."""
    kwok = cached(_key("kwok", KWOK), _build_kwok, f"kwok {KWOK}", "about a minute")
    return {"kwok": kwok / "kwok", "stages": kwok / "stages.yaml"}


def find_cert_manager() -> Path:
    """A folder with the program ``cert-manager`` and, in ``crds``, its CRDs, one in each file. Raises MissingTool."""
    about = f"cert-manager {CERT_MANAGER}"
    return cached(_key("cert-manager", CERT_MANAGER), _build_cert_manager, about, "about 5 minutes")


def find_vault() -> Path:
    """The program ``vault``, which prints where it listens and how it is administered. Raises MissingTool."""

    def build(target: Path) -> None:
        _compile("vault", target / "vault")

    return cached(_key("vault", VAULT), build, f"Vault {VAULT}", "about 3 minutes") / "vault"


def find_promtool() -> Path:
    """The program ``promtool``, which checks and tries alerting rules. Raises MissingTool."""

    def build(target: Path) -> None:
        # Of what finds targets, only the code that promtool itself names.
        _compile("promtool", target / "promtool", "github.com/prometheus/prometheus/cmd/promtool", tags="remove_all_sd")

    about = f"promtool of Prometheus {PROMETHEUS}"
    return cached(_key("promtool", PROMETHEUS), build, about, "about 3 minutes") / "promtool"


def find_go_client() -> Path:
    """A TLS client of Go's own libraries. Raises MissingTool."""
    return _of_go_alone("client")


def find_path_verifier() -> Path:
    """A program that asks Go's own libraries about certificate paths. Raises MissingTool."""
    return _of_go_alone("paths")


def _of_go_alone(module: str) -> Path:
    """A program that needs nothing but Go."""

    def build(target: Path) -> None:
        _compile(module, target / module)

    about = f"the program '{module}'"
    return cached(_key(module, ".".join(map(str, MINIMUM_GO))), build, about, "some seconds") / module


def _key(module: str, version: str) -> str:
    sources = [file for file in (HERE / module).rglob("*") if file.suffix in (".go", ".mod", ".sum")]
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
    # The compilers live for seconds each: they collect garbage only where they would take much memory, which takes a third off their time.
    variables = {"GOGC": "off", "GOMEMLIMIT": "2GiB", **os.environ}
    done = subprocess.run(
        [go, *arguments], cwd=HERE / module, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise MissingTool(f"go {arguments[0]} failed in {HERE / module}:\n{done.stderr[-2000:]}")
    return done.stdout.strip()


def _compile(module: str, target: Path, package: str = ".", stamps: str = "", tags: str = "") -> None:
    # Without data for debuggers, which no test needs; the same flags everywhere, so that modules share what is compiled.
    flags = ("-trimpath", "-gcflags=all=-dwarf=false", *_LARGE, f"-ldflags=-s -w {stamps}".rstrip(), f"-tags={tags}")
    _run(module, "build", *flags, "-o", str(target), package)


def _build_kubernetes(target: Path) -> None:
    """A single program that is called by the names of its components."""
    base = "k8s.io/component-base/version"
    major, minor = KUBERNETES.split(".")[:2]
    stamps = f"-X {base}.gitVersion=v{KUBERNETES} -X {base}.gitMajor={major} -X {base}.gitMinor={minor}"
    _compile("kubernetes", target / "kubernetes", stamps=stamps)
    for component in (*COMPONENTS, *NODE_COMPONENTS):
        (target / component).symlink_to("kubernetes")


def _build_kwok(target: Path) -> None:
    """A program of its own: kwok 0.8 wants libraries of Kubernetes 1.36, and 0.7 is not compiled with those of 1.34."""
    module = "sigs.k8s.io/kwok"
    _compile("kwok", target / "kwok", f"{module}/cmd/kwok")
    sources = Path(_run("kwok", "list", "-m", "-f", "{{.Dir}}", module)) / "kustomize" / "stage"
    files = [file for pattern in STAGES for file in sorted(sources.glob(pattern)) if file.name != "kustomization.yaml"]
    (target / "stages.yaml").write_text("\n---\n".join(file.read_text() for file in files))


def _build_cert_manager(target: Path) -> None:
    """A program of its own: cert-manager 1.21 wants libraries of Kubernetes 1.36."""
    module = "github.com/cert-manager/cert-manager"
    _compile("cert-manager", target / "cert-manager")
    sources = Path(_run("cert-manager", "list", "-m", "-f", "{{.Dir}}", module)) / "deploy" / "crds"
    (target / "crds").mkdir()
    for file in sorted(sources.glob("*.yaml")):
        shutil.copyfile(file, target / "crds" / file.name)
