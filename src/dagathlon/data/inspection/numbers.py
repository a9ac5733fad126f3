"""Remarks on a column of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.remarks import Remark
from dagathlon.data.reading.preview import is_index_name

# Conventional codes of missing values, where they are far from all other numbers.
_SENTINELS = frozenset(
    [-9, -77, -88, -99, -777, -888, -999, -9999, -99999, 99, 999, 9999, 99999, 999999, 777, 888]
)
_FEW_ROWS = 10
_ENOUGH_ROWS = 20
_NEARLY = 0.97
_SKEWED = 2.0
_AROUND = 0.1
_WEIGHT = re.compile(r"w|wt|wts|wgt|(.*[ _.])?(weight|weights|weighting|wt|wgt)([ _.]?\d*)")
_SURVEY_WEIGHT = re.compile(
    r"fnlwgt|[pfh]weight|perwt|hhwt|wtfinl|(pop|samp|sampling|survey|svy|design|final|person|"
    r"household|expansion|grossing|replicate|post.?strat\w*)[ _.]?\w*[ _.]?(wt|wgt|weight)"
)


class PresentValues(NamedTuple):
    """Present values of a column, and the distinct ones with their counts."""

    values: npt.NDArray[np.float64]
    distinct: npt.NDArray[np.float64]
    counts: npt.NDArray[np.intp]

    @classmethod
    def of(cls, values: npt.NDArray[np.float64]) -> PresentValues:
        """Make it from values in which NaN marks missing ones."""
        present = values[~np.isnan(values)]
        return cls(present, *np.unique(present, return_counts=True))


def number_remarks(
    name: str, present: PresentValues, is_discrete: bool, asked: bool = False
) -> Iterator[Remark]:
    """Yield remarks on a column's present numbers; `asked` if the user specified its kind."""
    values, distinct, counts = present
    infinite = ~np.isfinite(values)
    if infinite.any():
        text = f"infinite values: {int(infinite.sum())}; values are finite"
        yield Remark("infinite", text, name, "na", "inf,-inf", advised=True)
        values, distinct, counts = PresentValues.of(values[~infinite])
    if len(distinct) < 2:
        return
    yield from _sentinels(name, distinct, counts)
    if len(values) >= _FEW_ROWS and not is_discrete:
        yield from _row_numbers(name, values, len(distinct))
        yield from _dates(name, distinct)
        yield from _weights(name, values)
        if len(distinct) == 2 and not asked:
            text = f"only two values, {distinct[0]:g} and {distinct[1]:g}, taken for a measurement"
            yield Remark("two values", text, name, "kinds", f"{name}=categorical")
    if len(values) >= _ENOUGH_ROWS:
        yield from _shape(name, values, distinct, counts, is_discrete)


def _sentinels(
    name: str, distinct: npt.NDArray[np.float64], counts: npt.NDArray[np.intp]
) -> Iterator[Remark]:
    """Yield a remark on a conventional missing-value number at an end of the range, far off."""
    if len(distinct) < 3:
        return
    for end, others in ((0, distinct[1:]), (-1, distinct[:-1])):
        extreme = distinct[end]
        gap = np.abs(others - extreme).min()
        spread = others[-1] - others[0]
        at_its_end = (extreme < 0) == (end == 0)
        if float(extreme) in _SENTINELS and at_its_end and gap > max(spread / 2, 1.0):
            text = f"{extreme:g} ({counts[end]} times) is far from all other values"
            yield Remark("sentinel", text, name, "na", f"{extreme:g}", advised=True)


def _row_numbers(name: str, values: npt.NDArray[np.float64], distinct: int) -> Iterator[Remark]:
    whole = bool((values == np.floor(values)).all())
    if not whole or distinct < len(values):
        return
    if bool((np.abs(np.diff(values)) == 1).all()):
        text = "it counts the rows"
        yield Remark("id", text, name, "kinds", f"{name}=id", advised=True)
    elif is_index_name(name):
        text = "another whole number in each row: by its name it identifies rows"
        yield Remark("id", text, name, "kinds", f"{name}=id", advised=True)


def _dates(name: str, distinct: npt.NDArray[np.float64]) -> Iterator[Remark]:
    """Yield a remark if the whole numbers look like dates, such as 20240131."""
    if distinct[0] < 19000101 or distinct[-1] > 21001231 or (distinct != np.floor(distinct)).any():
        return
    day, month = distinct % 100, distinct // 100 % 100
    if bool(((day >= 1) & (day <= 31) & (month >= 1) & (month <= 12)).all()):
        text = f"dates such as {distinct[0]:.0f}, taken for numbers"
        yield Remark("date", text, name, "drop", name, advised=True)


def _weights(name: str, values: npt.NDArray[np.float64]) -> Iterator[Remark]:
    """Yield a remark if the column looks like sampling weights, by its name and values."""
    plain = name.casefold().strip()
    mean = float(values.mean())
    if values.min() < 0 or values.max() == values.min():
        return
    around_one = _WEIGHT.fullmatch(plain) and abs(mean - 1) <= _AROUND
    if around_one or (_SURVEY_WEIGHT.search(plain) and mean > 1):
        sums = "their mean is 1" if around_one else f"they sum to {values.sum():,.0f}"
        text = (
            f"by name and values ({sums}) these are sampling weights, which no learner takes: rows "
            "count once, and results are about the sample, not the population"
        )
        yield Remark("weights", text, name, "drop", name, advised=True)


def _shape(
    name: str,
    values: npt.NDArray[np.float64],
    distinct: npt.NDArray[np.float64],
    counts: npt.NDArray[np.intp],
    is_discrete: bool,
) -> Iterator[Remark]:
    most = int(np.argmax(counts))
    if counts[most] >= _NEARLY * len(values):
        text = f"{counts[most] / len(values):.1%} of the values are {distinct[most]:g}"
        yield Remark("nearly constant", text, name, "drop", name)
        return
    if is_discrete or distinct[0] < 0 or len(distinct) <= _FEW_ROWS:
        return
    centred = values - values.mean()
    scale = np.abs(centred).max()
    second = np.mean((centred / scale) ** 2)
    skewness = float(np.mean((centred / scale) ** 3) / second**1.5)
    if skewness > _SKEWED:
        text = f"a long tail of high values (skewness {skewness:.1f}); logarithms may suit better"
        yield Remark("skewed", text, name, "log", name)
