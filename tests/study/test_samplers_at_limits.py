"""Samplers that reach a limit of a study give what they have drawn by then."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import OutOfTimeError
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.bayesian.order_mcmc import OrderMcmc
from dagathlon.learners.bayesian.space_based import SpaceBased
from dagathlon.learners.run import run_learner
from dagathlon.modules import modules
from dagathlon.study.engine.perform import perform
from dagathlon.study.plan.task import Call, Limits, Status, TaskKind
from dagathlon.study.store.codec import decode

# Of processor time, so that the load of a machine does not matter.
LIMITS = Limits(cpu=0.4)
FOR_EVER = {"iterations": 10**9, "rounds": 10**9, "num_samples": 10**9}
OURS = [
    name
    for name, cls in sorted(modules("algorithm").items())
    if ".benchpress" not in cls.__module__ and cast(type[Learner], cls).samples
    if cast(type[Learner], cls).anytime
]


def data(kind: str) -> Dataset:
    values = np.random.default_rng(1).normal(size=(60, 5)).cumsum(axis=1)
    if kind == "continuous":
        return Dataset([Variable(f"X{i}") for i in range(5)], values=np.asfortranarray(values))
    return Dataset(
        [Variable(f"X{i}", ("0", "1")) for i in range(5)], codes=(values > 0).astype(int)
    )


def endless(name: str) -> Learner:
    cls = cast(type[Learner], modules("algorithm")[name])
    given = {key: value for key, value in FOR_EVER.items() if key in cls.parameters()}
    return cast(Learner, cls.from_json(given))


def test_which_samplers_these_are():
    known = {"order_mcmc", "partition_mcmc", "structure_mcmc", "bd_mcmc", "rj_mcmc", "mpl_mcmc"}
    graphical = {"bdgraph_mcmc", "giudici_green", "junction_tree_mcmc", "particle_gibbs"}
    assert known | graphical <= set(OURS)
    assert all(endless(name).keeps_to_limit() for name in (*OURS, "itsearch"))
    assert not endless("bidag_order_mcmc").keeps_to_limit()


QUICK = ("bdgraph_mcmc", "itsearch", "order_mcmc")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name in (*OURS, "itsearch")
    ],
)
def test_a_sampler_gives_what_it_has(name):
    learner = endless(name)
    kind = "continuous" if "continuous" in learner.accepted() else "discrete"
    call = Call.of(TaskKind.LEARN, name, learner.version, learner.to_json())
    done = perform(call, bytes(32), [data(kind)], LIMITS)
    assert (done.outcome.status, done.outcome.reason) == (Status.OK, "")
    assert done.outcome.cpu > 0.3
    assert done.stored is not None
    found = decode(b"".join(done.stored))
    assert isinstance(found, Estimate)
    assert found.stats["stopped_early"] is True
    if learner.samples:
        assert found.posterior is not None
        assert "by its time limit" in found.notes[-1]


def test_where_the_time_went_is_said(monkeypatch):
    def endless_tables(*_: object) -> None:
        raise OutOfTimeError("now")

    monkeypatch.setattr("dagathlon._core.ParentTables.fill", endless_tables, raising=False)
    learner = OrderMcmc()
    with pytest.raises(OutOfTimeError) as caught:
        run_learner(learner, data("continuous"), np.random.default_rng(1), timeout=60)
    assert issubclass(OrderMcmc, SpaceBased)
    assert (
        "stopped at the time limit of 60 s, before it had a result: it was still filling the "
        "tables of scores of its search space"
    ) in str(caught.value)
