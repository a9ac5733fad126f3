"""`chart_problems`: the conformance suite of charts."""

from __future__ import annotations

import copy
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from dagathlon.errors import DagathlonError
from dagathlon.evaluations.benchmarks.charts import Charts
from dagathlon.modules import find
from dagathlon.report.figures.chart import StudyChart
from dagathlon.report.figures.charts_io import themed
from dagathlon.report.figures.palette import Look
from dagathlon.report.figures.vega_worker import pictures
from dagathlon.report.results import Results
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.testing.generators import description_problems
from dagathlon.workflow import Study

_IDS = ("hc", "pc")
Runs = list[dict[str, Any]]


def chart_problems(
    name: str, *, seconds: float = 60.0, on_check: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Return what is wrong with a chart; an empty list when nothing is.

    It is drawn with its defaults for the runs of a small study, for one run, for runs without
    values and for none, and each drawing is made a picture.

    Parameters
    ----------
    name
        Its name.
    seconds
        Time limit of drawing once.
    on_check
        Called with the name of each check.
    """
    on_check("its description")
    cls = cast(type[StudyChart], find("chart", name))
    problems = list(description_problems(cls))
    if not cls.question.strip():
        problems.append("it has no question, which is its heading on the page")
    try:
        chart = cls.from_json({})
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    for what, runs in _cases():
        on_check(what)
        begin = time.perf_counter()
        problems += [f"{what}: {problem}" for problem in _problems(chart, runs)]
        taken = time.perf_counter() - begin
        if taken > seconds:
            problems.append(f"{what}: drawing took {taken:.1f} s, more than {seconds:g} s")
    return problems


def _cases() -> Iterator[tuple[str, Runs]]:
    runs = _small_study()
    yield "the runs of a study", runs
    yield "a single run", runs[:1]
    yield "runs without values", [_without_numbers(run) for run in runs]
    yield "no runs", []


def _small_study() -> Runs:
    """Return the rows that a chart gets for two learners on two data sets."""
    evaluation = {"benchmarks": {"ids": list(_IDS)}}
    study = Study.build("small", _IDS, ["asia[n=200,seeds=2]"], evaluation=evaluation)
    with tempfile.TemporaryDirectory(prefix="dagathlon-") as name:
        folder = Path(name)
        study.run(folder, engine="inline", figures="none")
        with Store(folder / STORE_FOLDER, readonly=True) as store:
            tables = Charts(charts=(), ids=_IDS).tables(Results.of(folder / "small", store))
            return [dict(row) for row in tables["runs"].rows]


def _without_numbers(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a run that failed."""
    return {key: None if isinstance(value, int | float) else value for key, value in run.items()}


def _problems(chart: StudyChart, runs: Runs) -> Iterator[str]:
    before = copy.deepcopy(runs)
    try:
        drawing = chart.draw(runs, Look(_IDS))
        if isinstance(drawing, str):
            request = {"drawing": drawing, "kinds": [".png"]}
        elif isinstance(drawing, Mapping):
            text = json.dumps(themed(drawing), default=list, allow_nan=False)
            request = {"chart": text, "kinds": [".svg"]}
        else:
            yield f"draw returns {type(drawing).__name__}, not a dict or the text of an SVG picture"
            return
        if not all(pictures(request)):
            yield "the picture is empty"
    except Exception as error:  # whatever a chart raises is its problem
        yield f"it fails: {type(error).__name__}: {error}"
    if runs != before:
        yield "it changes the runs, which other charts draw too"
