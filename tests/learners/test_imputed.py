"""Any learner on data with gaps: completed copies, and what is made of their graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dagathlon import learn
from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.data.preparing.imputation import impute
from dagathlon.data.spec import DataFacts
from dagathlon.errors import StudyError
from dagathlon.graphs import cpdag
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.learners.independence import independence_test
from dagathlon.modules import find
from strategies import stream


def with_gaps(share: float = 0.08, rows: int = 400) -> Dataset:
    """A chain a -> b -> c and a variable d that has nothing to do with it."""
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = 1.0
    data = LinearSem("abcd", weights).sample(rows, np.random.default_rng(1))
    values = np.array(data.values)
    values[np.random.default_rng(2).random(values.shape) < share] = np.nan
    return Dataset([Variable(name) for name in "abcd"], values=values)


def test_the_pool_is_of_graphs_from_completed_copies() -> None:
    data = with_gaps()
    found = Imputed(learner="hc", copies=4, shared=True).learn(data, stream())
    copies = impute(data, 4, seed=int(data.fingerprint[:15], 16))
    graphs = [cpdag(learn(copy, "hc").graph) for copy in copies]
    joined = np.mean([graph.adjacency | graph.adjacency.T for graph in graphs], axis=0)
    assert found.posterior is not None
    assert np.allclose(found.posterior.strengths.strength, joined)
    kept = found.graph.adjacency | found.graph.adjacency.T
    assert (kept == (joined > 0.5)).all()
    assert kept[0, 1]
    assert kept[1, 2]
    assert found.stats["imputed_values"] == int(np.isnan(data.values).sum())
    assert f"{found.stats['imputed_values']} missing values were imputed 4 times" in found.notes[0]


def test_copies_are_random_or_the_same_for_all() -> None:
    data, shared = with_gaps(), Imputed(copies=1, shared=True, learner="corr_thresh")
    other = np.random.Generator(np.random.Philox(key=9))
    assert shared.learn(data, stream()).graph == shared.learn(data, other).graph


def test_complete_data_are_learned_from_once() -> None:
    data = with_gaps(0.0)
    found = learn(data, "imputed", learner="hc")
    assert found.stats == {"copies": 1, "imputed_values": 0}
    assert found.graph == cpdag(learn(data, "hc").graph)
    assert not found.notes


@pytest.mark.parametrize("inner", ["fci", "corr_thresh", "pc", "order_mcmc[iterations=200]"])
def test_every_kind_of_graph_is_pooled(inner: str) -> None:
    found = learn(with_gaps(), "imputed", learner=inner, copies=3)
    assert found.graph.names == tuple("abcd")
    assert found.posterior is not None
    draws = found.posterior.n_draws
    assert draws == 3 if "mcmc" not in inner else draws > 100


def test_it_takes_what_the_learner_takes_and_gaps() -> None:
    pool = Imputed(learner="prec_thresh")
    gaps = DataFacts(kind="continuous", missing=True)
    assert "cannot handle missing values" in find("algorithm", "prec_thresh")().why_unsuitable(gaps)
    assert not pool.why_unsuitable(gaps)
    assert "needs continuous data" in pool.why_unsuitable(DataFacts(kind="discrete", missing=True))
    assert pool.delegates()[0] == find("algorithm", "prec_thresh")()
    with pytest.raises(StudyError, match="imputed cannot run imputed"):
        Imputed.from_json({"learner": "imputed"})


def test_notes_of_the_learner_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cls = find("algorithm", "corr_thresh")
    plain = cls.learn

    def noted(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Estimate(plain(self, data, rng).graph, notes=("Mind the gap.",))

    monkeypatch.setattr(cls, "learn", noted)
    found = learn(with_gaps(), "imputed", learner="corr_thresh", copies=3)
    assert found.notes[1:] == ("Mind the gap.",)


def test_where_nothing_is_missing_pooled_tests_are_plain_ones() -> None:
    """Copies that differ by rounding alone were taken for independence of strong dependences."""
    data = with_gaps(0.0)
    plain, pooled = independence_test(data, "zf"), independence_test(data, "zf.mi")
    for x, y in itertools.combinations(data.names, 2):
        expected = plain.test(x, y, []).p_value
        assert pooled.test(x, y, []).p_value == pytest.approx(expected, abs=1e-12)
