"""Builds the documentation site into ``build/site``: README and docs as they are, and a page for each module, role and plugin by antsibull-docs.

A link that leads nowhere, a heading that a link misses, and a page that no list of docs/README.md names are failures. Sphinx reaches no other server:
links to other sites are not followed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .environments import environment
from .places import ROOT
from .pythons import available_pairs
from .trees import copied_tree

SITE = ROOT / "build" / "site"
_PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "LICENSE",
    "changelogs",
    "docs",
    "meta",
    "playbooks",
    "extensions",
    "roles",
)
_CONFIGURATION = """\
project = "trustops.strimzi"
extensions = ["myst_parser", "sphinx_antsibull_ext"]
html_theme = "furo"
html_title = "trustops.strimzi"
myst_heading_anchors = 4
nitpicky = True
# These are on Ansible's own site.
nitpick_ignore_regex = [
    ("std:ref", "(common_return_values|action_plugins|ansible_configuration_settings)"),
    ("std:envvar", "ANSIBLE_CACHE_PLUGIN.*"),
]
exclude_patterns = ["changelogs", "meta", "playbooks", "roles", "extensions/**/README.md"]
highlight_language = "none"
"""
_LINK = re.compile(r"\]\(([\w./-]+)\.md\)")
_TABLE = re.compile(r"^\| ([^|]+) \| page \|$", re.MULTILINE)


def index(readme: str) -> str:
    """The start page. Its chapters are the tables of docs/README.md, in their order, and the pages by antsibull-docs."""
    begins = [(match.group(1).capitalize(), match.end()) for match in _TABLE.finditer(readme)]
    ends = [begin for _title, begin in begins[1:]] + [len(readme)]
    chapters = [
        (title, [f"docs/{page}" for page in _LINK.findall(readme[begin:end])])
        for (title, begin), end in zip(begins, ends, strict=True)
    ]
    chapters = [("Begin", ["README"]), *chapters, ("Modules, roles and plugins", ["collections/index"])]
    chapters.append(("About", ["docs/README", "CHANGELOG", "CONTRIBUTING", "SECURITY"]))
    lines = ["# trustops.strimzi", ""]
    for title, pages in chapters:
        lines += ["```{toctree}", f":caption: {title}", ":maxdepth: 1", "", *dict.fromkeys(pages), "```", ""]
    return "\n".join(lines)


def main() -> int:
    bin_folder = environment(available_pairs()[0].python, "site.txt") / "bin"
    tree = copied_tree("site")
    with tempfile.TemporaryDirectory() as home:
        source = Path(home) / "source"
        variables = {
            **os.environ, "HOME": home, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "ANSIBLE_COLLECTIONS_PATH": str(tree.parents[2]),
        }  # fmt: skip
        variables.pop("PYTHONPATH", None)
        for name in _PAGES:
            copy = shutil.copytree if (tree / name).is_dir() else shutil.copy
            source.mkdir(exist_ok=True)
            copy(tree / name, source / name)
        (source / "conf.py").write_text(_CONFIGURATION)
        (source / "index.md").write_text(index((tree / "docs" / "README.md").read_text()))
        pages = source / "collections"
        pages.mkdir(mode=0o755)
        plugins = [
            "antsibull-docs", "collection", "--use-current", "--squash-hierarchy", "--fail-on-error", "--dest-dir", str(pages),
            "trustops.strimzi",
        ]  # fmt: skip
        subprocess.run(plugins, env=variables, check=True, cwd=home)
        shutil.rmtree(SITE, ignore_errors=True)
        build = [
            "sphinx-build",
            "--builder",
            "html",
            "--fail-on-warning",
            "--keep-going",
            "--jobs",
            "2",
            "--quiet",
            str(source),
            str(SITE),
        ]
        return subprocess.run(build, env=variables, check=False, cwd=home).returncode


if __name__ == "__main__":
    sys.exit(main())
