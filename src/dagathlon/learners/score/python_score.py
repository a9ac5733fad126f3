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
    """Base class of decomposable scores with a Python method for the terms; larger is better.

    Score-based and hybrid learners, `score_graph` and studies take it like any other score, and
    a prior over graphs is added as to any other. It is called from one thread. A score-
    equivalent one declares ``equivalent = True``, which spares `ges` a check.
    """

    equivalent = False
    one_thread = True

    def begin(self, data: Dataset) -> Any:
        """Precompute, once per data set, the argument `data` of `local_score`."""
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
            A number; minus infinity for a forbidden family.
        """

    def build(self, data: Dataset) -> _core.Score:
        """Build a native score that calls `local_score`."""
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
