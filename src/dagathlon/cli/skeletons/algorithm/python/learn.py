# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy"]
# ///
"""Finds data.csv and parameters.json in the present folder and writes adjmat.csv there.

What stands outside of functions is loaded once, before any clock runs; `main` is called for every
run.
"""

import csv
import json
from pathlib import Path

import numpy as np


def learned(data: np.ndarray, thresh: float, rng: np.random.Generator) -> np.ndarray:
    """Replace this by your method; all randomness must come from `rng`.

    A 1 in row i and column j is an edge from i to j; both ways is an undirected edge.
    """
    print("@dagathlon progress 1 2", flush=True)  # steps that are done, and how many there are
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(np.corrcoef(data, rowvar=False).reshape(data.shape[1], -1))
    edges: np.ndarray = (np.abs(correlation) > thresh).astype(int)
    np.fill_diagonal(edges, 0)
    return edges


def main() -> None:
    """Learn from the data in the present folder."""
    parameters = json.loads(Path("parameters.json").read_text("utf-8"))
    data = np.loadtxt("data.csv", delimiter=",", skiprows=1, ndmin=2)
    if len(data) < 2:
        raise SystemExit("correlations need at least 2 rows")
    edges = learned(data, parameters["thresh"], np.random.default_rng(parameters["seed"]))
    with open("adjmat.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([parameters["names"], *edges.tolist()])
    Path("stats.json").write_text(json.dumps({"edges": int(edges.sum()) // 2}), "utf-8")


if __name__ == "__main__":
    main()
