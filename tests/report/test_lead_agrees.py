"""Every sentence of the lead agrees with the runs, whoever was skipped on whatever data."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentences import Recomputed, check_several_kinds, names_in, plain

from dagathlon.cli import main
from dagathlon.errors import StudyError
from dagathlon.evaluate.ranking.ranks import direction
from dagathlon.evaluate.ranking.verdict import verdict
from dagathlon.evaluations.ranking.evaluation import Ranking
from dagathlon.report.page.lead import lead_of
from dagathlon.study_run import StudyRun
from dagathlon.workflow import Study

SHD = "SHD_pattern"


def random_rows(seed: int) -> list[dict[str, Any]]:
    """Runs of learners on kinds of data; some are skipped there, fail or have no number."""
    rng = np.random.default_rng(seed)
    names = list("abcdefg"[: rng.integers(2, 8)])
    settings = [(name, f"{name}{i}") for name in names for i in range(rng.integers(1, 3))]
    rows = []
    for kind in range(rng.integers(2, 6)):
        graph, skipped = f"g{rng.integers(2)}", rng.random(len(names)) < 0.3
        for case in range(rng.integers(1, 5)):
            for name, setting in settings:
                missing = skipped[names.index(name)]
                status = "skipped" if missing else "timeout" if rng.random() < 0.07 else "ok"
                value = float(rng.integers(0, 9)) if rng.random() < 0.93 else None
                rows.append(
                    {"id": name, "setting": setting, "adjmat": graph, "parameters": "p"}
                    | {"data": f"iid/n={kind}", "seed": case, "status": status}
                    | {SHD: value if status == "ok" else None}
                )
    return rows


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_numbers_of_sentences_are_those_of_the_runs(seed: int) -> None:
    rows = random_rows(seed)
    found = verdict(rows, SHD, direction(SHD))
    if found is None or len(found.kinds) < 2:
        return
    check_several_kinds(plain(lead_of([found], SHD)), Recomputed(rows, SHD))


def test_most_random_tables_have_sentences_to_check() -> None:
    checked = 0
    for seed in range(20):
        rows = random_rows(seed)
        found = verdict(rows, SHD, direction(SHD))
        if found is not None and len(found.kinds) > 1:
            checked += check_several_kinds(plain(lead_of([found], SHD)), Recomputed(rows, SHD))
    assert checked > 80


def _study(folder: Path, seed: int) -> Path:
    """A study with learners that skip some networks, and noise that nobody takes."""
    rng = np.random.default_rng(seed)
    networks = ["asia", "cancer", "earthquake", "survey", "sachs"][: 3 + seed % 3]
    entries = [
        {
            "graph_id": f"bundled:{name}",
            "parameters_id": f"bundled:{name}",
            "data_id": "rows",
            "seed_range": [1, int(rng.integers(1, 4))],
            "noise": ["N", "M10"] if rng.random() < 0.5 else ["N"],
        }
        for name in networks
    ]
    learners: dict[str, list[dict[str, Any]]] = {
        "hc": [{"id": "hc", "score": "bic"}],
        "pc": [{"id": "pc", "alpha": [0.01, 0.2]}],
        "mmhc": [{"id": "mmhc"}],
        "gs": [{"id": "gs"}],
        "random_sort": [{"id": "random"}],
    }
    for objects in learners.values():
        kept = [name for name in networks if rng.random() < 0.75]
        if 0 < len(kept) < len(networks):
            objects[0]["only_on"] = {"graphs": kept, "because": "it is a test"}
    ids = [one["id"] for objects in learners.values() for one in objects]
    content = {
        "benchmark_setup": [
            {
                "title": "t",
                "data": entries,
                "evaluation": {"benchmarks": {"ids": ids}, "ranking": {}},
            }
        ],
        "resources": {
            "data": {"iid": [{"id": "rows", "n": [40, 80]}]},
            "structure_learning_algorithms": learners,
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def _joint(folder: Path, metric: str, names: dict[tuple[str, str], str]) -> list[dict[str, Any]]:
    with (folder / "benchmarks" / "joint_benchmarks.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row[metric] = None if row[metric] in ("", "NA") else float(row[metric])
        row["setting"] = names[row["id"], row["alpha"] if row["id"] == "pc" else ""]
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_page_terminal_and_tables_of_a_study_say_the_same(seed: int, tmp_path: Path) -> None:
    study = Study.load(_study(tmp_path, seed))
    done = study.run(tmp_path / "out", engine="inline", figures="none")
    folder = done.folders["t"]
    page = (folder / "report.html").read_text("utf-8")
    lead = re.search(r'<p class="lead">(.*?)</p>', page)
    assert lead is not None
    said = plain(lead[1])
    board = done.board()
    with (folder / "ranking" / "ranks.csv").open(newline="") as stream:
        ranks = list(csv.DictReader(stream))
    metric = ranks[0]["metric"]
    names = {(run.metrics["id"], _alpha(run.metrics)): run.setting for run in done.runs()}
    table = Recomputed(_joint(folder, metric, names), metric)
    assert check_several_kinds(said, table) >= 4
    assert re.sub(r"\s+", "", said) in re.sub(r"\s+", "", board)
    averages, parts, n = table.ranked()
    placed = {r["setting"]: r for r in ranks if r["metric"] == metric and r["average_rank"] != "NA"}
    assert {s: float(r["average_rank"]) for s, r in placed.items()} == pytest.approx(averages)
    assert {s: int(r["data_sets"]) for s, r in placed.items()} == parts
    for setting, average in averages.items():
        (line,) = [words for words in board.splitlines() if f"  {setting}  " in words]
        assert f"{average:.2f}" in line.split(f"  {setting}  ")[1]
        there = sum(row["status"] != "skipped" for row in table.rows if row["setting"] == setting)
        assert f" {there} of {there} " in line
    caption = re.search(
        r"Average ranks of (\d+) algorithms .*? over all (\d+) data sets", _one(board)
    )
    other = re.search(
        r"Average ranks of (\d+) algorithms .*? over the (\d+) data sets", _one(board)
    )
    found = caption or other
    assert found is not None
    assert (int(found[1]), int(found[2])) == (len(averages), n)


def test_lead_tables_and_diagram_have_the_level_that_the_study_asks_for(tmp_path: Path) -> None:
    path = _study(tmp_path, 1)
    content = json.loads(path.read_text())
    for setup in content["benchmark_setup"]:
        setup["evaluation"]["ranking"] = {"alpha": 0.3}
    path.write_text(json.dumps(content))
    done = Study.load(path).run(tmp_path / "out", engine="inline", figures="none")
    with (done.folders["t"] / "ranking" / "tests.csv").open(newline="") as stream:
        differences = {row["critical_difference"] for row in csv.DictReader(stream)}
    said = [
        float(number) for number in re.findall(r"critical difference of (\d+\.\d+)", done.board())
    ]
    said += [float(n) for n in re.findall(r"critical difference of (\d+\.\d+)", _page(done, "t"))]
    known = {round(float(number), 2) for number in differences if number not in ("", "NA")}
    assert said
    assert known
    assert set(said) <= known


def _page(done: StudyRun, title: str) -> str:
    return (done.folders[title] / "report.html").read_text("utf-8")


def _alpha(metrics: Any) -> str:
    return str(metrics["alpha"]) if metrics["id"] == "pc" else ""


def _one(board: str) -> str:
    return " ".join(board.split())


def test_names_of_sentences_are_read_as_they_are_written() -> None:
    assert names_in("a, b and c") == ["a", "b", "c"]
    assert names_in("pc, x = 1; hc, y and ges") == ["pc, x = 1", "hc, y", "ges"]


def test_the_unit_is_chosen_by_the_study_or_for_the_report(tmp_path: Path) -> None:
    path = _study(tmp_path, 1)
    out = tmp_path / "out"
    folder = Study.load(path).run(out, engine="inline", figures="none").folders["t"]
    by_data = (folder / "report.html").read_text("utf-8")
    assert "By average rank over all 36 data sets, " in by_data
    assert main(["report", str(out), "--rank-unit", "block", "--no-figures"]) == 0
    by_block = (folder / "report.html").read_text("utf-8")
    assert "By average rank over all 10 blocks of data (36 data sets), " in by_block
    content = json.loads(path.read_text("utf-8"))
    content["benchmark_setup"][0]["evaluation"]["ranking"] = {"unit": "block"}
    path.write_text(json.dumps(content), "utf-8")
    Study.load(path).run(out, engine="inline", figures="none")
    asked = (folder / "report.html").read_text("utf-8")
    lead = r'<p class="lead">.*?</p>'
    assert re.findall(lead, asked) == re.findall(lead, by_block) != re.findall(lead, by_data)
    with pytest.raises(StudyError, match="unit"):
        Ranking.from_json({"unit": "seed"})


@pytest.mark.parametrize("equivalent", [False, True])
def test_metrics_that_forgive_open_directions_say_so(equivalent: bool, tmp_path: Path) -> None:
    """The same column has other numbers then: BSF 1 where it is .5 otherwise."""
    path = _study(tmp_path, 0)
    content = json.loads(path.read_text("utf-8"))
    content["benchmark_setup"][0]["evaluation"]["metrics"] = {"equivalent": equivalent}
    path.write_text(json.dumps(content), "utf-8")
    done = Study.load(path).run(tmp_path / "out", engine="inline", figures="none")
    words = "directions that the equivalence class of the truth leaves open cost nothing"
    assert [words in said for said in (_page(done, "t"), _one(done.board()))] == [equivalent] * 2


def test_the_caption_speaks_of_missing_places_where_there_are_some(tmp_path: Path) -> None:
    path = _study(tmp_path, 1)
    board = _one(Study.load(path).run(tmp_path / "out", engine="inline", figures="none").board())
    assert re.search(r" – pc, alpha = ", board)
    assert "Settings without a place are not the best of their algorithm" in board
    content = json.loads(path.read_text("utf-8"))
    learners = content["resources"]["structure_learning_algorithms"]
    learners["pc"][0]["alpha"] = 0.01
    del learners["random_sort"]
    content["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"].remove("random")
    for objects in learners.values():
        objects[0].pop("only_on", None)
    path.write_text(json.dumps(content), "utf-8")
    board = _one(Study.load(path).run(tmp_path / "out", engine="inline", figures="none").board())
    assert "Settings without a place" not in board


@pytest.mark.slow
def test_the_shipped_study_of_noise_ranks_over_all_of_its_data(tmp_path: Path) -> None:
    """NOTEARS runs on Sachs alone, and took Asia from all others: fci was first with 2.58."""
    study = Path(__file__).parents[2] / "studies" / "noise_2021_small.json"
    board = _one(Study.load(study).run(tmp_path, figures="none", jobs=1).board())
    assert "By average rank over all 12 data sets, h2pc, bdeu, mi is first (5.33 among 15" in board
    assert "fci, x2-seen follows with 5.62" in board
    assert "notears took part in 6 of these 12 data sets." in board
