"""Tests, scores, formats, charts … of one's own: one file each, or an installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dagathlon import Dataset, independence_test, learn, rank_without_truth, score_graph
from dagathlon.cli import main
from dagathlon.graphs import cpdag
from dagathlon.modules import add_files, modules, registry
from dagathlon.testing import check_score, check_test

EXAMPLES = Path(__file__).parents[1] / "examples"
KINDS = ("learner", "test", "score", "metric", "evaluation", "chart", "format")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test loads is forgotten after it."""
    monkeypatch.setenv(registry.FILES, "")
    modules.cache_clear()
    yield
    monkeypatch.undo()
    modules.cache_clear()


@pytest.fixture(scope="module")
def linear() -> Dataset:
    """A collider, a chain and a variable alone."""
    rng = np.random.default_rng(3)
    a, b, c, d, e = rng.normal(size=(5, 400))
    c += a + b
    d += c
    return Dataset.from_numpy(np.stack([a, b, c, d, e], axis=1), names=list("abcde"))


@pytest.fixture(scope="module")
def curved() -> Dataset:
    """A parabola, which no correlation sees, and a variable alone."""
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 500))
    return Dataset.from_numpy(np.stack([x, x**2 + 0.5 * y, z], axis=1), names=["x", "y", "z"])


def written(kind: str, folder: Path) -> Path:
    """The file that `dagathlon new` writes."""
    path = folder / f"own_{kind}.py"
    assert main(["new", kind, str(path)]) == 0
    return path


@pytest.mark.parametrize("learner", ["pc", "fci", "mmhc", "gs", "rfci"])
def test_a_python_test_does_what_the_native_one_does(
    learner: str, linear: Dataset, tmp_path: Path
) -> None:
    """The file that `dagathlon new test` writes has Fisher's z."""
    add_files([written("test", tmp_path)])
    own = learn(linear, learner, test="own_test").graph
    assert own == learn(linear, learner, test="zf").graph
    assert own.n_edges >= 2
    native, python = (independence_test(linear, name) for name in ("zf", "own_test"))
    for question in (("a", "b", []), ("a", "b", ["c"]), ("a", "d", ["c", "e"])):
        assert python.test(*question).p_value == pytest.approx(native.test(*question).p_value)


@pytest.mark.parametrize("learner", ["hc", "ges", "boss", "exact_map", "mmhc", "tabu"])
def test_a_python_score_does_what_the_native_one_does(
    learner: str, linear: Dataset, tmp_path: Path
) -> None:
    """The file that `dagathlon new score` writes has the Gaussian BIC, up to a constant."""
    add_files([written("score", tmp_path)])
    own, native = (learn(linear, learner, score=name).graph for name in ("own_score", "bic-g"))
    assert own.n_edges == 3
    assert (cpdag(own) if own.is_dag else own) == (cpdag(native) if native.is_dag else native)


def test_learners_without_truth_are_ranked_with_a_test_of_ones_own(linear: Dataset) -> None:
    add_files([EXAMPLES / "own_test.py"])
    ranked = rank_without_truth(
        linear, ["pc[test=binned]", "hc"], sizes=[200], subsamples=2, jobs=1
    )
    assert "binned" in str(ranked)


def test_the_example_of_a_test_sees_a_parabola(curved: Dataset) -> None:
    add_files([EXAMPLES / "own_test.py"])
    check_test("binned")
    assert learn(curved, "pc", test="zf").graph.n_edges == 0
    found = learn(curved, "pc", test="binned[bins=4]").graph
    assert [{edge.left, edge.right} for edge in found.edges()] == [{"x", "y"}]


def test_the_example_of_a_score_sees_a_parabola(curved: Dataset) -> None:
    add_files([EXAMPLES / "own_score.py"])
    check_score("quadratic")
    assert learn(curved, "hc", score="bic-g").graph.n_edges == 0
    for learner in ("hc", "boss", "exact_map"):
        found = learn(curved, learner, score="quadratic[penalty=2]").graph
        assert [{edge.left, edge.right} for edge in found.edges()] == [{"x", "y"}]
    terms = score_graph(curved, found, "quadratic").by_node
    assert terms["z"] == score_graph(curved, learn(curved, "hc").graph, "quadratic").by_node["z"]


@pytest.mark.parametrize("kind", ["learner", "test", "score", "chart", "format"])
def test_what_new_writes_passes_its_check(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(kind, tmp_path)
    assert main(["modules", path.stem, "--modules", str(path), "--check"]) == 0
    assert "All checks passed." in capsys.readouterr().out


def test_a_chart_that_cannot_be_drawn_fails_its_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("chart", tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"width": 460', '"width": len(runs) and 1 / (len(runs) - 1)'))
    assert main(["modules", path.stem, "--modules", str(path), "--check"]) == 1
    assert "a single run: it fails: ZeroDivisionError" in capsys.readouterr().out


def test_a_metric_is_described_by_the_command_for_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("metric", tmp_path)
    assert main(["modules", path.stem, "--modules", str(path)]) == 2
    assert "own_metric is a metric: dagathlon metrics own_metric" in capsys.readouterr().err


def test_an_installed_package_brings_each_kind_by_entry_points(tmp_path: Path) -> None:
    """Its folder is what an installer leaves: the modules, and a list of entry points."""
    site, about = tmp_path / "site", tmp_path / "site" / "strangers-1.0.dist-info"
    about.mkdir(parents=True)
    names = [written(kind, site).stem for kind in KINDS]
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    lines = ["[dagathlon.modules]", *(f"{name} = {name}" for name in names)]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    code = (
        "import numpy as np, dagathlon\n"
        "from dagathlon.evaluate.metric import measures\n"
        "from dagathlon.evaluations.benchmarks.charts import chart_named\n"
        "from dagathlon.modules import find\n"
        "x = np.random.default_rng(1).normal(size=(100, 3))\n"
        "for learner in ('own_learner', 'pc[test=own_test]', 'hc[score=own_score]'):\n"
        "    graph = dagathlon.learn(x, learner).graph\n"
        "dagathlon.write_graph(graph, 'g.own_format')\n"
        "assert dagathlon.read_graph('g.own_format') == graph\n"
        "assert 'own_metric' in measures()\n"
        "assert chart_named('own_chart').question\n"
        "print(find('evaluation', 'own_evaluation').name)\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{site}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("own_evaluation\n", "")
