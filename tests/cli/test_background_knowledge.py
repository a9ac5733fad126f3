"""Background knowledge in studies and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import dagathlon
from dagathlon import Study
from dagathlon.cli import main
from dagathlon.graphs import read_graph
from dagathlon.learners.abilities import abilities_of
from dagathlon.learners.base import Learner
from dagathlon.modules import modules

# Benchpress's names whose constraints once ended the planning of `run` after `check` had passed.
BNLEARN = [
    "gs",
    "iamb",
    "fastiamb",
    "interiamb",
    "iambfdr",
    "pcstable",
    "hpc",
    "mmpc",
    "sihitonpc",
    "mmhc",
    "h2pc",
    "rsmax2",
]


def study_of(folder: Path, algorithms: dict[str, Any], constraints: Any) -> Path:
    """A study of Asia with 100 rows, and its constraint file."""
    (folder / "k.json").write_text(json.dumps(constraints))
    content = {
        "benchmark_setup": [
            {
                "title": "known",
                "data": [
                    {
                        "graph_id": "asia.csv",
                        "parameters_id": "asia.rds",
                        "data_id": "d",
                        "seed_range": [1, 1],
                    }
                ],
                "evaluation": {
                    "benchmarks": {"ids": [e["id"] for es in algorithms.values() for e in es]}
                },
            }
        ],
        "resources": {
            "graph": {},
            "parameters": {},
            "data": {"iid": [{"id": "d", "n": 100, "standardized": False}]},
            "structure_learning_algorithms": algorithms,
        },
    }
    path = folder / "known.json"
    path.write_text(json.dumps(content))
    return path


def with_file(*names: str) -> dict[str, Any]:
    return {name: [{"id": name, "edgeConstraints": "k.json"}] for name in names}


def test_bnlearn_s_testers_take_constraints_in_a_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"bnlearn_{name}" for name in BNLEARN]
    path = study_of(tmp_path, with_file(*names), {"forbidden_edges": [["smoke", "lung"]]})
    assert main(["check", str(path)]) == 0
    done = Study.load(path).run(tmp_path / "results", engine="inline", figures="none")
    runs = done.runs()
    assert len(runs) == len(names)
    for run in runs:
        arcs = {(edge.left, edge.right) for edge in run.graph.edges() if edge.connector == "->"}
        assert ("smoke", "lung") not in arcs


def every_taker() -> list[str]:
    """All algorithms that take constraints, by name."""
    learners = {name: cast(type[Learner], cls) for name, cls in modules("algorithm").items()}
    takers = [name for name, cls in learners.items() if "constraints" in abilities_of(cls).takes]
    # These two have the parameter of their relatives, and refuse it.
    return [name for name in takers if name not in ("chow_liu", "gsp")]


@pytest.mark.parametrize("name", every_taker())
def test_what_a_run_makes_before_its_first_task_is_made_by_check(name, tmp_path, monkeypatch):
    """Delegates of learners with constraints can be found, whichever the learner is."""
    monkeypatch.chdir(tmp_path)
    cls = modules("algorithm")[name]
    parameter = next(
        key
        for key, p in cls.parameters().items()
        if p.type.reference and p.type.reference.to == "constraints"
    )
    algorithms = {name: [{"id": "a", parameter: "k.json"}], "hc": [{"id": "hc"}]}
    path = study_of(tmp_path, algorithms, {"forbidden_edges": [["smoke", "lung"]]})
    assert len(Study.load(path).prepare()) == 1


def test_names_that_are_no_columns_are_told_everywhere(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wrong = {"forbidden_edges": [["smok", "lung"]], "required_edges": [["asia", "tub"]]}
    path = study_of(tmp_path, with_file("bnlearn_hc"), wrong)
    assert main(["check", str(path)]) == 0
    words = "unknown variable 'smok' (did you mean 'smoke'?)"
    assert words in capsys.readouterr().err
    assert main(["run", str(path), "--engine", "inline"]) == 0
    assert words in capsys.readouterr().err
    page = (tmp_path / "results" / "known" / "report.html").read_text()
    assert "smok" in page
    assert "is left out" in page


def test_a_wrong_name_is_told_once_for_all_whom_it_concerns(tmp_path, capsys):
    wrong = {"forbidden_edges": [["smok", "lung"]]}
    names = [f"bnlearn_{name}" for name in BNLEARN[:8]]
    assert main(["check", str(study_of(tmp_path, with_file(*names), wrong))]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "smok" in line]
    assert len(lines) == 1
    assert f"warning: {', '.join(names[:5])} and 3 more: k.json: " in lines[0]


def drawn_study(folder: Path, constraints: Any, **entry: Any) -> Path:
    """The same with random graphs, whose nodes are 1, 2, …."""
    path = study_of(folder, with_file("hc"), constraints)
    content = json.loads(path.read_text().replace("edgeConstraints", "constraints"))
    (data,) = content["benchmark_setup"][0]["data"]
    data |= {"graph_id": "g", "parameters_id": "p"} | entry
    content["resources"]["graph"] = {"pcalg_randdag": [{"id": "g", "n": 8, "max_parents": 3}]}
    content["resources"]["parameters"] = {"sem_params": [{"id": "p"}]}
    path.write_text(json.dumps(content))
    return path


def test_wrong_names_are_found_where_graphs_are_drawn(tmp_path, capsys):
    path = drawn_study(tmp_path, {"forbidden_edges": [["1", "one"]]})
    assert main(["check", str(path)]) == 0
    assert "unknown variable 'one'; known: 1, 2, 3, 4, 5, 6, 7, 8" in capsys.readouterr().err
    (tmp_path / "k.json").write_text(json.dumps({"tiers": [["1"], ["one"]]}))
    assert main(["check", str(path)]) == 2
    assert "tiers: unknown variable 'one'" in capsys.readouterr().err
    (tmp_path / "k.json").write_text(json.dumps({"tiers": [["1"], ["8"]]}))
    assert main(["check", str(path)]) == 0
    assert "unknown" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "change", [{"noise": ["L10"]}, {"transforms": [{"hide": {"variables": ["asia"]}}]}]
)
def test_wrong_names_are_found_where_variables_are_hidden(change, tmp_path, capsys):
    path = study_of(tmp_path, with_file("bnlearn_hc"), {"forbidden_edges": [["smok", "lung"]]})
    content = json.loads(path.read_text())
    content["benchmark_setup"][0]["data"][0] |= change
    path.write_text(json.dumps(content))
    assert main(["check", str(path)]) == 0, capsys.readouterr().err
    assert "unknown variable 'smok' (did you mean 'smoke'?)" in capsys.readouterr().err


def test_check_does_not_run_graph_modules_of_others(tmp_path, capsys):
    """What they draw is found by the run; its notes say so."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "module.toml").write_text(
        'name = "mine"\nkind = "graph"\nsummary = "One edge."\ncommand = ["sh", "{folder}/g.sh"]\n'
        '[environment]\nkind = "system"\n'
    )
    script = 'touch "$(dirname "$0")/was-run"; printf "a,b\\n0,1\\n0,0\\n" > adjmat.csv\n'
    (tmp_path / "mine" / "g.sh").write_text(script)
    path = drawn_study(tmp_path, {"forbidden_edges": [["a", "c"]]})
    content = json.loads(path.read_text())
    content |= {"modules": ["mine"]}
    content["resources"]["graph"] = {"mine": [{"id": "g"}]}
    path.write_text(json.dumps(content))
    assert main(["check", str(path)]) == 0
    assert not (tmp_path / "mine" / "was-run").exists()
    done = Study.load(path).run(tmp_path / "results", engine="inline", figures="none")
    assert (tmp_path / "mine" / "was-run").exists()
    page = (done.folders["known"] / "report.html").read_text("utf-8")
    assert "is left out" in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"tiers": [["smok"], ["lung"]]},
        {"forbidden_groups": [{"cause": ["smok"], "effect": ["lung"]}]},
        {"source_nodes": ["smok"]},
    ],
)
def test_wrong_names_in_tiers_and_groups_are_found_by_check(wrong, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = study_of(tmp_path, with_file("bnlearn_hc"), wrong)
    assert main(["check", str(path)]) == 2
    assert "unknown variable 'smok' (did you mean 'smoke'?)" in capsys.readouterr().err


def test_a_wrong_tier_is_one_mistake_for_all_whom_it_concerns(tmp_path, capsys):
    path = study_of(tmp_path, with_file("bnlearn_hc", "bnlearn_gs"), {"tiers": [["smok"]]})
    assert main(["check", str(path)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "smok" in line]
    assert "bnlearn_hc" in line
    assert line.endswith("(the same for bnlearn_gs)")


def test_a_study_without_truth_is_refused_if_no_algorithm_takes_its_constraints(asia, capsys):
    """Bootstrap samples and folds, whose columns are not known in advance, count for nothing."""
    (asia / "k.json").write_text(json.dumps({"tiers": [["smok"], ["lung"]]}))
    study = asia / "study.json"
    picks = ["--pick", "hc[constraints=k.json]", "--pick", "pc[constraints=k.json]"]
    assert main(["new", "study", str(study), *picks, "--data", "d.csv"]) == 0
    assert main(["check", str(study)]) == 2
    assert "unknown variable 'smok'" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [{"forbidden_edges": [[1, 2]]}, {"tiers": [[1], ["asia"]]}])
def test_names_in_constraints_are_texts(wrong, tmp_path, capsys):
    assert main(["check", str(study_of(tmp_path, with_file("bnlearn_hc"), wrong))]) == 2
    said = capsys.readouterr().err
    assert "found 1, expected the name of a variable in quotes" in said
    assert "known: none" not in said


def test_wrong_tiers_of_one_algorithm_skip_it_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    algorithms = with_file("bnlearn_hc") | {"hc": [{"id": "hc"}]}
    path = study_of(tmp_path, algorithms, {"tiers": [["smok"], ["lung"]]})
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "will be skipped" in said
    assert "bnlearn_hc" in said.partition("will be skipped")[2]
    done = Study.load(path).run(tmp_path / "results", engine="inline", figures="none")
    statuses = {run.setting: run.status for run in done.runs()}
    assert [str(statuses[name]) for name in sorted(statuses)] == ["skipped", "ok"]


@pytest.mark.parametrize("name", ["tetrad_fofc", "tetrad_ftfc", "tetrad_ica-lingam"])
def test_tetrad_s_searches_without_knowledge_ignore_it_and_say_so(name, tmp_path):
    rng = np.random.default_rng(1)
    factor = rng.laplace(size=(300, 2)) @ rng.uniform(0.5, 1.5, (2, 6))
    data = factor + 0.5 * rng.laplace(size=(300, 6))
    rule = {"forbidden_edges": [["X1", "X2"]]}
    plain = dagathlon.learn(data, name)
    (tmp_path / "k.json").write_text(json.dumps(rule))
    found = dagathlon.learn(data, name, edgeConstraints=str(tmp_path / "k.json"))
    assert found.graph == plain.graph
    assert any("edgeConstraints are ignored" in note for note in found.notes)


def test_null_is_bnlearn_s_own_weight_of_the_prior_mean():
    data = np.random.default_rng(2).normal(size=(100, 3)).cumsum(axis=1)
    one = dagathlon.learn(data, "bnlearn_hc", score="bge", issmu=None)
    other = dagathlon.learn(data, "bnlearn_hc", score="bge", issmu=1)
    assert one.stats["score"] == other.stats["score"]


@pytest.fixture
def asia(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["sample", "--network", "asia", "--n", "500", "--seed", "1", "--out", "d.csv"])
    return tmp_path


def test_flags_of_learn(asia):
    flags = ["--forbid", "smoke -> lung", "--require", "dysp->bronc", "--tiers", "either;tub,lung"]
    assert main(["learn", "d.csv", "--with", "hc[score=bic]", "--out", "g.csv", *flags]) == 0
    graph = read_graph("g.csv")
    arcs = {(edge.left, edge.right) for edge in graph.edges()}
    assert ("dysp", "bronc") in arcs
    assert ("smoke", "lung") not in arcs
    assert not {("tub", "either"), ("lung", "either")} & arcs
    assert {("either", "tub"), ("either", "lung")} & arcs


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--forbid", "smok->lung"], "unknown variable 'smok' (did you mean 'smoke'?)"),
        (["--forbid", "smoke-lung"], "write an edge as 'A->B'"),
        (["--require", " ->lung"], "write an edge as 'A->B'"),
        (["--tiers", "smoke,lung"], "separate two groups or more by ';'"),
        (["--tiers", "smoke;lungs"], "unknown variable 'lungs' (did you mean 'lung'?)"),
        (["--tiers", "smoke,tub;lung;smoke"], "'smoke' is there 2 times"),
        (["--forbid", "smoke->lung", "--require", "smoke->lung"], "is forbidden and required"),
        (["--require", "smoke->lung", "--require", "lung->smoke"], "lung -> smoke -> lung"),
    ],
)
def test_wrong_flags_are_refused_in_words(asia, capsys, flags, message):
    assert main(["learn", "d.csv", "--with", "hc", *flags]) == 2
    assert message in capsys.readouterr().err


def test_a_learner_without_constraints_is_refused(asia, capsys):
    assert main(["learn", "d.csv", "--with", "corr_thresh", "--forbid", "smoke->lung"]) == 2
    assert "corr_thresh takes no background knowledge" in capsys.readouterr().err


def test_flags_of_new_study(asia):
    picks = ["--pick", "hc", "--pick", "pc[alpha=0.05]", "--data", "d.csv"]
    assert main(["new", "study", "s.json", *picks, "--forbid", "smoke->lung"]) == 0
    written = json.loads((asia / "s_constraints.json").read_text())
    assert written == {"forbidden_edges": [["smoke", "lung"]]}
    algorithms = json.loads((asia / "s.json").read_text())["resources"][
        "structure_learning_algorithms"
    ]
    assert all(e["constraints"] == "s_constraints.json" for es in algorithms.values() for e in es)
    assert main(["check", "s.json"]) == 0


def test_folders_with_commas_and_brackets_take_the_flags(asia, monkeypatch, capsys):
    command = ["rank-without-truth", "d.csv", "--with", "hc", "--with", "pc[alpha=0.01,0.05]"]
    few = ["--subsamples", "2", "--copies", "0", "--sizes", "100", "--no-pairwise"]
    flags = ["--engine", "inline", "--forbid", "bronc->dysp", "--out", "my, [out]"]
    assert main([*command, *few, *flags]) == 0, capsys.readouterr().err
    assert (asia / "my, [out]" / "d_constraints.json").exists()
    assert "bronc -> dysp" not in capsys.readouterr().out
    (asia / "my, tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(asia / "my, tmp"))
    assert main(["learn", "d.csv", "--with", "hc", "--forbid", "bronc->dysp"]) == 2
    assert "has a comma or a bracket in its name; set TMPDIR" in capsys.readouterr().err


def test_flags_of_interval(asia, capsys):
    command = ["rank-without-truth", "d.csv", "--with", "hc", "--with", "pc", "--with", "boss"]
    few = ["--subsamples", "2", "--copies", "0", "--sizes", "100", "--no-pairwise"]
    assert main([*command, *few, "--engine", "inline", "--forbid", "bronc->dysp"]) == 0
    assert (asia / "results" / "d_constraints.json").exists()
    assert "bronc -> dysp" not in capsys.readouterr().out
