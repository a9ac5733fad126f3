"""`PythonScore`: scores written in Python."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import WrongResultError
from dagathlon.learners.score.score_kinds import ScoreModule


@dataclass(frozen=True, kw_only=True)
class PythonScore(ScoreModule):
    """A decomposable score whose terms a method in Python computes; larger is better.

    Everything that takes scores takes it: score-based and hybrid learners, `score_graph`, studies.
    A prior over graphs is added as to any other score. It is asked from one thread. One that is
    the same for all DAGs of a class says ``equivalent = True``, which spares `ges` a check.
    """

    equivalent = False
    one_thread = True

    def begin(self, data: Dataset) -> Any:
        """Compute once per data set what `local_score` needs; by default the data set itself."""
        return data

    @abstractmethod
    def local_score(self, data: Any, node: str, parents: tuple[str, ...]) -> float:
        """Return the term of a node with its parents.

        Parameters
        ----------
        data
            What `begin` returned for the data.
        node
            Name of the node.
        parents
            Names of its parents, in the order of the columns.

        Returns
        -------
        float
            A number; minus infinity for a family that must not be chosen.
        """

    def build(self, data: Dataset) -> _core.Score:
        """Build a kernel that calls `local_score`."""
        begun, names = self.begin(data), data.names

        def term(child: int, parents: Sequence[int]) -> float:
            family = names[child], tuple(names[k] for k in parents)
            return self._checked(self.local_score(begun, *family), *family)

        return _core.callback_score(len(names), term)

    def _checked(self, found: Any, node: str, parents: tuple[str, ...]) -> float:
        if isinstance(found, Real) and float(found) < math.inf:
            return float(found)
        listed = f"with parents {', '.join(map(repr, parents))}" if parents else "without parents"
        raise WrongResultError(
            f"score {self.name} gave {found!r} for {node!r} {listed}; a term is a number, or "
            "minus infinity for a family that must not be chosen"
        )
