"""Previews of a data set: a one-line text, an HTML table, facts about each column."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagathlon.wording import agreeing, counted

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset

_GLANCE = 1000
_FEW_ROWS = 10
_INDEX_NAMES = frozenset({"...1", "id", "index", "no", "nr", "row", "row_id", "rowid", "rownames"})
_HEAD_ROWS = 8
_HEAD_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """Facts about one column.

    Attributes
    ----------
    name, kind
        The name, and ``"discrete"`` or ``"continuous"``.
    n_missing
        Number of missing values.
    n_distinct
        Number of distinct values that occur.
    counts
        For a discrete column, how often each level occurs, else ``None``.
    minimum, mean, maximum, deviation
        For a continuous column (standard deviation with n − 1), else ``None``; also ``None`` when
        all values are missing, and the deviation when there is only one.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    counts: dict[str, int] | None = None
    minimum: float | None = None
    mean: float | None = None
    maximum: float | None = None
    deviation: float | None = None


def summary_of(data: Dataset, name: str) -> ColumnSummary:
    """Return facts about the column `name`."""
    variable = data.variables[data.position(name)]
    column = data.column(name)
    if variable.levels is not None:
        present = column[column != data.missing_code]
        numbers = np.bincount(present, minlength=variable.arity)
        counts = dict(zip(variable.levels, numbers.tolist(), strict=True))
        n_missing = len(column) - len(present)
        return ColumnSummary(name, "discrete", n_missing, int(np.count_nonzero(numbers)), counts)
    present = column[~np.isnan(column)]
    n_missing, n_distinct = len(column) - len(present), len(np.unique(present))
    if not len(present):
        return ColumnSummary(name, "continuous", n_missing, n_distinct)
    return ColumnSummary(
        name,
        "continuous",
        n_missing,
        n_distinct,
        minimum=float(present.min()),
        mean=float(present.mean()),
        maximum=float(present.max()),
        deviation=float(present.std(ddof=1)) if len(present) > 1 else None,
    )


def constant_columns(data: Dataset) -> list[str]:
    """Return names of columns with at most one value, if there are at least two rows."""
    if len(data) < 2:
        return []
    constant = []
    varied = _varied(data)
    for name, variable in zip(data.names, data.variables, strict=True):
        if name in varied:
            continue
        column = data.column(name)
        gap = data.missing_code if variable.is_discrete else math.nan
        if _has_one_value(column[:_GLANCE], gap) and _has_one_value(column, gap):
            constant.append(name)
    return constant


def _varied(data: Dataset) -> set[str]:
    """Return the columns that vary within the first rows."""
    head = data[:_GLANCE]
    codes, values = head.codes, head.values
    several = {False: iter(()), True: iter(())}
    if codes.size:
        highest = np.where(codes == data.missing_code, 0, codes).max(axis=0)
        several[True] = iter(codes.min(axis=0) < highest)
    if values.size:  # a missing value is neither lowest nor highest, and needs the longer look
        several[False] = iter(values.min(axis=0) < values.max(axis=0))
    return {variable.name for variable in data.variables if next(several[variable.is_discrete])}


def text(data: Dataset) -> str:
    """Return one line such as ``Dataset(1,000 rows × 8 columns: discrete, 2–4 levels)``."""
    return f"Dataset({described(data)})"


def row_names(data: Dataset) -> list[str]:
    """Return names of columns that identify rows: a distinct label per row, or the row number."""
    if len(data) < _FEW_ROWS:
        return []
    labelling = []
    for name, variable in zip(data.names, data.variables, strict=True):
        if variable.is_discrete:
            many = variable.arity >= len(data)
            identifies = many and len(np.unique(data.column(name))) == len(data)
        else:
            counts = is_index_name(name)
            identifies = counts and bool((np.diff(data.column(name)) == 1).all())
        if identifies:
            labelling.append(name)
    return labelling


def is_index_name(name: str) -> bool:
    """Whether a name is usual for row numbers (as in pandas) or times."""
    plain = name.casefold()
    return plain.startswith("unnamed:") or plain in _INDEX_NAMES


def described(data: Dataset) -> str:
    """Return a description of rows, columns and kinds, in words."""
    facts = [_kinds(data)]
    if data.has_missing:
        facts.append("with missing values")
    if data.targets is not None:
        facts.append(f"{len(data.targets)} regimes")
    columns = agreeing(len(data.names), "column", "columns")
    rows = agreeing(len(data), "row", "rows")
    return f"{len(data):,} {rows} × {len(data.names):,} {columns}: {', '.join(facts)}"


def html_table(data: Dataset) -> str:
    """Return the first rows as an HTML table with column kinds, for notebooks."""
    names = data.names[:_HEAD_COLUMNS]
    more = "<th>…</th>" if len(names) < len(data.names) else ""
    kinds = [data.variables[data.position(name)] for name in names]
    header = "".join(f"<th>{html.escape(name)}</th>" for name in names) + more
    notes = "".join(
        f"<td><i>{f'{kind.arity} levels' if kind.is_discrete else 'continuous'}</i></td>"
        for kind in kinds
    )
    head = data.select(names)[:_HEAD_ROWS]  # at once: rows that stay in a file are read again
    body = "".join(f"<tr>{_html_row(head, row)}</tr>" for row in range(len(head)))
    caption = html.escape(text(data))
    return (
        f"<table><caption>{caption}</caption><thead><tr>{header}</tr><tr>{notes}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _has_one_value(column: npt.NDArray[Any], gap: float) -> bool:
    present = column[~np.isnan(column)] if math.isnan(gap) else column[column != gap]
    return not len(present) or bool((present == present[0]).all())


def _html_row(data: Dataset, row: int) -> str:
    return "".join(f"<td>{html.escape(_cell(data, row, name))}</td>" for name in data.names)


def _cell(data: Dataset, row: int, name: str) -> str:
    variable, value = data.variables[data.position(name)], data.column(name)[row]
    if variable.levels is None:
        return "" if np.isnan(value) else f"{value:.6g}"
    return "" if value == data.missing_code else variable.levels[int(value)]


def _kinds(data: Dataset) -> str:
    if data.is_continuous:
        return "continuous"
    fewest, most = min(data.arities), max(data.arities)
    levels = counted(most, "level") if fewest == most else f"{fewest}–{most} levels"
    if data.is_discrete:
        return f"discrete, {levels}"
    return f"{len(data.arities)} discrete ({levels}), {data.values.shape[1]} continuous"
