"""Finds parameters.json in the present folder and writes adjmat.csv there.

A 1 in row i and column j is an edge from i to j; both ways is an undirected edge.
"""

import csv
import json
import random
from pathlib import Path

given = json.loads(Path("parameters.json").read_text("utf-8"))
rng = random.Random(given["seed"])  # all randomness must come from this seed
nodes = range(given["nodes"])
share = given["neighbours"] / max(len(nodes) - 1, 1)
edges = [[int(i < j and rng.random() < share) for j in nodes] for i in nodes]
with open("adjmat.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([[f"X{i + 1}" for i in nodes], *edges])
