"""Joint probability of independence constraints (answers to tests), as in RFCI-BSC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.pulse import part

Floats: TypeAlias = npt.NDArray[np.float64]
Answers: TypeAlias = npt.NDArray[np.bool_]
_MAX_PARENTS = 3
_ISS = 1.0


@dataclass(frozen=True)
class _Family:
    """An answer with its parent answers and its conditional probability table."""

    child: int
    parents: npt.NDArray[np.intp]
    yes: Floats

    def at(self, places: npt.NDArray[np.intp]) -> _Family:
        """Return the family with its answers renumbered by `places`."""
        return _Family(int(places[self.child]), places[self.parents], self.yes)

    def log_probability(self, answers: Answers) -> float:
        yes = self.yes[_row(answers[self.parents])]
        return float(np.log(yes if answers[self.child] else 1 - yes))


class ConstraintNetwork:
    """Bayesian network of independence constraints: test answers, some of which are dependent.

    Parameters
    ----------
    log_odds
        For each question the logarithm of the odds of the answer yes.
    families
        The dependent answers; `log_odds` are used for the others.
    passes_over
        Whether an answer whose probability underflows to 0 is ignored, as in Tetrad; otherwise its
        logarithm counts.
    """

    def __init__(
        self, log_odds: Floats, families: tuple[_Family, ...] = (), *, passes_over: bool = False
    ) -> None:
        self._log_yes = -np.logaddexp(0.0, -log_odds)
        self._log_no = -np.logaddexp(0.0, log_odds)
        if passes_over:
            yes = np.exp(self._log_yes)
            self._log_yes[yes == 0] = 0.0
            self._log_no[yes == 1] = 0.0
        self._families = families
        for family in families:
            self._log_yes[family.child] = self._log_no[family.child] = 0.0

    @classmethod
    def learned(cls, log_odds: Floats, draws: Answers) -> Self:
        """Learn the network from answers on bootstrap samples, one sample per row.

        Answers that are the same in every sample are independent of the rest. The others
        form a Bayesian network: each has at most three parents among those before it, added
        greedily by BDeu; its probabilities are posterior means.
        """
        varying = _varying(draws)
        if not len(varying):
            return cls(log_odds)
        parents = _parents(draws)
        families = (_family(k, parents[k], draws, 1.0 / (2 << len(parents[k]))) for k in varying)
        return cls(log_odds, tuple(families))

    @classmethod
    def of_uncertain(cls, log_odds: Floats, draws: Answers, places: npt.NDArray[np.intp]) -> Self:
        """Learn the network as in Tetrad: uncertain answers are in it, certain ones independent.

        Parameters
        ----------
        log_odds
            For each question the logarithm of the odds of the answer yes.
        draws
            Answers on bootstrap samples, one sample in each row.
        places
            The number of the question of each column of `draws`.
        """
        parents = _parents(draws)
        families = (_family(k, parents.get(k, []), draws, 0.5) for k in range(len(places)))
        return cls(log_odds, tuple(f.at(places) for f in families), passes_over=True)

    def __call__(self, answers: Answers) -> float:
        """Return the log probability of these answers."""
        plain = float(np.where(answers, self._log_yes, self._log_no).sum())
        return plain + sum(family.log_probability(answers) for family in self._families)


def _row(parents: Answers) -> int:
    return int(parents @ (1 << np.arange(len(parents))))


def _varying(draws: Answers) -> npt.NDArray[np.intp]:
    return np.flatnonzero(draws.any(axis=0) & ~draws.all(axis=0))


def _parents(draws: Answers) -> dict[int, list[int]]:
    """Return the parents of each varying answer in a Bayesian network learned from the draws."""
    varying = _varying(draws)
    with part():
        parents = _core.answer_parents(draws[:, varying], _MAX_PARENTS, _ISS)
    return {
        int(k): [int(varying[x]) for x in each] for k, each in zip(varying, parents, strict=True)
    }


def _family(child: int, parents: list[int], draws: Answers, pseudocount: float) -> _Family:
    places = np.array(sorted(parents), dtype=np.intp)
    rows = 1 << len(places)
    configuration = draws[:, places] @ (1 << np.arange(len(places)))
    seen = np.bincount(configuration, minlength=rows)
    yes = np.bincount(configuration, weights=draws[:, child], minlength=rows)
    return _Family(child, places, (yes + pseudocount) / (seen + 2 * pseudocount))
