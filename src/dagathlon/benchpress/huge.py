"""The learners of the R package huge 1.3.5."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from dagathlon.benchpress.huge_selection import HugeGraphicalLasso, HugeNeighbourhoods
from dagathlon.benchpress.huge_tiger import HugeTigerSearch
from dagathlon.benchpress.undirected import UndirectedLearner
from dagathlon.modules import Count, NonNegative

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset
    from dagathlon.graphs import Graph
    from dagathlon.learners.base import Estimate

_HUGE = "Zhao, Liu, Roeder, Lafferty and Wasserman 2012, The huge package, JMLR 13"
_TAKEN = "nlambda was taken for the penalty, as Benchpress does; for a path both must be null."
Criterion = Literal["ric", "ebic", "stars"]


@dataclass(frozen=True, kw_only=True)
class HugePath(UndirectedLearner):
    """Learners of huge with a path of ten penalties, one of which is selected.

    Parameters
    ----------
    lambda
        Penalty; null is a path of ten penalties.
    nlambda
        Penalty in the place of lambda, whatever its name says; null leaves lambda.
    select_criterion
        How the penalty is selected. A given one is kept by ebic and stars; ric finds its own.
    """

    fixed: ClassVar[dict[str, Any]] = {
        "n_penalties": 10,
        "min_ratio": 0.1,
        "gamma": 0.5,
        "stars_threshold": 0.1,
        "stars_samples": 20,
    }

    lambda_: NonNegative | None = field(default=None, metadata={"json": "lambda"})
    nlambda: Count | None = None
    select_criterion: Criterion | None = None

    criterion: ClassVar[Criterion]

    def translated(self) -> dict[str, Any]:
        """Return our parameters; nlambda takes precedence over lambda, as in Benchpress."""
        select = self.select_criterion or self.criterion
        given = self.lambda_ if self.nlambda is None else float(self.nlambda)
        chosen = {"select": select, "penalty": None if select == "ric" else given}
        return super().translated() | chosen

    def learn(
        self,
        data: Dataset,
        rng: np.random.Generator,
        start: Graph | tuple[Graph, ...] | None = None,
    ) -> Estimate:
        """Learn; add a note when nlambda was taken for the penalty."""
        found = super().learn(data, rng, start)
        return found if self.nlambda is None else replace(found, notes=(*found.notes, _TAKEN))


@dataclass(frozen=True, kw_only=True)
class HugeGlasso(HugePath):
    """Graphical lasso with selection of the penalty.

    Parameters
    ----------
    select_criterion
        How the penalty is selected; null is ebic. A given one is kept by ebic and stars; ric finds
        its own.
    """

    name = "huge_glasso"
    version = 2
    runs = HugeGraphicalLasso
    fixed = {**HugePath.fixed, "penalise_diagonal": True, "refit": False}
    criterion = "ebic"
    references = (_HUGE, "Friedman, Hastie and Tibshirani 2008, Biostatistics 9")


@dataclass(frozen=True, kw_only=True)
class HugeMb(HugePath):
    """Neighbourhood selection: a lasso regression of each variable on the others.

    Parameters
    ----------
    select_criterion
        How the penalty is selected; null is stars. A given one is kept by stars; ric finds its
        own; ebic is refused, since huge has none for regressions.
    """

    name = "huge_mb"
    runs = HugeNeighbourhoods
    fixed = {**HugePath.fixed, "rule": "or"}
    criterion = "stars"
    references = (_HUGE, "Meinshausen and Bühlmann 2006, Annals of Statistics 34")

    def problem(self) -> str:
        """Return an error for ebic, which huge lacks for neighbourhoods; else empty."""
        if self.select_criterion == "ebic":
            return "huge has no ebic for neighbourhoods; select_criterion is stars or ric"
        return super().problem()


@dataclass(frozen=True, kw_only=True)
class HugeTiger(UndirectedLearner):
    """TIGER: neighbourhoods by square-root lasso regression.

    Parameters
    ----------
    lambda
        Penalty; null is 1.
    """

    name = "huge_tiger"
    runs = HugeTigerSearch
    fixed = {"rule": "or"}
    references = (_HUGE, "Liu and Wang 2017, TIGER, Electronic Journal of Statistics 11")

    lambda_: NonNegative | None = field(default=None, metadata={"json": "lambda"})

    def translated(self) -> dict[str, Any]:
        """Return our parameters; a missing penalty means 1.0."""
        return super().translated() | {"penalty": 1.0 if self.lambda_ is None else self.lambda_}
