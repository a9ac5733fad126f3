"""mice as a step: the copies that others pool, studies that name it, and R's mice itself."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest

from dagathlon import learn
from dagathlon.benchpress.mice import Mice
from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.data.preparing.imputation import impute
from dagathlon.errors import StudyError
from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.learners.imputation_step import seed_of
from dagathlon.learners.independence import independence_test
from dagathlon.workflow import Study

GAP = np.iinfo(np.uint16).max
R_SCRIPT = """
suppressMessages(library(mice))
given <- commandArgs(TRUE)
methods <- c("", given[2], "logreg")
for (file in sort(list.files(given[1], pattern = "csv$", full.names = TRUE))) {
  d <- read.csv(file)
  d$b <- factor(d$b)
  imputed <- mice(d, m = 10, maxit = 5, method = methods, printFlag = FALSE, seed = 1)
  found <- sapply(1:10, function(k) {
    one <- complete(imputed, k)
    c(mean(one$y), coef(lm(y ~ x, one))[2], mean(one$b == 1), cor(one$x, one$b == 1))
  })
  cat(rowMeans(found), "\\n")
}
"""


def with_gaps() -> Dataset:
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = 1.0
    values = np.array(LinearSem("abcd", weights).sample(200, np.random.default_rng(1)).values)
    values[np.random.default_rng(2).random(values.shape) < 0.1] = np.nan
    return Dataset([Variable(name) for name in "abcd"], values=values)


def test_parameters_of_mice_become_a_recipe():
    assert Mice().recipe() == (5, 5, "mice")
    assert Mice(m=7.0, maxit=2.0, method="ppm").recipe() == (7, 2, "pmm")
    assert Mice(defaultMethod="rf").recipe() == (5, 5, "rf")
    assert Mice(method="norm", defaultMethod="rf").recipe()[2] == "norm"


def test_tests_pool_over_the_copies_they_are_given():
    data = with_gaps()
    own = independence_test(data, "zf.mi", seed=9)
    given = independence_test(data, "zf.mi", completed=impute(data, 5, seed=9))
    assert given.test("a", "c", ["b"]) == own.test("a", "c", ["b"])


def test_learners_that_name_one_step_are_given_the_same_copies():
    data = with_gaps()
    copies = impute(data, 3, sweeps=2, method="norm", seed=seed_of(data))
    pooled = learn(data, "imputed[learner=hc,imputation=mice[m=3,maxit=2,method=norm]]")
    assert pooled.stats["copies"] == 3
    assert pooled.posterior is not None
    one = [Imputed(learner="hc").learn(copy, np.random.default_rng(1)).graph for copy in copies]
    joined = np.mean([graph.adjacency | graph.adjacency.T for graph in one], axis=0)
    assert np.allclose(pooled.posterior.strengths.strength, joined)
    tiers = learn(
        data, "bips_tpc", indepTest="gaussMItest", input_algorithm_id="mice[m=3,method=norm]"
    )
    assert tiers.stats["copies"] == 3
    alone = learn(data, "mice[m=2]")
    assert alone.graph.n_edges == 0
    assert alone.stats == {"copies": 2, "imputed_values": int(np.isnan(data.values).sum())}


def test_what_fills_no_gaps_is_refused():
    with pytest.raises(StudyError, match="imputation: pc is no imputation step"):
        Imputed.from_json({"learner": "hc", "imputation": "pc"})


def study(named: str) -> dict[str, object]:
    """Benchpress's example of bips_tpc on the data sets of mice, smaller."""
    algorithms = {
        "bips_tpc": [
            {
                "id": "tpc", "alpha": [0.01, 0.05], "mmax": "Inf", "conservative": False,
                "majrule": True, "numCores": 1, "cl_type": "PSOCK", "verbose": False,
                "indepTest": "gaussMItest", "input_algorithm_id": named, "timeout": None,
                "edgeConstraints": None,
            }
        ],
        "mice": [
            {
                "id": "mice", "m": 5, "maxit": 3, "method": "rf", "defaultMethod": "rf",
                "action": "all", "include": False, "mild": True, "order": "last", "timeout": None,
            }
        ],
        "imputed": [{"id": "pooled", "learner": "hc", "imputation": "mice"}],
        "pc": [{"id": "pc"}],
    }  # fmt: skip
    gaps = {"id": "gaps", "num_extra_e": 2, "num_m": 3, "mode": "mnar", "p_missing_h": 0.9}
    gaps |= {"p_missing_e": 0.1, "standardized": False, "n": 100}
    data = {"graph_id": "dag", "parameters_id": "sem", "data_id": "gaps", "seed_range": [1, 2]}
    benchmarks = {"ids": ["tpc", "pooled"]}
    return {
        "benchmark_setup": [
            {"title": "t", "data": [data], "evaluation": {"benchmarks": benchmarks}}
        ],
        "resources": {
            "graph": {"pcalg_randdag": [{"id": "dag", "n": 6, "d": 3}]},
            "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
            "data": {"mvpc_gen_data": [gaps]},
            "structure_learning_algorithms": algorithms,
        },
    }


def test_study_puts_the_settings_of_mice_in_the_place_of_its_id(tmp_path):
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study("mice")))
    calls = [task.call for task in Study.load(path).plan.tasks]
    named = {call.module: call.values for call in calls}
    assert "mice" not in named
    settings = named["bips_tpc"]["input_algorithm_id"]
    assert settings == named["imputed"]["imputation"]
    assert settings["module"] == "mice"
    assert settings["parameters"]["method"] == "rf"
    path.write_text(json.dumps(study("pc")))
    with pytest.raises(StudyError, match="pc is no imputation step"):
        Study.load(path).plan  # noqa: B018 - planning is what is tried


@pytest.mark.slow
def test_example_of_benchpress_runs_whole(tmp_path):
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study("mice")))
    runs = Study.load(path).run(out=tmp_path / "results").runs()
    assert [run.status for run in runs] == ["ok"] * 6


def mice_of_r() -> str:
    if shutil.which("Rscript") is None:
        return "there is no R here (apt-get install r-base-core)"
    probe = ["Rscript", "--vanilla", "-e", "cat(nzchar(system.file(package = 'mice')))"]
    found = subprocess.run(probe, capture_output=True, text=True, check=False).stdout
    return "" if found.endswith("TRUE") else "R has no mice (apt-get install r-cran-mice)"


def lossy(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A complete column, and a continuous and a binary one whose gaps depend on it."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=250)
    y = 0.8 * x + rng.normal(size=250)
    b = (rng.random(250) < 1 / (1 + np.exp(-1.2 * x + 0.7 * y))).astype(float)
    for column in (y, b):
        column[rng.random(250) < 1 / (1 + np.exp(0.7 - x))] = np.nan
    return x, y, b


def pooled_here(x: np.ndarray, y: np.ndarray, b: np.ndarray, method: str) -> list[float]:
    codes = np.where(np.isnan(b), GAP, b)[:, None].astype(np.uint16)
    columns = [Variable("x"), Variable("y"), Variable("b", ("0", "1"))]
    data = Dataset(columns, values=np.column_stack([x, y]), codes=codes)
    found = []
    for copy in impute(data, 10, method="norm" if method == "norm" else "mice", seed=1):
        filled, levels = copy.values[:, 1], copy.codes[:, 0]
        slope = np.polyfit(x, filled, 1)[0]
        found.append([filled.mean(), slope, levels.mean(), np.corrcoef(x, levels)[0, 1]])
    return list(np.mean(found, axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["norm", "pmm"])
def test_pooled_numbers_are_those_of_the_original(tmp_path, method):
    """Means, slope and correlation over 12 data sets: the difference is within chance."""
    if mice_of_r():
        pytest.skip(mice_of_r())
    ours = []
    for seed in range(12):
        x, y, b = lossy(seed)
        ours.append(pooled_here(x, y, b, method))
        rows = ["x,y,b", *(f"{i!r},{j!r},{k!r}" for i, j, k in zip(x, y, b, strict=True))]
        text = "\n".join(rows).replace("np.float64(", "").replace(")", "").replace("nan", "NA")
        (tmp_path / f"{seed:03d}.csv").write_text(text)
    (tmp_path / "mice.R").write_text(R_SCRIPT)
    command = ["Rscript", "--vanilla", str(tmp_path / "mice.R"), str(tmp_path), method]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    difference = np.array(ours) - np.array(theirs)
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(ours))
    assert (np.abs(difference.mean(axis=0)) < 4 * error).all()
    assert (error < 0.02).all()
