"""``dagathlon serve``: live page of a running study."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli.status import described, lines_of, shown_records
from dagathlon.errors import DagathlonError
from dagathlon.report.live.boards import Boards
from dagathlon.report.live.page import LiveServer
from dagathlon.study.records.progress import Progress
from dagathlon.study.store.claims import RunRecord, run_records
from dagathlon.study.store.results_folder import find_store
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import counts


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "serve",
        "show a running or finished study in the browser, on this machine alone",
        "dagathlon serve results",
        _run,
    )
    parser.add_argument("folder", type=Path, help="folder of results")
    parser.add_argument(
        "--port", type=int, default=8000, help="port (default: 8000; 0: a free one)"
    )


def _run(arguments: argparse.Namespace) -> int:
    try:
        server = server_of(arguments.folder, arguments.port)
    except (OSError, OverflowError) as error:
        raise DagathlonError(
            f"--port {arguments.port}: cannot be used ({error}); --port 0 takes a free one"
        ) from None
    print(f"{server.address} shows {arguments.folder}; stop with Ctrl-C", flush=True)
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def server_of(folder: Path, port: int = 0) -> LiveServer:
    """Return the server of a folder of results."""
    boards = Boards(folder, find_store(folder))
    return LiveServer(folder, lambda: state_of(folder, boards), boards.page, port)


def state_of(folder: Path, boards: Boards) -> dict[str, Any]:
    """Return the progress of a study's latest runs and its scoreboard, for the page."""
    with Store(find_store(folder), readonly=True) as store:
        records, task_counts = run_records(store), counts(store)
    header, rows = lines_of(task_counts)
    state: dict[str, Any] = {"line": "nothing has run yet", "done": 0, "total": 1, "running": False}
    for record in shown_records(records)[:1]:
        state = _run_state(record)
    return state | {"header": header, "rows": rows, "boards": boards.boards()}


def _run_state(record: RunRecord) -> dict[str, Any]:
    """Return progress and hosts of one run."""
    progress = Progress.of(record.progress)
    done = progress.ran + progress.stored
    header, rows = progress.host_table(record.alive)
    going_on = record.alive and progress.hosts
    return {
        "line": described(record),
        "done": done,
        "total": done + progress.left,
        "running": record.alive,
        "facts": progress.facts(time.time()) if going_on else "",
        "told": progress.told if going_on else {},
        "hosts": {"header": header, "rows": rows},
    }
