"""Hypothesis strategies for data sets."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable

_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
WORDS = st.one_of(
    st.sampled_from(["a", "V1", "x y", "a,b", 'q"r', "a;b\tc", "two\nlines", "1", "2.5", "do(a)"]),
    st.text(_CHARACTERS, min_size=1, max_size=6),
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-50, 50).map(float)
)


def plain(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Words that a text file gives back: no blanks around them, no sign of a missing value."""
    missing = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"}
    return words.filter(lambda word: word == word.strip() and word not in missing)


@st.composite
def datasets(
    draw: st.DrawFn,
    words: st.SearchStrategy[str] = WORDS,
    kinds: st.SearchStrategy[str] | None = None,
    min_rows: int = 1,
) -> Dataset:
    """Data sets of up to five columns and eight rows, some with gaps and interventions."""
    names = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    n_rows = draw(st.integers(min_rows, 8))
    choice = st.sampled_from(["discrete", "continuous"]) if kinds is None else kinds
    variables, codes, values = [], [], []
    gaps = draw(st.booleans())
    for name in names:
        if draw(choice) == "discrete":
            levels = draw(st.lists(words, min_size=1, max_size=4, unique=True))
            variables.append(Variable(name, tuple(levels)))
            code = st.integers(-1 if gaps else 0, len(levels) - 1)
            codes.append(draw(st.lists(code, min_size=n_rows, max_size=n_rows)))
        else:
            variables.append(Variable(name))
            number = st.one_of(NUMBERS, st.just(math.nan)) if gaps else NUMBERS
            values.append(draw(st.lists(number, min_size=n_rows, max_size=n_rows)))
    return Dataset(
        variables,
        np.array(codes, dtype=np.int64).reshape(len(codes), n_rows).T,
        np.array(values, dtype=float).reshape(len(values), n_rows).T,
        draw(regimes(names, n_rows)),
    )


@st.composite
def regimes(
    draw: st.DrawFn, names: list[str], n_rows: int
) -> tuple[list[frozenset[str]], list[int]] | None:
    """Target sets and a regime for each row, or none."""
    if draw(st.booleans()):
        return None
    targets = draw(st.lists(st.frozensets(st.sampled_from(names)), min_size=1, max_size=3))
    rows = st.integers(0, len(targets) - 1)
    return targets, draw(st.lists(rows, min_size=n_rows, max_size=n_rows))


def without_clashes(data: Dataset) -> bool:
    """Whether no name reads like the indicator of an intervention on another variable."""
    return not any(f"do({name})" in data.names for name in data.names)
