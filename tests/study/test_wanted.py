"""What evaluations ask of the planner: wishes are joined, and conflicts are said."""

from __future__ import annotations

import pytest

from dagathlon.data.spec import DataFacts
from dagathlon.errors import StudyError
from dagathlon.evaluate.models.cross_entropy import CrossEntropy
from dagathlon.evaluate.models.cross_validation import PredictedRows
from dagathlon.evaluate.steps import CaseDiagnostics, StandardMetrics
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.resampling import Fold, Subsample
from dagathlon.study.config.plan_requests import Cases, DataScore, Learning, RunScore, agreed

CASES = Cases("g", "p", "d", range(1, 3), DataFacts(), True, Iid(), (), ("a", "b"))
WITHOUT = Cases("None", "None", "file", range(1, 2), DataFacts(), False, None, (), ("a",))


def diagnostics(draws: int, *, weak: bool = False) -> DataScore:
    return DataScore("diagnostics", CaseDiagnostics(draws=draws), ("truth", "data"), weak)


@pytest.mark.parametrize("order", [1, -1])
def test_a_weak_wish_gives_way(order: int) -> None:
    wishes = [diagnostics(10, weak=True), diagnostics(3)][::order]
    assert agreed(wishes, CASES).data_scores == (diagnostics(3),)
    assert agreed(wishes[:1] * 2, CASES).data_scores == (wishes[0],)


def test_two_meanings_of_one_name_are_refused() -> None:
    with pytest.raises(StudyError, match=r"name 'diagnostics': diagnostics\[draws=3, .*\] and"):
        agreed([diagnostics(3), diagnostics(4)], CASES)
    assert len(agreed([diagnostics(3), diagnostics(3)], CASES).data_scores) == 1


def test_what_a_data_set_lacks_is_not_asked_of_it() -> None:
    score = RunScore("metrics", StandardMetrics(), ("truth", "estimate"))
    assert agreed([score], CASES).run_scores == (score,)
    assert agreed([score, diagnostics(3)], WITHOUT) == agreed([], CASES)


def test_learning_on_the_same_data_is_joined() -> None:
    steps = (Subsample(n=5),)
    found = agreed([Learning(steps, ("a",)), Learning(steps, ("b", "a"), scored=True)], CASES)
    assert found.learning == (Learning(steps, ("a", "b"), scored=True),)
    assert found.learning[0].label == "subsample=5,1"


def test_scores_of_further_runs_are_joined_too() -> None:
    steps, tried = (Fold(),), (Fold(left_out=True),)
    inputs = ("data", "test_data", "estimate")
    score = RunScore("rows", PredictedRows(), inputs)
    model = RunScore("cross_entropy", CrossEntropy(), ("model", "data", "estimate"))
    asked = [Learning(steps, ("a",)), Learning(steps, ("b",), tried=tried, scores=(score, model))]
    (found,) = agreed([*asked, asked[1]], CASES).learning
    assert found == Learning(steps, ("a", "b"), False, tried, (score, model))
    (without,) = agreed(asked, WITHOUT).learning
    assert without.scores == (score,)
    (untried,) = agreed([Learning(steps, ("a",), scores=(score,))], CASES).learning
    assert untried.scores == ()
    with pytest.raises(StudyError, match="on fold=1of10 on fold=1of10,left_out and fold=2of10"):
        agreed([asked[1], Learning(steps, ("a",), tried=(Fold(number=2),))], CASES)
    other = RunScore("rows", PredictedRows(sample_size=1), inputs)
    with pytest.raises(StudyError, match="different scores under the name 'rows'"):
        agreed([asked[1], Learning(steps, ("a",), tried=tried, scores=(other,))], CASES)
