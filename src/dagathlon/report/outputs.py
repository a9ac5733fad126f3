"""Everything a study writes, from the store to the folder of each setup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dagathlon.evaluate.metric import is_own, known_measures
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


def write_outputs(results: Results) -> Path:
    """Write tables and report of a setup; returns the report."""
    report = results.folder / "report.html"
    with painting(), known_measures(results.study.measures):
        page = render(results, list(_sections(results, written=True)))
        write_bytes(report, page.encode("utf-8", errors="replace"))
    return report


def page_of(results: Results) -> str:
    """The report on a setup, without writing anything."""
    with known_measures(results.study.measures):
        return render(results, list(_sections(results, written=False)))


def _sections(results: Results, *, written: bool) -> Iterator[Section]:
    """What evaluations show on the page; their files are written, of those that were asked for."""
    for evaluations in by_class(results.evaluations):
        yield from _made(evaluations, results, written=written)
    for evaluations in by_class(results.shown):
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
