"""External graphs, parameters and data: made, checked on the way in, and run in a study."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from dagathlon import cli
from dagathlon.data import Gaussian, LinearSem, MultivariateNormal, Network, Table, write_network
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DagathlonError, OutOfTimeError, StudyError
from dagathlon.external import ExternalModule, load_folder
from dagathlon.graphs import Graph
from dagathlon.modules import add_files
from dagathlon.testing.generators import generator_problems
from dagathlon.workflow import Study

PAGE = Path(__file__).parents[2] / "docs" / "external-modules.md"
CHAIN = Graph.from_edges([("a", "->", "b"), ("b", "->", "c")])
SEM = LinearSem("abc", [[0, 0.5, 0], [0, 0, -2], [0, 0, 0]], [1, 2, 3])
BITS = Network(
    {
        "a": Table(("no", "yes"), (), np.array([0.5, 0.5])),
        "b": Table(("low", "mid", "high"), ("a",), np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])),
    }
)


def generator(folder: Path, kind: str, script: str, *lines: str) -> ExternalModule:
    folder.mkdir(exist_ok=True)
    (folder / "draw.sh").write_text(script)
    gives = ['gives = "continuous"'] if kind == "parameters" else []
    known = {line.split(" = ")[0] for line in lines}
    gives = [line for line in gives if line.split(" = ")[0] not in known]
    manifest = [
        'name = "mine"',
        f'kind = "{kind}"',
        'summary = "A generator of the tests."',
        'command = ["sh", "{folder}/draw.sh", "{seed}"]',
        *gives,
        *lines,
    ]
    (folder / "module.toml").write_text("\n".join(manifest))
    return load_folder(folder).from_json({})


def drawn(module: ExternalModule, *inputs: object) -> object:
    return module.sample(*inputs, np.random.Generator(np.random.Philox(key=1)))  # type: ignore[attr-defined]


def test_graph_is_read(tmp_path):
    script = "printf 'x,y\\n0,1\\n0,0\\n' > adjmat.csv"
    assert drawn(generator(tmp_path / "m", "graph", script)) == Graph.from_edges([("x", "->", "y")])


def test_seed_and_parameters_are_told(tmp_path):
    script = "cp parameters.json $HERE; printf 'x%s\\n0\\n' $1 > adjmat.csv".replace(
        "$HERE", str(tmp_path)
    )
    lines = ['[parameters.k]\ntype = "integer"\ndefault = 7\ndescription = "A number."']
    graph = drawn(generator(tmp_path / "m", "graph", script, *lines))
    told = json.loads((tmp_path / "parameters.json").read_text())
    assert told["k"] == 7
    assert graph.names == (f"x{told['seed']}",)  # type: ignore[attr-defined]


HOSTILE_GRAPHS = {
    "true": "wrote no adjmat.csv; it wrote none",
    "exit 3": "exit code 3",
    "printf 'x,y\\n0,1\\n1,0\\n' > adjmat.csv": "gives DAGs, this graph is",
    "printf 'x,x\\n0,1\\n0,0\\n' > adjmat.csv": "adjmat.csv",
    "printf 'x,y\\n0,nan\\n0,0\\n' > adjmat.csv": "adjmat.csv",
    "head -c 999 /dev/urandom > adjmat.csv": "adjmat.csv",
    "ln -s /etc/passwd adjmat.csv": "is no plain file",
    "mkfifo adjmat.csv": "is no plain file",
    "mkdir adjmat.csv": "is no plain file",
    "truncate -s 1T adjmat.csv": "at most",
    ": > adjmat.csv": "empty",
}


@pytest.mark.parametrize("script", HOSTILE_GRAPHS)
def test_what_is_no_graph_is_refused_in_words(tmp_path, script):
    with pytest.raises(DagathlonError, match=HOSTILE_GRAPHS[script]) as caught:
        drawn(generator(tmp_path / "m", "graph", script))
    assert "/tmp/dagathlon-" not in str(caught.value)


def test_linear_model_is_read_in_the_order_of_the_graph(tmp_path):
    script = """
        printf 'c,a,b\\n0,0,0\\n0,0,.5\\n-2,0,0\\n' > model.csv
        printf 'a,c,b\\n1,3,2\\n' > noise.csv
    """
    found = drawn(generator(tmp_path / "m", "parameters", script), CHAIN)
    assert isinstance(found, LinearSem)
    assert found.names == SEM.names
    assert np.array_equal(found.weights, SEM.weights)
    assert np.array_equal(found.variances, SEM.variances)


def test_network_is_read(tmp_path):
    write_network(BITS, tmp_path / "b.bif")
    script = f"cp {tmp_path}/b.bif model.bif"
    module = generator(tmp_path / "m", "parameters", script, 'gives = "discrete"')
    assert drawn(module, BITS.graph) == BITS
    with pytest.raises(DagathlonError, match="gives continuous models, this one is discrete"):
        drawn(generator(tmp_path / "m", "parameters", script), BITS.graph)


GOOD = "printf 'a,b,c\\n0,1,0\\n0,0,1\\n0,0,0\\n' > model.csv"
HOSTILE_MODELS = {
    "true": "wrote no model.csv, model.bif",
    "echo 1 > model.csv; echo 1 > model.bif": "wrote more than one",
    "printf 'a,b,d\\n0,1,0\\n0,0,1\\n0,0,0\\n' > model.csv": "not the graph's: c, d",
    "printf 'a,b,c\\n0,1,0\\n0,0,0\\n0,0,0\\n' > model.csv": "b -> c in the graph alone",
    "printf 'a,b,c\\n0,1,1\\n0,0,1\\n0,0,0\\n' > model.csv": "a -> c in the model alone",
    "printf 'a,b,c\\n0,inf,0\\n0,0,1\\n0,0,0\\n' > model.csv": "model.csv",
    "printf 'a,b,c\\n0,1,0\\n0,0,1\\n1,0,0\\n' > model.csv": "cycle",
    "ln -s /etc/passwd model.csv": "no plain file",
    f"{GOOD}; printf 'a,b,c\\n1,1,-1\\n' > noise.csv": ("noise variances"),
    f"{GOOD}; printf 'a,b,c\\n1,1\\n' > noise.csv": ("one number for each variable"),
    f"{GOOD}; ln -s /etc/passwd noise.csv": ("noise.csv is no plain file"),
    "head -c 999 /dev/urandom > model.rds": "model.rds",
}


@pytest.mark.parametrize("script", HOSTILE_MODELS)
def test_what_is_no_model_is_refused_in_words(tmp_path, script):
    with pytest.raises(DagathlonError, match=HOSTILE_MODELS[script]):
        drawn(generator(tmp_path / "m", "parameters", script), CHAIN)


def test_data_program_finds_model_and_graph(tmp_path):
    script = f"cp *.csv {tmp_path}; printf 'b,a,c\\n2,1,3\\n5.5,4,6\\n' > data.csv"
    data = drawn(generator(tmp_path / "m", "data", script), SEM)
    assert data.names == ("a", "b", "c")  # type: ignore[attr-defined]
    assert data.values.tolist() == [[1, 2, 3], [4, 5.5, 6]]  # type: ignore[attr-defined]
    assert (tmp_path / "graph.csv").read_text() == "a,b,c\n0,1,0\n0,0,1\n0,0,0\n"
    assert (tmp_path / "model.csv").read_text().splitlines()[1] == "0.0,0.5,0.0"
    assert (tmp_path / "noise.csv").read_text() == "a,b,c\n1.0,2.0,3.0\n"


def test_gaussian_network_has_intercepts(tmp_path):
    network = Network(
        {
            "a": Gaussian((), np.array(5.0), np.array([]), np.array(2.0)),
            "b": Gaussian(("a",), np.array(1.0), np.array([0.5]), np.array(1.0)),
        }
    )
    script = f"cp *.csv {tmp_path}; printf 'a,b\\n.5,1\\n' > data.csv"
    drawn(generator(tmp_path / "m", "data", script), network)
    assert (tmp_path / "noise.csv").read_text() == "a,b\n4.0,1.0\n"
    assert (tmp_path / "intercepts.csv").read_text() == "a,b\n5.0,1.0\n"
    assert (tmp_path / "model.csv").read_text() == "a,b\n0.0,0.5\n0.0,0.0\n"


@pytest.mark.parametrize("text", ["a,b\n2,3\n1,0\n0,2\n", "a,b\nyes,low\nno,high\n"])
def test_discrete_data_have_the_levels_of_their_model(tmp_path, text):
    (tmp_path / "d.csv").write_text(text)
    script = f"test -f model.bif && cp {tmp_path}/d.csv data.csv"
    data = drawn(generator(tmp_path / "m", "data", script), BITS)
    assert data.variables == BITS.variables  # type: ignore[attr-defined]
    assert data.codes.tolist() == [[1, 0], [0, 2]]  # type: ignore[attr-defined]


HOSTILE_DATA = {
    "true": "wrote no data.csv",
    "printf 'a,b\\n1,2\\n' > data.csv": "not the model's variables: c",
    "printf 'a,b,c\\n1,2,x\\n' > data.csv": "data.csv",
    "printf 'a,b,c\\n1.5,,2\\n' > data.csv": "missing values",
    "printf 'a,b,c\\n' > data.csv": "data.csv",
    "printf 'a,b,c,a\\n.1,.2,.3,1\\n.1,.2,.4,0\\n' > data.csv": "intervened",
    "ln -s /etc/passwd data.csv": "no plain file",
}


@pytest.mark.parametrize("script", HOSTILE_DATA)
def test_what_are_no_data_is_refused_in_words(tmp_path, script):
    with pytest.raises(DagathlonError, match=HOSTILE_DATA[script]):
        drawn(generator(tmp_path / "m", "data", script), SEM)


def test_levels_that_the_model_does_not_have_are_refused(tmp_path):
    script = "printf 'a,b\\nyes,low\\nperhaps,high\\n' > data.csv"
    with pytest.raises(DagathlonError, match=r"a has the levels no, yes .* found perhaps"):
        drawn(generator(tmp_path / "m", "data", script), BITS)


def test_rows_are_as_many_as_n_says(tmp_path):
    lines = ['[parameters.n]\ntype = "integer"\ndefault = 2\ndescription = "Rows."']
    script = "printf 'a,b,c\\n.1,.2,.3\\n' > data.csv"
    module = generator(tmp_path / "m", "data", script, *lines)
    assert module.facts(DataFacts("continuous")).n_rows == 2  # type: ignore[attr-defined]
    with pytest.raises(DagathlonError, match="has 1 row, and n is 2"):
        drawn(module, SEM)


def test_models_without_files_are_refused(tmp_path):
    module = generator(tmp_path / "m", "data", "true")
    with pytest.raises(DagathlonError, match="no files of MultivariateNormal"):
        drawn(module, MultivariateNormal(("a",), np.eye(1)))


SERVED = """
import json
from pathlib import Path


def main():
    seed = json.loads(Path("parameters.json").read_text())["seed"]
    Path("adjmat.csv").write_text(f"x{seed}\\n0\\n")
"""


def test_servers_draw_too(tmp_path):
    generator(tmp_path / "m", "graph", "true")
    (tmp_path / "m" / "draw.py").write_text(SERVED)
    path = tmp_path / "m" / "module.toml"
    served = '["python3", "{serve}", "{folder}/draw.py"]\nserver = true'
    path.write_text(path.read_text().replace('["sh", "{folder}/draw.sh", "{seed}"]', served))
    module = load_folder(tmp_path / "m").from_json({})
    first, again = drawn(module), drawn(module)
    assert first == again
    assert first.names[0].startswith("x")  # type: ignore[attr-defined]


def test_timeout_ends_a_program(tmp_path):
    generator(tmp_path / "m", "graph", "sleep 600")
    module = load_folder(tmp_path / "m").from_json({"timeout": 0.2})
    with pytest.raises(OutOfTimeError, match=r"mine was stopped after 0\.2 s"):
        drawn(module)


@pytest.mark.parametrize(
    ("kind", "line", "message"),
    [
        ("graph", 'gives = "pag"', "gives: found 'pag', expected one of dag, undirected"),
        ("graph", "order_independent = true", "there is no such key"),
        ("parameters", 'gives = "dag"', "expected one of continuous, discrete"),
        ("data", 'takes = ["mixed"]', "expected some of continuous, discrete"),
        ("date", 'gives = "dag"', r"did you mean 'data'"),
    ],
)
def test_manifests_are_checked(tmp_path, kind, line, message):
    with pytest.raises(StudyError, match=message):
        generator(tmp_path / "m", kind, "true", line)


@pytest.mark.parametrize("language", ["shell", "python"])
@pytest.mark.parametrize("kind", ["graph", "parameters", "data"])
def test_templates_pass_their_checks(tmp_path, monkeypatch, kind, language):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "module", "mine", "--kind", kind, "--language", language]) == 0
    add_files(["mine"])
    assert generator_problems(kind, "mine") == []


def test_checks_find_what_is_wrong(tmp_path):
    script = f"""
        test -e {tmp_path}/once && A=1 || A=0
        touch {tmp_path}/once
        printf "x,y\\n0,$A\\n0,0\\n" > adjmat.csv
    """
    generator(tmp_path / "flaky", "graph", script)
    add_files([tmp_path / "flaky"])
    assert generator_problems("graph", "mine") == [
        "a graph: the same random stream gives another result"
    ]


def test_modules_check_of_a_generator(tmp_path, capsys, monkeypatch):
    generator(tmp_path / "mine", "graph", "echo no; exit 4")
    assert cli.main(["modules", "mine", "--modules", str(tmp_path / "mine"), "--check"]) == 1
    assert "exit code 4" in capsys.readouterr().out


def example(language: str, number: int) -> str:
    part = PAGE.read_text("utf-8").partition("## Graphs, parameters and data of your own")[2]
    return re.findall(rf"^```{language}\n(.*?)^```", part, re.M | re.S)[number]


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """The example of the page: three modules in sh and awk, and a study."""
    for number, (name, script) in enumerate(
        (("star", "star.sh"), ("halves", "halves.sh"), ("heavy", "heavy.sh"))
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.toml").write_text(example("toml", number))
        (tmp_path / name / script).write_text(example("sh", number))
    (tmp_path / "study.json").write_text(example("json", 0))
    return tmp_path


def benchmarks(folder: Path) -> list[dict[str, str]]:
    Study.load(folder / "study.json").run(folder / "results", jobs=1)
    (path,) = (folder / "results").rglob("joint_benchmarks.csv")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_example_of_the_page_runs_in_a_study(folders):
    rows = benchmarks(folders)
    assert [row["status"] for row in rows] == ["ok"] * 3
    assert {(row["n_nodes"], row["true_n_edges_skel"]) for row in rows} == {("6", "5")}
    assert len({row["seed"] for row in rows}) == 3


def test_example_in_python_runs_in_a_study(tmp_path):
    (tmp_path / "mine.py").write_text(example("python", 0))
    (tmp_path / "study.json").write_text(example("json", 1))
    assert [row["status"] for row in benchmarks(tmp_path)] == ["ok"]
    for kind, name in (("graph", "chain"), ("parameters", "ones"), ("data", "rounded")):
        assert generator_problems(kind, f"my_{name}") == []


def test_check_says_that_a_generator_cannot_run(folders, capsys):
    path = folders / "star" / "module.toml"
    path.write_text(path.read_text().replace('["sh", "awk"]', '["no-such-program"]'))
    cli.main(["check", str(folders / "study.json")])
    out = capsys.readouterr().out
    assert "will be skipped: star" in out
    assert "no-such-program" in out


def test_prepare_names_generators(folders, capsys):
    assert cli.main(["prepare", str(folders / "study.json")]) == 0
    out = capsys.readouterr().out
    assert [line.split(":")[0] for line in out.splitlines()] == ["halves", "heavy", "star"]
