"""Writing of tables, figures and reports of a study to the folders of its setups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from dagathlon.evaluate.metric import is_user_defined, known_measures
from dagathlon.report.evaluation import (
    AnyTable,
    Evaluation,
    LongTable,
    Records,
    TableSet,
    by_class,
    tables_of,
)
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.charts_io import painting, save, save_drawing
from dagathlon.report.figures.figure_pool import OnFigure
from dagathlon.report.files import (
    write_bytes,
    write_columns,
    write_csv,
    write_json,
    write_parquet,
)
from dagathlon.report.page import render
from dagathlon.report.results import Results
from dagathlon.report.section import Section, Words
from dagathlon.report.tables.latex import to_html, to_latex
from dagathlon.report.written import note_written

FigureChoice: TypeAlias = Literal["asked", "all", "none"]
"""Which figures become files: those that no page shows, all, or none."""


def write_outputs(
    setups: Sequence[Results],
    figures: FigureChoice = "asked",
    on_figure: OnFigure = lambda done, asked: None,
) -> list[Path]:
    """Write tables, figures and reports of setups; returns the reports.

    Parameters
    ----------
    setups
        The results of each setup.
    figures
        Which figures become files: those that the page does not have (``asked``, what the study
        asks for by Benchpress's names), ``all`` of them, or ``none``.
    on_figure
        Told how many figures are there, and how many were asked for so far.
    """
    before = [results.store.n_damaged for results in setups]
    with painting(on_figure) as drawing:
        for results in setups:
            drawing.begin(results.folder)
            with known_measures(results.study.measures):
                page = render(results, list(_sections(results, figures)))
            write_bytes(_report(results), page.encode("utf-8", errors="replace"))
    whole = before == [results.store.n_damaged for results in setups]
    for results in setups:
        note_written(results, figures, whole=whole)
    return [_report(results) for results in setups]


def _report(results: Results) -> Path:
    return results.folder / "report.html"


def page_of(results: Results) -> str:
    """Return the report on a setup as HTML; write nothing."""
    with known_measures(results.study.measures):
        return render(results, list(_sections(results, None)))


def _sections(results: Results, figures: FigureChoice | None) -> Iterator[Section]:
    """Yield the sections of all evaluations; write their files unless `figures` is None."""
    for evaluations in by_class(results.evaluations):
        yield from _made(evaluations, results, figures)
    for evaluations in by_class(results.shown):
        yield from _made(evaluations, results, None)


def _made(
    evaluations: list[Evaluation], results: Results, figures: FigureChoice | None
) -> Iterator[Section]:
    """Yield the section of an evaluation; an error of the user's code is shown in its place."""
    first = evaluations[0]
    try:
        tables = tables_of(evaluations, results)
        if figures is not None:
            _write(evaluations, tables, results, figures)
        section = first.section(tables)
    except Exception as error:
        if not is_user_defined(type(first)):
            raise
        reason = f"This evaluation ended with an error. {type(error).__name__}: {error}"
        section = Section(first.name, first.name, [Words(reason)])
    if section is not None:
        yield section


def _write(
    evaluations: list[Evaluation], tables: TableSet, results: Results, figures: FigureChoice
) -> None:
    """Write the files of an evaluation."""
    first = evaluations[0]
    folder = results.folder / first.folder
    _write_tables(tables.tables.values(), folder)
    if figures == "all" or (figures == "asked" and not first.on_page):
        _write_files(first.figures(tables), folder)
    for evaluation in evaluations:
        files = evaluation.files(results)
        if figures == "none":
            files = ((name, content) for name, content in files if isinstance(content, bytes))
        _write_files(files, folder)


def _write_tables(tables: Iterable[AnyTable], folder: Path) -> None:
    for table in tables:
        if isinstance(table, Records) or not table.file:
            continue
        path = _inside(folder, table.file)
        if isinstance(table, LongTable):
            if table.blocks:
                write_columns(table.blocks, path)
        else:
            if path.suffix == ".json":
                write_json(table.rows, path)
            else:
                write_csv(table.rows, path, numbered=table.numbered)
            if table.parquet:
                write_parquet(table.rows, path.with_suffix(".parquet"), table.schema)
            if table.layout is not None and table.rows:
                write_bytes(path.with_suffix(".tex"), to_latex(table.rows, table.layout).encode())
                write_bytes(path.with_suffix(".html"), to_html(table.rows, table.layout).encode())


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
    """Return the path of a file; one outside the evaluation's folder is an error."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name!r} is no file in {folder}")
    return path
