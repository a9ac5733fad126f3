"""Candidate parent sets with their scores: one score, six from one pass, any number of parents.

No peer: programs that find optimal DAGs either make these lists inside, or read them from files.
The last column says how many families were looked at and how many sets were kept.
"""

from __future__ import annotations

from functools import partial

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, best_of, pick, print_table, row
from dagathlon import _core
from dagathlon.data import Dataset, Network
from dagathlon.learners.exact.exact_map import ExactMap

SIX = [ExactMap(score="bdeu", iss=iss, max_parents=4) for iss in (0.01, 0.1, 1.0, 10.0)]
SIX += [ExactMap(score=score, max_parents=4) for score in ("bic", "fnml")]
ONE = SIX[2]


def sets_of(learner: ExactMap, data: Dataset) -> _core.ParentSets:
    return _core.enumerate_parent_sets(learner.native_score(data), learner.limits(data), True)


def six_from_one_pass(data: Dataset) -> list[_core.ParentSets]:
    scores, limits = [learner.native_score(data) for learner in SIX], ONE.limits(data)
    tables = _core.count_tables(scores, limits)
    assert tables is not None
    return [_core.parent_sets_from_tables(score, limits, tables) for score in scores]


def optimum(learner: ExactMap, data: Dataset) -> float:
    score: float = _core.best_by_sets(sets_of(learner, data))[0]
    return score


def four_parents() -> list[Row]:
    rows = []
    for name in pick(("insurance", "alarm"), ("asia",)):
        for n in pick((100, 1_600, 25_600), (100,)):
            data = Network.load(name).sample(n, seed=1)
            found = sets_of(ONE, data)
            kept = f"{found.scored:,} families, {found.count():,} kept"
            what = f"{name} n={n:,} palim 4"
            rows.append(row(f"{what}: bdeu", best_of(partial(sets_of, ONE, data), 2), note=kept))
            shared = [each.count() for each in six_from_one_pass(data)]
            note = f"{sum(shared):,} kept"
            whole = best_of(partial(six_from_one_pass, data), 2)
            rows.append(row(f"{what}: six scores, one pass", whole, note=note))
    for most in pick((3, 4), (2,)):
        p = pick(25, 8)
        data = linear_data(p, 500, degree=2)
        learner = ExactMap(score="bge", max_parents=most)
        whole = best_of(partial(sets_of, learner, data), 2)
        rows.append(row(f"gaussian p={p} n=500 palim {most}: bge", whole))
    return rows


def any_number_of_parents() -> list[Row]:
    """From data to the optimum by dynamic programming."""
    rows, p = [], pick(20, 8)
    for n in pick((1_000, 25_600), (100,)):
        data = Network.load(pick("alarm", "asia")).sample(n, seed=1)
        some = Dataset(data.variables[:p], codes=data.codes[:, :p])
        for score in ("bdeu", "bic"):
            learner = ExactMap(score=score, max_parents=None)
            whole = best_of(partial(optimum, learner, some), 1)
            rows.append(row(f"optimum p={p} n={n:,} any parents: {score}", whole))
    data = linear_data(p, 500, degree=2)
    whole = best_of(partial(optimum, ExactMap(score="bge", max_parents=None), data), 1)
    return [*rows, row(f"optimum gaussian p={p} n=500 any parents: bge", whole)]


def run() -> list[Row]:
    return [*four_parents(), *any_number_of_parents()]


if __name__ == "__main__":
    print_table(run())
