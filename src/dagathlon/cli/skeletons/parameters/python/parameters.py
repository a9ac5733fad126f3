"""Finds graph.csv and parameters.json in the present folder and writes model.csv there.

Row i, column j is the weight of the edge from i to j, and 0 where there is none.
"""

import csv
import json
import random
from pathlib import Path

given = json.loads(Path("parameters.json").read_text("utf-8"))
rng = random.Random(given["seed"])  # all randomness must come from this seed
with open("graph.csv", newline="", encoding="utf-8") as file:
    names, *rows = list(csv.reader(file))


def weight(edge: str) -> float:
    """Replace this by your weights."""
    if edge != "1":
        return 0.0
    return rng.choice((-1, 1)) * rng.uniform(given["smallest"], given["largest"])


with open("model.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([names, *([weight(edge) for edge in row] for row in rows)])
