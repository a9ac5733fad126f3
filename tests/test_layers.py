"""Imports go downwards only, in the order in which CONTRIBUTING.md lists the layers."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dagathlon

PACKAGE = Path(dagathlon.__file__).parent
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
TOP = {"__init__", "__main__"}  # the lazy front door and the command: both stand above all layers


def layers() -> list[tuple[str, ...]]:
    """The first column of the table of layers, from top to bottom."""
    table = CONTRIBUTING.read_text().partition("## The layers")[2].partition("\n## ")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return [tuple(re.findall(r"`(\w+)`", cell)) for cell in cells]


def imported(source: str) -> Iterator[str]:
    """The layers that a file imports from."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "dagathlon":
            names = [f"dagathlon.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            names = [node.module or ""]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("dagathlon."))


RANKS = {name: rank for rank, names in enumerate(layers()) for name in names}
FILES = {
    path: path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")
}


def test_every_file_has_a_layer() -> None:
    assert set(FILES.values()) - TOP <= set(RANKS)


@pytest.mark.parametrize("layer", sorted(set(FILES.values()) - TOP))
def test_imports_go_downwards(layer: str) -> None:
    upwards = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, own in FILES.items()
        if own == layer
        for name in imported(path.read_text())
        if name != "__version__" and RANKS[name] < RANKS[layer]
    }
    assert not upwards


ROOMS = {"benchpress", "cluster", "external"}
# Commands use all rooms; the index and the registry say where modules are looked for.
OUTSIDE_THE_CORE = {"cli", *ROOMS}
WHERE_MODULES_ARE = {"modules/index.py", "modules/registry.py"}


def test_the_core_imports_no_room_for_clusters_other_languages_or_foreign_names() -> None:
    core = {
        str(path.relative_to(PACKAGE)): path.read_text()
        for path, layer in FILES.items()
        if layer not in OUTSIDE_THE_CORE
    }
    named = {
        name
        for name, text in core.items()
        if ROOMS & set(imported(text)) or re.search(rf"dagathlon\.({'|'.join(ROOMS)})\b", text)
    }
    assert len(core) > 500
    assert named == WHERE_MODULES_ARE


def test_the_models_to_imitate_are_there() -> None:
    table = CONTRIBUTING.read_text().partition("## A new learner")[2].partition("\n## ")[0]
    models = re.findall(r"`([\w/]+\.(?:py|cpp))`", table)
    roots = (PACKAGE, CONTRIBUTING.parent)
    assert len(models) >= 6
    assert [path for path in models if not any((root / path).exists() for root in roots)] == []


def test_no_file_is_too_long() -> None:
    root = CONTRIBUTING.parent
    sources = [
        path for folder in ("src", "cpp", "tests", "tools") for path in (root / folder).rglob("*")
    ]
    lengths = {
        str(path.relative_to(root)): len(path.read_text().splitlines())
        for path in sources
        if path.suffix in (".py", ".cpp", ".hpp")
    }
    assert {path: length for path, length in lengths.items() if length > 500} == {}


def test_helpers_of_tests_are_found_by_settings_alone() -> None:
    """The folders stand in pyproject.toml; no test changes the path of imports."""
    root = CONTRIBUTING.parent
    changing = re.compile(r"^\s*sys\.path(\.insert|\.append|\[)", re.M)
    files = [path for path in (root / "tests").rglob("*.py") if path.name != "test_containers.py"]
    assert [path.name for path in files if changing.search(path.read_text())] == []


def test_native_calls_have_few_arguments() -> None:
    """Calls with more take a struct; its own constructor has named fields."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    given = [(call.name, [a.arg for a in call.args.args if a.arg != "self"]) for call in calls]
    assert len(given) > 100
    assert [call for call in given if len(call[1]) > 6] == []


def test_heavy_libraries_wait_until_they_are_used() -> None:
    code = (
        "import sys, dagathlon.cli, dagathlon.graphs, dagathlon.data, dagathlon.learners\n"
        "dagathlon.cli.parser()\n"
        "heavy = {'pandas', 'polars', 'matplotlib', 'dask', 'networkx', 'igraph', 'highspy',\n"
        "         'causallearn', 'pgmpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
