"""Convergence diagnostics of Markov chains: R̂ and the effective sample size.

Both are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021, Rank-normalization, folding,
and localization: an improved R̂ for assessing convergence of MCMC, Bayesian Analysis 16.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.packed import Floats, Ints


def repeat_by_state(draws: Draws, values: npt.ArrayLike) -> Floats:
    """Repeat the value of each row for as many states as the row lasts."""
    rows = np.asarray(values, dtype=np.float64)
    lasting = np.append(np.diff(draws.index), draws.end - draws.index[-1])
    return np.repeat(rows, lasting) if lasting.any() else rows[-1:]


def potential_scale_reduction(draws: npt.ArrayLike) -> float:
    """Return the rank-normalised split R̂: near 1 if the chains agree, above 1.01 if not.

    Parameters
    ----------
    draws
        One row per chain; a single chain is compared with itself, half by half.

    Returns
    -------
    float
        The larger one of the values for location and for spread; NaN for fewer than four draws
        per chain or where all draws are equal.
    """
    split = _split(np.atleast_2d(np.asarray(draws, dtype=np.float64)))
    if split.shape[1] < 2 or np.all(split == split.flat[0]):
        return float("nan")
    folded = np.abs(split - np.median(split))
    values_of_r = [_rhat(_normal_scores(values)) for values in (split, folded)]
    return float(np.nanmax(values_of_r))


def effective_sample_size(draws: npt.ArrayLike) -> float:
    """Return the number of independent draws with the same precision of the mean.

    Parameters
    ----------
    draws
        One row per chain.

    Returns
    -------
    float
        By Geyer's initial monotone sequence over split chains; NaN for fewer than four draws per
        chain or where all draws are equal.
    """
    split = _split(np.atleast_2d(np.asarray(draws, dtype=np.float64)))
    chains, n = split.shape
    if n < 2 or np.all(split == split.flat[0]):
        return float("nan")
    covariance = _autocovariance(split)
    within = float(np.mean(covariance[:, 0])) * n / (n - 1)
    total = within * (n - 1) / n + float(np.var(split.mean(axis=1), ddof=1))
    rho = 1 - (within - covariance.mean(axis=0) * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    stop = int(np.argmax(pairs < 0)) if np.any(pairs < 0) else len(pairs)
    monotone = np.minimum.accumulate(pairs[:stop]) if stop else pairs[:1]
    # The cap keeps antithetic chains from claiming any number of draws.
    time = max(2 * float(monotone.sum()) - 1, 1 / math.log10(chains * n))
    return float(chains * n / time)


def _split(draws: Floats) -> Floats:
    """Split each chain into halves, without the middle draw if their number is odd."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _normal_scores(values: Floats) -> Floats:
    """Return normal quantiles of the ranks, with mean ranks for ties."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    quantile = NormalDist().inv_cdf
    scores = np.array([quantile((rank - 0.375) / (values.size + 0.25)) for rank in ranks])
    result: Floats = scores[inverse].reshape(values.shape)
    return result


def _rhat(draws: Floats) -> float:
    n = draws.shape[1]
    within = float(np.mean(np.var(draws, axis=1, ddof=1)))
    between = float(np.var(draws.mean(axis=1), ddof=1))
    if within == 0:
        return float("inf") if between > 0 else float("nan")
    return float(np.sqrt((n - 1) / n + between / within))


def _autocovariance(draws: Floats) -> Floats:
    """Return, for each row, its autocovariances at lags 0, 1, …, by the Fourier transform."""
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    result: Floats = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n, axis=1)[:, :n] / n
    return result


def chain_stats(chains: list[Chain]) -> dict[str, float]:
    """Return R̂ and effective sample size of the score and of the number of edges.

    The first half of each chain is left out as burn-in; a value that does not vary has neither.
    """
    numbers: dict[str, list[Floats] | list[Ints]] = {
        "score": [chain.score for chain in chains],
        "size": [chain.sizes for chain in chains],
    }
    stats = {}
    for name, rows in numbers.items():
        draws = np.array(
            [repeat_by_state(chain, values) for chain, values in zip(chains, rows, strict=True)]
        )
        late = draws[:, draws.shape[1] // 2 :]
        for kind, measure in (("rhat", potential_scale_reduction), ("ess", effective_sample_size)):
            value = measure(late)
            if np.isfinite(value):
                stats[f"{kind}_{name}"] = value
    return stats
