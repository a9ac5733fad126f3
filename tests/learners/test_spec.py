"""A learner in any form, at every door that takes one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagathlon import (
    Dataset,
    Estimate,
    Graph,
    Learner,
    StructureLearner,
    Study,
    learn,
    rank_without_truth,
)
from dagathlon.errors import StudyError
from dagathlon.evaluate.models.cross_validation import cross_validate
from dagathlon.learners.bayesian.bootstrap import Bootstrap
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.score.hill_climbing import HillClimbing
from dagathlon.learners.spec import LearnerSpec
from dagathlon.modules.spec import single_values, spelled

STRICT = {"alpha": 0.001}
FORMS: list[Any] = [
    "pc[alpha=0.001]",
    ("pc", STRICT),
    (Pc, STRICT),
    ["pc", STRICT],
    {"module": "pc", "parameters": STRICT},
    Pc(alpha=0.001),
]


class Silent(Learner):
    """Learns nothing; without a file of its own that a worker could find."""

    name = "silent"
    gives = "dag"
    takes = frozenset({"continuous"})

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Estimate(Graph(data.names))


@pytest.fixture(scope="module")
def data() -> Dataset:
    """A weak dependence, which a strict test does not see, and a strong one."""
    x, y, noise, more = np.random.default_rng(7).normal(size=(4, 300))
    return Dataset.from_numpy(np.stack([x, y + 0.17 * x, x + noise, more], axis=1))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_learn_takes_every_form(data: Dataset, form: Any) -> None:
    assert learn(data, form).graph == learn(data, "pc", alpha=0.001).graph
    assert learn(data, form).graph != learn(data, "pc", alpha=0.2).graph
    assert LearnerSpec.of(form).learner() == Pc(alpha=0.001)


def test_a_class_alone_has_its_defaults(data: Dataset) -> None:
    assert learn(data, Pc).graph == learn(data, "pc").graph
    assert LearnerSpec.of(Pc, {"alpha": 0.3}).learner() == Pc(alpha=0.3)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_an_estimator_takes_every_form(data: Dataset, form: Any) -> None:
    assert StructureLearner(form).fit(data).graph_ == learn(data, "pc", alpha=0.001).graph


@pytest.mark.parametrize("form", [*FORMS[:3], FORMS[-1]], ids=str)
def test_learners_that_run_others_take_every_form(data: Dataset, form: Any) -> None:
    wanted = learn(data, "bootstrap[learner=pc[alpha=0.001],replicates=5]")
    found = learn(data, "bootstrap", learner=form, replicates=5)
    assert found.posterior == wanted.posterior
    assert learn(data, Bootstrap(learner=form, replicates=5)).posterior == wanted.posterior
    assert cross_validate(data, form, folds=2) == cross_validate(data, "pc[alpha=0.001]", folds=2)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_studies_take_every_form(data: Dataset, form: Any) -> None:
    wanted = Study.build("s", ["hc", "pc[alpha=0.001]"], data).plan
    found = Study.build("s", [HillClimbing, form], data).plan
    assert [task.key for task in found.tasks] == [task.key for task in wanted.tasks]


def test_a_study_of_one_learner_and_of_learners_by_id(data: Dataset) -> None:
    alone = Study.build("s", Pc(alpha=0.001), data).plan
    listed = Study.build("s", ["pc[alpha=0.001]"], data).plan
    assert [task.key for task in alone.tasks] == [task.key for task in listed.tasks]
    named = Study.build("s", {"strict": Pc(alpha=0.001), "lax": "pc[alpha=0.2]"}, data).config
    assert sorted(named.algorithms) == ["lax", "strict"]


def test_a_study_keeps_a_learner_inside_a_learner_as_text(data: Dataset) -> None:
    found = Study.build("s", [Bootstrap(learner=Pc(alpha=0.001), replicates=5)], data).plan
    wanted = Study.build("s", ["bootstrap[learner=pc[alpha=0.001],replicates=5]"], data).plan
    assert [task.key for task in found.tasks] == [task.key for task in wanted.tasks]


def test_interval_takes_forms_side_by_side(data: Dataset) -> None:
    found = rank_without_truth(
        data, [Pc(alpha=0.001), ("hc", {})], sizes=[100], subsamples=2, jobs=1
    )
    named = rank_without_truth(data, ["pc[alpha=0.001]", "hc"], sizes=[100], subsamples=2, jobs=1)
    assert str(found) == str(named)


def test_a_learner_without_a_file_runs_here_and_is_refused_elsewhere(data: Dataset) -> None:
    assert not learn(data, Silent()).graph.edges()
    local = type("Local", (Silent,), {"__module__": "__main__"})
    with pytest.raises(StudyError, match="notebook or a script"):
        Study.build("s", [local], data)


@pytest.mark.parametrize(
    "wrong", [3, None, ("pc",), ("pc", 0.1), {"pc": STRICT}, object, ["pc"]], ids=str
)
def test_what_is_no_learner_meets_one_error_everywhere(data: Dataset, wrong: Any) -> None:
    with pytest.raises(StudyError, match="names no learner; a learner is a name, a text"):
        LearnerSpec.of(wrong)
    with pytest.raises((StudyError, TypeError), match="learner"):
        learn(data, wrong)
    with pytest.raises(StudyError, match="names no learner"):
        Study.build("s", [wrong], data)


def test_a_mapping_needs_no_parameters(data: Dataset) -> None:
    assert LearnerSpec.of({"module": "pc"}).learner() == Pc()
    wrong = {"module": "pc", "parameter": {}}
    with pytest.raises(StudyError, match="names no learner"):
        LearnerSpec.of(wrong)
    with pytest.raises(StudyError, match="found 3, expected a learner: a name"):
        learn(data, "bootstrap", learner=3)


def test_values_are_checked_however_they_were_given() -> None:
    for wrong in ("pc[alpha=7]", ("pc", {"alpha": 7}), Pc(alpha=7)):
        with pytest.raises(
            StudyError, match=r"pc\.alpha: found 7, expected a number between 0 and 1"
        ):
            LearnerSpec.of(wrong).learner()
    with pytest.raises(StudyError, match="'alpha' takes one value, 2 given"):
        LearnerSpec.of("pc[alpha=0.1,0.2]").learner()
    with pytest.raises(StudyError, match="given twice"):
        LearnerSpec.of(Pc(alpha=0.1), {"alpha": 0.2})


def test_names_of_arguments_that_were_replaced_still_work(data: Dataset) -> None:
    with pytest.warns(DeprecationWarning, match="learner"):
        assert learn(data, name="pc").graph == learn(data, learner="pc").graph  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="learners"):
        old = Study.build("s", algorithms=["hc"], data=data)
    assert [task.key for task in old.plan.tasks]


@pytest.mark.parametrize(
    "values", [{}, {"alpha": 0.01}, {"score": "bge", "restarts": 2}, {"learner": "hc[score=bic]"}]
)
def test_what_is_spelled_is_read_back(values: dict[str, Any]) -> None:
    assert single_values(spelled("mine", values)) == ("mine", values)


def test_what_brackets_cannot_hold_is_refused() -> None:
    with pytest.raises(StudyError, match="cannot be written in brackets"):
        spelled("mine", {"words": "a,b"})
