"""BCD Nets and GFlowNets: seconds of a run, and errors against the exact posterior.

``python -m benchmarks.flows errors`` prints the errors.
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
            f"{called(learner)}, defaults",
            best_of(lambda one=learner: one.learn(data, np.random.default_rng(0)), 2),
            "5 variables, 100 rows",
        )
        for learner in learners()
    ]


def called(learner: Any) -> str:
    told = (getattr(learner, name, None) for name in ("family", "likelihood", "particles"))
    return ", ".join([learner.name, *(str(value) for value in told if value is not None)])


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
                    f"{rows:5} rows, set {seed}, {called(learner):20}: error {gap.max():.3f}, "
                    f"mean {gap.mean():.3f}, entropy {found.posterior.entropy:.2f} of "
                    f"{exact.entropy:.2f}, {found.stats['steps']} steps, {seconds:.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:] == ["errors"]:
        errors()
    else:
        from benchmarks.timing import print_table

        print_table(run())
