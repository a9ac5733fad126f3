"""Noise in data: missing and incorrect values, merged states, latent variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.data.storage import Codes, Values, aligned_empty, code_type, missing_code
from dagathlon.errors import NotApplicableError, StudyError
from dagathlon.modules import Module, Probability
from dagathlon.simulate.noise_code import TRUE_MISSING, code_of, parse_code
from dagathlon.simulate.streams import native_key
from dagathlon.simulate.transform import ObservedTruth, Transform

MISSING_STATE = "missing"

# Numbers of random streams: one block for each kind, in it two streams for each column, so that
# what one kind does to one column depends on nothing else.
_BLOCK = 1 << 40
_LATENT, _MERGED, _STATES, _INCORRECT, _MISSING = (i * _BLOCK for i in range(5))


@dataclass(frozen=True, kw_only=True)
class Noise(Transform):
    """Noise as in real data: hidden variables, merged states, incorrect and missing values.

    The kinds are applied in the order latent, merged, incorrect, missing. Which variables and
    cells are affected depends on the kind and the random stream alone: the same in every
    combination, a superset at a higher rate, and independent of the number of rows.

    Parameters
    ----------
    missing
        Probability that a value is replaced by a new state ``missing``; a continuous value becomes
        missing.
    incorrect
        Probability that a value is replaced by another state of its variable, uniformly; a
        continuous value is replaced by that of a random earlier row.
    merged
        Share of the variables in which two random states are merged, at least one variable, chosen
        among those with more than two states.
    latent
        Share of the variables that are hidden, at least one variable.
    as_missing_values
        Whether missing values of discrete variables are true missing values instead of a state.
    """

    name = "noise"
    outside_stream = frozenset({"missing", "incorrect", "merged", "latent", "as_missing_values"})
    references = (
        "Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of "
        "Bayesian network structure learning algorithms with noisy data, IJAR 131",
    )

    missing: Probability = 0.0
    incorrect: Probability = 0.0
    merged: Probability = 0.0
    latent: Probability = 0.0
    as_missing_values: bool = False

    @classmethod
    def from_code(cls, code: str, where: str = "") -> Self:
        """Parse a code such as ``N``, ``M5``, ``cMISL``; ``M5+NA`` gives true missing values.

        Parameters
        ----------
        code
            The code, see `parse_code`.
        where
            The place in the study, prefixed to every message.
        """
        try:
            rates = parse_code(code.removesuffix(TRUE_MISSING))
        except StudyError as error:
            raise StudyError(f"{where}: {error}" if where else str(error)) from None
        return cls.from_json({**rates, "as_missing_values": code.endswith(TRUE_MISSING)}, where)

    @property
    def rates(self) -> Mapping[str, float]:
        """Rates of the active kinds of noise."""
        every = {name: getattr(self, name) for name in ("missing", "incorrect", "merged", "latent")}
        return {name: rate for name, rate in every.items() if rate > 0}

    @property
    def code(self) -> str:
        """The code of this experiment."""
        return code_of(self.rates) + (TRUE_MISSING if self._loses_states else "")

    @property
    def does_nothing(self) -> bool:
        """Whether no kind of noise is active."""
        return not self.rates

    def truth_step(self) -> Module | None:
        """Return the projection of the truth if variables are hidden; None otherwise."""
        return ObservedTruth() if self.latent else None

    @property
    def _loses_states(self) -> bool:
        return self.as_missing_values and self.missing > 0

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the noisy data, given those of the data."""
        binary, missing, columns = data.binary, data.missing, data.n_columns
        if self.merged and not binary:
            binary = None
        if self.missing and (self._loses_states or data.kind in ("continuous", "mixed")):
            missing = True
        elif self.missing and data.kind is None:
            missing = missing or None
        if self.missing and not self._loses_states and data.kind == "discrete":
            binary = False
        if self.latent and columns is not None:
            columns -= _affected_count(self.latent, columns)
        return replace(data, binary=binary, missing=missing, n_columns=columns)

    def not_applicable(self, data: DataFacts) -> str:
        """Return why this noise is not applicable to such data; empty if it may be."""
        no_states = data.kind == "continuous" or (data.kind == "discrete" and data.binary)
        return self._reason(data.n_columns, bool(no_states))

    def _reason(self, columns: int | None, no_states: bool) -> str:
        rates = self.rates
        # Removing S from a combination of two kinds leaves a single kind.
        if self.merged and no_states and len(rates) < 3:
            return "merging states needs a variable with more than two states"
        if columns is None:
            return ""
        if self.latent and _affected_count(self.latent, columns) >= columns:
            return f"hiding {self.latent:.0%} of {columns} variables leaves none"
        alone = next(iter(rates.items())) if len(rates) == 1 else None
        if alone and alone[0] in ("merged", "latent") and alone[1] * columns < 0.5:
            return (
                f"{100 * alone[1]:g} % of {columns} variables is less than half a variable, and "
                f"one is already {100 / columns:.3g} %"
            )
        return ""

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the noisy data; raise `NotApplicableError` if this noise is not applicable.

        Parameters
        ----------
        data
            Data without this noise.
        rng
            The random stream.
        """
        reason = self._reason(len(data.variables), max(data.arities, default=0) <= 2)
        if reason:
            raise NotApplicableError(f"{self.code}: {reason}")
        key = native_key(rng)
        observed = self._observed(len(data.variables), key)
        merges = self._merges(data, observed, key)
        merged = [_merged(data.variables[j], merges.get(j)) for j in observed]
        variables = [self._with_missing_state(variable) for variable in merged]
        codes, values = _empty(len(data), variables)
        cells = _Cells(self, key, data)
        offsets = {True: 0, False: 0}
        for j, variable in zip(observed, merged, strict=True):
            offset = offsets[variable.is_discrete]
            offsets[variable.is_discrete] += 1
            if variable.is_discrete:
                cells.spoil_codes(j, codes[:, offset], variable.arity, merges.get(j))
            else:
                cells.spoil_values(j, values[:, offset])
        names = [variable.name for variable in variables]
        regimes = None if data.regimes is None else data.regimes.restricted(names)
        return Dataset(variables, codes, values, regimes)

    def _observed(self, columns: int, key: int) -> list[int]:
        count = _affected_count(self.latent, columns) if self.latent else 0
        hidden = set(_core.Stream(key, _LATENT).permutation(columns)[:count])
        return [j for j in range(columns) if j not in hidden]

    def _merges(
        self, data: Dataset, observed: Sequence[int], key: int
    ) -> dict[int, tuple[int, int]]:
        """Return, for each variable with merged states, their two codes, the smaller first."""
        if not self.merged:
            return {}
        able = {j for j in observed if len(data.variables[j].levels or ()) > 2}
        order = _core.Stream(key, _MERGED).permutation(len(data.variables))
        chosen = [j for j in order if j in able][
            : _affected_count(self.merged, len(data.variables))
        ]
        merges = {}
        for j in chosen:
            states = _core.Stream(key, _STATES + j).permutation(data.variables[j].arity)
            merges[j] = (min(states[:2]), max(states[:2]))
        return merges

    def _with_missing_state(self, variable: Variable) -> Variable:
        if variable.levels is None or not self.missing or self._loses_states:
            return variable
        return Variable(variable.name, (*variable.levels, _unused(MISSING_STATE, variable.levels)))


@dataclass(frozen=True)
class _Cells:
    """Writer of the noisy cells, one column at a time."""

    noise: Noise
    key: int
    data: Dataset

    def spoil_codes(
        self, j: int, target: Codes, levels: int, merge: tuple[int, int] | None
    ) -> None:
        source = self.data.column(self.data.names[j])
        missing = missing_code(target.dtype)
        table = np.full(missing_code(source.dtype) + 1, missing, dtype=target.dtype)
        arity = self.data.variables[j].arity
        table[:arity] = np.arange(arity) if merge is None else _renumbered(arity, merge)
        np.take(table, source, out=target, mode="clip")
        stream = 2 * j
        if self.noise.incorrect:
            rate = self.noise.incorrect
            _core.scramble_codes(target, levels, self.key, _INCORRECT + stream, rate)
        if self.noise.missing:
            value = missing if self.noise.as_missing_values else levels
            _core.overwrite_codes(target, value, self.key, _MISSING + stream, self.noise.missing)

    def spoil_values(self, j: int, target: Values) -> None:
        target[:] = self.data.column(self.data.names[j])
        stream = 2 * j
        if self.noise.incorrect:
            _core.resample_values(target, self.key, _INCORRECT + stream, self.noise.incorrect)
        if self.noise.missing:
            _core.erase_values(target, self.key, _MISSING + stream, self.noise.missing)


def _affected_count(rate: float, columns: int) -> int:
    """Return the number of variables affected at a rate."""
    return max(1, math.floor(rate * columns + 0.5))


def _empty(rows: int, variables: Sequence[Variable]) -> tuple[Codes, Values]:
    arities = [variable.arity for variable in variables if variable.is_discrete]
    codes = aligned_empty(rows, len(arities), code_type(arities))
    return codes, aligned_empty(rows, len(variables) - len(arities), np.float64)


def _merged(variable: Variable, merge: tuple[int, int] | None) -> Variable:
    if merge is None or variable.levels is None:
        return variable
    first, second = merge
    others = [label for code, label in enumerate(variable.levels) if code not in merge]
    label = _unused(f"{variable.levels[first]}+{variable.levels[second]}", others)
    others.insert(first, label)
    return Variable(variable.name, tuple(others))


def _renumbered(arity: int, merge: tuple[int, int]) -> npt.NDArray[np.int_]:
    """Return the new code of each old one: the merged states become one, later codes move up."""
    first, second = merge
    codes = np.arange(arity)
    codes[second + 1 :] -= 1
    codes[second] = first
    return codes


def _unused(label: str, taken: Sequence[str]) -> str:
    while label in taken:
        label += "'"
    return label
