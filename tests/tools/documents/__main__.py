"""``python -m tests.tools.documents [--write]``: documentation that is the same in several files is as its table says.

Without ``--write`` it names every file that differs, and ends with 1 when there is one.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

from .entries import entries_of
from .facts import GROUPS, options_of, with_facts
from .rbac import rbac_document
from .roles import role_documents
from .stops import stops_document
from .tables import OWN, REFERRED, reference
from .tls import tls_document

ROOT = Path(__file__).parents[3]
_MODULES = "ansible_collections.trustops.strimzi.plugins.modules"
_WIDTH = 120
_BLOCK = re.compile(r'^ {4}([A-Z_]+) = r"""$.*?^"""$', re.DOTALL | re.MULTILINE)
_DOCUMENTATION = re.compile(r'(?<=\nDOCUMENTATION = r""")\n.*?\n(?=""")', re.DOTALL)
_RETURN = re.compile(r'(?<=\nRETURN = r""")\n.*?\n(?=""")', re.DOTALL)


def _modules() -> Iterator[tuple[Path, str]]:
    entries = entries_of((Path(__file__).parent / "returns.yml").read_text())
    for module, own in OWN.items():
        path = ROOT / "plugins" / "modules" / f"{module}.py"
        referred = [_reference(key, entries[key]) for key in REFERRED.get(module, ()) if key not in own]
        block = "\n".join([*(entries[key] for key in own), *referred])
        options = options_of(vars(importlib.import_module(f"{_MODULES}.{module}")))
        text = _DOCUMENTATION.sub(
            lambda told, options=options: with_facts(told[0], options, "suboptions", 2), path.read_text(), count=1
        )
        yield path, _RETURN.sub(lambda _match, block=block: f"\n{block}\n", text, count=1)


def _fragments() -> Iterator[tuple[Path, str]]:
    """Each block has the facts of the argument spec of its name; a block without a name has the facts of its file's name."""
    for path in (ROOT / "plugins" / "doc_fragments").glob("*.py"):

        def filled(block: re.Match[str], file: str = path.stem) -> str:
            name = file.upper() if block[1] == "DOCUMENTATION" else block[1]
            return with_facts(block[0], GROUPS[name].options, "suboptions", 2) if name in GROUPS else block[0]

        yield path, _BLOCK.sub(filled, path.read_text())


@cache
def _reference(key: str, entry: str) -> str:
    """The entry without what is inside it, on one line if that is short enough, else broken between its facts."""
    facts = {
        name: fact for name, fact in yaml.safe_load(entry)[key].items() if name in ("returned", "type", "elements")
    }
    text = yaml.safe_dump(
        {key: {"description": reference(key), **facts}}, sort_keys=False, default_flow_style=None, width=1000
    )
    unbroken = re.sub(r"(?<!,) ", "\0", text)
    lines = textwrap.fill(unbroken, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines.replace("\0", " ")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.documents", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="bring the files in step")
    arguments = parser.parse_args()
    documents = (*_modules(), *_fragments(), *role_documents(), *stops_document(), *tls_document(), *rbac_document())
    differing = [(path, text) for path, text in documents if not path.exists() or path.read_text() != text]
    for path, text in differing:
        if arguments.write:
            path.write_text(text)
        print(f"{path.relative_to(ROOT)}: {'written' if arguments.write else 'differs from tests/tools/documents'}")
    return 1 if differing and not arguments.write else 0


if __name__ == "__main__":
    sys.exit(main())
