"""Put a run of studies/noise_2021.json beside what its paper printed: tables for the docs.

python tools/compare_noise_2021.py results/noise_2021

It prints them, and writes each as CSV into DIR/beside_the_paper: rank correlations and ranks
(Tables 8 and 9), differences of the scores without noise (D1 to D3) and with all kinds of it (E5),
and the paper's conclusions one by one. Of a part of the study the paper's ranks are taken anew
over the networks and sizes of the part, from its printed scores.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from noise_2021.conclusions import Conclusion, conclusions, rank_correlation_rows
from scipy.stats import spearmanr

from dagathlon.evaluations.noise.grid import METRICS
from dagathlon.evaluations.noise.runs import charged_limit, noise_runs
from dagathlon.evaluations.noise.tables import NoiseRun, NoiseStudyTables
from dagathlon.frame import Cells
from dagathlon.report.results import Results
from dagathlon.study.store.store import Store

PRINTED = Path(__file__).parent / "noise_2021" / "paper.json"
_SCORES = (*METRICS, "precision", "recall")
_FAILED = "F"
_ALL_FOUR = "cMISL"
_LOSS = "loss with "
# Losses that differ by less count as the paper's: its scores are printed with two digits.
_NEAR = 0.02


class Table(NamedTuple):
    """A table of the comparison."""

    name: str
    title: str
    rows: list[Cells]


@dataclass(frozen=True)
class Paper:
    """What the paper printed."""

    printed: Mapping[str, Any]

    @classmethod
    def load(cls) -> Paper:
        """Read the file beside this one."""
        return cls(json.loads(PRINTED.read_text("utf-8")))

    def score(self, code: str, metric: str, network: str, algorithm: str, n: int) -> float | None:
        """A score of Tables D1 to D5 or E5; None where it failed or took no part."""
        found = self._cell(code, metric, network, algorithm, n)
        return None if found == _FAILED else found

    def _cell(self, code: str, metric: str, network: str, algorithm: str, n: int) -> Any:
        sizes = self.printed["sizes"]
        row = self.printed["scores"][code][metric].get(network, {}).get(algorithm)
        return None if row is None or n not in sizes else row[sizes.index(n)]

    def runs(self, cells: Iterable[tuple[str, int]]) -> list[NoiseRun]:
        """The paper's runs without noise and with cMISL, as far as they are printed."""
        found = []
        for network, n in cells:
            for code in self.printed["scores"]:
                for algorithm in self.printed["strengths"]:
                    values = {m: self._cell(code, m, network, algorithm, n) for m in _SCORES}
                    if _FAILED in values.values():
                        found.append(NoiseRun(network, code, n, 1, algorithm, failure="error"))
                    elif values["f1"] is not None:
                        found.append(NoiseRun(network, code, n, 1, algorithm, **values))
        return found


@dataclass(frozen=True)
class Comparison:
    """A run of the study and the paper.

    Parameters
    ----------
    runs
        Ours.
    tables
        The tables of our runs.
    paper
        The printed numbers.
    standing
        How much of our study is there, in words; empty where it is all.
    """

    runs: Sequence[NoiseRun]
    tables: NoiseStudyTables
    paper: Paper
    standing: str = ""

    @classmethod
    def of(cls, folder: Path) -> Comparison:
        """Read the results of a setup."""
        with Store(folder.parent / "store", readonly=True) as store:
            results = Results.of(folder, store)
            runs = noise_runs(results)
            limit = charged_limit(results, None, runs)
            standing = results.standing.words()
        if not runs:
            raise SystemExit(f"no data set has all its runs: {standing or 'all were skipped'}")
        return cls(runs, NoiseStudyTables.of(runs, limit), Paper.load(), standing)

    @cached_property
    def cells(self) -> list[tuple[str, int]]:
        """Networks and sizes that both have."""
        known = {*self.paper.printed["networks"]}
        found = dict.fromkeys((run.network, run.n) for run in self.runs)
        return [c for c in found if c[0] in known and c[1] in self.paper.printed["sizes"]]

    @cached_property
    def same_cells(self) -> NoiseStudyTables:
        """The tables of the paper's printed scores on the networks and sizes of the run."""
        return NoiseStudyTables.of(self.paper.runs(self.cells), 6 * 3600.0, resamples=1)

    def rank_table(self) -> list[Cells]:
        """Overall and average ranks, ours and the paper's."""
        all_codes = self.tables.ranks_by_code()
        ours = {
            "clean": self.tables.ranks(),
            "noisy": self.tables.ranks(noisy=True),
            _ALL_FOUR: [row for row in all_codes if row["code"] == _ALL_FOUR],
        }
        # With noise only the scores of cMISL are printed.
        same = {"clean": self.same_cells.ranks(), _ALL_FOUR: self.same_cells.ranks(noisy=True)}
        rows = []
        for which, found in ours.items():
            theirs = {(r["metric"], r["algorithm"]): r for r in same.get(which, ())}
            printed = self.paper.printed["ranks"].get(which, {})
            for row in found:
                metric, name = row["metric"], row["algorithm"]
                known = printed.get(metric, {}).get(name, (None, None))
                rows.append(_rank_row(which, row, known, theirs.get((metric, name))))
        return [row for row in rows if row["algorithm"] in self.paper.printed["strengths"]]

    def correlations(self) -> list[Cells]:
        """Spearman's correlation of average ranks per metric, with all learners of both."""
        rows = []
        ranks = self.rank_table()
        intervals = self._correlation_intervals()
        for which, metric in itertools.product(("clean", "noisy", _ALL_FOUR), METRICS):
            own = [r for r in ranks if r["data"] == which and r["metric"] == metric]
            ends = intervals.get((which, metric), {})
            rows.append(
                {
                    "data": which,
                    "metric": metric,
                    "algorithms": len(own),
                    "spearman": _spearman(own, "average_paper"),
                    "spearman_low": ends.get("spearman_low"),
                    "spearman_high": ends.get("spearman_high"),
                    "spearman_same_cells": _spearman(own, "average_paper_same_cells"),
                }
            )
        return rows

    def _correlation_intervals(self) -> dict[tuple[str, str], Cells]:
        """Of Tables 8 and 9, by clean or noisy and metric."""
        averages = {
            (which == "noisy", metric): {name: rank[0] for name, rank in by_name.items()}
            for which, by_metric in self.paper.printed["ranks"].items()
            for metric, by_name in by_metric.items()
        }
        rows = rank_correlation_rows(self.tables, averages)
        return {("noisy" if row["noisy"] else "clean", row["metric"]): row for row in rows}

    def differences(self, code: str) -> list[Cells]:
        """Ours minus the paper's by algorithm: mean and worst over networks and sizes."""
        rows = []
        ours = {(r["algorithm"], r["network"], r["n"]): r for r in self.tables.scores(code)}
        for name in self.paper.printed["strengths"]:
            pairs = [(cell, ours.get((name, *cell))) for cell in self.cells]
            present = [(cell, row) for cell, row in pairs if row is not None]
            if present:
                rows.append(self._difference(code, name, present))
        return rows

    def _difference(
        self, code: str, name: str, present: Sequence[tuple[tuple[str, int], Cells]]
    ) -> Cells:
        row: Cells = {"algorithm": name}
        for metric in METRICS:
            found = {}
            for (network, n), own in present:
                theirs = self.paper.score(code, metric, network, name, n)
                if theirs is not None and own[metric] is not None:
                    found[network, n] = own[metric] - theirs
            worst = max(found, key=lambda cell: abs(found[cell]), default=None)
            row["cells"] = len(found)
            row[f"{metric}_mean"] = float(np.mean(list(found.values()))) if found else None
            row[f"{metric}_worst"] = found[worst] if worst else None
            row[f"{metric}_where"] = f"{worst[0]} {worst[1]}" if worst else ""
        row["failed_here"] = sum(own["f1"] is None for _, own in present)
        row["failed_there"] = sum(
            self.paper.score(code, "f1", *(cell[0], name, cell[1])) is None for cell, _ in present
        )
        return row

    def conclusions(self) -> list[Cells]:
        """What the paper concludes, what it has on the cells of the run, and what is here."""
        clean = [run for run in self.paper.runs(self.cells) if run.code == "N"]
        printed = {
            (one.statement, one.metric): one.estimate
            for one in conclusions(NoiseStudyTables.of(clean, 6 * 3600.0, resamples=1))
        }
        rows = []
        for found in conclusions(self.tables):
            same = self._printed_loss(found)
            if same is None:
                same = printed[found.statement, found.metric]
            rows.append(_conclusion_row(self._beside(found, same), same))
        return rows

    def _beside(self, found: Conclusion, same: float | None) -> Conclusion:
        """Of a part of the study, losses hold that are near the paper's on the same part."""
        whole = len(self.paper.printed["networks"]) * len(self.paper.printed["sizes"])
        known = found.estimate is not None and same is not None
        if len(self.cells) == whole or not known or not found.number.startswith(_LOSS):
            return found
        if found.interval is None:
            return found
        low, high = found.interval
        return found._replace(holds="yes" if low - _NEAR <= same <= high + _NEAR else "no")

    def _printed_loss(self, asked: Conclusion) -> float | None:
        """Mean of Table E4 over the networks and sizes of the run, for conclusions on losses."""
        if not asked.number.startswith(_LOSS):
            return None
        code, sizes = asked.number.removeprefix(_LOSS), self.paper.printed["sizes"]
        table = self.paper.printed["change"][code][asked.metric]
        values = [table[network][sizes.index(n)] for network, n in self.cells]
        known = [value for value in values if isinstance(value, int | float)]
        return -float(np.mean(known)) / 100 if known else None

    def all_tables(self) -> list[Table]:
        """Every table, in the order of the docs."""
        return [
            Table("correlations", "Spearman's correlation with the paper", self.correlations()),
            Table("ranks", "Ranks, ours and the paper's", self.rank_table()),
            Table("clean_scores", "Without noise: ours minus the paper", self.differences("N")),
            Table("noisy_scores", "With cMISL: ours minus the paper", self.differences("cMISL")),
            Table("conclusions", "The paper's conclusions", self.conclusions()),
        ]


def _conclusion_row(found: Conclusion, same: float | None) -> Cells:
    low, high = found.interval or (None, None)
    return {
        "conclusion": found.statement,
        "metric": found.metric,
        "number": found.number,
        "paper": found.paper,
        "paper, same networks and sizes": same,
        "here": found.estimate,
        "low": low,
        "high": high,
        "holds": found.holds or "",
    }


def short(value: float) -> str:
    """Two digits behind the point, without a zero before it: .93, −.12, 5.25."""
    text = f"{abs(value):.2f}"
    text = text[1:] if text.startswith("0") else text
    return ("\u2212" if value < 0 and text.strip(".0") else "") + text


def _rank_row(which: str, ours: Cells, printed: Sequence[Any], same: Cells | None) -> Cells:
    return {
        "data": which,
        "metric": ours["metric"],
        "algorithm": ours["algorithm"],
        "overall": ours["overall"],
        "overall_paper": printed[1],
        "overall_paper_same_cells": same["overall"] if same else None,
        "average": ours["average"],
        "average_low": ours["average_low"],
        "average_high": ours["average_high"],
        "average_paper": printed[0],
        "average_paper_same_cells": same["average"] if same else None,
        "failures": ours["failures"],
    }


def _spearman(rows: Sequence[Cells], column: str) -> float | None:
    pairs = [(r["average"], r[column]) for r in rows if r[column] is not None]
    return float(spearmanr(pairs).statistic) if len(pairs) > 2 else None


def main() -> None:
    """Print and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("results", type=Path, help="folder of the setup, as results/noise_2021")
    asked = parser.parse_args()
    found = Comparison.of(asked.results)
    if not found.cells:
        raise SystemExit("the run has no network and sample size of the paper")
    print(about(found))
    folder = asked.results / "beside_the_paper"
    folder.mkdir(exist_ok=True)
    for table in found.all_tables():
        _write(folder / f"{table.name}.csv", table.rows)
        print(f"\n{table.title}\n")
        _print(_ranks_side_by_side(table.rows) if table.name == "ranks" else table.rows)


def about(found: Comparison) -> str:
    """What was run; first of all, whether something is missing."""

    def listed(name: str) -> str:
        return ", ".join(map(str, dict.fromkeys(getattr(run, name) for run in found.runs)))

    failed = sum(run.failure is not None for run in found.runs)
    part = f"Not the whole study: {found.standing}.\n" if found.standing else ""
    return part + (
        f"{len(found.runs):,} runs, {failed:,} failed; networks {listed('network')}; rows "
        f"{listed('n')}; noise {listed('code')}; seeds {listed('seed')}; intervals over "
        f"{found.tables.over}"
    )


def _ranks_side_by_side(rows: Sequence[Cells]) -> list[Cells]:
    """A line for each algorithm: place here, place in the paper."""
    lines: dict[str, Cells] = {}
    for row in rows:
        line = lines.setdefault(row["algorithm"], {"algorithm": row["algorithm"]})
        if row["data"] == _ALL_FOUR:
            continue
        told = f"{row['overall']:.0f} ({row['overall_paper']})"
        line[f"{row['metric'].upper()}, {row['data']}"] = told
    return sorted(lines.values(), key=lambda line: line["algorithm"])


def _write(path: Path, rows: Sequence[Cells]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(k for row in rows for k in row)))
        writer.writeheader()
        writer.writerows(rows)


def _print(rows: Sequence[Cells]) -> None:
    head = list(dict.fromkeys(key for row in rows for key in row))
    print(f"| {' | '.join(name.replace('_', ' ') for name in head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(_told(row.get(name)) for name in head)} |")


def _told(value: Any) -> str:
    if value is None:
        return ""
    return short(value) if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
