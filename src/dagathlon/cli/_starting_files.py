"""Texts that ``dagathlon new`` writes, with places for a name and the name of a class."""

LEARNER = '''\
"""My structure learner."""

from dataclasses import dataclass

import numpy as np

from dagathlon import Dataset, Estimate, Graph, Learner


@dataclass(frozen=True, kw_only=True)
class {cls}(Learner):
    """Say in one sentence what it does.

    Parameters
    ----------
    thresh
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    gives = "undirected"
    thresh: float = 0.3

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Join the variables whose correlation exceeds the threshold."""
        correlation = np.atleast_2d(np.corrcoef(data.values, rowvar=False))
        joined = np.abs(correlation) > self.thresh
        np.fill_diagonal(joined, False)
        return Estimate(Graph.from_adjacency(data.names, joined))
'''

TEST = '''\
"""My test of conditional independence."""

from dataclasses import dataclass
from math import atanh, erfc, sqrt
from typing import Any

import numpy as np

from dagathlon import Dataset, PythonTest


@dataclass(frozen=True, kw_only=True)
class {cls}(PythonTest):
    """Say in one sentence what it tests.

    Parameters
    ----------
    largest
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    assumes = ("linear relations with Gaussian noise",)
    largest: float = 0.999999

    def begin(self, data: Dataset) -> Any:
        """Compute once per data set what p_value needs."""
        return data.index, len(data), np.atleast_2d(np.corrcoef(data.values, rowvar=False))

    def p_value(self, data: Any, x: str, y: str, given: tuple[str, ...]) -> float | None:
        """Fisher's z of the partial correlation; None where the data cannot answer."""
        index, n, correlation = data
        places = [index[name] for name in (x, y, *given)]
        part = correlation[np.ix_(places, places)]
        if n <= len(given) + 3 or not np.isfinite(part).all():
            return None
        precision = np.linalg.pinv(part)
        scale = max(precision[0, 0] * precision[1, 1], 1e-300)
        r = min(abs(precision[0, 1]) / sqrt(scale), self.largest)
        return erfc(atanh(r) * sqrt(n - len(given) - 3) / sqrt(2))
'''

SCORE = '''\
"""My score."""

from dataclasses import dataclass
from math import log

import numpy as np

from dagathlon import Dataset, PythonScore


@dataclass(frozen=True, kw_only=True)
class {cls}(PythonScore):
    """Say in one sentence what it scores.

    Parameters
    ----------
    penalty
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    assumes = ("linear relations with Gaussian noise",)
    equivalent = True
    penalty: float = 1.0

    def local_score(self, data: Dataset, node: str, parents: tuple[str, ...]) -> float:
        """The log likelihood of a regression on the parents, less a price per coefficient."""
        n = len(data)
        design = np.column_stack([np.ones(n), *(data.column(name) for name in parents)])
        y = data.column(node)
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        variance = max(float(left @ left) / n, 1e-10)
        return -n / 2 * log(variance) - self.penalty * len(parents) * log(n) / 2
'''

METRIC = '''\
"""My metric."""

from dagathlon.evaluate.metric import metric
from dagathlon.graphs import Graph


@metric("{name}", title="say in a few words what it measures", better="less", unit="edges")
def {name}(estimate: Graph, truth: Graph) -> float:
    """How many edges there are too many."""
    return max(estimate.n_edges - truth.n_edges, 0)
'''

EVALUATION = '''\
"""My evaluation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluations import (
    Drawing,
    Evaluation,
    Figure,
    Grid,
    Results,
    Section,
    Table,
    TableSet,
    Words,
)


@dataclass(frozen=True, kw_only=True)
class {cls}(Evaluation):
    """Say in one sentence what it makes of the results.

    Parameters
    ----------
    ids
        Algorithms to include.
    """

    name = "{name}"
    ids: tuple[str, ...]

    def algorithms(self) -> tuple[str, ...]:
        """The ids whose runs are read."""
        return self.ids

    def tables(self, results: Results) -> Mapping[str, Table]:
        """The number of edges of every estimated graph, as edges.csv."""
        runs = results.runs_of(self.ids)
        rows = [
            {{"id": run.entry, "seed": results.case(run).seed, "edges": graph.n_edges}}
            for run, graph in results.estimates(runs)
        ]
        return {{"edges": Table(rows, "edges.csv")}}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw the chart, as SVG and PNG."""
        yield "edges", _chart(tables)

    def section(self, tables: TableSet) -> Section:
        """Return the section of the page: words, the chart, the numbers."""
        rows = [[row["id"], row["seed"], row["edges"]] for row in tables.rows("edges")]
        figure = Figure("{name}", "How large are the graphs?", "", [("edges", _chart(tables))])
        grid = Grid(["algorithm", "seed", "edges"], rows)
        return Section("{name}", "Edges", [Words("Say how to read it."), figure, grid])


def _chart(tables: TableSet) -> Drawing:
    return {{
        "width": 400,
        "data": {{"values": [dict(row) for row in tables.rows("edges")]}},
        "mark": "point",
        "encoding": {{
            "x": {{"field": "edges", "type": "quantitative"}},
            "y": {{"field": "id", "type": "nominal"}},
        }},
    }}
'''

FORMAT = '''\
"""My format of graph files."""

from dataclasses import dataclass

from dagathlon import Graph
from dagathlon.errors import GraphError
from dagathlon.graphs.formats import GraphFormat


@dataclass(frozen=True, kw_only=True)
class {cls}(GraphFormat):
    """Say in one sentence what a file looks like."""

    name = "{name}"
    suffixes = (".{name}",)

    def parse(self, text: str) -> Graph:
        """Read the nodes from the first line and an edge from each further one."""
        first, *rest = text.splitlines() or [""]
        edges = [tuple(line.split("\\t")) for line in rest if line]
        wrong = next((edge for edge in edges if len(edge) != 3), None)
        if wrong:
            raise GraphError(f"an edge is a node, a sign and a node, not {{' '.join(wrong)!r}}")
        return Graph.from_edges(edges, first.split("\\t"))

    def write(self, graph: Graph) -> str:
        """Write what parse reads."""
        edges = [(edge.left, edge.connector, edge.right) for edge in graph.edges()]
        return "".join("\\t".join(line) + "\\n" for line in (graph.names, *edges))

    def loses(self, graph: Graph) -> str | None:
        """Say what the format cannot hold of this graph; None if it holds all."""
        odd = [name for name in graph.names if "\\t" in name or name.splitlines() != [name]]
        return f"the name {{odd[0]!r}}" if odd else None
'''

CHART = '''\
"""My chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.evaluations import Drawing, Look, StudyChart


@dataclass(frozen=True, kw_only=True)
class {cls}(StudyChart):
    """Say in one sentence what it shows.

    Parameters
    ----------
    metric
        The column to show.
    """

    name = "{name}"
    question = "Say what it answers?"
    caption = "Say how to read it."
    metric: str = "n_edges"

    def draw(self, runs: Sequence[Mapping[str, Any]], look: Look) -> Drawing:
        """Draw a point for each run."""
        columns = ("id", "setting", self.metric)
        return {{
            "width": 460,
            "data": {{"values": [{{name: row.get(name) for name in columns}} for row in runs]}},
            "mark": "point",
            "encoding": {{
                "x": {{"field": self.metric, "type": "quantitative"}},
                "y": {{"field": "setting", "type": "nominal", "title": None}},
                "color": look.colour(),
            }},
        }}
'''
