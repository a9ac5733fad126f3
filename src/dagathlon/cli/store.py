"""``dagathlon store``: size, verification and garbage collection of a store."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_modules_argument, load_modules
from dagathlon.errors import terminal_text
from dagathlon.study.store.results_folder import find_store
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import gc, size, verify
from dagathlon.wording import counted
from dagathlon.workflow import Study

_DAMAGED = 1


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "store",
        "show the size of a store, verify it, or remove what is not needed",
        "dagathlon store verify results",
        run,
    )
    parser.add_argument("action", choices=["gc", "verify", "size"])
    parser.add_argument("folder", type=Path, help="folder of results, or the store itself")
    parser.add_argument(
        "--keep", type=Path, nargs="+", metavar="STUDY", help="gc: keep only what these need"
    )
    parser.add_argument("--resources", type=Path, help="a Benchpress resources folder")
    add_modules_argument(parser)
    parser.add_argument(
        "--repair", action="store_true", help="verify: remove damaged results from the store"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the requested action."""
    actions = {"gc": _gc, "verify": _verify, "size": _size}
    return actions[arguments.action](arguments)


def _gc(arguments: argparse.Namespace) -> int:
    keep = None
    if arguments.keep:
        load_modules(arguments)
        studies = [Study.load(path, arguments.resources) for path in arguments.keep]
        keep = {task.key for study in studies for task in study.plan.tasks}
    with Store(find_store(arguments.folder)) as store:
        freed = gc(store, keep)
    print(
        f"removed {freed.results:,} results and {freed.files:,} files "
        f"({freed.file_bytes / 2**20:,.1f} MB)"
    )
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    with Store(find_store(arguments.folder), readonly=not arguments.repair) as store:
        damaged = verify(store, repair=arguments.repair)
        total = size(store).results
    for damage in damaged:
        print(terminal_text(f"{damage.place}: {damage.problem}"))
    if not damaged:
        print(f"{counted(total, 'result')}, all sound")
        return 0
    taken = "they were removed" if arguments.repair else "use --repair to remove them"
    print(f"{len(damaged):,} damaged; {taken}, and the next run computes them again")
    return _DAMAGED


def _size(arguments: argparse.Namespace) -> int:
    with Store(find_store(arguments.folder), readonly=True) as store:
        sizes = size(store)
    print(
        f"{sizes.results:,} results: index {sizes.index_bytes / 2**20:,.1f} MB, "
        f"{sizes.files:,} files {sizes.file_bytes / 2**20:,.1f} MB"
    )
    return 0
