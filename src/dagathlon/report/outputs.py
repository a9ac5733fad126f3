"""Everything a study writes, from the store to the folder of each setup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dagathlon.evaluate.metric import is_own
from dagathlon.report.context import Results
from dagathlon.report.evaluation import (
    AnyTable,
    Drawing,
    Evaluation,
    LongTable,
    by_class,
    tables_of,
)
from dagathlon.report.files import write_bytes, write_columns, write_csv, write_parquet
from dagathlon.report.page import render
from dagathlon.report.render import painting, save, save_drawing
from dagathlon.report.section import Section, Words
from dagathlon.study.grammar.config import Config
from dagathlon.study.plan.plan import Plan
from dagathlon.study.store.store import Store


def write_outputs(
    config: Config, plan: Plan, store: Store, out: Path, partial: bool = False
) -> list[Path]:
    """Write tables and report of every setup; returns the reports."""
    reports = []
    for number, setup in enumerate(config.setups):
        results = Results(config, plan, store, number, setup, out / setup.title, partial)
        results.folder.mkdir(parents=True, exist_ok=True)
        with painting():
            sections = list(_sections(results))
            reports.append(_write_report(results, sections))
    return reports


def _sections(results: Results) -> Iterator[Section]:
    """Write the files of all evaluations; what they show on the page."""
    for evaluations in by_class(results.setup.evaluations):
        yield from _made(evaluations, results, written=True)
    for evaluations in by_class(results.setup.shown):
        yield from _made(evaluations, results, written=False)


def _made(evaluations: list[Evaluation], results: Results, *, written: bool) -> Iterator[Section]:
    """The section of an evaluation; an error in the user's own code is shown in its place."""
    first = evaluations[0]
    try:
        tables = tables_of(evaluations, results)
        if written:
            folder = results.folder / first.folder
            _write_tables(tables.tables.values(), folder)
            _write_files(first.figures(tables), folder)
            for evaluation in evaluations:
                _write_files(evaluation.files(results), folder)
        section = first.section(tables)
    except Exception as error:
        if not is_own(type(first)):
            raise
        reason = f"This evaluation ended with an error. {type(error).__name__}: {error}"
        section = Section(first.name, first.name, [Words(reason)])
    if section is not None:
        yield section


def _write_tables(tables: Iterable[AnyTable], folder: Path) -> None:
    for table in tables:
        if not table.file:
            continue
        path = _inside(folder, table.file)
        if isinstance(table, LongTable):
            if table.blocks:
                write_columns(table.blocks, path)
        else:
            write_csv(table.rows, path)
            if table.parquet:
                write_parquet(table.rows, path.with_suffix(".parquet"))


def _write_files(files: Iterable[tuple[str, bytes | Drawing]], folder: Path) -> None:
    for name, content in files:
        path = _inside(folder, name)
        if isinstance(content, bytes):
            write_bytes(path, content)
        elif isinstance(content, str):
            save_drawing(content, path)
        elif path.suffix in _PICTURES:
            save(content, path)
        else:
            save(content, *(path.with_name(path.name + end) for end in (".svg", ".png")))


_PICTURES = (".png", ".svg", ".pdf", ".json")


def _inside(folder: Path, name: str) -> Path:
    """The place of a file in the folder of an evaluation, and nowhere else."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name!r} is no file in {folder}")
    return path


def _write_report(results: Results, sections: list[Section]) -> Path:
    path = results.folder / "report.html"
    write_bytes(path, render(results, sections).encode("utf-8", errors="replace"))
    return path
