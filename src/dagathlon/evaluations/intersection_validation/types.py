"""`Learned`: what learners say of each pair, on all rows and on subsamples, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError, GraphError, listing
from dagathlon.graphs import Graph, Mark, PartialGraph, common_language
from dagathlon.graphs.languages import Language, has_circles, marks_in
from dagathlon.graphs.marks import connector
from dagathlon.graphs.partial import OUTSIDE

Types: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]
Estimates: TypeAlias = Mapping[str, Mapping[int, Sequence[Graph | None]]]
"""The graphs of each learner on the subsamples of each size; None where a run failed."""

# A type is four times the mark at the earlier node and the mark at the later one.
_BASE = 4


class Joined(NamedTuple):
    """Adjacent pairs of one graph: their numbers and types."""

    pairs: Numbers
    types: Types


@dataclass(frozen=True, eq=False)
class Learned:
    """Types of all pairs that are adjacent in some graph.

    Parameters
    ----------
    names
        The nodes.
    by
        The language of the types.
    learners
        The learners, in order.
    pairs
        The pairs that any graph joins: row numbers of the nodes, the lesser first.
    whole
        The types by learner and pair, on all rows.
    parts
        For each size the types by learner, subsample and pair.
    there
        For each size by learner and subsample whether there is a graph.
    graphs, estimates
        The graphs themselves, as they were given.
    algorithms
        The algorithm of each learner; empty where that is not known.
    """

    names: tuple[str, ...]
    by: Language
    learners: tuple[str, ...]
    pairs: Numbers
    whole: Types
    parts: Mapping[int, Types]
    there: Mapping[int, Bools]
    graphs: Mapping[str, Graph]
    estimates: Estimates
    algorithms: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        graphs: Mapping[str, Graph],
        estimates: Estimates | None = None,
        *,
        by: Language | None = None,
        outputs: Mapping[str, str] | None = None,
        algorithms: Mapping[str, str] | None = None,
    ) -> Learned:
        """Collect the pair types of all graphs.

        Parameters
        ----------
        graphs
            The graph of each learner on all rows.
        estimates
            For each learner and size the graphs on the subsamples, None where a run failed. The
            subsamples of a size are the same ones for all learners, in the same order.
        by
            The language; by default the common one of the graphs on all rows.
        outputs
            What the learners return, as far as it is known; see `common_language`.
        algorithms
            The algorithm of each learner.
        """
        given = estimates or {}
        _check(graphs, given)
        learners = tuple(graphs)
        names = graphs[learners[0]].names
        language = _language(graphs, given, outputs or {}) if by is None else by
        sizes = sorted({size for name in learners for size in given.get(name, {})})
        runs = {size: runs_of(given, learners, size) for size in sizes}
        whole = [joined(graph, names, language) for graph in graphs.values()]
        cut = {
            size: [_joined(graph, names, language) for item in some for graph in item]
            for size, some in runs.items()
        }
        ids = _ids([*whole, *(item for some in cut.values() for item in some)])
        shapes = {size: (len(some), len(some[0]), len(ids)) for size, some in runs.items()}
        return cls(
            names,
            language,
            learners,
            np.stack(np.divmod(ids, max(1, len(names))), axis=1),
            _filled(whole, ids),
            {size: _filled(cut[size], ids).reshape(shapes[size]) for size in sizes},
            {size: _there(runs[size]) for size in sizes},
            graphs,
            given,
            tuple(algorithms[name] for name in learners) if algorithms else (),
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the sizes of the subsamples, the smallest first."""
        return tuple(self.parts)

    @property
    def n_all(self) -> int:
        """Return the number of pairs of nodes."""
        return len(self.names) * (len(self.names) - 1) // 2

    def agreed(self, learners: Iterable[int]) -> Bools:
        """Return the mask of pairs on which these learners agree on all rows."""
        result = self.whole[list(learners)]
        same: Bools = (result == result[:1]).all(axis=0)
        return same

    @cached_property
    def agreement(self) -> PartialGraph:
        """Return the agreement of all learners on all rows."""
        inside, types = self.agreed(range(len(self.learners))), self.whole[0]
        matrix = np.zeros((len(self.names),) * 2, dtype=np.uint8)
        np.fill_diagonal(matrix, OUTSIDE)
        i, j = self.pairs.T
        matrix[j, i] = np.where(inside, types // _BASE, OUTSIDE)
        matrix[i, j] = np.where(inside, types % _BASE, OUTSIDE)
        return PartialGraph._of(self.names, matrix, self.by)


def joined(graph: Graph, names: Sequence[str], by: Language) -> Joined:
    """Return the adjacent pairs of a graph; the pair (i, j), i < j, has the number p·i + j."""
    marks, p = marks_in(graph, by), len(names)
    cells = _nonzero(marks)
    i, j = np.divmod(cells, max(1, p))
    i, j = i[i < j], j[i < j]
    left, right = marks[j, i], marks[i, j]
    if graph.names != tuple(names):
        place = np.array([_places(names)[name] for name in graph.names], dtype=np.int64)
        i, j = place[i], place[j]
        turned = i > j
        i, j = np.where(turned, j, i), np.where(turned, i, j)
        left, right = np.where(turned, right, left), np.where(turned, left, right)
    pairs = p * i + j
    order = np.argsort(pairs)
    return Joined(pairs[order], (_BASE * left + right)[order])


def _joined(graph: Graph | None, names: Sequence[str], by: Language) -> Joined | None:
    return None if graph is None else joined(graph, names, by)


def arrowheads(types: Types) -> tuple[Bools, Bools]:
    """Return whether types have an arrowhead at the earlier and at the later node."""
    return types // _BASE == Mark.ARROW, types % _BASE == Mark.ARROW


def written(kind: int) -> str:
    """Return the edge sign of a type, from the earlier node to the later; empty for no edge."""
    return connector(kind // _BASE, kind % _BASE) if kind else ""


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def _nonzero(marks: Types) -> Numbers:
    """Return the nonzero cells, testing eight at once, since large graphs are sparse."""
    flat = marks.ravel()
    if len(flat) % 8:
        flat = np.pad(flat, (0, -len(flat) % 8))
    words = np.flatnonzero(flat.view(np.uint64) != 0)
    cells = (8 * words[:, None] + np.arange(8)).ravel()
    result: Numbers = cells[flat[cells] != 0]
    return result


def runs_of(estimates: Estimates, learners: Sequence[str], size: int) -> list[list[Graph | None]]:
    """Return the graphs of each learner on subsamples of one size, padded to equal length."""
    runs = [estimates.get(name, {}).get(size, ()) for name in learners]
    most = max(map(len, runs))
    return [[*some, *[None] * (most - len(some))] for some in runs]


def _there(runs: Sequence[Sequence[Graph | None]]) -> Bools:
    """Return the mask of learners and subsamples that have a graph."""
    return np.array([[graph is not None for graph in some] for some in runs], dtype=np.bool_)


def _ids(graphs: Iterable[Joined | None]) -> Numbers:
    """Return the sorted numbers of all pairs that are adjacent in some graph."""
    return np.unique(
        np.concatenate([data_set.pairs for data_set in graphs if data_set is not None])
    )


def _filled(graphs: Sequence[Joined | None], ids: Numbers) -> Types:
    """Return one row of pair types per graph; 0 where a pair is not adjacent."""
    result = np.zeros((len(graphs), len(ids)), dtype=np.uint8)
    for row, item in zip(result, graphs, strict=True):
        if item is not None:
            row[np.searchsorted(ids, item.pairs)] = item.types
    return result


def _check(graphs: Mapping[str, Graph], estimates: Estimates) -> None:
    if not graphs:
        raise DagathlonError("intersection-validation needs a graph of each learner on all rows")
    if others := [name for name in estimates if name not in graphs]:
        raise DagathlonError(f"no graph on all rows of these learners: {listing(others)}")
    first = next(iter(graphs))
    nodes = set(graphs[first].names)
    for name, graph in graphs.items():
        rest = (g for some in estimates.get(name, {}).values() for g in some if g is not None)
        for item in (graph, *rest):
            if set(item.names) != nodes:
                raise GraphError(
                    f"the graphs of {first} and of {name} are not graphs of the same nodes: only "
                    f"in one of them: {listing(sorted(nodes ^ set(item.names)))}"
                )


def _language(
    graphs: Mapping[str, Graph], estimates: Estimates, outputs: Mapping[str, str]
) -> Language:
    """Return the common language of all graphs; circles on a subsample rule out classes."""
    result = common_language(graphs.values(), [outputs.get(name) for name in graphs])
    rest = (
        g for some in estimates.values() for part in some.values() for g in part if g is not None
    )
    if result == "classes" and any(map(has_circles, rest)):
        return "arrowheads"
    return result
