"""Parent sets from tables: as from families scored one by one, alone and shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable
from dagathlon.learners import learn
from dagathlon.learners.coscheduled import coscheduled_learners
from dagathlon.learners.exact import candidate_families as shared
from dagathlon.learners.exact.candidate_families import candidate_families
from dagathlon.learners.exact.exact_map import ExactMap
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score

DISCRETE = ["loglik", "aic", "bic", "ebic", "bdeu", "bds", "bdj", "k2", "fnml", "qnml"]
GAUSSIAN = ["bge", "bic-g", "nig", "sem-bic"]
SIX = [ExactMap(max_parents=3, score="bdeu", iss=iss) for iss in (0.01, 0.1, 1.0, 10.0)]
SIX += [ExactMap(max_parents=3, score=score) for score in ("bic", "fnml")]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    shared.MEMORY.clear()
    yield
    shared.MEMORY.clear()


def rows_of(seed: int, levels: list[int], n: int) -> Dataset:
    """Columns of which some follow others, some are constant, and all have a common level."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n, len(levels)), dtype=np.uint8)
    for j, arity in enumerate(levels):
        noise = rng.integers(0, arity, size=n) * (rng.random(n) < rng.choice([0.0, 0.3, 1.0]))
        source = codes[:, rng.integers(0, j)] if j else noise
        codes[:, j] = np.where(rng.random(n) < 0.6, source % arity, noise)
    names = [tuple(f"l{k}" for k in range(arity)) for arity in levels]
    return Dataset([Variable(f"V{j}", names[j]) for j in range(len(levels))], codes=codes)


def limits_of(seed: int, p: int, most: int) -> _core.SearchLimits:
    """Some arcs forbidden, some required; no more required than there may be parents."""
    rng = np.random.default_rng(seed)
    required = np.triu(rng.random((p, p)) < 0.1, 1)
    required[:, required.sum(axis=0) > most] = False
    forbidden = (rng.random((p, p)) < 0.15) & ~required
    np.fill_diagonal(forbidden, val=False)
    return _core.SearchLimits(forbidden | required.T, required, most)


def check_same(score: _core.Score, limits: _core.SearchLimits) -> None:
    """Pruned in advance, and scored one by one and pruned afterwards: the same digits."""
    everything = _core.enumerate_parent_sets(score, limits, False)
    pruned = _core.enumerate_parent_sets(score, limits, True)
    undominated = _core.ParentSets(everything.lists()).lists()
    for found, wanted in zip(pruned.lists(), undominated, strict=True):
        clear = [pair for pair in wanted if better(*pair, wanted)]
        assert [pair for pair in found if better(*pair, found)] == clear
    assert pruned.scored <= everything.scored


def better(score: float, parents: Iterable[int], listed: Sequence[tuple[float, list[int]]]) -> bool:
    """Whether a set is better than its subsets by more than rounding, which no proof can tell."""
    whole = set(parents)
    subsets = [s for s, found in listed if set(found) < whole]
    return not subsets or score > max(subsets) + 1e-9


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    levels=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    n=st.sampled_from([1, 7, 60, 3000]),
    score=st.sampled_from(DISCRETE),
    iss=st.sampled_from([0.01, 1.0, 30.0]),
    most=st.integers(0, 4),
)
def test_tables_give_the_families_that_scoring_gives(
    seed: int, levels: list[int], n: int, score: str, iss: float, most: int
) -> None:
    native = native_score(rows_of(seed, levels, n), score, ScoreParameters(iss=iss))
    check_same(native, limits_of(seed, len(levels), most))


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), score=st.sampled_from(DISCRETE), n=st.sampled_from([2, 90, 400]))
def test_refined_rows_give_the_families_that_scoring_gives(seed: int, score: str, n: int) -> None:
    """So many levels that tables with a cell for everything would not fit."""
    levels = [60, 50, 40, 2, 50, 40]
    data = rows_of(seed, levels, n)
    check_same(native_score(data, score, ScoreParameters()), limits_of(seed, len(levels), 6))


@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    score=st.sampled_from(GAUSSIAN),
    prior=st.sampled_from(["uniform", "vsp"]),
    duplicate=st.booleans(),
)
def test_lists_give_the_families_that_scoring_gives(
    seed: int, score: str, prior: str, duplicate: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(30, 6)) @ rng.normal(size=(6, 6))
    if duplicate:
        values[:, 5] = values[:, 0]
    data = Dataset([Variable(f"V{i}") for i in range(6)], values=values)
    native = native_score(data, score, ScoreParameters(prior=prior))  # type: ignore[arg-type]
    check_same(native, limits_of(seed, 6, 5))


def test_large_counts_are_summed_beyond_the_tables() -> None:
    codes = np.zeros((40_000, 3), dtype=np.uint8)
    codes[:50, 0] = codes[30:80, 1] = codes[20:45, 2] = 1
    data = Dataset([Variable(f"V{j}", ("a", "b")) for j in range(3)], codes=codes)
    for score in ("bdeu", "fnml"):
        native = native_score(data, score, ScoreParameters())
        check_same(native, limits_of(0, 3, 2))


def test_many_scores_share_one_pass() -> None:
    """The lists are the same to the last digit, and every run says what its time is."""
    data = Network.load("asia").sample(300, seed=1)
    alone = [candidate_families(learner, data).lists() for learner in SIX]
    said = []
    for k, learner in enumerate(SIX):
        with coscheduled_learners(SIX[k + 1 :]) as present:
            assert candidate_families(learner, data).lists() == alone[k]
        said.append(present.notes)
    assert said == [[shared.COUNTED_FOR_OTHERS.format(5)], *[[shared.FOUND_COUNTED]] * 5]


def test_what_cannot_be_shared_is_counted_alone() -> None:
    data = Network.load("asia").sample(50, seed=1)
    wide = ExactMap(max_parents=5, score="bic")
    odd = ExactMap(max_parents=3, score="bge")  # no score of discrete data
    with coscheduled_learners([odd]) as present:
        candidate_families(SIX[0], data)
    assert present.notes == []
    with coscheduled_learners([SIX[1], odd]) as present:
        candidate_families(SIX[0], data)
    assert present.notes == [shared.COUNTED_FOR_OTHERS.format(1)]
    with coscheduled_learners([]) as present:  # sets of six columns were not counted
        found = candidate_families(wide, data).lists()
    assert present.notes == []
    shared.MEMORY.clear()
    assert candidate_families(wide, data).lists() == found
    assert candidate_families(wide, data, prune=False).count() > len(found)


def test_memory_is_bounded() -> None:
    memory = shared.TableMemory(most_bytes=1)
    limits = _core.SearchLimits(*np.zeros((2, 8, 8), dtype=bool), 2)
    for seed in (1, 2):
        data = Network.load("asia").sample(20, seed=seed)
        score = SIX[0].native_score(data)
        tables = _core.count_tables([score], limits)
        assert tables is not None
        memory.keep(data.fingerprint, tables)
        assert len(memory) == 1
        assert memory.find(data.fingerprint, score, limits) is tables


def test_tables_of_other_scores_are_refused() -> None:
    data = Network.load("asia").sample(20, seed=1)
    limits = SIX[0].limits(data)
    tables = _core.count_tables([SIX[0].native_score(data)], limits)
    assert tables is not None
    with pytest.raises(ValueError, match="do not serve"):
        _core.parent_sets_from_tables(SIX[1].native_score(data), limits, tables)


@pytest.mark.slow
@pytest.mark.parametrize("score", ["bdeu", "bic", "fnml"])
def test_any_number_of_parents(score: str) -> None:
    """Sixteen variables: no limit, and the limit that the best DAG keeps to anyway."""
    data = Network.load("insurance").sample(500, seed=4)
    some = Dataset(data.variables[:16], codes=data.codes[:, :16])
    free = learn(some, "exact_map", score=score, max_parents=None, solver="dp")
    most = max(len(free.graph.parents(name)) for name in some.names)
    bound = learn(some, "exact_map", score=score, max_parents=most, solver="dp")
    assert bound.graph == free.graph
    assert bound.stats["score"] == free.stats["score"]
