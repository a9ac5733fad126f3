"""A page without truth counts learners that have a graph, and data without their samples."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.evaluations.no_truth.agreement import _Agreed, _in_words
from dagathlon.evaluations.no_truth.consensus import edge_agreement
from dagathlon.graphs import Graph
from dagathlon.study.config.new_study import picked_study
from dagathlon.workflow import Study


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three learners and one that does not take mixed data, on one file and its samples."""
    folder = tmp_path_factory.mktemp("counts")
    rng = np.random.default_rng(0)
    age = rng.normal(size=120)
    bmi, sex = age + rng.normal(size=120), (age + rng.normal(size=120) > 0).astype(int)
    rows = [f"{a:.3f},{b:.3f},{'fm'[s]}" for a, b, s in zip(age, bmi, sex, strict=True)]
    (folder / "mixed.csv").write_text("\n".join(["age,bmi,sex", *rows]) + "\n")
    study = picked_study(
        "t", ["hc", "pc", "boss", "miic"], [str(folder / "mixed.csv")], home=folder
    )
    evaluation = study["benchmark_setup"][0]["evaluation"]
    evaluation["stability"] = {"copies": 2}
    evaluation["intersection_validation"] = {"subsamples": 2, "sizes": [60]}
    path = folder / "study.json"
    path.write_text(json.dumps(study), "utf-8")
    Study.load(path).run(folder / "out", engine="inline", figures="none")
    return (folder / "out" / "t" / "report.html").read_text("utf-8")


def test_who_did_not_run_has_no_vote(page: str) -> None:
    words = html.unescape(re.sub("<[^>]+>", "", page))
    assert "miic was skipped on 1 kind of data:" in words
    assert "3 algorithms in 3 settings on 1 kind of data with 1 seed: 3 runs" in words
    assert "1 more run was skipped." in words
    (lead,) = re.findall(r'<p class="lead">(.*?)</p>', page)
    assert re.search(r"3 algorithms \((hc|pc|boss)(, | and )\w+ and \w+\) join \d pairs?", lead)
    assert "4 algorithms" not in words


def test_both_sections_say_what_they_count(page: str) -> None:
    words = html.unescape(re.sub("<[^>]+>", "", page))
    assert re.search(r"joined by all, in \w+ (\w+ )?direction", words)
    assert re.search(r"any of them joins, all join (\d|none) in the same way \(directions", words)


def _votes(*graphs: list[str]) -> str:
    """What the agreement says of learners with these edges over a, b, c."""
    votes = {f"s{i}": f"l{i}" for i in range(len(graphs))}
    found = {
        f"s{i}": [Graph.from_edges(edges, names=["a", "b", "c"])] for i, edges in enumerate(graphs)
    }
    edges = edge_agreement(found, votes)
    sizes = dict.fromkeys(votes, 1)
    agreed = _Agreed("", ("a", "b", "c"), sizes, votes, edges, (), None, {}, drawn=False)
    return _in_words(agreed, several=False)


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        ((["a - b"], ["a - b", "b - c"]), "join 2 pairs of variables; 1 is joined by all, in no "),
        ((["a -> c", "b -> c"], ["a -> c", "b -> c"]), "; 2 are joined by all, in whatever"),
        ((["a - b"], ["b - c"]), "; none is joined by all."),
    ],
)
def test_numbers_of_pairs_agree_with_their_words(graphs: tuple[list[str], ...], words: str) -> None:
    assert words in _votes(*graphs)


def test_check_names_each_cause_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = picked_study("t", ["hc", "mmhc", "boss", "pc"], ["asia[n=50,seeds=2]"])
    study["benchmark_setup"][0]["data"].append(
        study["benchmark_setup"][0]["data"][0] | {"noise": ["M5", "M10"]}
    )
    learners = study["resources"]["structure_learning_algorithms"]
    learners["direct_lingam"] = [{"id": "lingam"}]
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"].append("lingam")
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study), "utf-8")
    assert main(["check", str(path)]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("will be")]
    assert len(said) == len({line.partition(" on ")[0] for line in said}) == 1
    assert said[0].startswith("will be skipped: lingam on iid/n=50/")
