"""Put a run of studies/interval_2017.json beside what its paper says: tables for the docs.

python tools/compare_interval_2017.py results/interval_2017
python tools/compare_interval_2017.py results/interval_forecast

The paper's figures have no numbers in the text; what its sentences say is compared. Of a study of
several families of learners it prints what forecasts were worth.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Row = dict[str, Any]
NOTHING = "not in this run"
_VERDICTS = (
    *("verdict", "cases", "not defined", "median", "above .9", "below 0"),
    *("mean rank correlation", "SHD lost", "blindly"),
)


class Tables(NamedTuple):
    """The tables of the evaluation `interval_accuracy`."""

    accuracy: list[Row]
    methods: list[Row]
    curves: list[Row]
    predictors: list[Row]
    forecast: list[Row]
    pairwise: list[Row]
    costs: list[Row]
    rules: list[Row]

    @classmethod
    def of(cls, folder: Path) -> Tables:
        """Read from the folder of the evaluation."""
        return cls(*(_table(folder / f"{name}.csv") for name in cls._fields))


class Claim(NamedTuple):
    """Something that the paper says, and what became of it here."""

    what: str
    paper: str
    ours: Callable[[Tables], str]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("results", type=Path, help="folder of the setup")
    asked = parser.parse_args()
    tables = Tables.of(asked.results / "interval_accuracy")
    if any("family" in row for row in tables.accuracy):
        _families(tables)
    else:
        _beside_the_paper(tables)


def _beside_the_paper(tables: Tables) -> None:
    counts = {row["data_sets"] for row in tables.accuracy}
    print(f"Data sets of each network and size: {_between(list(counts), 0)} (the paper: 10).\n")
    _print(["", "paper", "here"], [[c.what, c.paper, c.ours(tables)] for c in CLAIMS])
    for network in dict.fromkeys(row["network"] for row in tables.accuracy):
        own = [row for row in tables.accuracy if row["network"] == network]
        print(f"\n{network}: correlation of PHD with SHD by intersection point and rows\n")
        _print(*_matrix(own))
    print("\nSeconds of processor time of a search: median (worst), not proven\n")
    _print(*_costs(tables.costs))
    print("\nWhat the forecast is worth, data sets by themselves\n")
    _print(*_forecast(tables.forecast))


def _table(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [{k: _cell(v) for k, v in row.items()} for row in csv.DictReader(stream)]


def _cell(text: str) -> Any:
    if text in ("NA", ""):
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _print(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")


def short(value: float | None, digits: int = 2) -> str:
    """As the paper writes correlations: .93, −.12, 1; a dash where it is not defined."""
    if value is None:
        return "–"
    text = f"{abs(value):.{digits}f}"
    text = text.lstrip("0") if abs(value) < 1 and digits and not text.startswith("1") else text
    zero = not text.strip(".0")
    return ("0" if zero else text) if value >= 0 or zero else f"\u2212{text}"


def _between(values: Sequence[float], digits: int = 2) -> str:
    if not values:
        return NOTHING
    low, high = short(min(values), digits), short(max(values), digits)
    return low if low == high else f"{low} to {high}"


def _where(rows: Sequence[Row], /, **wanted: Any) -> list[Row]:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def _numbers(rows: Sequence[Row], column: str) -> list[float]:
    return [row[column] for row in rows if row[column] is not None]


def _ce_against_cv(tables: Tables) -> str:
    rows = _where(tables.methods, left="CE", right="CV")
    known = _numbers(rows, "correlation")
    if not known:
        return NOTHING
    worst = min((row for row in rows if row["correlation"] is not None), key=_correlation)
    where = f"{worst['network']}, {worst['rows']:,.0f} rows"
    return f"{short(float(np.mean(known)))} on average, {short(min(known))} at worst ({where})"


def _correlation(row: Row) -> float:
    return float(row["correlation"])


def _ce_against_shd(network: str) -> Callable[[Tables], str]:
    def found(tables: Tables) -> str:
        known = _numbers(_where(tables.methods, left="CE", right="SHD", network=network), *_C)
        return f"{short(float(np.mean(known)))} ({_between(known)})" if known else NOTHING

    return found


_C = ("correlation",)


def _undefined(tables: Tables) -> str:
    rows = [
        row
        for row in tables.methods
        if row["correlation"] is None and (row["left"], row["right"]) != ("SHD", "CV")
    ]
    found = dict.fromkeys(f"{row['network']} {row['rows']:,.0f}" for row in rows)
    return ", ".join(found) or "none"


def _at(network: str, **wanted: float) -> Callable[[Tables], str]:
    """The correlations of PHD with SHD at an intersection point, and those on the same rows."""

    def found(tables: Tables) -> str:
        rows = _where(tables.accuracy, network=network, **wanted)
        same = _between(_numbers(rows, "pearson_same_rows"))
        own = _between(_numbers(rows, "pearson"))
        return f"{own} (same subsamples: {same})" if rows else NOTHING

    return found


def _least_size(tables: Tables) -> str:
    found = []
    for network in dict.fromkeys(row["network"] for row in tables.accuracy):
        own = _numbers(_where(tables.accuracy, network=network), "relative_size")
        found.append(f"{network} {short(min(own))}")
    return ", ".join(found)


def _connected(network: str, *points: int) -> Callable[[Tables], str]:
    def found(tables: Tables) -> str:
        values = []
        for point in points:
            own = _numbers(_where(tables.accuracy, network=network, point=point), "connected")
            values.append(f"{own[0]:.1f}" if own else NOTHING)
        return " and ".join(values)

    return found


def _predicted(network: str) -> Callable[[Tables], str]:
    def found(tables: Tables) -> str:
        level = "means over data sets"
        rows = _where(tables.predictors, level=level, network=network, property="relative_size")
        return short(rows[0]["correlation"], 3) if rows else NOTHING

    return found


def _large_shd(network: str) -> Callable[[Tables], str]:
    """The mean SHD of the learners on most rows."""

    def found(tables: Tables) -> str:
        own = _where(tables.curves, network=network, method="SHD")
        if not own:
            return NOTHING
        most = max(row["rows"] for row in own)
        told = [f"{r['learner']} {r['mean']:.1f}" for r in own if r["rows"] == most]
        return f"{most:,.0f} rows: {', '.join(told)}"

    return found


def _small_points(tables: Tables) -> str:
    own = _where(tables.accuracy, network="sachs")
    small = _numbers([row for row in own if row["point"] < 800], "pearson")
    large = _numbers([row for row in own if row["point"] >= 800], "pearson")
    if not small or not large:
        return NOTHING
    return (
        f"median {short(float(np.median(small)))} below 800, {short(float(np.median(large)))} from"
    )


def _pairs(tables: Tables) -> str:
    rows = [row for row in tables.pairwise if row["shd_difference"]]
    same = [str(row["same_sign"]).upper() == "TRUE" for row in rows]
    return f"the same one ahead in {np.mean(same):.0%} of {len(rows):,}" if rows else NOTHING


def _good(tables: Tables) -> str:
    level = "means over data sets"
    rows = _where(tables.forecast, level=level, verdict="good")
    whole = [row for row in rows if row["network"] == "all networks"] or rows
    if not whole:
        return NOTHING
    one = whole[-1]
    return f"median {short(one['median_pearson'])}, above .9 in {one['above_0.9']:.0%}"


CLAIMS = (
    Claim("CE against CV", ".98 on average, .94 at worst", _ce_against_cv),
    Claim("CE against SHD, Alarm", "slightly negative", _ce_against_shd("alarm")),
    Claim("CE against SHD, Insurance", "slightly negative", _ce_against_shd("insurance")),
    Claim("not defined (figure 3)", "25,600 rows for all, two more for Sachs", _undefined),
    Claim("SHD with most rows, Sachs", "0 for all", _large_shd("sachs")),
    Claim("SHD with most rows, Insurance", "10 or more", _large_shd("insurance")),
    Claim("SHD with most rows, Alarm", "near 0 but for BDeu(10)", _large_shd("alarm")),
    Claim("PHD against SHD, Alarm, point 1,600", "nearly 1", _at("alarm", point=1600)),
    Claim("PHD against SHD, Insurance, point 1,600", ".5 to .9", _at("insurance", point=1600)),
    Claim("PHD against SHD, Sachs, point 1,600", "a bit below Alarm", _at("sachs", point=1600)),
    Claim("Alarm, point 200, 100 rows", ".93", _at("alarm", point=200, rows=100)),
    Claim("Sachs needs point 800", "yes", _small_points),
    Claim("relative sizes", "all above .7", _least_size),
    Claim(
        "connected pairs, Sachs, points 200 and 400", "1.4 and 2.7", _connected("sachs", 200, 400)
    ),
    Claim("connected pairs, Insurance, point 200", "5", _connected("insurance", 200)),
    Claim("accuracy against relative size, Sachs", ".801", _predicted("sachs")),
    Claim("accuracy against relative size, Alarm", ".858", _predicted("alarm")),
    Claim("accuracy against relative size, Insurance", "independent", _predicted("insurance")),
    Claim("relative size above .9", "a good approximation", _good),
    Claim("every two learners (supplement)", "no number in the text", _pairs),
)


def _families(tables: Tables) -> None:
    """What forecasts were worth for each family, over all networks."""
    whole = {"level": "data sets", "network": "all networks"}
    print("What came of each verdict\n")
    rows = [row | {"network": row["family"]} for row in _where(tables.forecast, **whole)]
    _print(["learners", *_VERDICTS], list(_forecast_lines(rows)))
    print("\nRank correlation of accuracy with what is known without a truth\n")
    found: dict[str, dict[str, str]] = {}
    for row in _where(tables.predictors, **whole):
        found.setdefault(row["family"], {})[row["property"]] = short(row["rank_correlation"])
    names = ("relative_size", "connected", "separation")
    _print(["learners", *names], [[k, *(v[name] for name in names)] for k, v in found.items()])
    print("\nRules: rankings believed, of these above .9, of those above .9 believed\n")
    shares = ("believed", "precision", "recall")
    lines = []
    for row in _where(tables.rules, **whole):
        told = [_percent(row[name]) for name in shares]
        lines.append([row["family"], row["rule"], *told, short(row["mean_pearson"])])
    _print(["learners", "rule", *shares, "mean correlation"], lines)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _matrix(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """A line for each intersection point, a column for each number of rows."""
    sizes = sorted({row["rows"] for row in rows})
    lines = []
    for point in sorted({row["point"] for row in rows}):
        own = {row["rows"]: row for row in rows if row["point"] == point}
        first = next(iter(own.values()))
        line = [f"{point:,.0f}", short(first["relative_size"]), f"{first['connected']:.1f}"]
        lines.append(line + [short(own[n]["pearson"]) if n in own else "" for n in sizes])
    return ["point", "relative size", "connected", *(f"{n:,.0f}" for n in sizes)], lines


def _costs(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """A line for each network and number of rows, a column for each learner."""
    learners = list(dict.fromkeys(row["learner"] for row in rows))
    lines = []
    for network, size in dict.fromkeys((row["network"], row["rows"]) for row in rows):
        own = {row["learner"]: row for row in _where(rows, network=network, rows=size)}
        line = [network, f"{size:,.0f}"]
        lines.append(line + [_cost(own[name]) if name in own else "" for name in learners])
    return ["network", "rows", *learners], lines


def _cost(row: Row) -> str:
    if row["median_cpu"] is None:
        return "failed"
    told = f"{row['median_cpu']:.2g} ({row['worst_cpu']:.2g})"
    proven = round((row["proven"] or 0.0) * (row["runs"] - row["failed"]))
    missing = row["runs"] - proven
    return f"{told}, {missing:.0f} of {row['runs']:.0f}" if missing else told


def _forecast(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    return ["network", *_VERDICTS], list(_forecast_lines(_where(rows, level="data sets")))


def _forecast_lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    for row in rows:
        told = [_percent(row[name]) for name in ("above_0.9", "below_0")]
        line = [row["network"], row["verdict"], f"{row['cases']:.0f}", f"{row['undefined']:.0f}"]
        losses = [f"{row[name]:.2g}" for name in ("loss", "blind_loss")]
        yield [*line, short(row["median_pearson"]), *told, short(row["mean_spearman"]), *losses]


if __name__ == "__main__":
    main()
