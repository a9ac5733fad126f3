"""An evaluation of one's own in one file: how many edges algorithms find as rows are added.

dagathlon check examples/edge_counts.json
dagathlon run examples/edge_counts.json
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from dagathlon.evaluations import (
    Cases,
    Drawing,
    Evaluation,
    Figure,
    Grid,
    Learning,
    Results,
    Section,
    Table,
    TableSet,
    Wanted,
    Words,
)
from dagathlon.modules import Natural
from dagathlon.simulate.resampling import Subsample


@dataclass(frozen=True, kw_only=True)
class EdgeCounts(Evaluation):
    """Count the edges that algorithms find in subsamples of the data.

    Parameters
    ----------
    ids
        Algorithms to run on the subsamples.
    sizes
        Numbers of rows.
    repeats
        Number of subsamples of each size, the same ones for all algorithms.
    """

    name = "edge_counts"
    ids: tuple[str, ...]
    sizes: tuple[Natural, ...] = (25, 50, 100)
    repeats: Natural = 3

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Learning on every subsample of every data set."""
        for size in self.sizes:
            yield from self._learning(size)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """One row for each graph, and means by algorithm and size."""
        rows = []
        for size in self.sizes:
            for learning in self._learning(size):
                runs = results.further_runs(self.ids, learning.label)
                for run, graph in results.estimates(runs):
                    about = {"id": run.entry, "seed": results.case(run).seed, "rows": size}
                    rows.append(about | {"edges": graph.n_edges})
        means = [
            {"id": name, "rows": size, "edges": fmean(found)}
            for name in self.ids
            for size in self.sizes
            if (found := [r["edges"] for r in rows if (r["id"], r["rows"]) == (name, size)])
        ]
        return {"graphs": Table(rows, "graphs.csv"), "means": Table(means, "means.csv")}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw the chart, as SVG and PNG."""
        yield "edges", _chart(tables)

    def section(self, tables: TableSet) -> Section:
        """The same figure on the page, and its numbers."""
        rows = [[row["id"], row["rows"], row["edges"]] for row in tables.rows("means")]
        parts = [
            Words("Learned again on random subsamples of every data set; means over all of them."),
            Figure(
                "edge-counts",
                "How many edges do more rows bring?",
                "A curve that still rises says that the data are too few for this algorithm.",
                [("edges", _chart(tables))],
            ),
            Grid(["algorithm", "rows", "edges"], rows),
        ]
        return Section("edge-counts", "Edges by sample size", parts)

    def _learning(self, size: int) -> Iterator[Learning]:
        for number in range(1, self.repeats + 1):
            yield Learning((Subsample(n=size, number=number),), self.ids)


def _chart(tables: TableSet) -> Drawing:
    return {
        "width": 400,
        "height": 240,
        "data": {"values": [dict(row) for row in tables.rows("means")]},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "rows", "type": "quantitative"},
            "y": {"field": "edges", "type": "quantitative", "title": "edges"},
            "color": tables.look.colour(),
        },
    }
