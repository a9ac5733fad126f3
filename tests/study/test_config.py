from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.errors import StudyError
from dagathlon.study.config.json_source import Node
from dagathlon.workflow import Study


@pytest.fixture
def load(tmp_path):
    def load(content: Any, name: str = "study.json") -> Study:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return Study.load(path)

    return load


def changed(path: str, value: Any = None, *, delete: bool = False) -> dict[str, Any]:
    """The small study with one place changed; the path is dotted, numbers index lists."""
    study = copy.deepcopy(STUDY)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = study
    for part in parents:
        place = place[part]
    if delete:
        del place[last]
    else:
        place[last] = value
    return study


ALGORITHMS = "resources.structure_learning_algorithms"
SETUP = "benchmark_setup.0"


def test_lists_are_a_product(load) -> None:
    plan = load(STUDY).plan
    assert len(plan.cases) == 3 * 2 * 2
    assert len(plan.runs) == 12 * 3
    counts = {kind.value: n for kind, n in plan.counts().items()}
    assert counts == {"graph": 6, "parameters": 6, "data": 12, "learn": 36, "score": 36}


def test_the_older_form_of_the_setup_is_read(load) -> None:
    setup = {key: STUDY["benchmark_setup"][0][key] for key in ("data", "evaluation")}
    study = load(STUDY | {"benchmark_setup": setup}, "older.json")
    assert study.config.setups[0].title == "older"
    assert len(study.plan.runs) == 36


def test_equal_parameters_under_two_ids_are_one_task(load) -> None:
    entries = [{"id": "a", "thresh": 0.1}, {"id": "b", "thresh": 0.1, "method": "corr"}]
    study = changed(f"{ALGORITHMS}.corr_thresh", entries)
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["a", "b"]
    plan = load(study).plan
    assert len(plan.runs) == 24
    assert len({run.learn for run in plan.runs}) == 12


def test_a_null_seed_range_is_seed_one(load) -> None:
    plan = load(changed(f"{SETUP}.data.0.seed_range", None)).plan
    assert {case.seed for case in plan.cases} == {1}


def test_all_algorithms_meet_the_same_data(load) -> None:
    plan = load(STUDY).plan
    by_case: dict[int, set[int]] = {}
    for run in plan.runs:
        by_case.setdefault(run.case, set()).add(plan.tasks[run.learn].inputs[0])
    assert all(len(data) == 1 for data in by_case.values())


def test_keys_do_not_depend_on_ids_titles_or_order(load) -> None:
    study = changed(f"{SETUP}.title", "other")
    sections = study["resources"]
    study["resources"] = {name: sections[name] for name in reversed(sections)}
    keys = {task.key for task in load(STUDY).plan.tasks}
    assert {task.key for task in load(study).plan.tasks} == keys


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ("{", r"not valid JSON: .* \(line 1, column 2\)"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": [1, 2,\n ]}', r"the comma before it is one too many \(line 2, column 2\)"),
        ('{"a": {"b": 1,}}', "the comma before it is one too many"),
        ('{"a": {"pc": [], "_": 1, "_": 2, "pc": []}}', "the name 'pc' occurs twice in one object"),
        ("[]", "a study is a JSON object"),
        ("[" * 100_000, "not valid JSON"),
        (changed("resources", delete=True), "'resources' is missing"),
        (changed("benchmark_setup", []), "benchmark_setup: there is no setup"),
        (changed("benchmark_setup", 3), "benchmark_setup: found 3, expected a list"),
        (
            changed(f"{SETUP}.title", "a b"),
            r"benchmark_setup\[0\].title: 'a b' cannot name the folder",
        ),
        (changed(f"{SETUP}.title", ".."), "cannot name the folder"),
        (changed(f"{SETUP}.titel", "x"), "a setup has no key 'titel' .did you mean 'title'"),
        (changed(f"{SETUP}.data.0.graph_id", "dga"), r"data\[0\].graph_id: .*did you mean 'dag'"),
        (changed(f"{SETUP}.data.0.data_id", "raws"), r"data\[0\].data_id: .*did you mean 'rows'"),
        (changed(f"{SETUP}.data.0.data_id", None), r"data_id: found null, expected a text"),
        (changed(f"{SETUP}.data.0.seed_range", [1]), r"seed_range: found 1 numbers"),
        (changed(f"{SETUP}.data.0.seed_range", ["1", 2]), r'seed_range\[0\]: found "1"'),
        (changed(f"{SETUP}.data.0.seed_range", [3, 1]), r"data\[0\].seed_range: found \[3, 1\]"),
        (changed(f"{SETUP}.data.0.seed_range", [1, 1e300]), "seeds are whole numbers"),
        (changed(f"{SETUP}.data.0.parameters_id", None), "parameters_id must not be null"),
        (changed(f"{SETUP}.data.0.graph_id", None), "needs a graph_id"),
        (changed(f"{SETUP}.evaluation.benchmark", {}), "did you mean 'benchmarks'"),
        (changed(f"{SETUP}.evaluation.benchmarks.ids", ["corelation"]), "mean 'correlation'"),
        (changed(f"{SETUP}.evaluation.benchmarks.xlim", [1, 0]), "xlim is a pair"),
        (
            changed(f"{SETUP}.evaluation.benchmarks.filename_prefix", "../x"),
            "no path inside the folder",
        ),
        (changed(f"{SETUP}.evaluation.graph_true_stats", "yes"), 'found "yes", expected true or'),
        (changed(f"{SETUP}.time_limit", "soon"), "time_limit: found 'soon', expected a time"),
        (changed(f"{SETUP}.memory_limit", -1), "memory_limit: found -1, expected a size"),
        (changed("resources.graphs", {}), "did you mean 'graph'"),
        (changed("resources.graph.pcalg_randag", []), "did you mean 'pcalg_randdag'"),
        (
            changed("resources.graph.pcalg_randdag.0.n", "many"),
            r"pcalg_randdag\[0\].n: found 'many'",
        ),
        (changed("resources.graph.pcalg_randdag.0.n", -3), "a whole number between 1 and"),
        (changed("resources.graph.pcalg_randdag.0.id", delete=True), "'id' is missing"),
        (changed("resources.graph.pcalg_randdag.0.dd", 3), r"no such parameter \(did you mean 'd'"),
        (changed(f"{ALGORITHMS}.prec_thresh.0.id", "correlation"), "is taken by"),
        (changed(f"{ALGORITHMS}.corr_thresh.0.method", "cor"), "did you mean 'corr'"),
        (changed(f"{ALGORITHMS}.corr_thresh.0.thresh", [0.1, None]), "thresh: found null"),
        (changed(f"{ALGORITHMS}.corr_thresh.0.thresh", 2), "between 0 and 1"),
        (changed(f"{ALGORITHMS}.corr_thresh.0", 7), r"corr_thresh\[0\]: found 7"),
    ],
)
def test_mistakes_are_named_with_their_place(load, study, message) -> None:
    with pytest.raises(StudyError, match=message):
        _ = load(study).plan


def test_a_product_that_is_too_large_is_refused(load) -> None:
    study = changed(f"{ALGORITHMS}.corr_thresh.0.thresh", [i / 2000 for i in range(2000)])
    study["resources"]["structure_learning_algorithms"]["corr_thresh"][0]["timeout"] = [
        *range(1, 1001)
    ]
    with pytest.raises(StudyError, match="expands to 2000000 settings"):
        load(study)


def test_standardising_discrete_data_is_refused_with_the_remedy(load) -> None:
    study = changed("resources.parameters", {"bin_bn": [{"id": "sem", "min": 0.1, "max": 0.9}]})
    with pytest.raises(StudyError, match=r"data\[0\]: .*standardized"):
        _ = load(study).plan


def test_a_gaussian_learner_on_discrete_data_is_refused(load) -> None:
    study = changed("resources.parameters", {"bin_bn": [{"id": "sem", "min": 0.1, "max": 0.9}]})
    study["resources"]["data"]["iid"][0]["standardized"] = False
    with pytest.raises(StudyError, match=r"corr_thresh\[0\] on .*data\[0\]: .*continuous"):
        _ = load(study).plan


def test_parameters_that_need_another_kind_of_graph_are_refused(load) -> None:
    study = changed("resources.graph", {"trilearn_bandmat": [{"id": "dag", "dim": 5}]})
    with pytest.raises(StudyError, match="needs a DAG, and graph_id gives an undirected graph"):
        _ = load(study).plan


def _fixed(graph: str, parameters: str | None, data: str) -> dict[str, Any]:
    entry = {"graph_id": graph, "parameters_id": parameters, "data_id": data}
    return changed(f"{SETUP}.data.0", entry)


_WEIGHTS = "a,b,c\n0,1,0\n0,0,0.5\n0,0,0\n"
_GRAPH = "a,b,c\n0,1,0\n0,0,1\n0,0,0\n"
_ROWS = "x,y,z\n1.5,2.5,0.5\n2.5,0.5,1.5\n0.1,0.2,0.4\n"


def test_weights_from_a_file_are_parameters(load, tmp_path) -> None:
    (tmp_path / "graph.csv").write_text(_GRAPH)
    (tmp_path / "weights.csv").write_text(_WEIGHTS)
    plan = load(_fixed("graph.csv", "weights.csv", "rows")).plan
    assert len(plan.cases) == 2


def test_a_graph_over_other_variables_than_its_data_is_refused(load, tmp_path) -> None:
    (tmp_path / "graph.csv").write_text(_GRAPH)
    (tmp_path / "rows.csv").write_text(_ROWS)
    with pytest.raises(StudyError, match=r"data\[0\]: .*a, b, c.*x, y, z.*no name in common"):
        _ = load(_fixed("graph.csv", None, "rows.csv")).plan


def test_a_graph_over_other_variables_than_its_parameters_is_refused(load) -> None:
    study = _fixed("asia.csv", "cancer.rds", "rows")
    with pytest.raises(
        StudyError,
        match=r"bundled asia does not belong .* cancer: only one of them has the variables",
    ):
        _ = load(study).plan


def test_a_cyclic_graph_is_called_so(load, tmp_path) -> None:
    (tmp_path / "cycle.csv").write_text("a,b,c\n0,1,0\n0,0,1\n1,0,0\n")
    with pytest.raises(StudyError, match="needs a DAG, and graph_id gives a graph with a cycle"):
        _ = load(_fixed("cycle.csv", "sem", "rows")).plan


def test_a_missing_file_is_named_with_the_places_and_the_nearest_network(load, tmp_path) -> None:
    with pytest.raises(StudyError, match=r"did you mean 'asia.csv'\?.*looked for .*aisa.csv"):
        load(_fixed("aisa.csv", "asia.rds", "rows"))
    with pytest.raises(StudyError, match=r"data_id: .*looked for .*absent.csv"):
        load(_fixed("asia.csv", None, "absent.csv"))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"teirs": []}, "did you mean 'tiers'"),
        ({"tiers": 5}, "tiers"),
        ({"required_edges": [["a", "b"]], "forbidden_edges": [["a", "b"]]}, "a -> b is forbidden"),
        ({"required_edges": [["b", "a"]], "tiers": [["a"], ["b"]]}, "b -> a is forbidden"),
        ({"required_edges": [["a", "b"], ["b", "a"]]}, "form a cycle"),
    ],
)
def test_constraints_that_nothing_can_obey_are_refused(load, tmp_path, constraints, message):
    (tmp_path / "rules.json").write_text(json.dumps(constraints))
    study = changed(ALGORITHMS, {"bnlearn_hc": [{"id": "hc", "edgeConstraints": "rules.json"}]})
    study["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["hc"]}}
    study["resources"]["data"]["iid"][0]["standardized"] = False
    with pytest.raises(StudyError, match=rf"edgeConstraints: .*rules.json: .*{message}"):
        _ = load(study).plan


def test_numbers_beyond_floating_point_are_refused_with_their_place() -> None:
    assert Node(10**400, "seed").whole() == 10**400
    with pytest.raises(StudyError, match=r"limit: .*too large a number"):
        Node(10**400, "limit").number()
    with pytest.raises(StudyError, match="expected a whole number"):
        Node(float("inf"), "seed").whole()
