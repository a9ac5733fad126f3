"""`describe`: how a data file is parsed, column by column, with remarks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dagathlon.data.inspection.columns import FoundColumn, open_source
from dagathlon.data.inspection.noise import NoiseFinding, noise_findings
from dagathlon.data.inspection.noise_sample import NoiseSample
from dagathlon.data.inspection.numbers import PresentValues, number_remarks
from dagathlon.data.inspection.remarks import Remark
from dagathlon.data.inspection.row_order import RowOrder
from dagathlon.data.inspection.together import ColumnStatistics
from dagathlon.data.inspection.words import word_remarks
from dagathlon.data.reading.options import Reading
from dagathlon.data.variable import Variable

_HALF = 0.5
_MOST_LEVELS = 100
_NO_READING = Reading()


@dataclass(frozen=True)
class ColumnFacts:
    """How one column is parsed.

    Parameters
    ----------
    name
        The name.
    kind
        ``continuous``, ``categorical``, ``ordinal``, ``unreadable`` or ``left out``.
    n_missing, n_distinct
        Numbers of missing and of different values.
    levels
        For levels how often each occurs, in their order.
    minimum, mean, maximum
        For continuous columns with values.
    """

    name: str
    kind: str
    n_missing: int = 0
    n_distinct: int = 0
    levels: dict[str, int] | None = None
    minimum: float | None = None
    mean: float | None = None
    maximum: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON; of very many levels only their number."""
        content = {key: value for key, value in vars(self).items() if value is not None}
        if self.levels is not None and len(self.levels) > _MOST_LEVELS:
            content["levels"] = len(self.levels)
        return content


@dataclass(frozen=True)
class Description:
    """How a file is parsed, with all remarks.

    Parameters
    ----------
    path
        The file.
    n_rows
        Number of rows.
    columns
        Facts, column by column.
    remarks
        Suspicious properties, with the options that change them.
    missing
        Number of complete rows and of columns with missing values, and their commonest pattern.
    noise
        Conclusions about missing, wrong, merged and hidden values.
    """

    path: str
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    remarks: tuple[Remark, ...]
    missing: dict[str, Any] = field(default_factory=dict)
    noise: tuple[NoiseFinding, ...] = ()

    @property
    def kinds(self) -> dict[str, int]:
        """Return the number of columns of each kind."""
        return dict(Counter(column.kind for column in self.columns))

    def to_json(self) -> dict[str, Any]:
        """Return the description as JSON."""
        about: dict[str, list[dict[str, Any]]] = {}
        for remark in self.remarks:
            about.setdefault(remark.column or "", []).append(remark.to_json())
        columns = [
            column.to_json() | {"remarks": about.get(column.name, [])} for column in self.columns
        ]
        return {
            "file": self.path,
            "rows": self.n_rows,
            "kinds": self.kinds,
            "missing": self.missing,
            "noise": [finding.to_json() for finding in self.noise],
            "remarks": about.get("", []),
            "columns": columns,
        }


def describe(path: str | os.PathLike[str], reading: Reading = _NO_READING) -> Description:
    """Inspect a data file: column kinds, missing values, suspicious values, probable noise.

    Parameters
    ----------
    path
        A text, Parquet or Arrow file.
    reading
        How it is to be read.

    Raises
    ------
    DataError
        When the file as a whole cannot be read, with the reason. A column that cannot be read is
        part of the description.
    """
    source = open_source(path, reading)
    request = reading.request()
    order = RowOrder()
    together, sample = (
        ColumnStatistics(source.n_rows),
        NoiseSample(source.n_rows, len(source.names)),
    )
    columns, remarks = [], list(source.remarks)
    for found in source.columns:
        present = PresentValues.of(found.values)
        columns.append(_facts(found, present))
        asked = request.kind(found.name) is not None
        column_remarks = list(_remarks(found, present, source.n_rows, asked))
        remarks += column_remarks
        continuous = found.plan is not None and not found.plan.variable.is_discrete
        together.add(found.name, found.values, continuous, tuple(found.words or ()))
        codes = [str(remark.value) for remark in column_remarks if remark.what == "sentinel"]
        sample.add(found, codes)
        is_time = any(remark.what == "date" for remark in column_remarks)
        order.add(found.name, found.values, found.words is None, is_time)
    out = [
        remark
        for remark in remarks
        if remark.advised and (remark.option == "drop" or remark.what == "id")
    ]
    out += together.remarks({remark.column for remark in out if remark.column is not None})
    known = set(remarks)
    remarks += [remark for remark in out if remark not in known]
    remarks += order.remarks({remark.column for remark in out if remark.column is not None})
    columns += [ColumnFacts(name, "left out") for name in source.left_out]
    place = {name: j for j, name in enumerate(source.names)}
    columns.sort(key=lambda column: place[column.name])
    noise = noise_findings(sample, {remark.column for remark in out if remark.column is not None})
    about = (tuple(columns), tuple(remarks), together.missing(), noise)
    return Description(str(path), source.n_rows, *about)


def _facts(column: FoundColumn, there: PresentValues) -> ColumnFacts:
    present = there.values
    n_missing, n_distinct = len(column.values) - len(present), len(there.distinct)
    if column.plan is None:
        return ColumnFacts(column.name, "unreadable", n_missing, n_distinct)
    variable = column.plan.variable
    if variable.levels is not None:
        kind = "ordinal" if variable.ordered else "categorical"
        return ColumnFacts(
            column.name, kind, n_missing, n_distinct, _levels(column, there, variable)
        )
    if not len(present) or column.words is not None:
        return ColumnFacts(column.name, "continuous", n_missing, n_distinct)
    low, high = float(present.min()), float(present.max())
    finite = bool(np.isfinite([low, high]).all())
    limits = (low, float(present.mean()), high) if finite else (None, None, None)
    return ColumnFacts(column.name, "continuous", n_missing, n_distinct, None, *limits)


def _levels(column: FoundColumn, present: PresentValues, variable: Variable) -> dict[str, int]:
    if column.words is not None:
        return {level: column.words.get(level, 0) for level in variable.levels or ()}
    pairs = zip(present.distinct.tolist(), present.counts.tolist(), strict=True)
    often = {f"{number:g}": n for number, n in pairs}
    return {level: often.get(level, 0) for level in variable.levels or ()}


def _remarks(
    column: FoundColumn, there: PresentValues, n_rows: int, asked: bool
) -> Iterator[Remark]:
    """Yield all remarks on one column; `asked` if the user specified its kind."""
    name, present = column.name, there.values
    if column.problem:
        about = list(word_remarks(name, column.words or {}, True))
        if not any(remark.advised for remark in about):  # else these say what makes it readable
            problem = column.problem.partition("; if it means missing")[0]
            yield Remark("unreadable", problem, name, "drop", name, advised=True)
        yield from about
        return
    if not len(present):
        yield Remark("empty", "there is no value at all", name, "drop", name, advised=True)
        return
    if n_rows > 1 and bool((present == present[0]).all()):
        text = "one value only; nothing can be learned about it"
        yield Remark("constant", text, name, "drop", name, advised=True)
        return
    if len(present) < _HALF * n_rows:
        text = f"{1 - len(present) / n_rows:.0%} of the values are missing"
        yield Remark("mostly missing", text, name, "drop", name)
    assert column.plan is not None
    discrete = column.plan.variable.is_discrete
    if column.plan.guessed:
        yield _guess(name, discrete, int(present.max()))
    if column.words is None:
        yield from number_remarks(name, there, discrete, asked)
    else:
        yield from word_remarks(name, column.words, discrete, column.plan.variable.ordered)


def _guess(name: str, discrete: bool, highest: int) -> Remark:
    taken, other = ("levels", "continuous") if discrete else ("measurements", "ordinal")
    text = f"whole numbers up to {highest} were taken for {taken}; to change that:"
    return Remark("levels or counts", text, name, "kinds", f"{name}={other}")
