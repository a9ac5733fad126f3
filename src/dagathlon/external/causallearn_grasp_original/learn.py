# /// script
# requires-python = ">=3.9,<3.13"
# dependencies = ["causal-learn==0.1.3.4", "numpy<2"]
# ///
"""Run causal-learn's GRaSP: read data.csv and parameters.json, write adjmat.csv and stats.json."""

import csv
import json
import random
import time
from pathlib import Path

import numpy as np
from causallearn.search.PermutationBased.GRaSP import grasp

parameters = json.loads(Path("parameters.json").read_text("utf-8"))
names = parameters["names"]
random.seed(parameters["seed"])
np.random.seed(parameters["seed"])  # noqa: NPY002 - causal-learn draws from the global generator

data = np.loadtxt("data.csv", delimiter=",", skiprows=1, ndmin=2)
if len(data) < 2:
    raise SystemExit("the BIC of a linear model needs at least 2 rows")
if np.any(np.ptp(data, axis=0) == 0):
    raise SystemExit("a column is constant: its variance is zero")

begin = time.perf_counter()
found = grasp(data, maxP=parameters["maxP"]).graph
seconds = time.perf_counter() - begin

# The entry at (j, i) is the mark at j on the edge between i and j: -1 a tail, 1 an arrow head.
edges = (found == -1).astype(int)
with open("adjmat.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([names, *edges.tolist()])
Path("stats.json").write_text(json.dumps({"seconds": seconds}), "utf-8")
