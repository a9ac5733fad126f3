"""`StructureLearner`: a learner as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dagathlon.data import Dataset, Network, fit, read_data
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DagathlonError, StudyError, UnsuitedError
from dagathlon.learners.api import learn
from dagathlon.learners.spec import LearnerLike, LearnerSpec

try:
    from sklearn.base import BaseEstimator
except ImportError:  # optional: needed only inside scikit-learn's own tools
    BaseEstimator = object

if TYPE_CHECKING:
    import numpy.typing as npt

    from dagathlon.graphs import Graph
    from dagathlon.learners.base import Estimate

_LEAST_ROWS = 2


class _MissingError(UnsuitedError, ValueError):
    """Error for missing values that a learner does not take; a `ValueError` as in scikit-learn."""


class StructureLearner(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Any learner as an estimator with `fit`, `score`, `get_params` and `set_params`.

    Parameters
    ----------
    name
        The learner, as `dagathlon.learn` takes it: ``"hc"``, ``"pc[alpha=0.01]"``, ``Pc``.
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
    network_
        A network on the graph, or on a DAG that extends it, with parameters fitted to the data.
    n_features_in_, feature_names_in_
        Number and, for a frame, names of the columns.

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

    def __init__(self, name: LearnerLike = "hc", *, seed: int = 1, **parameters: Any) -> None:
        self.name, self.seed = name, seed
        if parameters:
            self._parameters = parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the learner that were given as keyword arguments."""
        return getattr(self, "_parameters", {})

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Learn a graph.

        Parameters
        ----------
        X
            A matrix, a data frame, a `Dataset`, or the path of a file.
        y
            Ignored; scikit-learn's pipelines pass it.
        """
        data = self._data(X, fitting=True)
        self._check_names()
        try:
            self.estimate_ = learn(data, self.name, seed=self.seed, **self.parameters)
        except UnsuitedError as error:
            if not data.has_missing:
                raise
            raise _MissingError(f"X contains NaN: {error}") from None
        self.graph_ = self.estimate_.graph
        self.n_features_in_ = len(data.names)
        if _has_names(X):
            self.feature_names_in_ = np.asarray(data.names, dtype=object)
        self._training = data
        self._network: Network | None = None
        return self

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803 - scikit-learn's name
        """Mean log-likelihood of rows under `network_`: more is better.

        Parameters
        ----------
        X
            Rows with the columns that `fit` was given.
        y
            Ignored.
        """
        self._check_fitted()
        data = self._data(X, fitting=False)
        return self.network_.log_likelihood(data) / len(data)

    @property
    def network_(self) -> Network:
        """The graph, or a DAG that extends it, with parameters fitted to the training data."""
        self._check_fitted()
        if self._network is None:
            self._network = fit(self._training, self.graph_)
        return self._network

    @property
    def adjacency_(self) -> npt.NDArray[np.uint8]:
        """The 0/1 matrix of the learned graph, from row to column, in the order of the data."""
        self._check_fitted()
        return self.graph_.subgraph(list(self._training.names)).adjacency

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name."""
        return {"name": self.name, "seed": self.seed, **self.parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; unknown ones are refused with the nearest match."""
        new = self.get_params() | params
        changed = type(self)(**new)
        changed._check_names()
        self.__init__(**new)  # type: ignore[misc]
        return self

    def _check_names(self) -> None:
        """Refuse parameters that the learner does not have; values are checked by `fit`."""
        try:
            cls = LearnerSpec.of(self.name).cls
        except DagathlonError:
            return
        for name in self.parameters:
            if name not in cls.parameters():
                raise StudyError(cls.unknown_parameter(name))

    def _data(self, given: Any, fitting: bool) -> Dataset:
        if isinstance(given, Dataset):
            return given
        if BaseEstimator is object or not _is_matrix(given):
            return read_data(given)
        from sklearn.utils.validation import validate_data  # noqa: PLC0415 - an optional package

        least = _LEAST_ROWS if fitting else 1
        matrix = validate_data(
            self, given, reset=fitting, ensure_all_finite="allow-nan", ensure_min_samples=least
        )
        return read_data(matrix, names=list(given.columns) if _has_names(given) else None)

    def _check_fitted(self) -> None:
        if hasattr(self, "estimate_"):
            return
        message = "this StructureLearner is not fitted yet: call fit first"
        if BaseEstimator is object:
            raise DagathlonError(message)
        from sklearn.exceptions import NotFittedError  # noqa: PLC0415 - an optional package

        raise NotFittedError(message)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing_values()
        return tags

    def _takes_missing_values(self) -> bool:
        try:
            learner = LearnerSpec.of(self.name, self.parameters).learner()
        except DagathlonError:
            return False
        return not learner.why_unsuitable(DataFacts("continuous", missing=True))

    def __repr__(self) -> str:
        given = [repr(self.name), *(f"{key}={value!r}" for key, value in self.parameters.items())]
        return f"StructureLearner({', '.join(given)})"


def _has_names(given: Any) -> bool:
    """Return whether an argument is a data frame whose columns have names."""
    columns = getattr(given, "columns", ())
    return isinstance(given, Dataset) or (
        len(columns) > 0 and all(isinstance(name, str) for name in columns)
    )


def _is_matrix(given: Any) -> bool:
    """Return whether an argument is numeric, so that scikit-learn's checks can be applied to it."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return False
    if hasattr(given, "dtypes"):
        return all(getattr(kind, "kind", "O") in "fiu" for kind in given.dtypes)
    if hasattr(given, "columns"):
        return False
    return getattr(getattr(given, "dtype", None), "kind", "f") != "U"
