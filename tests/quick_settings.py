"""Settings of learners with which a run on small data takes little time."""

from __future__ import annotations

from typing import Any

from dagathlon.external import ExternalLearner
from dagathlon.learners.jax.backend import JaxLearner
from dagathlon.modules import modules

# Defaults made for real studies would take long on the many small data sets of the suite.
SAMPLERS = ("order_mcmc", "partition_mcmc", "structure_mcmc", "itsearch")
QUICK: dict[str, dict[str, Any]] = {
    "new_mcmcalg": {"n_iterations": 20},
    "golem": {"num_iter": 300},
    "gcastle_golem": {"num_iter": 300},
    "dagma": {"warm_iter": 300, "max_iter": 300},
    "notears_low_rank": {"rank": 2, "max_iter": 2, "rho_max": 100},
    "gcastle_notears_low_rank": {"rank": 2, "max_iter": 2, "rho_max": 100},
    "notears": {"rho_max": 100, "max_iter": 5},
    "gcastle_notears": {"rho_max": 100, "max_iter": 5},
    "bootstrap": {"replicates": 3},
    "bgies": {"bootstraps": 3},
    "imputed": {"copies": 2, "sweeps": 1},
    # Four rows of fifty columns are hard to prove optimal with more parents.
    "exact_map": {"max_parents": 1},
    "gobnilp": {"palim": 1},
    "asobs": {"starts": 20, "explored": 50},
    "winasobs": {"starts": 3, "explored": 50},
    "rfci_bsc": {"graphs": 20},
    "rblip_asobs": {"timeout": 0.05, "scorermethod": "sq", "indeg": 2},
}
QUICK |= {name: {"iterations": 200} for name in (*SAMPLERS, "bidag_partition_mcmc")}
UNDIRECTED = (
    "bd_mcmc", "rj_mcmc", "mpl_mcmc", "bdgraph_mcmc", "giudici_green", "junction_tree_mcmc",
    "parallel_junction_trees", "unconditional_mcmc",
)  # fmt: skip
QUICK |= {name: {"iterations": 100} for name in UNDIRECTED}
# As many proposals as variables make a sweep slow where there are many of them and few rows.
QUICK["rj_mcmc"]["proposals"] = 2
QUICK |= {
    "particle_gibbs": {"iterations": 5, "n_particles": 5},
    "trilearn_pgibbs": {"M": 5, "n_particles": 5},
    "paralleldg": {"M": 100},
    "bdgraph": {"iter": 100},
    "grues": {"n_iterations": 100},
}
QUICK["athomas_jtsamplers"] = {"num_samples": 200}
QUICK |= {"particle_gibbs": {"iterations": 20, "n_particles": 5}, "paralleldg": {"M": 200}}
QUICK |= {"parallel_junction_trees": {"iterations": 200}}
QUICK["trilearn_pgibbs"] = {"M": 10, "n_particles": 5}
QUICK["itsearch"]["hard_limit"] = 8
# Tables of all parent sets of twenty variables take seconds.
for _name in ("order_mcmc", "partition_mcmc", "structure_mcmc"):
    QUICK[_name]["candidates"] = 4
NATIVE = [
    name
    for name, cls in modules("algorithm").items()
    if cls.__module__.startswith("dagathlon.")  # other tests add learners that misbehave
    and not issubclass(cls, ExternalLearner)
    and not cls.unavailable
    and not issubclass(cls, JaxLearner)  # compiled for each size: slow tests of their own
]
