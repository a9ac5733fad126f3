"""Probability tables written row by row, each row naming the levels of the parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dagathlon.data.models.distributions import FloatArray
from dagathlon.data.networks.definition import Draft, place
from dagathlon.errors import DataError, unknown
from dagathlon.wording import counted


class RowTable:
    """Rows of one node's table, kept until all variables of the file are declared."""

    def __init__(self, name: str, parents: Sequence[str], line: int) -> None:
        self.name = name
        self.parents = tuple(parents)
        self.line = line
        self.default: list[float] | None = None
        self._rows: list[tuple[int, list[str], list[float]]] = []

    def add(self, line: int, chosen: list[str], probabilities: list[float]) -> None:
        """Add a row, with its line and the parents' levels as written in the file."""
        self._rows.append((line, chosen, probabilities))

    def finish(self, draft: Draft, index: Sequence[Mapping[str, int]]) -> None:
        """Order the rows by parent configuration and add the table to the draft.

        `index` maps, for each parent, a level as written to its number.
        """
        shape = draft.configurations(self.name, self.parents, self.line)
        width = len(draft.levels(self.name) or ())
        cells = np.full((int(np.prod(shape, dtype=np.int64)), width), np.nan)
        if self.default is not None:
            cells[:] = self._checked(self.line, self.default, width)
        seen: set[int] = set()
        for line, chosen, row in self._rows:
            position = self._position(line, chosen, index)
            if position in seen:
                raise DataError(f"{place(line, self.name)}: ({', '.join(chosen)}) stands twice")
            seen.add(position)
            cells[position] = self._checked(line, row, width)
        self._check_complete(cells, index)
        draft.table(self.name, self.parents, cells, self.line)

    def _checked(self, line: int, row: list[float], width: int) -> list[float]:
        if len(row) != width:
            found = counted(len(row), "probability", "probabilities")
            raise DataError(
                f"{place(line, self.name)}: found {found} for {counted(width, 'level')}"
            )
        return row

    def _position(self, line: int, chosen: list[str], index: Sequence[Mapping[str, int]]) -> int:
        where = place(line, self.name)
        if len(chosen) != len(self.parents):
            parents = counted(len(self.parents), "parent")
            raise DataError(f"{where}: found {counted(len(chosen), 'level')} for {parents}")
        position = 0
        for parent, label, known in zip(self.parents, chosen, index, strict=True):
            if label not in known:
                raise DataError(unknown(f"level of {parent!r}", label, known, where))
            position = position * len(known) + known[label]
        return position

    def _check_complete(self, cells: FloatArray, index: Sequence[Mapping[str, int]]) -> None:
        missing = np.isnan(cells).all(axis=1)
        if not missing.any():
            return
        position = int(np.argmax(missing))
        labels: list[str] = []
        for known in reversed(index):
            position, number = divmod(position, len(known))
            labels.insert(0, list(known)[number])
        row = f" for ({', '.join(labels)})" if labels else ""
        raise DataError(f"{place(self.line, self.name)}: no probabilities{row}")
