"""mice 3.17: multiple imputation, whose completed data sets other algorithms use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, cast

from dagathlon.data.preparing.imputation import DEFAULT_COPIES, DEFAULT_SWEEPS, ImputationMethod
from dagathlon.learners.imputation_step import ImputationStep
from dagathlon.modules import NonNegative, Range

_Method: TypeAlias = Literal["rf", "ppm", "pmm", "logreg", "polr", "polyreg", "norm", "cart"]


@dataclass(frozen=True, kw_only=True)
class Mice(ImputationStep):
    """Multiple imputation by chained equations, whose data sets bips_tpc and others pool.

    It learns no graph. Another algorithm names it: bips_tpc and pc by the tests that pool, any
    other one inside imputed.

    Parameters
    ----------
    m
        Number of completed data sets; a fraction is cut off.
    maxit
        Number of sweeps over the variables; a fraction is cut off.
    method
        How variables are filled, those it is not for as by default; null is `defaultMethod`. ppm is
        Benchpress's spelling of pmm, predictive mean matching; norm is linear regression, logreg,
        polyreg and polr are logistic, multinomial and ordinal regression, cart a tree and rf a
        forest.
    defaultMethod
        The same where `method` is null; null is pmm for continuous, logreg for binary, polyreg for
        other and polr for ordinal variables.
    action
        Ignored: algorithms are always given all completed data sets.
    include
        Ignored: the data with gaps are never among them.
    mild
        Ignored: it is about the type of the result in R.
    order
        Ignored: it is about names of columns in R.
    timeout
        Time limit in seconds; null is none.
    """

    name = "mice"
    implementation = "dagathlon (re-implementation of mice 3.17)"
    assumes = ("values missing at random",)
    references = (
        "van Buuren and Groothuis-Oudshoorn 2011, JSS 45(3)",
        "Rubin 1987, Multiple imputation for nonresponse in surveys, Wiley",
    )

    m: Annotated[float, Range(1, 10_000)] = float(DEFAULT_COPIES)
    maxit: Annotated[float, Range(0, 10_000)] = float(DEFAULT_SWEEPS)
    method: _Method | None = None
    defaultMethod: _Method | None = None
    action: Literal["all", "long", "broad", "stacked", "repeated"] = "all"
    include: bool = False
    mild: bool = False
    order: Literal["first", "last"] = "last"
    timeout: NonNegative | None = None

    def recipe(self) -> tuple[int, int, ImputationMethod]:
        """Return numbers of copies and sweeps as integers, and our name of the method."""
        method = self.method or self.defaultMethod or "mice"
        ours = "pmm" if method == "ppm" else method
        return int(self.m), int(self.maxit), cast(ImputationMethod, ours)
