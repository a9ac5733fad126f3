"""``dagathlon export-tasks``: a folder that runs a study as an array of jobs."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dagathlon import __version__
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_study_arguments, load_study
from dagathlon.errors import DagathlonError, StudyError
from dagathlon.modules.registry import FILES
from dagathlon.study.config.portable import NamedFile, code_files, files_of
from dagathlon.study.config.study_file import code_of
from dagathlon.study.engine.parts import MOST_SHARDS
from dagathlon.study.records.array_jobs import STUDY_FOLDER, TABLE, readme, scripts, shard_table
from dagathlon.wording import counted
from dagathlon.workflow import Study

# The copy is read by a program of its own, which knows nothing of what this one has loaded.
_KEYS = """
import hashlib, sys
from dagathlon import Study
from dagathlon.modules import add_files
add_files(sys.argv[3:])
tasks = Study.load(sys.argv[1], seed=int(sys.argv[2])).plan.tasks
print(hashlib.sha256(b"".join(task.key for task in tasks)).hexdigest())
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "export-tasks",
        "write a folder from which a study is run in shards, as an array of jobs",
        "dagathlon export-tasks studies/quickstart.json --shards 4 --out quickstart-tasks",
        _run,
    )
    add_study_arguments(parser, out="folder to write (default: the study's name with -tasks)")
    parser.add_argument("--shards", type=int, required=True, metavar="COUNT", help="how many parts")


def _run(arguments: argparse.Namespace) -> int:
    count = arguments.shards
    if not 1 <= count <= MOST_SHARDS:
        raise DagathlonError(f"--shards is a number from 1 to {MOST_SHARDS:,}, found {count}")
    out = arguments.out or Path(f"{arguments.study.stem}-tasks")
    _refuse(out)
    given = [*filter(None, os.environ.get(FILES, "").split(os.pathsep)), *arguments.modules]
    modules = _numbered(given, code_of(arguments.study))
    study = load_study(arguments)
    table = shard_table(study.plan, count)
    named = files_of(study.config)
    for place, path in modules.items():
        named += code_files(path, place)
    _copy(study, named, out)
    _check(study, [out / STUDY_FOLDER / place for place in modules], out)
    _write(study.config.path.name, [*_options(arguments), *_module_options(modules)], count, out)
    (out / TABLE).write_text(table, "utf-8")
    _tell(study, len(named), count, out)
    return 0


def _tell(study: Study, files: int, count: int, out: Path) -> None:
    learning = len({run.learn for run in (*study.plan.runs, *study.plan.further)})
    if learning < count:
        print(f"{counted(learning, 'learning run')} for {count:,} shards: some shards have none")
    named, shards = counted(files, "file"), counted(count, "shard")
    print(f"{out}: the study, {named} that it names, {shards} ({TABLE})")
    print(f"{out / 'README.txt'} says how to submit, merge and report")


def _numbered(given: Sequence[Path | str], files: Sequence[Path]) -> dict[Path, Path]:
    """Return modules that the study does not name itself, by their paths in the copy."""
    known = {path.resolve() for path in files}
    others = [path for path in dict.fromkeys(map(Path, given)) if path.resolve() not in known]
    return {Path("modules") / str(i) / path.name: path for i, path in enumerate(others, 1)}


def _refuse(out: Path) -> None:
    """Raise when the folder is in use for something else."""
    if out.exists() and not out.is_dir():
        raise DagathlonError(f"{out}: is a file; --out names a folder")
    if out.is_dir() and any(out.iterdir()) and not (out / TABLE).is_file():
        raise DagathlonError(f"{out}: is a folder with something else in it; give another --out")


def _copy(study: Study, named: Sequence[NamedFile], out: Path) -> None:
    folder = out / STUDY_FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / study.config.path.name).write_bytes(study.config.text)
    for source, place in named:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / place)
        shutil.copymode(source, folder / place)


def _check(study: Study, modules: Sequence[Path], out: Path) -> None:
    """Raise when the copy's tasks differ from the study's."""
    copy = out / STUDY_FOLDER / study.config.path.name
    program = [sys.executable, "-c", _KEYS, str(copy), str(study.seed), *map(str, modules)]
    clean = {name: value for name, value in os.environ.items() if name != FILES}
    done = subprocess.run(program, capture_output=True, text=True, check=False, env=clean)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it ended without a message"])[-1]
        raise StudyError(f"{copy}: the copy of the study cannot be used: {reason}")
    keys = b"".join(task.key for task in study.plan.tasks)
    if done.stdout.strip() != hashlib.sha256(keys).hexdigest():
        raise StudyError(
            f"{copy}: the copy of the study has other tasks than the study; some file that its "
            "modules read is not in their folders, or changed meanwhile"
        )


def _options(arguments: argparse.Namespace) -> list[str]:
    named = {"--time-limit": arguments.time_limit, "--memory-limit": arguments.memory_limit}
    named["--cpu-limit"] = arguments.cpu_limit
    named["--seed"] = arguments.seed or None
    given = [(name, str(value)) for name, value in named.items() if value is not None]
    return [word for pair in given for word in pair]


def _module_options(places: Iterable[Path]) -> list[str]:
    return [word for place in places for word in ("--modules", f"{STUDY_FOLDER}/{place}")]


def _write(name: str, options: Sequence[str], count: int, out: Path) -> None:
    for file, text in scripts(name, options, count):
        (out / file).write_text(text, "utf-8")
        (out / file).chmod(0o755)
    (out / "README.txt").write_text(readme(name, options, count, __version__), "utf-8")
