"""`Dataset`: named columns, continuous or discrete, with missing values and interventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagathlon.data import storage
from dagathlon.data.fingerprint import fingerprint
from dagathlon.data.preparing.regimes import Regimes, checked_regimes
from dagathlon.data.reading import preview
from dagathlon.data.storage import Codes, Values
from dagathlon.data.variable import Variable, first_repeated
from dagathlon.data.writing import export
from dagathlon.errors import DataError, unknown
from dagathlon.immutable import Immutable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Dataset(Immutable):
    """An immutable table of observations.

    Rows are observations, columns are variables. Two data sets are equal when they have the same
    variables in the same order, the same values, and the same interventions in each row.

    Parameters
    ----------
    variables
        The columns, in order.
    codes
        Codes of the discrete variables, in their order among `variables`: a matrix of whole
        numbers, level ``i`` as ``i``. A missing value is the greatest number of the array's type
        for ``uint8`` and ``uint16``, and −1 for any other type.
    values
        Values of the continuous variables, in their order among `variables`; NaN is missing.
    regimes
        For interventional data a pair: the distinct target sets (sets of names, the empty set
        for observational rows), and for each row the index of its target set.

    Notes
    -----
    Codes are held as ``uint8`` when no variable has more than 255 levels, else as ``uint16``;
    values as ``float64``; both column by column. An array that already has this layout is used
    as it is and becomes read-only; any other is copied.
    """

    __slots__ = ("__dict__", "_codes", "_regimes", "_values", "_variables")

    def __init__(
        self,
        variables: Iterable[Variable],
        codes: npt.ArrayLike | None = None,
        values: npt.ArrayLike | None = None,
        regimes: tuple[Iterable[Iterable[str]], npt.ArrayLike] | None = None,
    ) -> None:
        self._variables = _checked_variables(variables)
        discrete = [variable for variable in self._variables if variable.is_discrete]
        continuous = [variable for variable in self._variables if not variable.is_discrete]
        n_rows = _number_of_rows(codes, values)
        self._codes: Codes = storage.frozen_codes(
            np.empty((n_rows, 0), dtype=np.uint8) if codes is None else codes, discrete
        )
        self._values: Values = storage.frozen_values(
            np.empty((n_rows, 0)) if values is None else values, continuous
        )
        if len(self._codes) != len(self._values):
            raise DataError(
                f"found {len(self._codes)} rows of codes and {len(self._values)} rows of values"
            )
        self._regimes: Regimes | None = None
        if regimes is not None:
            self._regimes = checked_regimes(*regimes, self.names, n_rows)

    @classmethod
    def _of(
        cls, variables: tuple[Variable, ...], codes: Any, values: Any, regimes: Regimes | None
    ) -> Dataset:
        """Wrap arrays that have already been checked and converted, without checking again."""
        data = cls.__new__(cls)
        data._variables = variables
        data._codes = codes
        data._values = values
        data._regimes = regimes
        return data

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns, in order."""
        return self._variables

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(variable.name for variable in self._variables)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Column number of each name."""
        return MappingProxyType({name: j for j, name in enumerate(self.names)})

    @property
    def codes(self) -> Codes:
        """Read-only codes of the discrete columns, in order; the type's maximum means missing."""
        return self._codes

    @property
    def values(self) -> Values:
        """Read-only values of the continuous columns, in order; NaN means missing."""
        return self._values

    @property
    def ranges(self) -> tuple[Values, Values]:
        """The lowest and the highest value of each continuous column, NaN where all are missing."""
        return np.fmin.reduce(self._values, axis=0), np.fmax.reduce(self._values, axis=0)

    @property
    def missing_code(self) -> int:
        """The code that marks a missing value in `codes`."""
        return storage.missing_code(self._codes.dtype)

    @property
    def n_rows(self) -> int:
        """Number of observations."""
        return len(self._codes)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def is_discrete(self) -> bool:
        """Whether all columns are discrete."""
        return not self._values.shape[1]

    @property
    def is_continuous(self) -> bool:
        """Whether all columns are continuous."""
        return not self._codes.shape[1]

    @property
    def is_mixed(self) -> bool:
        """Whether there are columns of both kinds."""
        return not (self.is_discrete or self.is_continuous)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Numbers of levels of the discrete columns, in order."""
        return tuple(variable.arity for variable in self._variables if variable.is_discrete)

    @property
    def regimes(self) -> Regimes | None:
        """Target sets and the regime of each row; ``None`` for purely observational data."""
        return self._regimes

    @property
    def targets(self) -> tuple[frozenset[str], ...] | None:
        """Distinct target sets; ``None`` for purely observational data."""
        return None if self._regimes is None else self._regimes.targets

    @property
    def regime(self) -> npt.NDArray[np.uint16] | None:
        """Index into `targets` of each row; ``None`` for purely observational data."""
        return None if self._regimes is None else self._regimes.rows

    @cached_property
    def intervened(self) -> npt.NDArray[np.bool_] | None:
        """Mask of rows by columns of intervened values; ``None`` when there are no regimes."""
        if self._regimes is None:
            return None
        mask = self._regimes.mask(self.names)
        mask.flags.writeable = False
        return mask

    @cached_property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return any(bool(self._missing_in(j).any()) for j in range(len(self._variables)))

    @cached_property
    def missing(self) -> npt.NDArray[np.bool_] | None:
        """Mask of rows by columns of missing values; ``None`` when nothing is missing."""
        if not self.has_missing:
            return None
        mask = np.empty((self.n_rows, len(self._variables)), dtype=bool, order="F")
        for j in range(len(self._variables)):
            mask[:, j] = self._missing_in(j)
        mask.flags.writeable = False
        return mask

    def position(self, name: str) -> int:
        """Column number of a variable; an unknown name is a `DataError` with the nearest match."""
        try:
            return self.index[name]
        except (KeyError, TypeError):
            raise DataError(unknown("variable", name, self.names)) from None

    def column(self, name: str) -> npt.NDArray[Any]:
        """Codes or values of one variable, read-only, without a copy."""
        return self._column(self.position(name))

    def to_matrix(self) -> Values:
        """All columns as one new ``float64`` matrix, codes as numbers and NaN as missing."""
        result = np.empty((self.n_rows, len(self._variables)), order="F")
        for j, variable in enumerate(self._variables):
            column = self._column(j)
            result[:, j] = column
            if variable.is_discrete:
                result[column == self.missing_code, j] = np.nan
        return result

    def __getitem__(self, rows: slice) -> Dataset:
        """Rows of a slice such as ``[:1000]`` or ``[::2]``, as a view."""
        self._check_slice(rows)
        regimes = self._regimes
        if regimes is not None:
            regimes = Regimes(regimes.targets, regimes.rows[rows])
        return Dataset._of(self._variables, self._codes[rows], self._values[rows], regimes)

    def take(self, indices: npt.ArrayLike) -> Dataset:
        """A copy of chosen rows, in the given order; a row may be chosen several times."""
        rows = self._checked_rows(indices)
        regimes = self._regimes
        if regimes is not None:
            regimes = Regimes(regimes.targets, regimes.rows[rows])
            regimes.rows.flags.writeable = False
        codes = storage.frozen_rows(self._codes, rows)
        return Dataset._of(self._variables, codes, storage.frozen_rows(self._values, rows), regimes)

    def select(self, names: Sequence[str]) -> Dataset:
        """The columns `names`, in that order; all names reorder the columns."""
        variables = self._selected(names)
        columns = [self.position(name) for name in names]
        discrete = [self._offsets[j] for j in columns if self._variables[j].is_discrete]
        continuous = [self._offsets[j] for j in columns if not self._variables[j].is_discrete]
        arities = [variable.arity for variable in variables if variable.is_discrete]
        codes = storage.narrowed(storage.frozen_columns(self._codes, discrete), arities)
        values = storage.frozen_columns(self._values, continuous)
        regimes = None if self._regimes is None else self._regimes.restricted(names)
        if regimes is not None and not any(regimes.targets):
            regimes = None
        return Dataset._of(variables, codes, values, regimes)

    def drop(self, names: Iterable[str]) -> Dataset:
        """The data set without the columns `names`."""
        if isinstance(names, str):
            raise DataError(f"columns are dropped by a list of names, found {names!r}")
        dropped = {self.position(name) for name in names}
        return self.select([name for j, name in enumerate(self.names) if j not in dropped])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of names, levels, values and interventions; the same for equal data."""
        return fingerprint(self)

    def summary(self) -> list[preview.ColumnSummary]:
        """Facts about each column: kind, missing values, levels or range."""
        return [preview.summary_of(self, name) for name in self.names]

    @classmethod
    def from_pandas(cls, frame: pd.DataFrame, **options: Any) -> Dataset:
        """A data set from a data frame of pandas; `options` are those of `read_data`."""
        return _read(frame, options)

    @classmethod
    def from_polars(cls, frame: pl.DataFrame, **options: Any) -> Dataset:
        """A data set from a data frame of polars; `options` are those of `read_data`."""
        return _read(frame, options)

    @classmethod
    def from_arrow(cls, table: pa.Table, **options: Any) -> Dataset:
        """A data set from a table of pyarrow; `options` are those of `read_data`."""
        return _read(table, options)

    @classmethod
    def from_numpy(
        cls, matrix: npt.ArrayLike, names: Sequence[str] | None = None, **options: Any
    ) -> Dataset:
        """A data set from a matrix; without names, the columns are called ``V1``, ``V2``, …."""
        return _read(np.asarray(matrix), {"names": names, **options})

    def to_arrow(self) -> pa.Table:
        """A pyarrow table; discrete columns are dictionaries of their levels."""
        return export.to_arrow(self)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame: discrete columns are categorical, missing values are null."""
        return export.to_pandas(self)

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame: discrete columns are enumerations, missing values are null."""
        return export.to_polars(self)

    @cached_property
    def _offsets(self) -> list[int]:
        """For each column, its position among the columns of its kind (discrete or continuous)."""
        counts = {True: 0, False: 0}
        offsets = []
        for variable in self._variables:
            offsets.append(counts[variable.is_discrete])
            counts[variable.is_discrete] += 1
        return offsets

    def _check_slice(self, rows: object) -> None:
        if not isinstance(rows, slice) or (rows.step is not None and rows.step < 1):
            raise DataError(
                f"data[…] takes a slice of rows with a positive step, found {rows!r}; "
                "use data.column(name) for a column and data.take(indices) for chosen rows"
            )

    def _checked_rows(self, indices: npt.ArrayLike) -> npt.NDArray[np.intp]:
        chosen = np.asarray(indices, dtype=None if np.size(indices) else np.intp)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise DataError(f"rows are chosen by a list of row numbers, found {indices!r}")
        if chosen.size and not (int(chosen.min()) >= 0 and int(chosen.max()) < self.n_rows):
            raise DataError(
                f"rows are numbered 0 to {self.n_rows - 1}, "
                f"found {int(chosen.min())} to {int(chosen.max())}"
            )
        return chosen.astype(np.intp)

    def _selected(self, names: Sequence[str]) -> tuple[Variable, ...]:
        if isinstance(names, str):
            raise DataError(f"columns are chosen by a list of names, found {names!r}")
        return _checked_variables(self._variables[self.position(name)] for name in names)

    def _column(self, j: int) -> npt.NDArray[Any]:
        if self._variables[j].is_discrete:
            return self._codes[:, self._offsets[j]]
        return self._values[:, self._offsets[j]]

    def _missing_in(self, j: int) -> npt.NDArray[np.bool_]:
        column = self._column(j)
        if self._variables[j].is_discrete:
            return np.asarray(column == self.missing_code)
        missing: npt.NDArray[np.bool_] = np.isnan(column)
        return missing

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        if self._variables != other._variables or self.n_rows != other.n_rows:
            return False
        if not np.array_equal(self._codes, other._codes):
            return False
        for j in range(self._values.shape[1]):
            if not np.array_equal(self._values[:, j], other._values[:, j], equal_nan=True):
                return False
        return _same_regimes(self._regimes, other._regimes)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        codes, values = np.asfortranarray(self._codes), np.asfortranarray(self._values)
        return (Dataset, (self._variables, codes, values, self._regimes))

    def __repr__(self) -> str:
        return preview.text(self)

    def _repr_html_(self) -> str:
        return preview.html_table(self)


def _checked_variables(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    columns = tuple(variables)
    for column in columns:
        if not isinstance(column, Variable):
            raise DataError(f"a column is described by a Variable, found {column!r}")
    if not columns:
        raise DataError("a data set has at least one column, found none")
    twice = first_repeated(column.name for column in columns)
    if twice is not None:
        raise DataError(f"variable {twice!r} stands twice")
    return columns


def _number_of_rows(codes: npt.ArrayLike | None, values: npt.ArrayLike | None) -> int:
    given = codes if codes is not None else values
    if given is None or np.ndim(given) == 0:
        raise DataError("a data set needs codes, values or both, as matrices; found neither")
    return int(np.shape(given)[0])


def _same_regimes(left: Regimes | None, right: Regimes | None) -> bool:
    left = None if left is None or left.is_observational else left.canonical()
    right = None if right is None or right.is_observational else right.canonical()
    if left is None or right is None:
        return left is right
    return left.targets == right.targets and np.array_equal(left.rows, right.rows)


def _read(source: Any, options: dict[str, Any]) -> Dataset:
    from dagathlon.data.reading.files import read_data  # noqa: PLC0415 - which needs this file

    return read_data(source, **options)
