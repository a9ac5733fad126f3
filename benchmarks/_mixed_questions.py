"""Questions about mixed data whose answer is known, for `mixed_tests`.

A question is a function of a random generator, a number of rows and an effect; it returns columns,
of which the first two are asked about given the others. At effect 0 they are independent given
those. Whole numbers are levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, Variable

Columns: TypeAlias = list[npt.NDArray[Any]]
Random: TypeAlias = np.random.Generator


@dataclass(frozen=True)
class Question:
    """What depends on what, and the strength at which tests differ: it shrinks as 1/√rows."""

    name: str
    draw: Callable[[Random, int, float], Columns]
    strength: float


def table(columns: Columns) -> Dataset:
    """Columns V0, V1, … with the levels that can occur, as `Dataset` keeps them."""
    discrete = [column for column in columns if column.dtype.kind == "i"]
    continuous = [column for column in columns if column.dtype.kind == "f"]
    variables = [
        Variable(f"V{j}", tuple(map(str, range(column.max() + 1))))
        if column.dtype.kind == "i"
        else Variable(f"V{j}")
        for j, column in enumerate(columns)
    ]
    codes = np.column_stack(discrete) if discrete else None
    values = np.column_stack(continuous) if continuous else None
    return Dataset(variables, codes=codes, values=values)


def chosen(random: Random, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """A level for each row, by the multinomial logistic model."""
    return np.argmax(logits + random.gumbel(size=logits.shape), axis=1)


def linear(random: Random, n: int, effect: float) -> Columns:
    """Two continuous variables."""
    x = random.normal(size=n)
    return [x, effect * x + random.normal(size=n)]


def linear_given_value(random: Random, n: int, effect: float) -> Columns:
    """The same, with a common continuous cause."""
    z = random.normal(size=n)
    x = z + random.normal(size=n)
    return [x, z + effect * x + random.normal(size=n), z]


def linear_given_levels(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """The same, with a common discrete cause."""
    z = random.integers(levels, size=n)
    shift = random.normal(size=(2, levels))
    x = shift[0, z] + random.normal(size=n)
    return [x, shift[1, z] + effect * x + random.normal(size=n), z]


def slopes_by_level(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """Slopes whose signs alternate over the levels, so that they cancel."""
    z = random.integers(levels, size=n)
    x = random.normal(size=n)
    return [x, effect * (-1.0) ** z * x + random.normal(size=n), z]


def means(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """The mean of a continuous variable depends on the level of a discrete one."""
    x = random.integers(levels, size=n)
    shift = np.linspace(-1, 1, levels)
    return [x, effect * shift[x] + random.normal(size=n)]


def variances(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """The variance does, and the mean does not."""
    x = random.integers(levels, size=n)
    return [x, np.exp(effect * np.linspace(-1, 1, levels)[x]) * random.normal(size=n)]


def means_given_value(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """A continuous variable causes both the level and the value."""
    z = random.normal(size=n)
    x = chosen(random, np.outer(z, np.linspace(-1, 1, levels)))
    return [x, z + effect * np.linspace(-1, 1, levels)[x] + random.normal(size=n), z]


def means_given_levels(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """A discrete variable causes both the level, of three, and the value."""
    z = random.integers(levels, size=n)
    x = chosen(random, random.normal(size=(levels, 3))[z])
    shift = random.normal(size=levels)
    return [x, shift[z] + effect * (x - 1.0) + random.normal(size=n), z]


def tables(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """Two discrete variables, one of three levels."""
    x = random.integers(levels, size=n)
    return [x, chosen(random, effect * np.outer(np.linspace(-1, 1, levels)[x], [-1, 0, 1]))]


def tables_given_levels(
    random: Random, n: int, effect: float, *, levels: int, own: int = 3
) -> Columns:
    """Two of the same number of levels, with a common discrete cause."""
    z = random.integers(levels, size=n)
    x = chosen(random, random.normal(size=(levels, own))[z])
    scale = np.linspace(-1, 1, own)
    pull = effect * np.outer(scale[x], scale)
    return [x, chosen(random, random.normal(size=(levels, own))[z] + pull), z]


def tables_given_value(random: Random, n: int, effect: float) -> Columns:
    """Two of three levels, with a common continuous cause."""
    z = random.normal(size=n)
    x = chosen(random, np.outer(z, [-1, 0, 1]))
    return [x, chosen(random, np.outer(z + effect * (x - 1.0), [-1, 0, 1])), z]


def logistic(random: Random, n: int, effect: float) -> Columns:
    """A value causes a level, of three."""
    x = random.normal(size=n)
    return [x, chosen(random, effect * np.outer(x, [-1, 0, 1]))]


def logistic_given_value(random: Random, n: int, effect: float) -> Columns:
    """The same, with a common continuous cause."""
    z = random.normal(size=n)
    x = z + random.normal(size=n)
    return [x, chosen(random, np.outer(z + effect * x, [-1, 0, 1])), z]


def mixed_causes(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """A value and a level with a continuous and a discrete common cause."""
    z, w = random.normal(size=n), random.integers(levels, size=n)
    x = z + random.normal(size=levels)[w] + random.normal(size=n)
    pull = np.outer(z + effect * x, [-1, 0, 1])
    return [x, chosen(random, pull + random.normal(size=(levels, 3))[w]), z, w]


def causes_that_interact(random: Random, n: int, effect: float, *, levels: int) -> Columns:
    """Two values with the same causes, whose slopes on the one differ by the level of the other."""
    z, w = random.normal(size=n), random.integers(levels, size=n)
    slope = random.normal(size=(2, levels))
    x = slope[0, w] * z + random.normal(size=n)
    return [x, slope[1, w] * z + effect * x + random.normal(size=n), z, w]


QUESTIONS = (
    Question("linear", linear, 2.5),
    Question("linear given a value", linear_given_value, 2.5),
    *(
        Question(f"linear given {k} levels", partial(linear_given_levels, levels=k), 2.5)
        for k in (2, 5, 10)
    ),
    Question("slopes by 5 levels", partial(slopes_by_level, levels=5), 4.0),
    Question("means by 3 levels", partial(means, levels=3), 3.5),
    Question("means by 10 levels", partial(means, levels=10), 6.0),
    Question("variances by 3 levels", partial(variances, levels=3), 2.5),
    Question("means given a value", partial(means_given_value, levels=5), 5.0),
    *(
        Question(f"means given {k} levels", partial(means_given_levels, levels=k), 4.0)
        for k in (2, 5, 10)
    ),
    Question("table of 10 × 3", partial(tables, levels=10), 7.0),
    *(
        Question(f"table given {k} levels", partial(tables_given_levels, levels=k), 5.0)
        for k in (2, 5, 10)
    ),
    Question("10 × 10 given 10 levels", partial(tables_given_levels, levels=10, own=10), 25.0),
    Question("table given a value", tables_given_value, 5.0),
    Question("logistic", logistic, 4.0),
    Question("logistic given a value", logistic_given_value, 4.0),
    Question("logistic given a value and 5 levels", partial(mixed_causes, levels=5), 4.0),
    Question("linear given causes that interact", partial(causes_that_interact, levels=5), 2.5),
)
