"""Compare a run of studies/posteriors_2024*.json with what its paper prints: tables for the docs.

python tools/compare_posteriors_2024.py results/posteriors_2024
python tools/compare_posteriors_2024.py results/posteriors_2024_normalised --normalised

Correlations rank the paper's five methods only; with --all-methods, all of the study.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.correlations import mean_correlations

PRINTED = Path(__file__).with_name("posteriors_2024.json")
# Entries of the two halves of a printed matrix that differ by more were not transcribed well.
_SAME = 0.025
FIVE = ("bgies", "bcd_nets", "dibs", "dibs_det", "vbg")
_MORE = ("edge_auroc", "edge_auprc")
_ALL = "all graphs"
_GRAPH, _PARAMS = "graph_mmd", "params_mmd"
Floats = npt.NDArray[np.float64]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("results", type=Path, help="folder of the setup")
    parser.add_argument("--normalised", action="store_true", help="compare with figures 12 and 15")
    parser.add_argument("--all-methods", action="store_true", help="rank the samplers as well")
    asked = parser.parse_args()
    folder = asked.results / "posteriors"
    means = _table(folder / "means.csv")
    printed = json.loads(PRINTED.read_text("utf-8"))
    pairs = (
        _table(folder / "correlations.csv")
        if asked.all_methods
        else list(_correlations(_table(folder / "runs.csv"), printed["metrics"]))
    )
    chosen = [one for one in printed["matrices"] if one["normalised"] == asked.normalised]
    head = ["figure", "graph", "model", "rows", "pairs", "correlation", "mean difference"]
    head += ["Graph MMD: ours", "theirs", "Params MMD: ours", "theirs"]
    _print(head, [row for one in chosen for row in _compared(one, printed["metrics"], pairs)])
    for metric in ("e_shd", "edge_auroc", _GRAPH, _PARAMS, "entropy", "entropy_kl"):
        print(f"\n{metric}, mean over graphs\n")
        _print(*_over_graphs(means, metric))
    print("\nmean rank correlation with the distance to the true posterior, over all graphs\n")
    _print(["distance", "model", "rows", "graphs", "models"], list(_course(pairs)))


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [row | {"model": row["model"].removesuffix("_normalised")} for row in rows]


def _correlations(
    runs: Sequence[dict[str, str]], metrics: Sequence[str]
) -> Iterator[dict[str, str]]:
    """Rank correlations of the paper's five methods, as the study's own table has them of all."""
    cells: dict[tuple[str, str, str], dict[tuple[str, str], dict[str, list[list[float]]]]] = {}
    for row in runs:
        if row["method"] in FIVE:
            values = [float(row[metric]) for metric in metrics]
            for graph in (row["graph"], _ALL):
                own = cells.setdefault((graph, row["model"], row["rows"]), {})
                starts = own.setdefault((row["graph"], row["seed"]), {})
                starts.setdefault(row["start"], []).append(values)
    better = ["more" if metric in _MORE else "less" for metric in metrics]
    for (graph, model, size), sets in cells.items():
        found = mean_correlations([list(own.values()) for own in sets.values()], better, 1).mean
        for i, left in enumerate(metrics):
            for j, right in enumerate(metrics):
                if i != j:
                    kind = {"graph": graph, "model": model, "rows": size}
                    yield kind | {"left": left, "right": right, "mean": str(found[i, j])}


def _print(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(_shown(cell) for cell in row)} |")


def _shown(cell: Any) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def symmetric(matrix: Sequence[Sequence[float | None]]) -> Floats:
    """A printed matrix; entries whose two halves disagree, or that are missing, are NaN."""
    found = np.array(matrix, dtype=np.float64)
    return np.where(np.abs(found - found.T) <= _SAME, (found + found.T) / 2, np.nan)


def _compared(
    one: dict[str, Any], metrics: Sequence[str], pairs: Sequence[dict[str, str]]
) -> Iterator[list[Any]]:
    theirs = symmetric(one["correlations"])
    if one["normalised"]:  # figures 12 and 15 print the same lines of Params MMD
        place = metrics.index(_PARAMS)
        theirs[place], theirs[:, place] = np.nan, np.nan
    ours = np.full_like(theirs, np.nan)
    kind = (one["graph"], one["model"], str(one["rows"]))
    for row in pairs:
        known = row["left"] in metrics and row["right"] in metrics
        if known and (row["graph"], row["model"], row["rows"]) == kind:
            ours[metrics.index(row["left"]), metrics.index(row["right"])] = float(row["mean"])
    above = np.triu_indices(len(metrics), 1)
    both = ~np.isnan(ours[above]) & ~np.isnan(theirs[above])
    if both.sum() < 3:
        return
    left, right = ours[above][both], theirs[above][both]
    line: list[Any] = [one["figure"], one["graph"], one["model"], one["rows"], int(both.sum())]
    line += [float(np.corrcoef(left, right)[0, 1]), float(np.abs(left - right).mean())]
    for distance in (_GRAPH, _PARAMS):
        others = [i for i, name in enumerate(metrics) if name not in (_GRAPH, _PARAMS)]
        place = metrics.index(distance)
        line += [_mean(ours[place, others]), _mean(theirs[place, others])]
    yield line


def _mean(values: Floats) -> float:
    return float(np.nanmean(values)) if (~np.isnan(values)).any() else float("nan")


def _over_graphs(means: Sequence[dict[str, str]], metric: str) -> tuple[list[str], list[list[Any]]]:
    """A line for each model and number of rows, a column for each method."""
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for row in means:
        if row["metric"] == metric:
            own = found.setdefault((row["model"], int(row["rows"])), {})
            own.setdefault(row["method"], []).append(float(row["mean"]))
    methods = list(dict.fromkeys(name for own in found.values() for name in own))
    lines = [
        [model, rows, *(float(np.mean(own[m])) if m in own else "–" for m in methods)]
        for (model, rows), own in found.items()
    ]
    return ["model", "rows", *methods], lines


def _course(pairs: Sequence[dict[str, str]]) -> Iterator[list[Any]]:
    """Of the metrics of graphs and of those of models."""
    graphs = ("e_shd", "e_cpdag_shd", "edge_auroc", "edge_auprc")
    models = ("nll", "i_nll", "i_kl", "i_mmd")
    for distance in (_GRAPH, _PARAMS):
        own = [r for r in pairs if r["graph"] == _ALL and r["left"] == distance]
        for kind in dict.fromkeys((r["model"], r["rows"]) for r in own):
            line: list[Any] = [distance, *kind]
            for chosen in (graphs, models):
                there = [r for r in own if (r["model"], r["rows"]) == kind and r["right"] in chosen]
                line.append(_mean(np.array([float(r["mean"]) for r in there])))
            yield line


if __name__ == "__main__":
    main()
