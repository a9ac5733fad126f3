"""BCD Nets and GFlowNets: seconds of a run, and errors against the exact posterior.

A machine with a graphics card runs 20 data sets with three starts each, in one batch:

    PYTHONPATH=src python -m benchmarks.flows card
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

from benchmarks.dibs import dataset, model

QUICK = bool(os.environ.get("DAGATHLON_BENCHMARKS_QUICK"))
SETS = 1 if QUICK else int(os.environ.get("DAGATHLON_FLOW_SETS", "2"))


def learners() -> list[Any]:
    from dagathlon.learners.jax.bcd_nets import BcdNets
    from dagathlon.learners.jax.dag_gflownet import DagGflownet
    from dagathlon.learners.jax.vbg import Vbg

    few = {"steps": 20} if QUICK else {}
    return [
        DagGflownet(**few),
        Vbg(**few),
        BcdNets(**few),
        BcdNets(family="network", **few),
    ]


def run() -> list[Any]:
    from benchmarks.timing import alone, best_of
    from dagathlon.learners.jax.backend import NEEDS_JAX

    if NEEDS_JAX:
        return []
    data = dataset(model(0)[0])
    return [
        alone(
            f"{_called(learner)}, defaults",
            best_of(lambda one=learner: one.learn(data, np.random.default_rng(0)), 2),
            "5 variables, 100 rows",
        )
        for learner in learners()
    ]


def _called(learner: Any) -> str:
    family = getattr(learner, "family", "")
    return f"{learner.name}, {family}" if family else str(learner.name)


def errors() -> None:
    """Largest and mean error of edge probabilities against BGe's exact posterior.

    Vbg and BCD Nets have other priors, so that theirs are not errors of the method alone.
    """
    from dagathlon.learners.bayesian.exact_posterior import ExactPosterior

    for rows in (5, 100, 1000):
        for seed in range(SETS):
            data = dataset(model(seed, rows)[0])
            exact = ExactPosterior(score="bge").posterior(data)
            for learner in learners():
                start = time.process_time()
                found = learner.learn(data, np.random.default_rng(seed))
                seconds = time.process_time() - start
                gap = np.abs(found.posterior.edge_probabilities - exact.edge_probabilities)
                print(
                    f"{rows:5} rows, set {seed}, {_called(learner):20}: error {gap.max():.3f}, "
                    f"mean {gap.mean():.3f}, entropy {found.posterior.entropy:.2f} of "
                    f"{exact.entropy:.2f}, {found.stats['steps']} steps, {seconds:.1f} s",
                    flush=True,
                )


def card() -> None:
    """All 60 runs of a cell at once, first with compiling and then without."""
    from dagathlon.learners.jax.backend import jax

    print(f"JAX {jax.__version__} on {jax.devices()[0]}")
    data = [dataset(model(seed)[0]) for seed in range(20) for _ in range(3)]
    for learner in learners():
        for time_of in ("with compiling", "compiled"):
            rngs = [np.random.default_rng(seed) for seed in range(len(data))]
            start = time.perf_counter()
            found = learner.learn_many(data, rngs)
            seconds = time.perf_counter() - start
            steps = np.mean([one.stats["steps"] for one in found])
            print(
                f"{_called(learner)}, 60 runs, {time_of}: {seconds:.1f} s, {steps:.0f} steps "
                "on average",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["card"]:
        card()
    elif sys.argv[1:] == ["errors"]:
        errors()
    else:
        from benchmarks.timing import print_table

        print_table(run())
