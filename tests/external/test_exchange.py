"""What external modules share with native ones: start graphs, constraints, weights, posteriors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from folders import EMPTY_GRAPH, data, learned, module

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, StudyError
from dagathlon.external import load_folder, servers
from dagathlon.external.listening import Listener
from dagathlon.external.results import ProgramError
from dagathlon.graphs import Graph, read_graph
from dagathlon.learners.run import run_learner
from dagathlon.pulse import watch

KEEP = 'cp -r . "$TARGET"\n'


@pytest.fixture
def kept(tmp_path, monkeypatch):
    target = tmp_path / "kept"
    monkeypatch.setenv("TARGET", str(target))
    return target


def test_data_come_as_arrow_to_those_who_ask(tmp_path, kept):
    cls = module(tmp_path / "m", KEEP + EMPTY_GRAPH, data='"arrow"')
    levels = Variable("b", ("low", "mid", "high"))
    given = Dataset([Variable("a"), levels], values=[[0.5], [np.nan], [2.5]], codes=[[2], [0], [1]])
    learned(cls, given)
    assert not (kept / "data.csv").exists()
    with pa.memory_map(str(kept / "data.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
    assert table.column("a").to_pylist() == [0.5, None, 2.5]
    assert table.column("b").to_pylist() == ["high", "low", "mid"]
    assert Dataset.from_arrow(table) == given


def test_constraints_are_told_edge_by_edge(tmp_path, kept):
    cls = module(tmp_path / "m", KEEP + EMPTY_GRAPH, constraints="true")
    file = tmp_path / "known.json"
    file.write_text(json.dumps({"tiers": [["b"], ["a"]], "required_edges": [["b", "a"]]}))
    learned(cls, constraints=str(file))
    assert json.loads((kept / "constraints.json").read_text()) == {
        "forbidden_edges": [["a", "b"]],
        "required_edges": [["b", "a"]],
        "tiers": [["b"], ["a"]],
    }
    assert "constraints" not in json.loads((kept / "parameters.json").read_text())


def test_start_graph_is_a_file(tmp_path, kept):
    cls = module(tmp_path / "m", KEEP + EMPTY_GRAPH, start="true")
    graph = Graph.from_edges(["b -> a"], ["a", "b"])
    run_learner(cls(), data(), np.random.default_rng(1), start=graph)
    assert read_graph(kept / "start.csv") == graph
    assert not (kept / "constraints.json").exists()


def test_start_graph_is_refused_by_those_who_do_not_take_one(tmp_path):
    graph = Graph.from_edges(["b -> a"], ["a", "b"])
    cls = module(tmp_path / "m")
    with pytest.raises(DataError, match="mine cannot start from a graph"):
        run_learner(cls(), data(), np.random.default_rng(1), start=graph)
    assert "constraints" not in cls.parameters()


def test_weights_notes_and_statistics_are_read(tmp_path):
    script = (
        "printf 'b,a\\n0,1.5\\n-2e-3,0\\n' > weights.csv\n"
        'echo \'{"steps": 7, "notes": ["It is rough."]}\' > stats.json\n'
    )
    found = run_learner(
        module(tmp_path / "m", EMPTY_GRAPH + script)(), data(), np.random.default_rng(1)
    )
    assert found.weights is not None
    assert found.weights.tolist() == [[0, -2e-3], [1.5, 0]]
    assert (found.stats, found.notes) == ({"steps": 7}, ("It is rough.",))


def test_weighted_graphs_are_a_posterior(tmp_path):
    script = (
        "cat > posterior.jsonl <<'X'\n"
        '{"edges": [["a", "b"]], "weight": 3}\n'
        '{"edges": ["a <- b"], "weight": 1}\n'
        '{"edges": []}\n'
        "X\n"
    )
    cls = module(tmp_path / "m", script, gives='"dag"', posterior="true")
    assert cls.gives_posterior
    found = run_learner(cls(), data(), np.random.default_rng(1))
    assert found.posterior is not None
    weights = {str(graph.edges()): weight for graph, weight in found.posterior.graphs()}
    assert sorted(weights.values()) == pytest.approx([0.2, 0.2, 0.6])
    assert found.graph == Graph.from_edges(["a -> b"], ["a", "b"])
    own = module(tmp_path / "own", script + EMPTY_GRAPH, gives='"dag"', posterior="true")
    assert run_learner(own(), data(), np.random.default_rng(1)).graph.n_edges == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: not of the form"),
        ('{"edges": 3}', "line 1: not of the form"),
        ('{"edges": [["a", "b"]], "weight": -1}', "the weight is -1, expected a number"),
        ('{"edges": [["a", "z"]]}', "'z'"),
        ('{"edges": [["a", "--", "b"]]}', "the module gives DAGs, this graph is"),
        ('{"edges": [], "weight": 0}', "the weights sum to 0"),
        ("", "has no graph"),
    ],
)
def test_wrong_posteriors_say_where(tmp_path, line, message):
    script = f"cat > posterior.jsonl <<'X'\n{line}\nX\n"
    cls = module(tmp_path / "m", script, gives='"dag"', posterior="true")
    with pytest.raises(ProgramError, match="wrote an invalid result: ") as caught:
        learned(cls)
    assert message in str(caught.value)
    assert "posterior.jsonl" in str(caught.value)


@pytest.mark.parametrize("text", ["a,b\\n0,x\\n0,0\\n", "a,b\\n0,0\\n", "a,c\\n0,0\\n0,0\\n", ""])
def test_wrong_weights_are_refused(tmp_path, text):
    cls = module(tmp_path / "m", EMPTY_GRAPH + f"printf '{text}' > weights.csv")
    with pytest.raises(ProgramError, match=r"invalid result: weights\.csv: not a"):
        learned(cls)


def test_chain_has_no_second_posterior(tmp_path):
    with pytest.raises(StudyError, match="a chain is a distribution over graphs already"):
        module(tmp_path / "m", gives='"chain"', posterior="true")


def test_progress_is_told(tmp_path, kept):
    script = 'echo @dagathlon progress 4 6; while [ ! -e "$TARGET" ]; do sleep 0.01; done\n'

    def see(done: int, total: int) -> None:
        if (done, total) == (4, 6):
            kept.touch()

    with watch(progress=see):
        learned(module(tmp_path / "m", script + EMPTY_GRAPH))
    assert kept.exists()


def test_example_of_the_documentation_works(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "external-modules.md").read_text("utf-8")
    example = page.partition("### An example")[2]
    folder = tmp_path / "coin"
    folder.mkdir()
    for language, name in (("toml", "module.toml"), ("python", "learn.py")):
        text = example.partition(f"```{language}\n")[2].partition("```")[0]
        (folder / name).write_text(text)
    known, graph = {"required_edges": [["c", "a"]]}, Graph.from_edges(["a -> b"], "abc")
    try:
        coin = replace(load_folder(folder)(), constraints=known)
        found = run_learner(coin, data(p=3), np.random.default_rng(1), start=graph)
    finally:
        servers.close_servers()
    assert found.posterior is not None
    assert found.posterior.probability(present=["c -> a"]) == pytest.approx(1)
    assert 0 < found.posterior.probability(present=["a -> b"]) < 1


def test_messages_are_lines_and_all_else_is_output():
    listener = Listener()
    for part in (b"one\r50%\r", b"@dagath", b"lon progress 3", b" 9\nsay @dagathlon ended 1\n"):
        listener.feed(part)
    assert (listener.progress, listener.ended) == ((3, 9), None)
    listener.feed(b"@dagathlon progress -1\n@dagathlon unknown\nhalf@dagathlon ready\n")
    assert (listener.progress, listener.is_ready) == ((0, 0), False)
    listener.feed(b"\n@dagathlon ended -9 1024\n")
    assert listener.ended == (-9, 1024)
    assert listener.output().splitlines() == [
        "one", "50%", "say @dagathlon ended 1", "@dagathlon unknown", "half@dagathlon ready",
    ]  # fmt: skip
