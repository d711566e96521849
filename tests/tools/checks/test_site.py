"""The start page of the documentation site has the chapters of docs/README.md."""

from __future__ import annotations

from .site import index

README = """# Pages

| how to | page |
|---|---|
| a thing | [one.md](one.md), [two.md](folder/two.md) |
| a thing again | [one.md](one.md) |

| to understand | page |
|---|---|
| permissions | [rbac.yml](rbac.yml) |
| words | [words.md](words.md) |
"""


def test_chapters_are_the_tables_in_their_order() -> None:
    captions, pages = [], []
    for line in index(README).splitlines():
        if line.startswith(":caption: "):
            captions.append(line.removeprefix(":caption: "))
            pages.append([])
        elif line and line[0] not in "#:`":
            pages[-1].append(line)
    assert captions[1:3] == ["How to", "To understand"]
    assert pages[1:3] == [["docs/one", "docs/folder/two"], ["docs/words"]]
