"""Hook of mkdocs: writes the reference pages from the modules and the commands themselves."""

from __future__ import annotations

import argparse
import html
import json
from collections.abc import Iterable, Iterator
from typing import Any

from mkdocs.structure.files import File, Files

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


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to those of the folder."""
    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


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
    }


def _page(title: str, members: Iterable[type[Module]]) -> str:
    return f"# {title}\n\n" + "\n".join(_section(module) for module in members)


def _section(module: type[Module]) -> str:
    parts = [f"## {module.name}", _text(module.summary())]
    if module.unavailable:
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
        lines += [f"## dagathlon {name}", "", "```text", parser.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()
