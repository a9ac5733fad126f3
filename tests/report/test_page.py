"""The report: one self-contained page that no study can break out of."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from dagathlon.graphs import Graph
from dagathlon.report.page.graphs import GraphBook, packed
from dagathlon.report.page.tables import case_names, columns
from dagathlon.report.tables.runs import Combination
from dagathlon.workflow import rewrite

HOSTILE = "<script>alert(1)</script>"


def _page(folder: Path) -> str:
    return (folder / "report.html").read_text("utf-8")


def _data(page: str) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="report-data">(.*?)</script>', page, re.S
    )
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def _without_scripts(page: str) -> str:
    return re.sub(r"<script.*?</script>", "", page, flags=re.S)


def test_nothing_is_loaded_from_anywhere(benchmarked: Path) -> None:
    page = _without_scripts(_page(benchmarked))
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert not re.search(r"@import|url\(", page)
    assert "default-src 'none'" in page


def test_ids_cannot_become_elements(benchmarked: Path) -> None:
    page = _page(benchmarked)
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert HOSTILE in _data(page)["look"]


@pytest.mark.slow
def test_the_page_is_the_same_every_time(benchmarked: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(benchmarked.parent, tmp_path / "out")
    rewrite(copied)
    assert _page(copied / benchmarked.name) == _page(benchmarked)


def test_the_verdict_names_a_winner_for_each_metric(benchmarked: Path) -> None:
    page = _without_scripts(_page(benchmarked))
    for words in (
        "2 kinds of data",
        "average rank",
        "mean ± 95\u00a0%",
        "SHD (pattern) ↓",
        "F1 (skeleton) ↑",
    ):
        assert words in page
    assert re.search(r'class="belief (clear|unclear)"', page)


def test_figures_leave_their_tables_to_the_page(benchmarked: Path) -> None:
    data = _data(_page(benchmarked))
    assert {"boxes", "roc", "cost", "parameters", "data"} <= set(data["figures"])
    written = json.dumps(data["figures"]["roc"])
    assert '"name": "settings"' in written
    assert '"values": [{' not in written
    assert '"currentColor"' in written


def test_runs_carry_their_graphs_and_data_sets(benchmarked: Path) -> None:
    data = _data(_page(benchmarked))
    count = len(data["runs"]["seed"])
    assert count == 16
    assert set(data["graphs"]["runs"]) == {str(i) for i in range(count)}
    assert data["runs"]["case"]["levels"] == ["n=50", "n=100"]
    assert set(data["factors"]) == {"data n"}
    assert len(data["graphs"]["truths"]) == 2
    assert len(data["graphs"]["truths"][0]["at"]) == 12


def test_without_truth_the_page_shows_agreement_and_failures(without_truth: Path) -> None:
    page = _page(without_truth)
    data = _data(page)
    assert "There is no true graph to compare with" in page
    assert next(iter(data["figures"])) == "agreement"
    assert {"agreement", "overlap", "boxes", "outcomes"} <= set(data["figures"])
    assert "edge" in data["listings"]["edges"]
    assert page.index('<section id="agreement"') < page.index('<section id="figures"')
    assert data["runs"]["status"]["levels"] == ["ok", "error"]
    assert any("cannot learn from 60 rows" in log for log in data["logs"].values())
    assert "<b>at all</b>" not in page


def test_provenance_says_how_to_do_it_again(benchmarked: Path) -> None:
    page = _without_scripts(_page(benchmarked))
    for words in ("dagathlon run study.json", "Python ", "d: 1–2", "The study file"):
        assert words in page


def test_edges_are_packed_as_distances_in_base_36() -> None:
    graph = Graph.from_edges(["a -> b", "b <-> c"], "abc")
    first = 16 * (0 * 3 + 1) + 4 * 3 + 2
    second = 16 * (1 * 3 + 2) + 4 * 2 + 2
    steps = [int(word, 36) for word in packed(graph).split()]
    assert steps == [first, second - first]
    assert packed(Graph("ab")) == ""


def test_a_book_of_graphs_ends_when_it_is_full(monkeypatch: Any) -> None:
    monkeypatch.setattr("dagathlon.report.page.graphs.BUDGET", 40)
    book = GraphBook()
    for run in range(10):
        book.add(run, Graph.from_edges(["a -> b"]), None, None)
    assert 0 < len(book.estimates) < 10


def test_names_of_data_sets_say_only_what_differs() -> None:
    found = [Combination("g/n=5", "p", f"iid/n={n}/standardized=True") for n in (10, 20)]
    assert list(case_names(found).values()) == ["n=10", "n=20"]
    assert list(case_names(found[:1]).values()) == ["the data set"]


def test_columns_are_compact_and_finite() -> None:
    rows = [{"a": "x", "b": 1.23456789, "c": float("nan")}, {"a": None, "b": 2.0, "c": None}]
    assert columns(rows, ["a", "b", "c"]) == {
        "a": {"levels": ["x"], "codes": [0, -1]},
        "b": [1.2346, 2],
        "c": [None, None],
    }


def test_ranks_are_shown_although_no_one_asked(benchmarked: Path, without_truth: Path) -> None:
    page = (benchmarked / "report.html").read_text("utf-8")
    assert '<section id="ranking"' in page
    assert '<section id="data-sets"' not in page
    assert not (benchmarked / "ranking").exists()
    assert '<section id="ranking"' not in (without_truth / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_evaluations_have_their_sections(everything: Path, benchmarked: Path) -> None:
    page, data = _page(everything), _data(_page(everything))
    found = re.findall(r'<section id="([\w-]+)" data-nav="([^"]*)"', page)
    names = [name for name, _ in found]
    own = {"ranking", "data-sets", "true-graphs", "trajectories", "autocorrelations"}
    assert own <= set(names)
    assert len(set(names)) == len(names)
    assert {"properties", "trajectories", "autocorrelations"} <= set(data["figures"])
    shown = re.findall(r'data-figure="([\w-]+)"', page)
    assert sorted(shown) == sorted(data["figures"])
    # Two chains on each of two data sets, by score and by size.
    assert len(data["figures"]["trajectories"]) == 4
    assert "chain, score, seed 1" in page
    assert not own - {"ranking"} & set(re.findall(r'<section id="([\w-]+)"', _page(benchmarked)))
