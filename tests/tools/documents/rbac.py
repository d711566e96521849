"""The Secrets of components in docs/rbac.yml, from the rows of the components."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import component_leaves

_PAGE = Path(__file__).parents[3] / "docs" / "rbac.yml"
#: A list of names that begins with the operator's own Secret, or with the Secret in which cert-manager keeps its certificate.
_NAMES = re.compile(r"^( +- )demo-cluster-operator-certs(-cm|)\n(?:\1demo-\S+-certs\2\n)*", re.MULTILINE)


def rbac_document() -> Iterator[tuple[Path, str]]:
    secrets = [leaf.secret for leaf in component_leaves("demo")]
    yield (
        _PAGE,
        _NAMES.sub(lambda old: "".join(f"{old[1]}{name}{old[2]}\n" for name in secrets), _PAGE.read_text()),
    )
