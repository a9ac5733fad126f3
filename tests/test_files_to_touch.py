"""How many files an addition takes: each is written into a copy of the package, and used there.

A module, an engine or a command is one file where CONTRIBUTING says, with nothing else changed: no
list, no index. A native kernel is at most four: header, source, binding, and its class in Python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import dagathlon
from dagathlon import _core
from dagathlon.cli import _starting_files as texts

PACKAGE = Path(dagathlon.__file__).parent
ROOT = Path(__file__).parents[1]
SHARED_CODE = {"bind.hpp", "_core.pyi", "index.json"}


class Addition(NamedTuple):
    """One file of the package, and a program that prints `fine` if it is known.

    Parameters
    ----------
    place
        The file, from the package's folder.
    text
        What is in it.
    use
        Lines of Python that use it.
    """

    place: str
    text: str
    use: str


def skeleton(text: str) -> str:
    return text.format(name="added", cls="Added")


# An editable installation finds the package before any path does.
COPY = (
    "import sys\n"
    "sys.meta_path = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]\n"
    "import dagathlon, pathlib\n"
    "assert pathlib.Path(dagathlon.__file__).is_relative_to(sys.argv[1])\n"
)
DATA = "import numpy as np, dagathlon\nx = np.random.default_rng(1).normal(size=(100, 3))\n"
GENERATOR = '''
import numpy as np
from dagathlon.simulate.random_graph import RandomGraph


class Added(RandomGraph):
    """A chain in the order of the nodes."""

    name = "added"

    def edges(self, rng):
        """Join neighbours."""
        return np.column_stack([np.arange(self.nodes - 1), np.arange(1, self.nodes)])
'''
TRANSFORM = '''
from dataclasses import dataclass
from dagathlon.simulate.transform import Transform


@dataclass(frozen=True, kw_only=True)
class Added(Transform):
    """The rows backwards."""

    name = "added"

    def apply(self, data, rng):
        """Turn them round."""
        return data.take(range(len(data))[::-1])
'''
ENGINE = '''
from dataclasses import dataclass
from typing import ClassVar
from dagathlon.study.engine.inline import InlineEngine


@dataclass(frozen=True)
class AddedEngine(InlineEngine):
    """The inline engine under another name."""

    name: ClassVar[str] = "added"
'''
COMMAND = '''
from dagathlon.cli._declaring import command


def add_parser(commands):
    """Declare the command."""
    command(commands, "added", "print a word", "dagathlon added", lambda arguments: 0)
'''
ADDITIONS: Mapping[str, Addition] = {
    "learner": Addition(
        "learners/undirected/added.py",
        skeleton(texts.LEARNER),
        DATA + "assert dagathlon.learn(x, 'added[thresh=0.9]').graph.n_edges == 0",
    ),
    "test": Addition(
        "learners/independence/added.py",
        skeleton(texts.TEST),
        DATA
        + "assert dagathlon.learn(x, 'pc[test=added]').graph == dagathlon.learn(x, 'pc').graph",
    ),
    "score": Addition(
        "learners/score/added.py",
        skeleton(texts.SCORE),
        DATA + "assert dagathlon.learn(x, 'hc[score=added[penalty=50]]').graph.n_edges == 0",
    ),
    "format": Addition(
        "graphs/formats/added.py",
        skeleton(texts.FORMAT),
        "from dagathlon import Graph, read_graph, write_graph\n"
        "write_graph(Graph.from_edges(['a -> b']), 'g.added')\n"
        "assert str(read_graph('g.added').edges()[0]) == 'a -> b'",
    ),
    "chart": Addition(
        "report/charts/added.py",
        skeleton(texts.CHART),
        "from dagathlon.evaluations.benchmarks.charts import chart_named\n"
        "assert chart_named('added[metric=time]').metric == 'time'",
    ),
    "metric": Addition(
        "evaluate/graphs/added.py",
        skeleton(texts.METRIC),
        "from dagathlon import Graph, compare\n"
        "a, b = Graph.from_edges(['a -> b']), Graph.from_edges([], ['a', 'b'])\n"
        "assert compare(a, b)['added'] == 1",
    ),
    "transform": Addition(
        "simulate/added.py",
        TRANSFORM,
        "from dagathlon import Network\n"
        "from dagathlon.modules import find\n"
        "rows = Network.load('asia').sample(5, seed=1)\n"
        "assert (find('transform', 'added')().apply(rows, None).codes == rows.codes[::-1]).all()",
    ),
    "generator": Addition(
        "simulate/added_graph.py",
        GENERATOR,
        "import numpy as np\n"
        "from dagathlon.modules import find\n"
        "drawn = find('graph', 'added').from_json({'nodes': 5}).sample(np.random.default_rng(1))\n"
        "assert drawn.n_edges == 4",
    ),
    "evaluation": Addition(
        "evaluations/added.py",
        skeleton(texts.EVALUATION),
        "from dagathlon import Study\n"
        "study = Study.build('s', 'hc', 'asia[n=50]', evaluation={'added': {'ids': ['hc']}})\n"
        "study.run('out', engine='inline', figures='none')\n"
        "assert open('out/s/added/edges.csv').readline() == 'id,seed,edges\\n'",
    ),
    "engine": Addition(
        "study/engine/added.py",
        ENGINE,
        "from dagathlon import Study\n"
        "assert Study.build('s', 'hc', 'asia[n=50]').run('out', engine='added').runs()",
    ),
    "command": Addition(
        "cli/added.py",
        COMMAND,
        "import dagathlon.cli\nassert dagathlon.cli.main(['added']) == 0",
    ),
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package; its native core is a link."""
    home = tmp_path_factory.mktemp("copied")
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(PACKAGE, home / "dagathlon", ignore=ignored)
    core = Path(_core.__file__)
    (home / "dagathlon" / core.name).symlink_to(core)
    return home


@pytest.mark.parametrize("what", ADDITIONS)
def test_an_addition_is_one_file(what: str, copied: Path, tmp_path: Path) -> None:
    added = ADDITIONS[what]
    place = copied / "dagathlon" / added.place
    assert not place.exists()
    place.write_text(added.text)
    env = {**os.environ, "PYTHONPATH": str(copied), "DAGATHLON_MODULES": ""}
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"{COPY}{added.use}\nprint('fine')", str(copied)],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        place.unlink()
    assert done.stdout.splitlines()[-1:] == ["fine"], done.stderr


# What each kernel's own names contain; its binding's file may hold others of its kind.
KERNELS = {
    "a learner: clime": r"\bclime|Clime\b",
    "a learner: space": r"JointSettings|joint_regression",
    "a test: nearest neighbours": r"neighbour_test|NeighbourTest",
    "a test: semi-parametric permutations": r"semiparametric",
    "a score: generalised, of kernels": r"kernel_score|KernelScore",
    "a score: quotient normalised": r"qnml|Qnml",
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_native_kernel_is_at_most_four_files(kernel: str) -> None:
    sources = [
        path
        for folder in ("cpp/include", "cpp/src", "cpp/bind", "src/dagathlon")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".cpp", ".hpp", ".py") and path.name not in SHARED_CODE
    ]
    names = re.compile(KERNELS[kernel])
    touched = [path for path in sources if names.search(path.read_text("utf-8"))]
    assert 1 <= len(touched) <= 4, [str(path.relative_to(ROOT)) for path in touched]
