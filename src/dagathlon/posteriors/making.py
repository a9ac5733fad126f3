"""Combination of draws into a posterior: weights, chains, packed forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError, GraphError, listing
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.packed import FORMS, Form
from dagathlon.posteriors.sample import Sample

_SUM_TOLERANCE = 1e-6


def one_form(chains: Sequence[Draws]) -> tuple[Draws, ...]:
    """Return chains converted to one packed form; raise if they cannot be combined."""
    names = chains[0].names
    for number, chain in enumerate(chains[1:], 1):
        if chain.names != names:
            raise GraphError(
                f"chain {number} is over {listing(chain.names)}, chain 0 over {listing(names)}; "
                "all have the same nodes in the same order"
            )
    if len({chain.log_weights is None for chain in chains}) > 1:
        raise DataError(
            "draws with weights and draws without cannot be combined: the weight of the latter is "
            "unknown"
        )
    widest = max((chain.form for chain in chains), key=FORMS.index)
    return tuple(_recast(chain, widest) for chain in chains)


def _recast(chain: Draws, form: Form) -> Draws:
    if isinstance(chain, Sample):
        return chain.recast(form)
    if chain.form == form:
        return chain
    raise GraphError(
        f"a chain of {chain.form} graphs and draws with {form} do not make one posterior"
    )


def log_weights_of(
    weights: npt.ArrayLike | None, log_weights: npt.ArrayLike | None
) -> npt.ArrayLike | None:
    """Return log weights of draws, computed from normalised weights if those are given."""
    if weights is None:
        return log_weights
    if log_weights is not None:
        raise DataError("draws have weights or log weights, not both")
    shares = np.asarray(weights, dtype=np.float64)
    if np.any(np.isnan(shares) | (shares < 0) | (shares == np.inf)):
        bad = int(np.flatnonzero(~((shares >= 0) & (shares < np.inf)))[0])
        raise DataError(f"weights are numbers of at least 0; that of draw {bad} is {shares[bad]}")
    if abs(shares.sum() - 1) > _SUM_TOLERANCE:
        raise DataError(
            f"the weights of the draws sum to {shares.sum():.6g}, not to 1; give log_weights where "
            "weights are known up to a constant"
        )
    with np.errstate(divide="ignore"):
        return np.log(shares)


def split_by_chain(sample: Sample, chain: Sequence[int]) -> list[Draws]:
    """Split a sample by the chain number of each draw."""
    numbers = np.asarray(chain)
    if numbers.shape != (len(sample),):
        raise DataError(f"{len(sample)} draws have as many numbers of chains")
    known = np.unique(numbers)
    if not np.array_equal(known, np.arange(len(known))):
        raise DataError(f"chains are numbered 0, 1, …, found {listing(known.tolist())}")
    return [sample.at(np.flatnonzero(numbers == number)) for number in known]
