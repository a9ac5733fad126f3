"""What one writes in Python, as the API page shows it."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagathlon
from dagathlon import Dataset, Graph, StructureLearner, Study, learn
from dagathlon.errors import DagathlonError, StudyError


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    a, c = rng.normal(size=(2, 300))
    return pd.DataFrame({"a": a, "b": a + c + rng.normal(size=300), "c": c})


def test_data_come_from_frames_and_matrices(frame: pd.DataFrame) -> None:
    data = Dataset.from_pandas(frame)
    assert data == dagathlon.read_data(frame)
    assert Dataset.from_arrow(data.to_arrow()) == data
    assert Dataset.from_numpy(frame.to_numpy(), ["a", "b", "c"]) == data
    assert Dataset.from_numpy(np.eye(3)).names == ("V1", "V2", "V3")
    assert Dataset.from_pandas(frame.round(), kinds="discrete").is_discrete


def test_parameters_stand_in_brackets_as_on_the_command_line(frame: pd.DataFrame) -> None:
    found = learn(frame, "corr_thresh[thresh=0.9]").graph
    assert found == learn(frame, "corr_thresh", thresh=0.9).graph
    assert found != learn(frame, "corr_thresh", thresh=0.1).graph
    with pytest.raises(StudyError, match="given twice"):
        learn(frame, "corr_thresh[thresh=0.9]", thresh=0.1)


def test_graphs_have_the_conversions_as_methods(frame: pd.DataFrame) -> None:
    graph = learn(frame, "hc").graph
    assert Graph.of(graph.to_networkx()) == graph
    assert Graph.of(graph.to_pandas()) == graph
    assert graph.to_svg().startswith("<svg")


def test_a_learner_with_the_manners_of_scikit_learn(frame: pd.DataFrame) -> None:
    learner = StructureLearner("pc", alpha=0.01)
    assert learner.fit(frame) is learner
    assert learner.graph_ == learn(frame, "pc", alpha=0.01).graph
    assert learner.adjacency_.shape == (3, 3)
    assert list(learner.feature_names_in_) == ["a", "b", "c"]
    assert learner.get_params() == {"name": "pc", "seed": 1, "alpha": 0.01}
    assert learner.set_params(alpha=0.2).parameters == {"alpha": 0.2}
    assert repr(learner) == "StructureLearner('pc', alpha=0.2)"
    with pytest.raises(StudyError, match="did you mean 'alpha'"):
        learner.set_params(alfa=0.1)
    assert learner.fit(frame, [1]).graph_ == learn(frame, "pc", alpha=0.2).graph


def test_scikit_learn_can_clone_it() -> None:
    copy = clone(StructureLearner("pc", seed=3, alpha=0.01))
    assert copy.get_params() == {"name": "pc", "seed": 3, "alpha": 0.01}


@parametrize_with_checks([StructureLearner("pc"), StructureLearner("hc")])
def test_it_is_an_estimator(estimator: StructureLearner, check: Callable[[object], None]) -> None:
    check(estimator)


def test_its_score_is_the_mean_log_likelihood_of_rows(frame: pd.DataFrame) -> None:
    training, test = frame[:200], frame[200:]
    learner = StructureLearner("hc").fit(training)
    network = dagathlon.fit(training, learner.graph_)
    expected = network.log_likelihood(dagathlon.read_data(test)) / 100
    assert learner.score(test) == pytest.approx(expected, rel=1e-12)
    empty = dagathlon.fit(training, Graph(["a", "b", "c"]))
    assert learner.score(test) > empty.log_likelihood(dagathlon.read_data(test)) / 100


def test_before_fit_there_is_no_score(frame: pd.DataFrame) -> None:
    with pytest.raises(NotFittedError, match="call fit first"):
        StructureLearner("hc").score(frame)


def test_what_is_no_json_is_no_study() -> None:
    with pytest.raises(StudyError, match=r"mine\.json: cannot be written as JSON"):
        Study.of({"x": object()}, name="mine.json")


def test_data_with_their_truth_are_one_data_set(frame: pd.DataFrame) -> None:
    truth = Graph.from_edges(["a -> b", "c -> b"])
    for given in ((frame, truth), [(frame, truth)]):
        (entry,) = Study.build("mine", "hc", given).config.setups[0].data
        assert entry.graphs
    with pytest.raises(StudyError, match="a pair of data and a Graph"):
        Study.build("mine", "hc", [(frame, "truth.csv")])


@pytest.mark.slow
def test_a_study_without_a_file(frame: pd.DataFrame, tmp_path) -> None:
    truth = Graph.from_edges(["a -> b", "c -> b"])
    study = Study.build("mine", ["hc", "pc[alpha=0.01,0.05]"], [(frame, truth), frame])
    done = study.run(tmp_path, jobs=1)
    table = done.to_pandas()
    assert list(table["setting"][:3]) == ["hc", "pc, alpha = 0.01", "pc, alpha = 0.05"]
    assert len(table) == 6
    assert done.table("mine").num_rows == 6
    assert {"graph", "n", "noise", "alpha"} <= set(table)
    assert not any(name.startswith("Unnamed") for name in table)
    assert done.table().schema.field("seed").metadata == {b"description": b"seed of the data set"}
    first, last = done.runs()[0], done.runs()[-1]
    assert first.status == "ok"
    assert first.truth == truth
    assert first.data == Dataset.from_pandas(frame)
    assert last.truth is None
    assert first.graph == learn(frame, "hc").graph
    assert first.estimate is not None
    assert first.estimate.graph == first.graph
    assert done.reports[0].is_file()
    assert "pc, alpha = 0.05" in done.board()
    with pytest.raises(DagathlonError, match="did you mean 'mine'"):
        done.table("mime")
    again = study.run(tmp_path, jobs=1)
    assert not again.ran


@pytest.mark.slow
def test_a_run_that_changes_nothing_writes_nothing(frame: pd.DataFrame, tmp_path) -> None:
    assert len(Study.build("one", "hc", "asia[n=100,seeds=2]").plan.runs) == 2
    study = Study.build("mine", ["hc", "pc"], ["asia[n=100,seeds=2]"])
    (report,) = study.run(tmp_path, jobs=1).reports
    table = report.parent / "benchmarks" / "joint_benchmarks.csv"
    written = report.stat().st_mtime_ns
    study.run(tmp_path, jobs=1)
    assert report.stat().st_mtime_ns == written
    table.unlink()
    study.run(tmp_path, jobs=1)
    assert table.is_file()
    assert report.stat().st_mtime_ns > written
    pictures = set(report.parent.rglob("*.png"))
    assert pictures
    study.run(tmp_path, jobs=1, figures="all")
    assert set(report.parent.rglob("*.png")) > pictures


@pytest.mark.parametrize("name", ["independence_test", "optimal_threshold", "score_graph"])
def test_examples_of_scores_and_tests(name: str) -> None:
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(
        getattr(dagathlon, name), name, globs=vars(dagathlon)
    ):
        known = {**vars(dagathlon), name: getattr(dagathlon, name)}
        example.globs.update(known)
        assert runner.run(example).failed == 0
    assert runner.summarize().attempted > 0


@pytest.mark.parametrize(
    ("strength", "message"),
    [
        ([0.1, 0.9], "a square matrix"),
        ([], "a square matrix"),
        (np.zeros((2, 3)), "a square matrix"),
        ([[0, 0.2], [0.9, 0]], "a symmetric matrix"),
        ([[0, 12], [12, 0]], "from 0 to 1"),
        ([[0, np.nan], [np.nan, 0]], "from 0 to 1"),
    ],
)
def test_what_is_no_matrix_of_strengths_is_refused(strength: Any, message: str) -> None:
    with pytest.raises(DagathlonError, match=message):
        dagathlon.optimal_threshold(strength)
    assert dagathlon.optimal_threshold([[0, 0.4], [0.4, 0]]) == 0.4


def test_tests_and_scores_take_what_read_data_takes(frame: pd.DataFrame) -> None:
    assert dagathlon.independence_test(frame).independent("a", "c", alpha=0.001)
    assert not dagathlon.independence_test(frame, "zf").independent("a", "b")
    graph = Graph.from_edges(["a -> b", "c -> b"])
    scores = dagathlon.score_graph(frame, graph, "bic-g")
    assert scores.total == pytest.approx(sum(scores.by_node.values()))
    assert not dagathlon.separation_test(graph).independent("a", "c", ["b"])
