"""A chart of one's own: the number of edges of every learned graph, by algorithm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.evaluations import Drawing, Look, StudyChart


@dataclass(frozen=True, kw_only=True)
class EdgeStrips(StudyChart):
    """A tick for each run, at the value of a metric.

    Parameters
    ----------
    metric
        The column to show.
    """

    name = "edge_strips"
    question = "How much do the runs of an algorithm differ?"
    caption = "A tick for each run."
    metric: str = "n_edges"

    def draw(self, runs: Sequence[Mapping[str, Any]], look: Look) -> Drawing:
        """Draw a strip for each setting."""
        columns = ("id", "setting", self.metric)
        return {
            "width": 460,
            "data": {"values": [{name: row.get(name) for name in columns} for row in runs]},
            "mark": "tick",
            "encoding": {
                "x": {"field": self.metric, "type": "quantitative"},
                "y": {"field": "setting", "type": "nominal", "title": None},
                "color": look.colour(),
            },
        }
