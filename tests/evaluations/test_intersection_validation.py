"""Intersection-validation in a study: tasks, tables against a direct computation, the page."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dagathlon import learn
from dagathlon.cli import main
from dagathlon.data import Dataset, LinearSem, read_data, write_data
from dagathlon.evaluations.intersection_validation.charts import interval_drawing, pair_words
from dagathlon.evaluations.intersection_validation.evaluation import (
    IntersectionValidation,
    doubling_sizes,
)
from dagathlon.evaluations.intersection_validation.forecast import percent
from dagathlon.evaluations.intersection_validation.runs import interval_runs
from dagathlon.evaluations.intersection_validation.section import interval_section
from dagathlon.evaluations.intersection_validation.tables import Validated, kind_rows
from dagathlon.evaluations.intersection_validation.validation import (
    IntervalResult,
    interval_validation,
)
from dagathlon.evaluations.intersection_validation.words import belief, lead, remarks, weighted
from dagathlon.graphs import Graph
from dagathlon.report.outputs import page_of
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Listing, Picture
from dagathlon.report.tables.runs import Combination
from dagathlon.study.plan.forecast import forecast
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows

NAMES = "ABCDEF"
LEARNERS = ("hc", "pc", "boss")
NAME = IntersectionValidation.name


def chain_data(n: int) -> Dataset:
    weights = np.diag(np.full(5, 0.9), 1)
    return LinearSem(NAMES, weights, np.ones(6)).sample(n, np.random.default_rng(3))


def write_study(folder: Path, rows: int, evaluation: dict[str, Any], ids: Any = LEARNERS) -> Path:
    write_data(chain_data(rows), folder / "rows.csv")
    entry = {"graph_id": None, "parameters_id": None, "data_id": "rows.csv", "seed_range": None}
    setup = {
        "title": "mine",
        "data": [entry],
        "evaluation": {"graph_estimation": {"ids": list(ids), "csvs": False}, **evaluation},
    }
    algorithms = {name: [{"id": name}] for name in ids}
    study = {
        "benchmark_setup": [setup],
        "resources": {"structure_learning_algorithms": algorithms},
    }
    path = folder / "study.json"
    path.write_text(json.dumps(study), "utf-8")
    return path


def labels(path: Path) -> list[str]:
    plan = Study.load(path).plan
    return [plan.cases[run.case].transform for run in plan.further]


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (39, ()),
        (40, (20,)),
        (100, (25, 50)),
        (199, (49, 99)),
        (200, (100,)),
        (201, (100, 200)),
        (1600, (100, 200, 400, 800)),
    ],
)
def test_sizes_double_below_the_number_of_rows(rows: int, sizes: tuple[int, ...]) -> None:
    assert doubling_sizes(rows) == sizes
    assert doubling_sizes(rows, 2) == sizes[-2:]
    assert doubling_sizes(None, 2) == doubling_sizes(None) == (50, 100, 200, 400)


def test_given_sizes_are_those_below_the_number_of_rows() -> None:
    asked = IntersectionValidation(sizes=(500, 50, 50, 300), most_sizes=2)
    assert asked.sizes_on(400) == (50, 300)
    assert asked.sizes_on(None) == (300, 500)
    assert IntersectionValidation(sizes=()).problem()


def test_unasked_it_learns_little_and_false_leaves_it_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_study(tmp_path, 900, {})
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "and 45 learning runs on transformed data, for evaluations (subsample: 45)" in said
    assert '"intersection_validation": false leaves it out' in said
    # The three largest of 100, 200, 400 and 800 rows, five subsamples each, three learners.
    wanted = [f"subsample={n},{t}" for n in (200, 400, 800) for t in range(1, 6)]
    assert sorted(labels(path)) == sorted(wanted * 3)
    assert labels(write_study(tmp_path, 900, {NAME: False})) == []
    assert labels(write_study(tmp_path, 900, {}, LEARNERS[:2])) == []
    named = write_study(tmp_path, 900, {NAME: {"sizes": [300], "subsamples": 2, "copies": 1}})
    assert set(labels(named)) == {"subsample=300,1", "subsample=300,2", "bootstrap=all,1"}


def test_the_forecast_of_the_time_knows_that_subsamples_are_smaller(tmp_path: Path) -> None:
    small, large = (
        forecast(Study.load(write_study(tmp_path, 20_000, {NAME: {"sizes": [n]}})).plan, {})
        for n in (100, 19_999)
    )
    assert small.runs == large.runs == {"measured": 33}
    assert small.seconds < large.seconds / 2


def test_a_setting_that_stops_at_the_skeleton_gives_an_undirected_graph(tmp_path: Path) -> None:
    path = write_study(tmp_path, 100, {NAME: {"sizes": [50], "subsamples": 1}})
    study = json.loads(path.read_text())
    pc = study["resources"]["structure_learning_algorithms"]["pc"][0]
    pc["skeleton_only"] = [True, False]
    path.write_text(json.dumps(study))
    Study.load(path).run(tmp_path / "out", engine="inline", figures="none")
    (found,) = json.loads((tmp_path / "out" / "mine" / NAME / "interval.json").read_text())
    assert (found["language"], found["n_effects"]) == ("skeletons", None)
    assert [place["learner"] for place in found["ranking"]]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was run: three learners, five subsamples of two sizes."""
    folder = tmp_path_factory.mktemp("interval")
    asked = {"sizes": [60, 150], "subsamples": 5}
    path = write_study(folder, 300, {NAME: asked, "agreement": False})
    Study.load(path).run(folder / "out", engine="inline", figures="none")
    return folder


@pytest.mark.slow
def test_tables_are_those_of_a_direct_computation(done: Path) -> None:
    data = read_data(done / "rows.csv")
    with Store(done / "out" / "store", readonly=True) as store:
        results = Results.of(done / "out" / "mine", store)
        (runs,) = interval_runs(results)
        samples = {
            case.transform: found
            for case in results.plan.cases
            if case.transform and (found := results.data(case)) is not None
        }
    assert runs.sizes == [60, 150]
    assert [runs.numbers(size) for size in runs.sizes] == [[1, 2, 3, 4, 5]] * 2
    assert not runs.without
    assert not runs.waiting
    whole = {name: learn(data, name).graph for name in LEARNERS}
    assert dict(runs.graphs) == whole
    assert len(samples) == 10
    parts = {
        name: {
            size: [learn(samples[f"subsample={size},{t}"], name).graph for t in range(1, 6)]
            for size in (60, 150)
        }
        for name in LEARNERS
    }
    algorithms = {name: name for name in LEARNERS}
    expected = interval_validation(
        whole, parts, outputs=runs.outputs, algorithms=algorithms, rows=300
    )
    folder = done / "out" / "mine" / NAME
    (found,) = json.loads((folder / "interval.json").read_text("utf-8"))
    assert found["data"] == "fixed/filename=rows.csv"
    assert IntervalResult.from_dict(found) == expected
    distances = read_rows(folder / "distances.csv")
    assert [
        (r["learner"], int(r["size"]), int(r["subsample"]), int(r["phd"])) for r in distances
    ] == [(row.learner, row.size, row.subsample, row.phd) for row in expected.distances]
    learners = read_rows(folder / "learners.csv")
    assert [float(r["mean"]) for r in learners if r["size"] != "NA"] == [
        row.mean for row in expected.means
    ]
    places = {r["learner"]: r["rank"] for r in learners if r["size"] == "NA"}
    assert places == {place.learner: str(place.place) for place in expected.ranking}
    assert len(read_rows(folder / "pairwise.csv")) == 3 * 2
    joined = [r for r in read_rows(folder / "agreement.csv") if r["agreed"] != "NA"]
    assert len(joined) == expected.forecast.n_connected


@pytest.mark.slow
def test_the_page_begins_with_whether_to_believe_it(done: Path) -> None:
    page = (done / "out" / "mine" / "report.html").read_text("utf-8")
    section = page[page.index('<section id="intersection-validation"') :]
    section = section[: section.index("</section>")]
    assert section.index('class="callout') < section.index("The ranking")
    assert "of all pairs of variables" in section
    assert 'data-figure="learning-curves"' in section
    assert 'data-listing="agreed"' in section
    assert "Who empties the agreement graph?" in section
    assert '<section id="agreement"' not in page


@pytest.mark.slow
def test_an_unfinished_study_shows_the_subsamples_that_all_have(done: Path) -> None:
    plan = Study.load(done / "study.json").plan
    late = [run for run in plan.further if plan.cases[run.case].transform == "subsample=150,4"]
    with Store(done / "out" / "store") as store:
        store.drop([plan.tasks[late[0].learn].key])
    with Store(done / "out" / "store", readonly=True) as store:
        results = Results.of(done / "out" / "mine", store)
        evaluation = IntersectionValidation(sizes=(60, 150), subsamples=5)
        (one,) = evaluation.tables(results)["validated"].items
        assert "still to be learned from" in page_of(results)
    found = one
    assert found.missing == 1
    assert found.numbers == {60: [1, 2, 3, 4, 5], 150: [1, 2, 3, 5]}
    assert any("still to be learned from" in words.text for words in remarks([found]))
    with Store(done / "out" / "store") as store:
        store.drop([plan.tasks[plan.runs[1].learn].key])
    with Store(done / "out" / "store", readonly=True) as store:
        results = Results.of(done / "out" / "mine", store)
        (one,) = evaluation.tables(results)["validated"].items
        assert one.reason == "still to be learned from all rows: pc"
        assert "still to be learned from all rows" in page_of(results)
    Study.load(done / "study.json").run(done / "out", engine="inline", figures="none")


PICKY = """
from dataclasses import dataclass

from dagathlon import Graph
from dagathlon.learners.base import Estimate, Learner


@dataclass(frozen=True, kw_only=True)
class Picky(Learner):
    \"\"\"Fails on fewer rows than it wants.

    Parameters
    ----------
    least
        The fewest rows.
    \"\"\"

    name = "picky"
    gives = "undirected"
    least: int = 100

    def learn(self, data, rng):
        if len(data) < self.least:
            raise ValueError("too few rows for me")
        return Estimate(Graph(data.names))
"""


@pytest.mark.slow
def test_who_fails_is_counted_and_who_has_no_graph_takes_no_part(tmp_path: Path) -> None:
    (tmp_path / "picky.py").write_text(PICKY, "utf-8")
    path = write_study(tmp_path, 300, {NAME: {"sizes": [60, 150], "subsamples": 5}}, ("hc", "pc"))
    study = json.loads(path.read_text("utf-8"))
    study["modules"] = ["picky.py"]
    entries = [{"id": "picky"}, {"id": "never", "least": 1000}]
    study["resources"]["structure_learning_algorithms"]["picky"] = entries
    study["benchmark_setup"][0]["evaluation"]["graph_estimation"]["ids"] += ["picky", "never"]
    path.write_text(json.dumps(study), "utf-8")
    Study.load(path).run(tmp_path / "out", engine="inline", figures="none")
    folder = tmp_path / "out" / "mine" / NAME
    (found,) = json.loads((folder / "interval.json").read_text("utf-8"))
    assert found["learners"] == ["hc", "pc", "picky"]
    assert found["language"] == "skeletons"
    assert any("never has no graph of all rows" in note for note in found["notes"])
    assert any("picky gave no graph on 5 of 10 subsamples" in note for note in found["notes"])
    rows = read_rows(folder / "distances.csv")
    failed = [(row["learner"], row["size"]) for row in rows if row["failed"] == "TRUE"]
    assert failed == [("picky", "60")] * 5


def result_of(*graphs: list[str], p: int = 6) -> IntervalResult:
    """Learners who all agree with the first graph on every subsample."""
    names = NAMES[:p]
    whole = {f"l{i}": Graph.from_edges(edges, names) for i, edges in enumerate(graphs)}
    parts = {
        name: {100: [whole["l0"] if t % 3 else graph for t in range(6)]}
        for name, graph in whole.items()
    }
    return interval_validation(whole, parts, rows=150)


CHAIN = ["A - B", "B - C", "C - D", "D - E", "E - F"]


def validated(result: IntervalResult | None, name: str = "", seed: int = 1) -> Validated:
    ids = {} if result is None else {learner: learner for learner in result.learners}
    about = (Combination("None", "None", "rows"), seed, name, ids)
    return Validated(*about, result, "" if result else "no graph", {100: range(1, 7)}, True, 0)


def test_the_first_lines_cite_the_ranking_only_where_the_forecast_is_good() -> None:
    good = validated(result_of(CHAIN, [*CHAIN, "A - F"]))
    assert good.result is not None
    assert good.result.forecast.verdict == "good"
    assert "(93.3 % of all pairs and 5 edges, so that the forecast is good)" in lead([good])
    (words,) = belief([good])
    assert words.tone == "good"
    assert "14 of 15" in words.text
    assert "all join 5" in words.text
    alike = validated(result_of(CHAIN, CHAIN, [*CHAIN, "A - F"]))
    assert "good, with a reservation)" in lead([alike])
    (words,) = belief([alike])
    assert words.tone == "fair"
    assert any(w.tone == "fair" and "almost the same" in w.text for w in remarks([alike]))
    poor = validated(result_of(CHAIN, ["A - B"]))
    assert lead([poor]) == ""
    (words,) = belief([poor])
    assert words.tone == "bad"
    assert "73.3 %" in words.text
    assert "Of 5 pairs that any of them joins, all join 1 in the same way (directions" in words.text
    both = lead([good, poor])
    assert both.startswith("On 1 of 2 data sets")


def test_edges_are_solid_where_all_agree_and_dashed_where_they_differ() -> None:
    result = result_of(["A -> C", "B -> C", "D - E"], ["A -> C", "B -> C"])
    pairs = pair_words(result)
    assert [pair.edge for pair in pairs] == ["A → C", "B → C", "D ? E"]
    assert list(pairs[2].who()) == ["D – E: l0", "no edge: l1"]
    drawn = interval_drawing(pairs, result.nodes)
    svg = drawn.picture.svg
    assert svg.count("stroke-dasharray=") == 1
    assert svg.count('class="arrow"') == 2
    assert [key.words for key in drawn.picture.keys] == [
        "all learners agree",
        "some join the two, some do not",
    ]


def test_of_many_variables_those_are_drawn_on_which_something_is_said() -> None:
    names = [f"V{i}" for i in range(100)]
    edges = [f"V{i} - V{i + 1}" for i in range(0, 99)]
    whole = {name: Graph.from_edges(edges, names) for name in ("a", "b")}
    result = interval_validation(whole, {})
    drawn = interval_drawing(pair_words(result), result.nodes)
    assert (drawn.pairs_left_out, drawn.nodes_left_out) == (40, 40)


def test_seeds_of_one_kind_of_data_are_averaged() -> None:
    first, second = result_of(CHAIN, ["A - B"]), result_of(CHAIN, CHAIN[:3])
    found = [validated(first, "seed 1"), validated(second, "seed 2", 2)]
    rows = {row["learner"]: row for row in kind_rows(found)}
    means = [next(m.mean for m in r.means if m.learner == "l1") for r in (first, second)]
    assert rows["l1"]["mean"] == pytest.approx(np.mean(means))
    assert rows["l1"]["data_sets"] == 2
    assert list(kind_rows(found[:1])) == []


def test_the_section_says_why_there_is_nothing() -> None:
    section = interval_section([validated(None)])
    assert section is not None
    assert any("There is no ranking: no graph." in getattr(p, "text", "") for p in section.parts)
    assert interval_section([]) is None


def test_a_section_of_several_data_sets_ranks_each() -> None:
    found = [
        validated(result_of(CHAIN, CHAIN), "one"),
        validated(result_of(CHAIN, ["A - B"]), "two"),
    ]
    section = interval_section(found)
    assert section is not None
    grids = [part for part in section.parts if isinstance(part, Grid)]
    assert [row[:3] for row in grids[0].rows] == [
        ["one", "good", "l0; l1"],
        ["two", "not reliable", "–"],
    ]
    (listing,) = [part for part in section.parts if isinstance(part, Listing)]
    assert {row["data"] for row in listing.rows} == {"one", "two"}
    (picture,) = [part for part in section.parts if isinstance(part, Picture)]
    assert [name for name, _ in picture.variants] == ["one", "two"]


@pytest.mark.parametrize(
    ("firsts", "words"), [(["hc"], ", hc is first."), (["hc", "pc"], ", hc and pc are first.")]
)
def test_verbs_agree_with_those_who_are_first(firsts: list[str], words: str) -> None:
    result = SimpleNamespace(
        distances=[SimpleNamespace(weighted_phd=1.0)], ranking=[], first_by=lambda _: firsts
    )
    (said,) = weighted(cast(IntervalResult, result))
    assert said.text.endswith(words)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (13 / 15, "86.7 %"),
        (0.7997, "79.97 %"),
        (0.8, "80.0 %"),
        (0.9002, "90.02 %"),
        (1, "100.0 %"),
    ],
)
def test_percentages_are_rounded_but_not_across_a_limit(part, words):
    assert percent(part) == words
