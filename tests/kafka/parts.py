"""The parts of a bed with a real node, prepared side by side. Standard library only."""

from __future__ import annotations

from pathlib import Path

from ..tools.cluster.binaries import COMPONENTS, NODE_COMPONENTS, find_components
from ..tools.cluster.cache import MissingTool
from ..tools.cluster.crds import find_crds
from ..tools.cluster.parts import Parts
from ..tools.cluster.side_by_side import both
from . import needs
from .image import find_image


def real_parts() -> Parts:
    """Raises MissingTool, at once where no real node can run."""
    if reason := needs.reason_to_skip():
        raise MissingTool(reason)
    programs, (image, crds) = both(_programs, _of_packages)
    return Parts({**programs, "image": image}, crds)


def _programs() -> dict[str, Path]:
    return find_components((*COMPONENTS, *NODE_COMPONENTS))


def _of_packages() -> tuple[Path, list[Path]]:
    needs.install()
    return both(find_image, find_crds)
