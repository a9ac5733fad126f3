"""The files of a ranking."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from dagathlon.errors import StudyError
from dagathlon.evaluate.ranking.significance import Nemenyi
from dagathlon.evaluations.ranking.chart import critical_difference
from dagathlon.evaluations.ranking.evaluation import Ranking
from dagathlon.report.charts.cost import accuracy_against_cost
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.figures.charts_io import save
from dagathlon.report.figures.palette import PALETTE, Look

pytestmark = pytest.mark.slow


def _table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "ranking" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_ranks_count_failures(ranked: Path) -> None:
    rows = [row for row in _table(ranked, "ranks") if row["metric"] == "SHD_pattern"]
    assert len(rows) == 5
    placed, others = rows[:3], rows[3:]
    last = placed[-1]
    assert last["id"] == "failing"
    # Two algorithms succeed on each of the twelve data sets, and all four of their settings.
    assert (last["average_rank"], last["rank_sd"], last["overall_rank"]) == ("3", "0", "3")
    assert (last["failures"], last["data_sets"]) == ("12", "12")
    assert last["rank_among_settings"] == "5"
    places = [int(row["overall_rank"]) for row in placed]
    assert places == sorted(places)
    assert [row["average_rank"] for row in others] == ["NA", "NA"]
    for row in others:
        (best,) = [one for one in placed if one["id"] == row["id"]]
        assert float(best["rank_among_settings"]) <= float(row["rank_among_settings"])


def test_tests_are_between_algorithms_at_their_best(ranked: Path) -> None:
    tests = {row["metric"]: row for row in _table(ranked, "tests")}
    assert set(tests) == {"SHD_pattern", "F1_pattern", "bsf"}
    assert tests["bsf"]["algorithms"] == "3"
    assert float(tests["bsf"]["p"]) < 0.01
    pairs = [row for row in _table(ranked, "pairwise") if row["metric"] == "bsf"]
    assert len(pairs) == 3
    assert all(float(row["p_value"]) <= float(row["p_holm"]) for row in pairs)
    against = [row for row in pairs if row["right"] == "failing"]
    # Twelve data sets are six seeds at two sample sizes: six blocks.
    assert all(row["wins"] == "6" for row in against)
    assert (tests["bsf"]["data_sets"], tests["bsf"]["blocks"]) == ("12", "6")


def test_relative_scores_and_strengths(ranked: Path) -> None:
    relative = _table(ranked, "relative")
    assert {row["relative"] for row in relative if row["setting"] == "failing"} == {"F"}
    shares = [float(row["relative"]) for row in relative if row["setting"] != "failing"]
    assert min(shares) == 0
    assert max(shares) == 1
    strengths = {row["setting"]: row for row in _table(ranked, "strengths")}
    assert strengths["failing"]["reliability"] == "0"
    assert strengths["failing"]["time"] == "NA"
    assert {"limited data", "big data", "ranking", "fitting"} <= set(strengths["failing"])


def test_costs_sensitivity_and_data_like_mine(ranked: Path) -> None:
    costs = {row["setting"]: row for row in _table(ranked, "costs")}
    assert (costs["failing"]["runs"], costs["failing"]["error"]) == ("12", "12")
    assert costs["failing"]["time_median"] == "NA"
    assert float(costs["precision, thresh = 0.2"]["time_total"]) > 0
    sensitivity = [r for r in _table(ranked, "sensitivity") if r["metric"] == "SHD_pattern"]
    assert len(sensitivity) == 2 * 2 * 2
    assert {row["n_runs"] for row in sensitivity} == {"6"}
    sizes = [r for r in _table(ranked, "data_like_mine") if r["factor"] == "sample size"]
    assert {row["value"] for row in sizes} == {"50", "100"}
    assert {row["data_sets"] for row in sizes} == {"6"}


def test_figures_are_written_as_svg_and_png(ranked: Path) -> None:
    names = {path.name for path in (ranked / "ranking").iterdir()}
    for figure in ("critical_difference_bsf", "pareto_time", "pareto_memory", "sensitivity_thresh"):
        assert {f"{figure}.svg", f"{figure}.png"} <= names
    drawing = (ranked / "ranking" / "critical_difference_SHD_pattern.svg").read_text("utf-8")
    assert "critical difference" in drawing
    assert "precision, thresh" in drawing


def test_the_joint_table_is_not_changed(ranked: Path, benchmarked: Path) -> None:
    plain = (benchmarked / "benchmarks" / "sub" / "joint_benchmarks.csv").read_text("utf-8")
    beside = (ranked / "benchmarks" / "joint_benchmarks.csv").read_text("utf-8")
    assert plain.splitlines()[0] == beside.splitlines()[0]


def test_too_few_data_sets_are_said(everything: Path) -> None:
    assert _table(everything, "tests") == []
    page = (everything / "report.html").read_text("utf-8")
    assert "No test is made of whether the algorithms differ: there are 2 blocks of data" in page


def test_mistakes_are_explained() -> None:
    with pytest.raises(StudyError, match="alpha"):
        Ranking.from_json({"alpha": 1})
    with pytest.raises(StudyError, match="at least one"):
        Ranking.from_json({"metrics": []})
    with pytest.raises(StudyError, match="SHD_patern"):
        Ranking.from_json({"metrics": ["SHD_patern"]})


def test_the_diagram_names_everyone_once_and_keeps_the_colours(tmp_path: Path) -> None:
    names = tuple(f"a{i}" for i in range(7))
    found = Nemenyi(names, (1.2, 2, 3, 4, 5, 6, 6.8), 2.1, ((0, 2), (1, 3)), 12)
    chart = critical_difference(found, {name: name for name in names}, Look.of(names))
    save(chart, tmp_path / "cd.svg")
    drawing = (tmp_path / "cd.svg").read_text("utf-8")
    for name in names:
        assert sum(f">{name} " in line or f"  {name}<" in line for line in drawing.split("\n")) <= 1
        assert drawing.count(f"{name}") >= 1
    assert all(colour in drawing for colour in PALETTE[: len(names)])


def test_the_diagram_has_room_for_long_names_at_any_width(tmp_path: Path) -> None:
    names = tuple(f"algorithm {i}, penalty_discount = {i}.5" for i in range(4))
    found = Nemenyi(names, (1.2, 2, 3, 3.8), 2.1, ((0, 2), (1, 3)), 12)
    chart = critical_difference(found, {name: name for name in names}, Look.of(names))
    for width in (chart["usermeta"]["least_width"], chart["width"]):
        save(chart | {"width": width}, tmp_path / "cd.svg")
        drawing = (tmp_path / "cd.svg").read_text("utf-8")
        page = re.search(r"<svg[^>]* width=\"([\d.]+)\"", drawing)
        assert page is not None
        # Vega widens the picture where a text does not fit into it.
        assert float(page[1]) <= width + 12
        assert all(name in drawing for name in names)


def test_the_pareto_front_leaves_out_what_is_dearer_and_no_better(tmp_path: Path) -> None:
    points = [(0.1, 9), (0.2, 5), (0.4, 7), (0.8, 2)]
    settings = [
        {"id": "a", "setting": f"s{i}", "case": "c", "place": i, "n_seeds": 3}
        | {"time_median": time, "SHD_pattern_median": shd}
        for i, (time, shd) in enumerate(points)
    ]
    chart = accuracy_against_cost(settings, "SHD_pattern", "time", Look.of(["a"]))
    save(chart, tmp_path / "p.svg")
    drawing = (tmp_path / "p.svg").read_text("utf-8")
    (line,) = [part for part in re.findall(r"<path[^>]*>", drawing) if "stroke-dasharray" in part]
    # Three of the four are on the front: a step line with one corner between two of them.
    path = re.search(r' d="([^"]*)"', line)
    assert path is not None
    assert path[1].count("L") == 2 * 2
    assert is_nothing(accuracy_against_cost([], "SHD_pattern", "time", Look.of(["a"])))
