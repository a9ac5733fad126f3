"""A metric of one's own in one file: how far the degrees of the nodes are from the true ones.

dagathlon metrics degree_error --modules examples/degree_metric.py
dagathlon compare learned.csv truth.csv --modules examples/degree_metric.py
dagathlon run examples/own_parts.json
"""

import numpy as np

from dagathlon.evaluate.metric import metric
from dagathlon.graphs import Graph


@metric(
    "degree_error",
    title="mean error of a node's degree",
    short="degree error",
    better="less",
    unit="edges",
    headline=75,
)
def degree_error(estimate: Graph, truth: Graph) -> float:
    """Mean over the nodes of how many neighbours there are too many or too few."""
    learned = (estimate.subgraph(truth.names).marks != 0).sum(axis=0)
    return float(np.abs(learned - (truth.marks != 0).sum(axis=0)).mean())
