"""Every name of Benchpress is there, documented, and valid with its defaults."""

from __future__ import annotations

import json

import pytest

from dagathlon.learners.base import Learner
from dagathlon.modules import Module, modules

ALGORITHMS = [
    "bnlearn_fastiamb",
    "bnlearn_gs",
    "bnlearn_hpc",
    "bnlearn_iamb",
    "bnlearn_iambfdr",
    "bnlearn_interiamb",
    "bnlearn_mmpc",
    "bnlearn_pcstable",
    "bnlearn_sihitonpc",
    "bnlearn_hc",
    "bnlearn_tabu",
    "bnlearn_mmhc",
    "bnlearn_h2pc",
    "bnlearn_rsmax2",
    "bidag_itsearch",
    "bidag_order_mcmc",
    "bidag_partition_mcmc",
    "pcalg_pc",
    "pcalg_gies",
    "mvpc",
    "bips_tpc",
    "mice",
    "dualpc",
    "tetrad_fges",
    "tetrad_boss",
    "tetrad_grasp",
    "tetrad_pc",
    "tetrad_fas",
    "tetrad_fask",
    "tetrad_fofc",
    "tetrad_ftfc",
    "tetrad_ica-lingam",
    "gcastle_notears",
    "gcastle_notears_nonlinear",
    "gcastle_notears_low_rank",
    "gcastle_golem",
    "gcastle_grandag",
    "gcastle_mcsl",
    "gcastle_gae",
    "gcastle_pc",
    "gcastle_anm",
    "gcastle_direct_lingam",
    "gcastle_ica_lingam",
    "gcastle_rl",
    "gcastle_corl",
    "gobnilp",
    "rblip_asobs",
    "causaldag_gsp",
    "causallearn_grasp",
    "pyagrum",
    "sklearn_glasso",
    "huge_glasso",
    "huge_mb",
    "huge_tiger",
    "corr_thresh",
    "prec_thresh",
    "equsa_psilearner",
    "bdgraph",
    "trilearn_pgibbs",
    "paralleldg",
    "athomas_jtsamplers",
    "grues",
]
NAMES = {
    "graph": "pcalg_randdag gcastle_dag bdgraph_graphsim trilearn_bandmat trilearn_rand_bandmat "
    "trilearn_cta new_graph",
    "parameters": "sem_params bin_bn bdgraph_rgwish trilearn_intra-class trilearn_g_inv_wishart "
    "trilearn_hyper-dir new_params",
    "data": "iid gcastle_iidsim mvpc_gen_data new_data",
    "algorithm": " ".join([*ALGORITHMS, "new_alg", "new_mcmcalg"]),
}
ALL = [(kind, name) for kind, names in NAMES.items() for name in names.split()]
SAMPLERS = {
    "athomas_jtsamplers", "bdgraph", "bidag_order_mcmc", "bidag_partition_mcmc", "grues",
    "paralleldg", "trilearn_pgibbs", "new_mcmcalg",
}  # fmt: skip
CONSTRAINED = ("bnlearn_", "tetrad_", "pcalg_", "bidag_", "gobnilp", "mvpc", "bips_tpc")


def module(kind: str, name: str) -> type[Module]:
    return modules(kind)[name]  # type: ignore[arg-type]


def test_there_are_62_algorithms():
    assert len(ALGORITHMS) == len(set(ALGORITHMS)) == 62


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_module_is_there_and_documented(kind: str, name: str):
    found = module(kind, name)
    assert found.summary().endswith(".")
    undocumented = [p.name for p in found.parameters().values() if not p.description]
    assert undocumented == []


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_defaults_are_valid_and_survive_json(kind: str, name: str):
    found = module(kind, name)
    assert [p.name for p in found.parameters().values() if p.required] == []
    default = found.from_json({})
    written = json.loads(json.dumps(default.to_json()))
    assert found.from_json(written) == default


@pytest.mark.parametrize("name", [*ALGORITHMS, "new_alg", "new_mcmcalg"])
def test_samplers_split_off_their_estimator(name: str):
    found = module("algorithm", name)
    assert issubclass(found, Learner)
    assert found.samples == (name in SAMPLERS)
    estimator = ("mcmc_estimator", "threshold", "burnin_frac") if name in SAMPLERS else ()
    assert estimator == found.ESTIMATOR_FIELDS
    assert set(estimator) <= set(found.parameters())
    assert (found.gives == "chain") == (name in SAMPLERS)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_constraints_are_honoured_or_refused(name: str):
    found = module("algorithm", name)
    honours = getattr(found, "honours_constraints", False)
    # Components know nothing of edges before they are found, and clusters have none.
    without = ("tetrad_ica-lingam", "tetrad_fofc", "tetrad_ftfc")
    obeys = name.startswith(CONSTRAINED) and name not in without
    assert honours == obeys


@pytest.mark.parametrize("name", ALGORITHMS)
def test_module_that_cannot_run_says_why(name: str):
    found = module("algorithm", name)
    assert found.unavailable == "" or found.unavailable.startswith(
        ("not implemented yet: ", "needs ")
    )
