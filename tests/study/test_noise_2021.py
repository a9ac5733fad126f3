"""The noisy-data study of 2021: what it plans, what it leaves out and why, what it asks for."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dagathlon import Study
from dagathlon.cli import main
from dagathlon.data import Network, write_network
from dagathlon.errors import StudyError
from dagathlon.study.plan.plan import ALGORITHM
from dagathlon.study.plan.task import Limits
from dagathlon.study.records.from_plan import facts_of_setup

ROOT = Path(__file__).parents[2]
WHOLE = ROOT / "studies" / "noise_2021.json"
SMALL = ROOT / "studies" / "noise_2021_small.json"
YOURS = ("sports", "property", "formed")

# The experiments without a meaning: Table A1 of the paper.
TABLE_A1 = {"asia": {"S5", "S10", "L5", "cMS", "cIS", "cSL"}, "sports": {"S5", "L5"}}
CODES = {"N", "M5", "M10", "I5", "I10", "S5", "S10", "L5", "L10"}
CODES |= {"cMI", "cMS", "cML", "cIS", "cIL", "cSL", "cMISL"}
IDS = (
    "fci fges gfci gs h2pc hc ilp inter-iamb mmhc notears pc-stable rfci-bsc saiyanh tabu winasobs"
)


@pytest.mark.shared
@pytest.mark.slow
def test_the_whole_study_is_that_of_the_paper(shared: Path) -> None:
    study = Study.load(WHOLE, resources=shared / "networks")
    plan = study.plan
    assert study.config.setups[0].algorithm_ids() == IDS.split()
    planned: dict[str, set[str]] = {}
    sizes = Counter()
    for case in plan.cases:
        network = Path(case.graph_label).name
        planned.setdefault(network, set()).add(case.noise)
        sizes[network, case.noise] += 1
    assert {name: CODES - codes for name, codes in planned.items() if codes != CODES} == TABLE_A1
    assert set(planned) == {"asia", "alarm", "pathfinder", *YOURS}
    assert set(sizes.values()) == {5}
    runs = Counter(run.entry for run in plan.runs)
    of_sports = {n for n, case in enumerate(plan.cases) if case.graph_label.endswith("sports")}
    assert {run.case for run in plan.runs if run.entry == "notears"} == of_sports
    assert runs.pop("notears") == 5 * 14
    # One run for each of the 480 experiments less the 40 of Table A1; ten of RFCI-BSC.
    assert runs.pop("rfci-bsc") == 4400
    assert set(runs.values()) == {440}
    assert len(runs) == 13


@pytest.mark.shared
@pytest.mark.slow
def test_columns_are_in_the_order_of_the_papers_data(shared: Path, tmp_path: Path) -> None:
    study = _part(tmp_path, "bundled:alarm", ["N", "L10"], 100)
    result = study.run(tmp_path / "out", figures=False)
    header = (shared / "bayesys" / "trainingData_ALARM_N_1k.csv").read_text().partition("\n")[0]
    order = header.strip().split(",")
    found = {}
    for run in result.runs():
        assert run.data is not None
        found["L10" if "L10" in run.metrics["data"] else "N"] = run.data.names
    assert list(found["N"]) == order
    assert list(found["L10"]) == [name for name in order if name in found["L10"]]
    assert len(found["L10"]) == 33


def test_networks_that_are_not_there_are_asked_for_once_each() -> None:
    with pytest.raises(StudyError) as caught:
        Study.load(WHOLE)
    said = str(caught.value)
    assert said.count("put its file") == 3
    for number, name in zip((1, 2, 4), YOURS, strict=True):
        assert f"data[{number}].graph_id: unknown graph id '{name}'" in said
        assert f"{name}.bif or .dsc or .net or .rds or .xdsl" in said
    assert "--resources DIR" in said
    assert str(WHOLE.parent) in said


def test_a_network_is_found_by_its_name_in_any_format(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    write_network(Network.load("cancer"), tmp_path / "own" / "SPORTS.bif")
    entry = {"graph_id": "sports", "data_id": "rows"}
    study = Study.of(_study([entry], ["hc"]), home=tmp_path, resources=tmp_path / "own")
    (case,) = study.plan.cases
    assert (case.graph_label, case.parameters_label) == (
        "myadjmats/sports",
        "bn.fit_networks/sports",
    )
    write_network(Network.load("cancer"), tmp_path / "sports.dagnet")
    with pytest.raises(StudyError, match="several files could be the network 'sports'"):
        Study.of(_study([entry], ["hc"]), home=tmp_path, resources=tmp_path / "own")


def test_an_algorithm_that_is_restricted_says_why_it_is_not_run() -> None:
    entries = [{"graph_id": name, "data_id": "rows"} for name in ("asia.csv", "cancer")]
    content = _study(entries, ["hc", "tabu"])
    content["resources"]["structure_learning_algorithms"]["tabu"][0]["only_on"] = {
        "graphs": ["Asia"],
        "because": "it is as we say.",
    }
    plan = Study.of(content).plan
    assert [(run.entry, plan.cases[run.case].graph_label) for run in plan.runs] == [
        ("hc", "myadjmats/asia"),
        ("tabu", "myadjmats/asia"),
        ("hc", "myadjmats/cancer"),
    ]
    (omission,) = plan.omissions
    assert omission[1:] == ("iid/n=20", f"{ALGORITHM} tabu", "it is as we say")


def test_data_may_be_taken_out_of_a_study_with_restrictions() -> None:
    content = _study([{"graph_id": "asia", "data_id": "rows"}], ["hc", "tabu"])
    restriction = {"graphs": ["sports"], "because": "so it is"}
    content["resources"]["structure_learning_algorithms"]["tabu"][0]["only_on"] = restriction
    plan = Study.of(content).plan
    assert [run.entry for run in plan.runs] == ["hc"]
    assert [one[1:] for one in plan.omissions] == [("iid/n=20", f"{ALGORITHM} tabu", "so it is")]


def test_what_is_restricted_is_not_said_to_be_forgotten(tmp_path: Path, capsys: Any) -> None:
    content = _study([{"graph_id": "asia", "data_id": "rows"}], ["hc", "tabu"])
    other = {"title": "u", "data": [{"graph_id": "cancer", "data_id": "rows"}]}
    content["benchmark_setup"].append(other | {"evaluation": {"benchmarks": {"ids": ["hc"]}}})
    (given,) = content["resources"]["structure_learning_algorithms"]["tabu"]
    given["only_on"] = {"graphs": ["cancer"], "because": "so it is"}
    path = tmp_path / "study.json"
    path.write_text(json.dumps(content))
    assert main(["check", str(path), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "skipped: tabu on iid/n=20 of asia" in said
    assert "in no list of ids" not in said


def test_a_list_that_is_one_value_is_not_varied() -> None:
    content = _study([{"graph_id": "asia", "data_id": "rows"}], ["ges"])
    (given,) = content["resources"]["structure_learning_algorithms"]["ges"]
    given |= {"score": "bic", "phases": ["forward", "backward"], "iss": [1, 10]}
    study = Study.of(content)
    assert study.config.algorithms["ges"].curve_parameter == "iss"
    saved = facts_of_setup(study.config, study.plan, 0).algorithms["ges"]
    assert saved.varied == ("iss",)
    given["iss"] = 1
    assert Study.of(content).config.algorithms["ges"].curve_parameter == "score"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"graphs": []}, "only_on.graphs: name at least one graph"),
        ({"graphs": ["asia"]}, "only_on: .*because"),
        ({"graphs": ["asia"], "because": " "}, "only_on.because: say why"),
        ({"graph": ["asia"], "because": "x"}, "only_on.*'graph'"),
        (
            {"graphs": ["asia", "aisa"], "because": "x"},
            r"only_on.graphs: unknown graph 'aisa' \(did you mean 'asia'\?\); known: asia",
        ),
    ],
)
def test_a_restriction_names_graphs_and_a_reason(value: Any, message: str) -> None:
    content = _study([{"graph_id": "asia", "data_id": "rows"}], ["hc"])
    content["resources"]["structure_learning_algorithms"]["hc"][0]["only_on"] = value
    with pytest.raises(StudyError, match=message):
        _ = Study.of(content).plan


def test_an_order_of_unknown_variables_is_refused() -> None:
    entry = {"graph_id": "asia", "data_id": "rows"}
    order = {"arrange": {"variables": ["dysp", "hidden"]}}
    assert Study.of(_study([entry | {"transforms": [order]}], ["hc"])).plan.runs
    order["arrange"]["variables"] = ["dysq", "hidden"]
    with pytest.raises(
        StudyError, match=r"transforms: arrange: .*dysq, hidden .did you mean 'dysp'"
    ):
        _ = Study.of(_study([entry | {"transforms": [order]}], ["hc"])).plan


def test_the_command_lines_limit_replaces_that_of_the_file() -> None:
    content = _study([{"graph_id": "asia", "data_id": "rows"}], ["hc"])
    content["benchmark_setup"][0] |= {"time_limit": "6h", "memory_limit": "2G"}
    (limits,) = Study.of(content).plan.limits.values()
    assert limits == Limits(21600.0, 2 * 2**30)
    (limits,) = Study.of(content, time_limit=20.0, memory_limit=10**9).plan.limits.values()
    assert limits == Limits(20.0, 10**9)


def test_the_small_study_has_the_algorithms_of_the_whole() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "small_noise_study.py"))
    wanted = tool["small"](json.loads(WHOLE.read_text("utf-8")))
    assert json.loads(tool["text_of"](wanted)) == wanted
    assert json.loads(SMALL.read_text("utf-8")) == wanted, "run python tools/small_noise_study.py"


def test_a_part_of_the_study_has_fewer_sizes_and_codes() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "part_of_study.py"))
    whole = json.loads(WHOLE.read_text("utf-8"))
    longest = [tool["Limit"](1000), tool["Limit"](100, "alarm")]
    part = tool["part_of"](whole, graphs=("asia", "alarm"), longest=longest, noise=("N", "M10"))
    plan = Study.of(part).plan
    found = {(Path(c.graph_label).name, c.data_label.split("/")[1]) for c in plan.cases}
    assert found == {("asia", "n=100"), ("asia", "n=1000"), ("alarm", "n=100")}
    assert {case.noise for case in plan.cases} == {"N", "M10"}
    assert part["benchmark_setup"][0]["title"] == "noise_2021"
    # NOTEARS is only for Sports, which is no part of it.
    assert {run.entry for run in plan.runs} == set(IDS.split()) - {"notears"}


@pytest.mark.slow
def test_the_small_study_runs(tmp_path: Path) -> None:
    result = Study.load(SMALL).run(tmp_path, figures=False)
    runs = result.runs()
    assert Counter(run.status for run in runs) == {"ok": 198}
    assert {run.metrics["id"] for run in runs} == set(IDS.split())
    page = (tmp_path / "noise_2021_small" / "report.html").read_text("utf-8")
    assert "notears was skipped on 6 kinds of data: NOTEARS takes states as numbers" in page


def _study(data: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    return {
        "benchmark_setup": [
            {"title": "t", "data": data, "evaluation": {"benchmarks": {"ids": names}}}
        ],
        "resources": {
            "data": {"iid": [{"id": "rows", "n": 20}]},
            "structure_learning_algorithms": {name: [{"id": name}] for name in names},
        },
    }


def _part(folder: Path, graph: str, noise: list[str], n: int) -> Study:
    """One network of the whole study with hill climbing alone."""
    content = json.loads(WHOLE.read_text("utf-8"))
    (setup,) = content["benchmark_setup"]
    setup["data"] = [one | {"noise": noise} for one in setup["data"] if one["graph_id"] == graph]
    setup["evaluation"]["benchmarks"]["ids"] = ["hc"]
    content["resources"]["data"]["iid"][0]["n"] = n
    return Study.of(content, home=folder)
