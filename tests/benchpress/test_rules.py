"""What fits together: data and tests, constraints and learners, graphs and parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator

CONTINUOUS = DataFacts("continuous", missing=False)
BINARY = DataFacts("discrete", binary=True, missing=False)
DISCRETE = DataFacts("discrete", binary=False, missing=False)
MIXED = DataFacts("mixed", missing=False)


def learner(name: str, **values: object) -> Learner:
    return cast(Learner, find("algorithm", name).from_json(values, name))


def fits(name: str, **values: object) -> str:
    """One letter for each kind of data that is accepted."""
    found = learner(name, **values)
    kinds = {"c": CONTINUOUS, "b": BINARY, "d": DISCRETE, "m": MIXED}
    return "".join(letter for letter, facts in kinds.items() if not found.why_unsuitable(facts))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("pcalg_pc", {"indepTest": "gaussCItest"}, "c"),
        ("pcalg_pc", {"indepTest": "binCItest"}, "b"),
        ("pcalg_pc", {"indepTest": "disCItest"}, "bd"),
        ("bnlearn_gs", {"test": "zf"}, "c"),
        ("bnlearn_gs", {"test": "mi"}, "bd"),
        ("bnlearn_gs", {"test": "mi-cg"}, "cbdm"),
        ("bnlearn_gs", {}, "cbdm"),
        ("bnlearn_hc", {"score": "bge"}, "c"),
        ("bnlearn_hc", {"score": "k2"}, "bd"),
        ("bnlearn_tabu", {"score": "bic-cg"}, "cbdm"),
        ("bnlearn_mmhc", {"test": "mi", "score": "bde"}, "bd"),
        ("bnlearn_mmhc", {"test": "zf", "score": "bde"}, ""),
        ("bidag_itsearch", {"scoretype": "bge"}, "c"),
        ("bidag_order_mcmc", {"scoretype": "bde"}, "b"),
        ("bidag_partition_mcmc", {"scoretype": "bdecat"}, "bd"),
        ("tetrad_fges", {"score": "sem-bic-score", "datatype": "continuous"}, "c"),
        ("tetrad_fges", {"score": "bdeu-score", "datatype": "discrete"}, "bd"),
        ("tetrad_boss", {"score": "bdeu-score", "datatype": "continuous"}, ""),
        ("tetrad_grasp", {"test": "chi-square-test"}, ""),
        ("tetrad_pc", {"test": "g-square-test", "datatype": "discrete"}, "bd"),
        ("tetrad_fofc", {"datatype": "discrete"}, "c"),
        ("gobnilp", {"continuous": False}, "bd"),
        ("gobnilp", {"continuous": True}, "c"),
        ("gcastle_notears", {}, "cbd"),
        ("gcastle_notears", {"loss_type": "logistic"}, "b"),
        ("gcastle_pc", {"ci_test": "chi2"}, "bd"),
        ("rblip_asobs", {}, "bd"),
        ("pyagrum", {}, "bd"),
        ("dualpc", {}, "c"),
        ("bdgraph", {"method": "gcgm"}, "cbdm"),
        ("trilearn_pgibbs", {"datatype": "discrete"}, "bd"),
        ("huge_glasso", {"lambda": 0.1}, "c"),
    ],
)
def test_data_that_fit(name: str, values: dict[str, object], expected: str):
    assert fits(name, **values) == expected


def test_objection_names_the_parameter_and_the_remedy():
    message = learner("pcalg_pc", indepTest="gaussCItest").why_unsuitable(DISCRETE)
    assert message == (
        "pcalg_pc with indepTest 'gaussCItest' needs continuous data, and these are discrete; set "
        "indepTest to 'disCItest', or use other data"
    )
    message = learner("bidag_itsearch", scoretype="bde").why_unsuitable(DISCRETE)
    assert "needs binary data, and these are discrete with more than two levels" in message
    assert "set scoretype to 'bdecat'" in message
    assert "set continuous to false" in learner("gobnilp").why_unsuitable(BINARY)


def test_unknown_facts_are_no_objection():
    assert learner("pcalg_pc").why_unsuitable(DataFacts()) == ""
    assert learner("bidag_itsearch", scoretype="bde").why_unsuitable(DataFacts("discrete")) == ""


def test_missing_values_need_a_learner_that_knows_them():
    gaps = DataFacts("continuous", missing=True)
    assert "cannot handle missing values" in learner("pcalg_pc").why_unsuitable(gaps)
    assert learner("mvpc").why_unsuitable(gaps) == ""
    assert learner("bips_tpc", indepTest="gaussCItwd").why_unsuitable(gaps) == ""
    assert "set indepTest to 'gaussCItwd'" in learner("bips_tpc").why_unsuitable(gaps)


def test_gies_needs_interventions():
    assert "intervention targets" in learner("pcalg_gies").why_unsuitable(CONTINUOUS)
    known = DataFacts("continuous", missing=False, interventions=True)
    assert learner("pcalg_gies").why_unsuitable(known) == ""


def test_constraints_are_refused_where_nobody_obeys_them():
    assert learner("bnlearn_hc", edgeConstraints="a.json").to_json()["edgeConstraints"] == "a.json"
    with pytest.raises(StudyError, match="cannot honour edge constraints; set edgeConstraints to"):
        learner("gcastle_notears", edgeConstraints="a.json")


def test_references_are_marked():
    parameters = find("algorithm", "bidag_order_mcmc").parameters()
    references = {p.name: p.type.reference.to for p in parameters.values() if p.type.reference}
    assert references == {"edgeConstraints": "constraints", "input_algorithm_id": "algorithm"}


def test_budget_of_asobs_is_no_limit_and_not_null():
    assert learner("rblip_asobs").timeout_is_limit is False
    assert learner("pcalg_pc").timeout_is_limit is True
    with pytest.raises(StudyError, match="timeout: found null"):
        learner("rblip_asobs", timeout=None)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("pcalg_pc", {"indepTest": "dsepTest"}, "which a learner never sees"),
        ("pcalg_pc", {"conservative": True, "majrule": True}, "exclude each other"),
        ("bips_tpc", {"input_algorithm_id": "hc"}, "hc is no imputation step"),
        ("pcalg_pc", {"mmax": "inf"}, "expected a whole number at least 0 or 'Inf'"),
        ("pcalg_pc", {"alpha": 2}, "between 0 and 1"),
        ("bnlearn_hc", {"score": "bgee"}, "did you mean 'bge'"),
        ("tetrad_fges", {"penalty": 1}, "did you mean 'penaltyDiscount'"),
        ("athomas_jtsamplers", {"sampler": 3}, "one of 0, 1, 2"),
    ],
)
def test_wrong_values_are_refused(name: str, values: dict[str, object], message: str):
    with pytest.raises(StudyError, match=message):
        learner(name, **values)


def test_numbers_in_texts_are_read_as_gcastle_does():
    assert learner("gcastle_notears", h_tol="1e-8", rho_max="1e+16").to_json()["rho_max"] == 1e16
    assert learner("gcastle_golem", num_iter="1e+5").to_json()["num_iter"] == 100_000
    assert learner("gcastle_gae", device_ids="0") == learner("gcastle_gae", device_ids=0)


@dataclass(frozen=True, kw_only=True)
class Nowhere(BenchpressLearner):
    """Cannot run."""

    name = "nowhere"
    unavailable = "needs what is not here"


def test_unavailable_learner_says_why_it_cannot_run():
    data = Dataset([Variable("a")], values=np.zeros((2, 1)))
    with pytest.raises(StudyError, match="nowhere cannot run here: needs what is not here"):
        Nowhere().learn(data, np.random.default_rng(1))


@dataclass(frozen=True, kw_only=True)
class Empty(Learner):
    """No edges, from continuous data."""

    takes = frozenset({"continuous"})

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Estimate(Graph(data.names))


@dataclass(frozen=True, kw_only=True)
class Translated(BenchpressLearner):
    """A name with a native counterpart."""

    name = "translated"

    def native(self) -> Learner:
        return Empty()


def test_translation_delegates():
    data = Dataset([Variable("a")], values=np.zeros((2, 1)))
    assert Translated().learn(data, np.random.default_rng(1)).graph == Graph(["a"])
    assert Translated().accepted() == {"continuous"}
    assert Translated().why_unsuitable(CONTINUOUS) == ""
    assert "needs continuous data" in Translated().why_unsuitable(BINARY)


def graph(name: str, **values: object) -> GraphGenerator:
    return cast(GraphGenerator, find("graph", name).from_json(values, name))


def parameters(name: str, **values: object) -> ParameterGenerator:
    return cast(ParameterGenerator, find("parameters", name).from_json(values, name))


def data(name: str, **values: object) -> DataGenerator:
    return cast(DataGenerator, find("data", name).from_json(values, name))


def test_graphs_and_parameters_say_what_fits():
    assert graph("pcalg_randdag", DAG=True).gives == "dag"
    assert graph("pcalg_randdag", DAG=False).gives == "undirected"
    assert graph("gcastle_dag").gives == "dag"
    for name in ("bdgraph_graphsim", "trilearn_bandmat", "trilearn_cta", "new_graph"):
        assert graph(name).gives == "undirected"
    assert {parameters(name).needs for name in ("sem_params", "bin_bn")} == {"dag"}
    for name in ("bdgraph_rgwish", "trilearn_intra-class", "trilearn_hyper-dir", "new_params"):
        assert parameters(name).needs == "undirected"
    assert parameters("bin_bn").gives == BINARY
    assert parameters("sem_params").gives.kind == "continuous"


def test_standardising_discrete_data_is_refused():
    assert "set standardized to false" in data("iid", standardized=True).why_unsuitable(BINARY)
    assert data("iid", standardized=False).why_unsuitable(BINARY) == ""
    assert data("iid", standardized=True).why_unsuitable(CONTINUOUS) == ""
    logistic = data("gcastle_iidsim", sem_type="logistic", standardized=True)
    assert "set standardized to false" in logistic.why_unsuitable(CONTINUOUS)


def test_facts_of_data():
    assert data("iid", n=300).facts(CONTINUOUS).n_rows == 300
    assert data("gcastle_iidsim", sem_type="logistic").facts(CONTINUOUS).binary is True
    assert data("mvpc_gen_data").facts(CONTINUOUS).missing is True
    assert data("mvpc_gen_data", num_m=0).facts(CONTINUOUS).missing is False
    assert "needs continuous data" in data("new_data").why_unsuitable(BINARY)


@pytest.mark.parametrize(
    ("kind", "name", "values", "message"),
    [
        ("graph", "pcalg_randdag", {"n": 3, "d": 4}, "3 nodes cannot have 4 neighbours each"),
        ("graph", "pcalg_randdag", {"n": 4, "d": 4}, "4 nodes cannot have 4 neighbours"),
        ("parameters", "sem_params", {"min": 0.9, "max": 0.1}, "min 0.9 is above max 0.1"),
        ("parameters", "bin_bn", {"min": 0.9, "max": 0.1}, "min 0.9 is above max 0.1"),
        ("parameters", "trilearn_intra-class", {"rho": 1}, "rho must be below 1"),
        ("parameters", "bdgraph_rgwish", {"b": 0}, "above 0"),
        ("data", "gcastle_iidsim", {"sem_type": "mlp"}, "belongs to method 'nonlinear'"),
        ("data", "iid", {"n": 0}, "at least 1"),
    ],
)
def test_wrong_generators_are_refused(kind, name, values, message):
    with pytest.raises(StudyError, match=message):
        find(kind, name).from_json(values, name)


def test_no_parameter_is_advised_where_none_helps() -> None:
    found = learner("tetrad_fask").why_unsuitable(DISCRETE)
    assert found == "tetrad_fask with these parameters needs continuous data, not discrete"
