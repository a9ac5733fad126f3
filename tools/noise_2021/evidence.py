"""Numbers that conclusions on noise are drawn from: of the data as they are and of each resample.

Every array has the data first and then the resamples along its first axis, so that differences and
extremes of what is uncertain together have honest intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from dagathlon.evaluate.ranking.correlations import rank_correlations
from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.change import (
    accuracy,
    edge_ratios,
    imputed,
    mean_changes,
    ratios,
    time_ratios,
)
from dagathlon.evaluations.noise.grid import CLEAN, METRICS
from dagathlon.evaluations.noise.ranks import standing
from dagathlon.evaluations.noise.resampling import Estimates
from dagathlon.evaluations.noise.strengths import ALL_NOISE
from dagathlon.evaluations.noise.tables import NoiseStudyTables


class Evidence:
    """What is asked of the tables of a study, each computed once.

    Parameters
    ----------
    tables
        Those of the study.
    """

    def __init__(self, tables: NoiseStudyTables) -> None:
        self.tables = tables
        self.grid = tables.grid
        self.drawn = tables.drawn

    def estimate(self, values: Floats) -> Estimates:
        """The number with its interval."""
        return Estimates.of(values, self.drawn.most)

    def columns(self, names: Sequence[str]) -> list[int]:
        """Where algorithms stand in arrays; KeyError for one that is not in the study."""
        places = {name: j for j, name in enumerate(self.grid.algorithms)}
        return [places[name] for name in names]

    def some(self, names: Sequence[str]) -> list[int]:
        """Where those of a group stand that are in the study; KeyError for none."""
        found = [j for j, name in enumerate(self.grid.algorithms) if name in names]
        if not found:
            raise KeyError(", ".join(names))
        return found

    def others(self, names: Sequence[str]) -> list[int]:
        """Where all but these algorithms stand."""
        chosen = set(self.some(names))
        return [j for j in range(len(self.grid.algorithms)) if j not in chosen]

    @cached_property
    def averages(self) -> Mapping[tuple[bool, str], Floats]:
        """Average ranks by algorithm (column), by whether there is noise and by metric."""
        rows = {False: self.grid.of("N"), True: self.grid.of("noisy")}
        return {
            (noisy, metric): standing(self.grid, metric, some, self.drawn).averages
            for noisy, some in rows.items()
            for metric in METRICS
        }

    def gain(self, metric: str, codes: Sequence[str] = ()) -> Floats:
        """How much better the average ranks of algorithms are with noise, or with some codes."""
        clean = self.averages[False, metric]
        if not codes:
            return clean - self.averages[True, metric]
        rows = self.grid.where(lambda case: case.code in codes)
        return clean - standing(self.grid, metric, rows, self.drawn).averages

    @cached_property
    def losses(self) -> Mapping[tuple[str, str], Floats]:
        """Relative loss of accuracy over all algorithms, by code and metric (Figure 7)."""
        return {
            (code, metric): -change
            for metric in METRICS
            for code, change in mean_changes(self.grid, self.drawn, metric).items()
        }

    @cached_property
    def edges(self) -> Mapping[str, Floats]:
        """Edges with noise over edges without, by code (Figure 9)."""
        return edge_ratios(self.grid, self.drawn)

    @cached_property
    def times(self) -> Mapping[str, Floats]:
        """Run time with noise over that without, by code (Figure 6)."""
        if np.isnan(self.grid.values["time"]).all():
            raise KeyError("time")
        return time_ratios(self.grid, self.drawn, self.tables.limit)

    def kept(self, code: str = ALL_NOISE) -> Floats:
        """Accuracy kept by algorithm with one kind of noise (Figure 8)."""
        if code not in self.grid.codes:
            raise KeyError(code)
        score = accuracy(self.grid)
        now, before = (imputed(self.grid, score, one) for one in (code, CLEAN))
        return ratios(now, before, self.drawn)

    def edge_shares(self) -> Floats:
        """Learned over true edges without noise, by algorithm (Figure 2)."""
        noisy = [case.code != CLEAN for case in self.grid.cases]
        return self.drawn.means(np.where(np.array(noisy)[:, None], np.nan, self.grid.edge_shares))

    def agreement(self, *, noisy: bool) -> Floats:
        """Spearman's correlations of average ranks, for each row one by metric and metric."""
        tables = np.stack([self.averages[noisy, metric] for metric in METRICS], axis=2)
        return np.stack([rank_correlations(table, ["less"] * len(METRICS)) for table in tables])

    def correlation(self, metric: str, averages: Mapping[str, float], *, noisy: bool) -> Floats:
        """Spearman's correlation of average ranks with those of another study.

        Parameters
        ----------
        metric
            By which the algorithms are ranked.
        averages
            Those of the other study, by algorithm; only those that both have count.
        noisy
            With noise or without.
        """
        own = self.averages[noisy, metric]
        other = np.array([averages.get(name, np.nan) for name in self.grid.algorithms])
        pairs = (np.column_stack([row, other]) for row in own)
        return np.array([rank_correlations(pair, ["less", "less"])[0, 1] for pair in pairs])
