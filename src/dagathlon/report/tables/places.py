"""Labels of rows by setting and data set, and groups of such rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dagathlon.frame import Cells, Row, Rows, grouped, grouped_by
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.section import Words
from dagathlon.report.tables.runs import Combination, setting_name
from dagathlon.study.plan.plan import Case, Run


class Place(NamedTuple):
    """A setting of an algorithm on one data set."""

    data: Combination
    seed: int
    id: str
    setting: int


def place_of(results: Results, run: Run) -> Place:
    """Return the setting and data set of a run."""
    case = results.case(run)
    return Place(combination_of(case), case.seed, run.entry, run.setting)


def combination_of(case: Case) -> Combination:
    """Return the labels of graph, parameters and data of a data set."""
    return Combination(case.graph_label, case.parameters_label, case.data_label)


def named_places(results: Results, places: Iterable[Place]) -> dict[Place, Cells]:
    """Return the first cells of each row: the setting, and the data set if there are several."""
    distinct = list(dict.fromkeys(places))
    names = case_names(list(dict.fromkeys(place.data for place in distinct)))
    several = len({place[:2] for place in distinct}) > 1
    rows: dict[Place, Cells] = {}
    for place in distinct:
        algorithm = results.algorithms[place.id]
        rows[place] = {"data": names[place.data], "seed": place.seed} if several else {}
        values = algorithm.settings[place.setting].values
        rows[place]["setting"] = setting_name(algorithm, values)
    return rows


def by_data(rows: Rows) -> dict[str, list[Row]]:
    """Group rows by data set; the name is empty where the table has a single one."""
    return grouped_by(rows, lambda row: ", seed ".join(str(row[k]) for k in data_columns([row])))


def data_columns(rows: Rows) -> list[str]:
    """Return the columns that identify data sets, if the table has them."""
    return [name for name in ("data", "seed") if rows and name in rows[0]]


def not_defined(rows: Rows) -> Iterator[Words]:
    """Yield sentences on settings with a note in place of numbers, or with a remark."""
    for column, words in (("note", "Not defined for"), ("remark", "With a reservation:")):
        reasons = grouped((row[column], row["setting"]) for row in rows if row.get(column))
        for reason, settings in reasons.items():
            yield Words(f"{words} {'; '.join(dict.fromkeys(settings))}: {reason}.")
