"""Dagathlon: the same data, the same rules, one scoreboard for structure learners."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dagathlon.renamed import renamed

if TYPE_CHECKING:
    from dagathlon.data import (
        Dataset,
        Network,
        fit,
        read_data,
        read_network,
        write_data,
        write_network,
    )
    from dagathlon.errors import DagathlonError
    from dagathlon.evaluate import (
        compare,
        compare_path,
        compare_posterior,
        compare_precision,
    )
    from dagathlon.evaluations import Evaluation
    from dagathlon.evaluations.intersection_validation.question import rank_without_truth
    from dagathlon.graphs import Graph, read_graph, write_graph
    from dagathlon.learners import Estimate, Learner, StructureLearner, learn
    from dagathlon.learners.independence import PythonTest, independence_test, separation_test
    from dagathlon.learners.score.python_score import PythonScore
    from dagathlon.learners.score.scores import score_graph
    from dagathlon.posteriors.edge_strength import optimal_threshold
    from dagathlon.workflow import Study

# Where each public name lives; it is imported when it is first used, so that importing the package
# stays quick.
_HOMES = {
    "DagathlonError": "errors",
    "Dataset": "data",
    "Estimate": "learners",
    "Evaluation": "evaluations",
    "Graph": "graphs",
    "Learner": "learners",
    "Network": "data",
    "PythonScore": "learners.score.python_score",
    "PythonTest": "learners.independence",
    "StructureLearner": "learners.estimator",
    "Study": "workflow",
    "compare": "evaluate",
    "compare_path": "evaluate",
    "compare_posterior": "evaluate",
    "compare_precision": "evaluate",
    "fit": "data",
    "independence_test": "learners.independence",
    "learn": "learners",
    "optimal_threshold": "posteriors.edge_strength",
    "rank_without_truth": "evaluations.intersection_validation.question",
    "read_data": "data",
    "read_graph": "graphs",
    "read_network": "data",
    "score_graph": "learners.score.scores",
    "separation_test": "learners.independence",
    "write_data": "data",
    "write_graph": "graphs",
    "write_network": "data",
}
_former = renamed("dagathlon", {"interval": "dagathlon:rank_without_truth"}, stacklevel=3)

__all__ = [
    "DagathlonError",
    "Dataset",
    "Estimate",
    "Evaluation",
    "Graph",
    "Learner",
    "Network",
    "PythonScore",
    "PythonTest",
    "StructureLearner",
    "Study",
    "compare",
    "compare_path",
    "compare_posterior",
    "compare_precision",
    "fit",
    "independence_test",
    "learn",
    "optimal_threshold",
    "rank_without_truth",
    "read_data",
    "read_graph",
    "read_network",
    "score_graph",
    "separation_test",
    "write_data",
    "write_graph",
    "write_network",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("dagathlon")
    if name not in _HOMES:
        return _former(name)
    return getattr(importlib.import_module(f"dagathlon.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, "__version__"])
