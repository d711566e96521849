"""The parts of a bed with a real node, prepared side by side. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..tools.cluster.binaries import COMPONENTS, NODE_COMPONENTS, find_components
from ..tools.cluster.cache import MissingTool
from ..tools.cluster.crds import find_crds
from ..tools.cluster.parts import Parts
from ..tools.cluster.side_by_side import both
from . import needs
from .image import find_image

#: Names the archive of the image that each bed has; the archives of other images have names that begin so.
IMAGE_FILE = "image"


def real_parts(other_kafkas: Sequence[str] = ()) -> Parts:
    """other_kafkas: versions of Kafka whose images belong to them besides. Raises MissingTool, at once where no real
    node can run.
    """
    if reason := needs.reason_to_skip():
        raise MissingTool(reason)
    programs, (images, crds) = both(_programs, partial(_of_packages, other_kafkas))
    return Parts({**programs, **images}, crds)


def _programs() -> dict[str, Path]:
    return find_components((*COMPONENTS, *NODE_COMPONENTS))


def _of_packages(other_kafkas: Sequence[str]) -> tuple[dict[str, Path], list[Path]]:
    needs.install()
    return both(partial(_images, other_kafkas), find_crds)


def _images(other_kafkas: Sequence[str]) -> dict[str, Path]:
    """The archives, made one after the other: they share a layer, which takes most of the time."""
    return {IMAGE_FILE: find_image(), **{f"{IMAGE_FILE} {version}": find_image(version) for version in other_kafkas}}
