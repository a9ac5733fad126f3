"""Every table of a study of noisy data, from its runs.

Definitions are those of the paper; where its words leave open what is meant, they are the reading
that gives its printed numbers. Of several seeds the tables have means, with intervals over blocks
of network and seed (`dagathlon.evaluations.noise.resampling`).

References
----------
Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of Bayesian
network structure learning algorithms with noisy data, International Journal of Approximate
Reasoning 131.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dagathlon.evaluations.noise.change import change_rows, loss_rows, time_rows
from dagathlon.evaluations.noise.costs import By, edge_density_rows, failure_rows, run_time_rows
from dagathlon.evaluations.noise.grid import NoiseGrid, NoiseRun, Which, noise_grid
from dagathlon.evaluations.noise.kept import accuracy_rows, edge_rows, kept_rows
from dagathlon.evaluations.noise.ranks import rank_rows, rank_rows_by_code, rank_rows_by_density
from dagathlon.evaluations.noise.relative import extreme_rows, relative_rows, score_rows
from dagathlon.evaluations.noise.resampling import Over, Resampling, resampling, usual_over
from dagathlon.evaluations.noise.strengths import Groups, strength_rows
from dagathlon.frame import Cells

__all__ = ["NoiseRun", "NoiseStudyTables"]


@dataclass(frozen=True)
class NoiseStudyTables:
    """The tables, one method each; every method returns rows as dictionaries.

    A number ``x`` of several data sets comes with the ends of its 95 % interval, ``x_low`` and
    ``x_high``; they are None where only one network and seed stand behind it.

    Parameters
    ----------
    grid
        The runs by data set and algorithm.
    limit
        Seconds that a failed run is charged.
    drawn
        The resamples of which the intervals are made.
    over
        What the intervals are over.
    """

    grid: NoiseGrid
    limit: float
    drawn: Resampling
    over: Over

    @classmethod
    def of(
        cls,
        runs: Sequence[NoiseRun],
        limit: float,
        resamples: int = 1000,
        over: Over | None = None,
    ) -> NoiseStudyTables:
        """Arrange the runs.

        Parameters
        ----------
        runs
            All runs, failed ones included; see `NoiseRun`.
        limit
            Seconds that a failed run is charged in sums of run times.
        resamples
            How often blocks are drawn for the intervals.
        over
            What the intervals are over: networks and seeds (``networks``), or seeds of the same
            networks (``seeds``); see `dagathlon.evaluations.noise.resampling`. None is seeds where
            every network has several, else networks.
        """
        grid = noise_grid(runs)
        chosen = over or usual_over(grid.cases)
        return cls(grid, limit, resampling(grid.cases, resamples, chosen), chosen)

    def ranks(self, noisy: bool = False) -> list[Cells]:
        """Average and overall ranks per metric (Tables 8 and 9).

        Columns: metric, algorithm, average, deviation (population), overall, n, failures; with
        noise also change and overall_change against no noise, + being better.
        """
        return rank_rows(self.grid, self.drawn, noisy=noisy)

    def ranks_by_code(self) -> list[Cells]:
        """The same for each code by itself (Tables E1 to E3, Figure 4)."""
        return rank_rows_by_code(self.grid, self.drawn)

    def ranks_by_density(self) -> list[Cells]:
        """Ranks without noise by network and size (Figures 1 and D1)."""
        return rank_rows_by_density(self.grid)

    def scores(self, code: str = "N") -> list[Cells]:
        """Metrics by network, size and algorithm with one kind of noise (Tables D1 to D5, E5)."""
        return score_rows(self.grid, self.drawn, code)

    def extremes(self, which: Which = "all") -> list[Cells]:
        """Worst and best mean of an algorithm without failure (Tables 10, D6, E6)."""
        return extreme_rows(self.grid, self.drawn, which)

    def relative(self, which: Which = "all") -> list[Cells]:
        """Each algorithm between worst (0) and best (1) (Tables 11, D7, E7)."""
        return relative_rows(self.grid, self.drawn, which)

    def failures(self, by: By = "code") -> list[Cells]:
        """Failures by kind (Tables C1, C2): timeout (F1), error (F2), out of memory (F3).

        A run of several starts failed where all of them did; `failed_starts` counts those that
        failed where another finished.
        """
        return failure_rows(self.grid, by)

    def edges_by_density(self) -> list[Cells]:
        """Learned over true edges without noise, by rows per free parameter (Figure 2)."""
        return edge_density_rows(self.grid, self.drawn)

    def accuracy_kept(self) -> list[Cells]:
        """Accuracy with noise over that without, by network, code and algorithm."""
        return accuracy_rows(self.grid, self.drawn)

    def relative_change(self) -> list[Cells]:
        """Relative change of accuracy by code, metric, network and size (Table E4)."""
        return change_rows(self.grid, self.drawn)

    def loss_by_code(self) -> list[Cells]:
        """Relative change of accuracy by code and metric, over all algorithms (Figure 7)."""
        return loss_rows(self.grid, self.drawn)

    def kept_by_code(self) -> list[Cells]:
        """Accuracy and edges of each algorithm with each kind of noise (Figures 8 and 9)."""
        return kept_rows(self.grid, self.drawn)

    def edges_by_code(self) -> list[Cells]:
        """Edges with noise over edges without, all algorithms together (Figure 9)."""
        return edge_rows(self.grid, self.drawn)

    def run_times(self, noisy: bool = False) -> list[Cells]:
        """Cumulative run times, failures charged the limit (Figures 3 and 5)."""
        return run_time_rows(self.grid, self.drawn, self.limit, noisy=noisy)

    def time_by_code(self) -> list[Cells]:
        """Run time with noise over that without (Figure 6)."""
        return time_rows(self.grid, self.drawn, self.limit)

    def strengths(
        self,
        small: Collection[str] | None = None,
        large: Collection[str] | None = None,
        limited: Collection[int] | None = None,
        big: Collection[int] | None = None,
    ) -> list[Cells]:
        """Ten categories, each from 0 for the worst to 1 for the best (Table 12).

        Parameters
        ----------
        small, large
            Names of networks; those below and above the median number of nodes.
        limited, big
            Numbers of rows; those below and above the median, which itself is limited data for
            large networks and big data for small ones.
        """
        groups = Groups(small, large, limited, big)
        return strength_rows(self.grid, self.drawn, self.limit, groups)
