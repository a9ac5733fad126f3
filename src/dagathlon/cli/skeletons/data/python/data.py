"""Finds model.csv, noise.csv and parameters.json in the present folder; writes data.csv there."""

import csv
import json
import random
from pathlib import Path

given = json.loads(Path("parameters.json").read_text("utf-8"))
rng = random.Random(given["seed"])  # all randomness must come from this seed
with open("model.csv", newline="", encoding="utf-8") as file:
    names, *rows = list(csv.reader(file))
with open("noise.csv", newline="", encoding="utf-8") as file:
    spread = [float(variance) ** 0.5 for variance in list(csv.reader(file))[1]]
weights = [[float(weight) for weight in row] for row in rows]
variables = range(len(names))
parents = [[i for i in variables if weights[i][j]] for j in variables]
order: list[int] = []
while len(order) < len(names):  # parents before their children
    order += [j for j in variables if j not in order and set(parents[j]) <= set(order)]


def drawn() -> list[float]:
    """Replace this by your way of drawing one row."""
    row = [0.0] * len(names)
    for j in order:
        row[j] = sum(weights[i][j] * row[i] for i in parents[j]) + rng.gauss(0, spread[j])
    return row


with open("data.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([names, *(drawn() for _ in range(given["n"]))])
