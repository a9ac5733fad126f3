"""`suggest`: what is said of data, who suits them, and how long that takes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.learners import costs
from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.learners.costs import Cost, expected_cost
from dagathlon.learners.score.hill_climbing import HillClimbing
from dagathlon.learners.suggest import QUESTIONS, diverse_suggestions, suggest
from dagathlon.modules import modules

LAWS = Path(costs.__file__).with_name("costs.json")


def continuous(rows: int, columns: int) -> Dataset:
    values = np.random.default_rng(1).normal(size=(rows, columns))
    return Dataset([Variable(f"V{i}") for i in range(columns)], values=values)


def test_learners_of_continuous_data_are_grouped_by_what_they_answer() -> None:
    advice = suggest(continuous(200, 5))
    assert advice.data == "200 rows, 5 columns; all continuous"
    assert not advice.notes
    found = {one.name: one for one in advice.suitable}
    assert found["pc"].question == "class"
    assert found["direct_lingam"].question == "dag"
    assert found["fci"].question == "latent"
    assert found["order_mcmc"].question == "posterior"
    assert found["corr_thresh"].question == "undirected"
    assert "noise that is not Gaussian" in found["direct_lingam"].assumes
    assert "linear relations with Gaussian noise" in found["pc"].assumes
    assert advice.unsuitable["saiyanh"]
    places = [list(QUESTIONS).index(one.question) for one in advice.suitable]
    assert places == sorted(places)


def test_learners_to_compare_ask_in_different_ways() -> None:
    found = diverse_suggestions(suggest(continuous(200, 5)))
    assert [one.name for one in found] == ["boss", "pc", "mmhc"]
    assert [one.way for one in found] == ["a score", "tests", "tests and a score"]


def test_fewer_ways_are_filled_up_by_other_families() -> None:
    data = continuous(60, 4)
    values = data.values.copy()
    values[4, 1] = np.nan
    found = diverse_suggestions(suggest(Dataset(data.variables, values=values)))
    assert [one.name for one in found] == ["pc", "structural_em", "gsp"]


def test_wide_data_few_rows_and_constant_columns_are_mentioned() -> None:
    data = continuous(40, 60)
    values = data.values.copy()
    values[:, 3] = 2.0
    advice = suggest(Dataset(data.variables, values=values))
    assert [note.split(":")[0] for note in advice.notes] == ["Constant", "Wide", "Penalty", "Few"]
    assert "V3" in advice.notes[0]
    assert "more rows than columns" in advice.unsuitable["direct_lingam"]
    assert "20 variables" in advice.unsuitable["exact_posterior"]


def test_gaps_name_the_test_that_takes_them() -> None:
    data = continuous(50, 3)
    values = data.values.copy()
    values[4, 1] = np.nan
    advice = suggest(Dataset(data.variables, values=values))
    assert advice.data.endswith("1 row with missing values")
    specs = {one.name: one.spec for one in advice.suitable}
    assert specs["pc"] == "pc[test=cor.td]"
    assert specs["corr_thresh"] == "corr_thresh"
    assert "missing values" in advice.unsuitable["hc"]


def test_one_row_is_refused() -> None:
    with pytest.raises(DataError, match="nothing to learn from 1 row, 2 columns"):
        suggest(continuous(1, 2))


def test_laws_are_of_learners_and_grow_with_the_data() -> None:
    laws = json.loads(LAWS.read_text())["laws"]
    assert set(laws) <= set(modules("algorithm"))
    for kinds in laws.values():
        for a, b, c, rows, columns in kinds.values():
            assert np.isfinite([a, b, c]).all()
            assert min(b, c) >= 0
            assert min(rows, columns) > 1


def test_expected_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "seconds_per_unit", lambda: 2.0)
    laws = {"hc": {"continuous": [np.log(3.0), 1.0, 2.0, 1000, 10]}}
    monkeypatch.setattr(costs, "_laws", lambda: laws)
    known = modules("algorithm")
    found = expected_cost(known["hc"], "continuous", 100, 5)  # type: ignore[arg-type]
    assert found is not None
    assert found.seconds == pytest.approx(2 * 3 * 100 * 25)
    assert not found.extrapolated
    larger = expected_cost(known["hc"], "continuous", 5000, 30)  # type: ignore[arg-type]
    assert larger is not None
    assert larger.seconds == pytest.approx(2 * 3 * 1000 * 100 * 5 * 9)
    assert expected_cost(known["hc"], "continuous", 100, 31).extrapolated  # type: ignore
    assert expected_cost(known["hc"], "mixed", 100, 5) is None  # type: ignore[arg-type]
    assert expected_cost(known["bnlearn_hc"], "continuous", 100, 5) == found  # type: ignore
    many = expected_cost(known["bootstrap"], "continuous", 100, 5)  # type: ignore[arg-type]
    assert many is not None
    assert many.seconds == pytest.approx(200 * found.seconds)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.3, "less than 1 s"),
        (3.4, "about 3 s"),
        (59, "about 1 min"),
        (7300, "about 2 hours"),
        (9.9e7, "years"),
    ],
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert Cost(seconds, extrapolated=False).words() == words
    assert Cost(100.0, extrapolated=True).words() == "very roughly 2 min"


def test_filling_gaps_is_part_of_what_imputed_takes() -> None:
    """It takes most of the time: more than ten times the learner on as many complete copies."""
    whole = expected_cost(Imputed, "discrete", 500, 12)
    inside = expected_cost(HillClimbing, "discrete", 500, 12)
    assert whole is not None
    assert inside is not None
    assert whole.seconds > 10 * Imputed().copies * inside.seconds
