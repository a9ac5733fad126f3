"""`StructureLearner`: a learner with scikit-learn's manners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from dagathlon.data import Dataset, read_data
from dagathlon.errors import DagathlonError
from dagathlon.learners.calling import learn, made

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dagathlon.graphs import Graph
    from dagathlon.learners.base import Estimate


class StructureLearner:
    """Any learner by its name, with `fit`, `get_params` and `set_params` as in scikit-learn.

    Parameters
    ----------
    name
        The learner; ``dagathlon modules`` lists them.
    seed
        Seed of its random numbers.
    **parameters
        Its parameters; the others have their defaults.

    Attributes
    ----------
    graph_
        The learned graph, after `fit`.
    adjacency_
        Its 0/1 matrix, from row to column.
    estimate_
        All that the learner returned: statistics, notes, a posterior if there is one.
    n_features_in_, feature_names_in_
        The variables of the data.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> StructureLearner("pc", alpha=0.01).fit(x).adjacency_.shape
    (3, 3)
    """

    graph_: Graph
    estimate_: Estimate
    feature_names_in_: npt.NDArray[np.object_]
    n_features_in_: int

    def __init__(self, name: str = "hc", *, seed: int = 1, **parameters: Any) -> None:
        self.name, self.seed, self.parameters = name, seed, parameters

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Learn a graph.

        Parameters
        ----------
        X
            A matrix, a data frame, a `Dataset`, or the path of a file.
        y
            Nothing: there is no target.
        """
        import numpy as np  # noqa: PLC0415 - needed here alone

        if y is not None:
            raise DagathlonError("there is no target: put all variables into X")
        data = X if isinstance(X, Dataset) else read_data(X)
        self.estimate_ = learn(data, self.name, seed=self.seed, **self.parameters)
        self.graph_ = self.estimate_.graph
        self.feature_names_in_ = np.asarray(data.names, dtype=object)
        self.n_features_in_ = len(data.names)
        return self

    @property
    def adjacency_(self) -> npt.NDArray[np.uint8]:
        """The 0/1 matrix of the learned graph, from row to column, in the order of the data."""
        return self.graph_.subgraph(list(self.feature_names_in_)).adjacency

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name."""
        return {"name": self.name, "seed": self.seed, **self.parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; unknown ones are refused with the nearest match."""
        new = self.get_params() | params
        name, seed = new.pop("name"), new.pop("seed")
        made(name, new)
        self.name, self.seed, self.parameters = name, seed, new
        return self

    def __repr__(self) -> str:
        given = [repr(self.name), *(f"{key}={value!r}" for key, value in self.parameters.items())]
        return f"StructureLearner({', '.join(given)})"
