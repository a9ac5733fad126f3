"""The section on noise: what it says, what cells show, and that it stands whatever is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from dagathlon.evaluations.noise.figures import algorithm_order, noisy_codes
from dagathlon.evaluations.noise.section import noise_parts
from dagathlon.evaluations.noise.strengths import Groups
from dagathlon.evaluations.noise.tables import ON_PAGE, NoiseRun, NoiseStudyTables, noise_tables
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.evaluation import Table, TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.section import Figure, Grid, Part, Words

LEFT = {"robust": {"M10": 0.9, "cMISL": 0.8}, "frail": {"M10": 0.5, "cMISL": 0.4}}


def _run(who: str, network: str, code: str, seed: int) -> NoiseRun:
    clean = {"robust": 0.5, "frail": 0.6}[who]
    score = clean * LEFT[who].get(code, 1.0)
    known = {"precision": score, "recall": score, "n_edges": 6, "true_edges": 8, "n_nodes": 8}
    return NoiseRun(
        network, code, 100, seed, who, f1=score, shd=8 - 8 * score, bsf=score, time=1.0, **known
    )


def _runs(seeds: int = 1, codes: Sequence[str] = ("N", "M10", "cMISL")) -> list[NoiseRun]:
    return [
        _run(who, network, code, seed)
        for who in LEFT
        for network in ("asia", "alarm")
        for code in codes
        for seed in range(seeds)
    ]


def _tables(runs: Sequence[NoiseRun]) -> TableSet:
    study = NoiseStudyTables.of(runs, 10.0)
    made = noise_tables(study, runs, Groups())
    tables = {name: Table(rows()) for name, rows, _ in made if name in ON_PAGE}
    look = Look.of({run.algorithm for run in runs})
    how = {"seconds": 10.0, "intervals": study.over}
    return TableSet(tables | {"limit": Table([how])}, "study", look, False)


def _said(parts: Sequence[Part]) -> str:
    return " ".join(part.text for part in parts if isinstance(part, Words))


def _cells(parts: Sequence[Part]) -> dict[tuple[str, str, str], dict[str, Any]]:
    figure = next(part for part in parts if isinstance(part, Figure))
    values = figure.variants[0][1]["data"]["values"]
    return {(cell["case"], cell["id"], cell["code"]): cell for cell in values}


def test_sentences_say_what_hurts_and_who_keeps() -> None:
    tables = _tables(_runs())
    said = _said(list(noise_parts(tables)))
    assert "Noise cMISL costs most: 42\u00a0%" in said  # (.5*.8 + .6*.4) / 1.1 is left: 58 %
    assert "robust keeps most of its accuracy (85\u00a0%), frail least (45\u00a0%)" in said
    assert "With noise robust gains most in rank by F1 (from 2nd to 1st" in said
    assert "small differences may be luck" in said
    assert "Intervals are over networks" in said
    assert algorithm_order(tables) == ["robust", "frail"]


def test_cells_show_what_is_left_and_how_runs_failed() -> None:
    failed = {"f1": None, "shd": None, "bsf": None, "n_edges": None, "time": None}
    runs = [
        replace(run, **failed, failure="memory")
        if (run.algorithm, run.network, run.code) == ("frail", "asia", "cMISL")
        else run
        for run in _runs(2)
    ]
    runs[0] = replace(runs[0], starts=10, failed_starts=4)
    parts = list(noise_parts(_tables(runs)))
    cells = _cells(parts)
    assert cells["asia", "robust", "M10"]["text"] == "90"
    assert cells["asia", "robust", "N"]["text"] == ".50"
    assert cells["asia", "frail", "cMISL"]["text"] == "F3"
    assert cells["alarm", "frail", "cMISL"]["kind"] == "lost"
    assert "2 of 24 runs failed: 2 over the memory limit (frail 2)." in _said(parts)
    grid = next(part for part in parts if isinstance(part, Grid))
    wanted = [["frail", "0", "0", "2\u00a0memory"], ["robust", "4\u00a0starts", "0", "0"]]
    assert list(grid.rows) == wanted
    assert "starts failed (robust: 4 of 10)" in _said(parts)
    assert "Intervals are over samples" in _said(parts)


def test_kinds_of_noise_stand_by_kind_and_rate() -> None:
    codes = ("cMI", "I30", "M10+NA", "N", "I5", "M10", "cM2L10", "M2.5", "L5", "cMISL")
    tables = TableSet({"runs": Table([{"code": code} for code in codes])}, "", Look.of("a"), False)
    wanted = "M2.5 M10 M10+NA I5 I30 L5 cMI cMISL cM2L10"
    assert noisy_codes(tables) == wanted.split()


def test_without_clean_data_a_sentence_says_so() -> None:
    parts = list(noise_parts(_tables(_runs(codes=("M10", "cMISL")))))
    assert "the code N among the noise" in _said(parts)
    figures = [part for part in parts if isinstance(part, Figure)]
    assert [figure.name for figure in figures] == ["noise-ranks"]


def _all_failed(runs: list[NoiseRun]) -> list[NoiseRun]:
    return [replace(run, f1=None, shd=None, bsf=None, time=None, failure="error") for run in runs]


def _odd_names(runs: list[NoiseRun]) -> list[NoiseRun]:
    return [replace(run, algorithm=f"<b>'%_\\{run.algorithm}", network="</p>") for run in runs]


HOSTILE: dict[str, Callable[[list[NoiseRun]], list[NoiseRun]]] = {
    "all failed": _all_failed,
    "one algorithm": lambda runs: [run for run in runs if run.algorithm == "frail"],
    "one case": lambda runs: runs[:2],
    "one run": lambda runs: runs[1:2],
    "here and there": lambda runs: [
        r for r in runs if (r.algorithm, r.network) != ("frail", "asia")
    ],
    "odd names": lambda runs: _odd_names([run for run in runs if run.network == "asia"]),
    "nothing known": lambda runs: [replace(run, n_nodes=None, time=None) for run in runs],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_it_stands_whatever_is_missing(kind: str) -> None:
    parts = list(noise_parts(_tables(HOSTILE[kind](_runs()))))
    assert isinstance(parts[0], Words)
    for figure in (part for part in parts if isinstance(part, Figure)):
        assert figure.variants
        for _, chart in figure.variants:
            assert not is_nothing(chart)
            assert "NaN" not in json.dumps(chart, default=list)
