"""Writes the reference pages from the modules, the commands and the docstrings themselves.

python tools/docs_reference.py           write docs/reference
python tools/docs_reference.py --check   fail when a page is not what it would be
"""

from __future__ import annotations

import argparse
import html
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from docs_learners import learners_page
from docs_python import python_page

from dagathlon.cli import parser as command_parser
from dagathlon.evaluate.metric import measures
from dagathlon.modules import Kind, Module, modules

TITLES: dict[Kind, str] = {
    "graph": "Graph generators",
    "parameters": "Parameter generators",
    "data": "Data generators",
    "algorithm": "Algorithms",
    "evaluation": "Evaluations",
}


FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_WRITTEN = "<!-- written by tools/docs_reference.py -->\n"


def main() -> int:
    """Write the pages, or look whether they are as they would be written."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    found = outdated()
    for name, text in found.items():
        if check:
            print(f"docs/reference/{name}.md is not up to date: python {sys.argv[0]}")
        else:
            (FOLDER / f"{name}.md").write_text(text, "utf-8")
    return int(check and bool(found))


def outdated() -> dict[str, str]:
    """The pages that are not as they would be written, each with what it should be."""
    wanted = {name: _WRITTEN + text for name, text in pages().items()}
    return {name: text for name, text in wanted.items() if _on_disk(name) != text}


def _on_disk(name: str) -> str:
    path = FOLDER / f"{name}.md"
    return path.read_text("utf-8") if path.is_file() else ""


def pages() -> dict[str, str]:
    """Text of each generated page by its name."""
    found = {kind: _page(title, modules(kind).values()) for kind, title in TITLES.items()}
    own, theirs = [], []
    for module in modules("algorithm").values():
        (theirs if ".benchpress" in module.__module__ else own).append(module)
    found["data"] += "\n" + "\n".join(_section(module) for module in modules("transform").values())
    return {
        **found,
        "algorithm": _page("Algorithms", own),
        "algorithm-benchpress": _page("Algorithms by Benchpress's names", theirs),
        "metric": _metrics(),
        "commands": _commands(),
        "python": python_page(),
        "learners": learners_page(),
    }


def _page(title: str, members: Iterable[type[Module]]) -> str:
    return f"# {title}\n\n" + "\n".join(_section(module) for module in members)


def _section(module: type[Module]) -> str:
    parts = [f"## {module.name}", _text(module.summary())]
    if module.unavailable.startswith("not implemented"):  # else it depends on the machine
        parts.append(f"*Not available: {_text(module.unavailable)}*")
    parameters = module.parameters().values()
    if parameters:
        rows = ["| parameter | default | meaning |", "|---|---|---|"]
        for parameter in parameters:
            default = "required" if parameter.required else f"`{json.dumps(parameter.default)}`"
            meaning = f"{parameter.description} Takes {parameter.type.text}.".strip()
            rows.append(f"| `{parameter.name}` | {default} | {_cell(meaning)} |")
        parts.append("\n".join(rows))
    parts += [f"- {_text(reference)}" for reference in module.references]
    return "\n\n".join(parts) + "\n"


def _text(words: str) -> str:
    return html.escape(words, quote=False)


def _cell(words: str) -> str:
    return _text(" ".join(words.split())).replace("|", "\\|")


def _metrics() -> str:
    rows = ["| metric | what it measures | better | unit | graphs |", "|---|---|---|---|---|"]
    for one in measures().values():
        better = {"more": "higher", "less": "lower", "": ""}[one.better]
        kinds = ", ".join(one.takes) or "all"
        rows.append(f"| `{one.name}` | {_cell(one.title)} | {better} | {one.unit} | {kinds} |")
    cited = dict.fromkeys(text for one in measures().values() for text in one.references)
    return "\n".join(["# Metrics", "", *rows, "", *(f"- {_text(one)}" for one in cited), ""])


def _commands() -> str:
    lines = ["# Commands", ""]
    for name, parser in _subparsers(command_parser()):
        lines += [f"## dagathlon {name}", "", _text(parser.description or ""), ""]
        lines += ["| argument | meaning |", "|---|---|"]
        for action in parser._actions:
            if action.dest != "help":
                lines.append(f"| {_argument(action)} | {_cell(action.help or '')} |")
        lines += ["", "```text", (parser.epilog or "").strip(), "```", ""]
    return "\n".join(lines)


def _argument(action: argparse.Action) -> str:
    """How an argument is written: its names, and what it takes."""
    if action.choices is not None:
        takes = "\\|".join(map(str, action.choices))
    else:
        takes = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return f"`{takes if action.choices is not None else action.metavar or action.dest}`"
    value = "" if action.nargs == 0 else f" {takes}"
    return ", ".join(f"`{name}{value}`" for name in action.option_strings)


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


if __name__ == "__main__":
    sys.exit(main())
