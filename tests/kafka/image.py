"""Images of containers, and the image of Kafka: a Debian root with Java, the jars from Maven Central, and scripts after Strimzi's image contract."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import partial
from pathlib import Path

from ..tools.cluster.cache import cached, digest
from ..tools.cluster.debian import make_root
from ..tools.cluster.java import resolve, run_tool
from ..tools.cluster.side_by_side import both
from ..tools.cluster.versions import CONFIG_PROVIDER, KAFKA
from ..tools.operator.real_pods import LOGGING

PARTS = Path(__file__).parent / "image"
DEBIAN = "bookworm"
_SCRIPTS = {"kafka_run.sh": "", "kafka_readiness.sh": "", "kafka_liveness.sh": "", "kafka-run-class.sh": "bin/"}
#: The script that starts a node while the image is built, and the file that the image gets from it.
_REMEMBER, _CLASSES = "remember_classes.sh", "opt/kafka/classes.jsa"
#: Runs a program in a network of its own, beside a root with devices and processes.
_BESIDE_ROOT = 'ip link set lo up && mount --bind /dev "$1/dev" && mount -t proc proc "$1/proc" && shift && exec "$@"'
_ENVIRONMENT = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "KAFKA_HOME=/opt/kafka"]


def image_of(version: str) -> str:
    """The name by which a container runtime has the image of this version of Kafka."""
    return f"docker.io/library/kafka:{version}"


#: The image that beds have in any case: sandboxes of pods, and programs that need no Kafka, run it too.
IMAGE = image_of(KAFKA)


def find_image(version: str = KAFKA) -> Path:
    """An archive that container runtimes import. Raises MissingTool."""
    key = f"kafka-image-{version}-{digest(LOGGING, *sorted(PARTS.iterdir()))}"
    return cached(key, partial(_build, version), f"the image of Kafka {version}", "about a minute") / "image.tar"


def _build(version: str, target: Path) -> None:
    root, kafka = both(
        partial(debian_root, ("openjdk-17-jre-headless", "tini")), partial(_kafka_layer, version, target)
    )
    # The sandbox of a pod runs this image too, hence a command that sleeps.
    configuration = {"Env": _ENVIRONMENT, "WorkingDir": "/opt/kafka", "Cmd": ["/bin/sleep", "infinity"]}
    layers = [root, kafka, _class_layer(root, kafka, target / "classes.tar")]
    write_image(image_of(version), layers, configuration, target / "image.tar")
    subprocess.run(["rm", "-r", target / "libs", *layers[1:]], check=True)


def debian_root(packages: tuple[str, ...]) -> Path:
    """A layer: the essential packages of Debian, and these. Raises MissingTool."""
    key = "-".join(("debian", DEBIAN, *packages))
    return (
        cached(key, partial(_bootstrap, packages), f"a Debian root with {packages[0]}", "about a minute") / "root.tar"
    )


def _bootstrap(packages: tuple[str, ...], target: Path) -> None:
    # The hook: Java's package puts links to manual pages into a folder that this variant does not have.
    hook = "--setup-hook=mkdir -p $1/usr/share/man/man1"
    make_root(DEBIAN, packages, target / "root.tar", "--variant=essential", hook)


def _kafka_layer(version: str, target: Path) -> Path:
    libs, layer = target / "libs", target / "kafka.tar"
    versions = {"kafka.version": version, "provider.version": CONFIG_PROVIDER}
    resolve(PARTS / "pom.xml", "copy-dependencies", {**versions, "outputDirectory": libs, "includeScope": "runtime"})
    with tarfile.open(layer, "w") as archive:
        for name, folder in _SCRIPTS.items():
            archive.add(PARTS / name, f"opt/kafka/{folder}{name}", filter=_plain)
        archive.add(libs, "opt/kafka/libs", filter=_plain)
    return layer


def _class_layer(root: Path, kafka: Path, layer: Path) -> Path:
    """A layer with the classes that a node loads (class data sharing of Java): Java maps the file and loads none of them again. Raises MissingTool."""
    with tempfile.TemporaryDirectory() as folder:
        for below in (root, kafka):
            subprocess.run(["tar", "--extract", f"--file={below}", f"--directory={folder}"], check=True)
        for file in (PARTS / _REMEMBER, LOGGING):
            shutil.copy(file, folder)
        serve = (sys.executable, str(PARTS / "serve_secret.py"), folder)
        run_tool("unshare", "--mount", "--net", "sh", "-c", _BESIDE_ROOT, "sh", folder, *serve, f"/{_REMEMBER}")
        with tarfile.open(layer, "w") as archive:
            archive.add(Path(folder, _CLASSES), _CLASSES, filter=owned_by_root)
    return layer


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mode = 0o644 if member.name.endswith(".jar") else 0o755
    return owned_by_root(member)


def owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """For the layers of an image."""
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def write_image(image: str, layers: list[Path], configuration: dict[str, object], target: Path) -> None:
    """As ``docker save`` writes it. configuration: what a container of it starts with, as the OCI image specification has it ("config")."""
    sums = [_sum(layer) for layer in layers]
    described = json.dumps({
        "architecture": _architecture(), "os": "linux", "config": configuration,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{one}" for one in sums]},
    }).encode()  # fmt: skip
    name = f"{hashlib.sha256(described).hexdigest()}.json"
    names = [f"{one}.tar" for one in sums]
    manifest = [{"Config": name, "RepoTags": [image.removeprefix("docker.io/library/")], "Layers": names}]
    with tarfile.open(target, "w") as archive:
        for layer, entry in zip(layers, names, strict=True):
            archive.add(layer, entry)
        for entry, content in ((name, described), ("manifest.json", json.dumps(manifest).encode())):
            member = tarfile.TarInfo(entry)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _sum(file: Path) -> str:
    with file.open("rb") as content:
        found = hashlib.sha256()
        while chunk := content.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()


def _architecture() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
