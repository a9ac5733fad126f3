# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy"]
# ///
"""Finds data.csv and parameters.json in the present folder and writes adjmat.csv there."""

import csv
import json
from pathlib import Path

import numpy as np

parameters = json.loads(Path("parameters.json").read_text("utf-8"))
names = parameters["names"]
rng = np.random.default_rng(parameters["seed"])  # all randomness must come from this seed
data = np.loadtxt("data.csv", delimiter=",", skiprows=1, ndmin=2)
if len(data) < 2:
    raise SystemExit("correlations need at least 2 rows")

# Replace this by your method. edges[i, j] = 1 is an edge from i to j; both ways is undirected.
with np.errstate(invalid="ignore", divide="ignore"):
    correlation = np.nan_to_num(np.corrcoef(data, rowvar=False).reshape(len(names), -1))
edges = (np.abs(correlation) > parameters["thresh"]).astype(int)
np.fill_diagonal(edges, 0)

with open("adjmat.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([names, *edges.tolist()])
Path("stats.json").write_text(json.dumps({"edges": int(edges.sum()) // 2}), "utf-8")
