"""Probable kinds of noise in a file, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from dagathlon.data.inspection.gap_relations import Relation, gap_relations, silent_states
from dagathlon.data.inspection.misrecorded import Misrecorded, misrecorded
from dagathlon.data.inspection.noise_sample import MOST_COLUMNS, NoiseSample, SampledColumn
from dagathlon.data.inspection.surprises import Surprise
from dagathlon.errors import listing

Kind: TypeAlias = Literal["missing", "incorrect", "merged", "hidden"]

_NAMED = 4
_DOUBT = ", as also happens with columns that are few, very random or all related"
_JOINTS = ("+", "/", "&", "|", " or ", " and ", "-or-")


@dataclass(frozen=True)
class NoiseFinding:
    """Conclusion about one kind of noise in a file.

    Parameters
    ----------
    kind
        ``missing``, ``incorrect``, ``merged`` or ``hidden``.
    verdict
        ``none``, ``some``, ``hardly any``, ``probably``, ``possibly`` or ``cannot be told``.
    text
        A sentence with the numbers.
    rate, low, high
        Share of affected values with its 95 % interval, where it can be estimated.
    at_most
        For wrong values the largest share that there can be, if it is the same in all columns.
    columns
        The columns that it is about.
    cells
        Single values that are most likely wrong: row, column, value, usual value, and the columns
        that predict it.
    """

    kind: Kind
    verdict: str
    text: str
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    at_most: float | None = None
    columns: tuple[str, ...] = ()
    cells: tuple[dict[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON, without empty entries."""
        return {key: value for key, value in asdict(self).items() if value not in (None, ())}


def noise_findings(sample: NoiseSample, without: Collection[str]) -> tuple[NoiseFinding, ...]:
    """Return conclusions about missing, wrong, merged and hidden values.

    Parameters
    ----------
    sample
        Rows of the file.
    without
        Columns uninformative about others: ids, copies and the like.
    """
    columns = [column for column in sample.columns if column.name not in without]
    if len(columns) < 2:
        return ()
    looked = sample.varying(without)
    silent = silent_states(looked)
    related = [column for column in columns if len(column.codes)]
    finding = _silent(silent, looked) if silent else _missing(sample, related)
    clean = [_without(column, silent.get(column.name)) for column in looked]
    return finding, _incorrect(misrecorded(clean), clean, sample), _merged(looked), _hidden()


def _without(column: SampledColumn, state: int | None) -> SampledColumn:
    if state is None:
        return column
    return column._replace(codes=np.where(column.codes == state, -1, column.codes))


def _missing(sample: NoiseSample, related: Sequence[SampledColumn]) -> NoiseFinding:
    """Summarise missing values; their causes are looked for in the columns `related`."""
    n_rows, columns = sample.n_rows, sample.columns
    lost = [column for column in columns if column.n_missing]
    if not lost:
        text = "none, neither as gaps nor as a word for them"
        return NoiseFinding("missing", "none", text, 0.0)
    rates = [column.n_missing / n_rows for column in lost]
    rate = sum(rates) / len(columns)
    where = f"{len(lost)} of {len(columns)} columns" if len(lost) > 1 else repr(lost[0].name)
    spread = f"({_spread(rates)}){_written(lost)}"
    whole = all(column.n_missing == n_rows for column in lost)
    why = "no value at all is there" if whole else _why(related)
    text = f"{rate:.1%} of all values, in {where} {spread}; {why}"
    return NoiseFinding("missing", "some", text, rate, columns=tuple(c.name for c in lost))


def _silent(silent: Mapping[str, int], looked: Sequence[SampledColumn]) -> NoiseFinding:
    """Summarise states that may encode missing values, being related to no other column."""
    columns = {column.name: column for column in looked}
    rates = [float(np.mean(columns[name].codes == state)) for name, state in silent.items()]
    labels = dict.fromkeys(columns[name].labels[state] for name, state in silent.items())
    named = listing(map(repr, list(labels)[:_NAMED]))
    rate = sum(rates) / len(columns)
    text = (
        f"perhaps {rate:.1%} of all values, as a state of {len(silent)} of {len(columns)} columns "
        f"({named}; {_spread(rates)}) that is related to no other column, while their other states "
        "are; if it means a missing value, --na makes gaps of it"
    )
    return NoiseFinding("missing", "possibly", text, rate, columns=tuple(silent))


def _spread(rates: Sequence[float]) -> str:
    return f"{min(rates):.1%} to {max(rates):.1%}" if len(rates) > 1 else f"{rates[0]:.1%}"


def _written(lost: Sequence[SampledColumn]) -> str:
    words = list(dict.fromkeys(word for column in lost for word in column.words))
    if not words:
        return ""
    states = f"as the state{'s' if len(words) > 1 else ''} {listing(map(repr, words[:_NAMED]))}"
    return f", {states}" if not any(column.n_gaps for column in lost) else f", partly {states}"


def _why(columns: Sequence[SampledColumn]) -> str:
    relations, tests = gap_relations(columns)
    if not tests:
        return "too few to say whether they come at random"
    if not relations:
        return "related to no other column, as if completely at random"
    names = len({relation.marked.column for relation in relations})
    return (
        f"not completely at random: in {names} column{'s' if names > 1 else ''} they are related "
        f"to other columns, most surely {_related(relations[0])}"
    )


def _related(relation: Relation) -> str:
    if relation.level == "gap":
        place = f"{relation.other!r} is missing too"
    else:
        place = (
            f"{relation.other!r} is {relation.level!r}"
            if relation.level
            else f"in a third of {relation.other!r}"
        )
    where = place if place.startswith("in ") else f"where {place}"
    shares = f"{relation.there:.1%} {where} and {relation.elsewhere:.1%} elsewhere"
    return f"those of {relation.marked.column!r}, {shares}"


def _incorrect(
    estimate: Misrecorded | None, looked: Sequence[SampledColumn], sample: NoiseSample
) -> NoiseFinding:
    if estimate is None:
        few = "columns" if len(looked) < 2 else "rows"
        return NoiseFinding("incorrect", "cannot be told", f"cannot be told: too few {few}")
    some = listing(map(repr, estimate.columns[:_NAMED]))
    more = " …" if len(estimate.columns) > _NAMED else ""
    named, n = f"{some}{more}", len(estimate.columns)
    rows = f"{estimate.different:,} of {estimate.rows:,} times"
    if estimate.verdict == "hardly any":
        text = (
            f"hardly any: at most {estimate.at_most:.1%} of the values, if wrong ones are equally "
            f"frequent in all columns; {named} are all but decided, by other columns or by having "
            f"hardly another value, and differ from that {rows}"
        )
    elif estimate.rate is not None:
        sure = "probably" if estimate.verdict == "probably" else "possibly"
        doubt = "" if sure == "probably" else _DOUBT
        text = (
            f"{sure} about {estimate.rate:.1%} of the values ({estimate.low:.1%} to "
            f"{estimate.high:.1%}): however well other columns predict them, {n} of "
            f"{estimate.n_columns} columns ({named}) differ at this rate ({rows}), and none at a "
            f"lower one{doubt}"
        )
    else:
        text = (
            f"at most {estimate.at_most:.1%} of the values, if wrong ones are equally frequent in "
            "all columns; how many there are cannot be told"
        )
    if len(looked) == MOST_COLUMNS:
        text += f" (looked at {MOST_COLUMNS} columns)"
    cells = tuple(
        _cell(surprise, int(sample.rows[surprise.row]) + 1) for surprise in estimate.surprises
    )
    if cells:
        text += f"; most surprising: {_surprise(cells[0])}"
    numbers = (estimate.rate, estimate.low, estimate.high, estimate.at_most)
    return NoiseFinding("incorrect", estimate.verdict, text, *numbers, estimate.columns, cells)


def _cell(surprise: Surprise, row: int) -> dict[str, Any]:
    """Return a surprising value with its 1-based row in the file."""
    return surprise._asdict() | {"row": row, "given": dict(surprise.given)}


def _surprise(cell: Mapping[str, Any]) -> str:
    given = " and ".join(f"{name!r} is {value!r}" for name, value in cell["given"].items())
    others = f"{cell['rows']:,} such rows"
    return (
        f"row {cell['row']:,}, where {cell['column']!r} is {cell['value']!r} ({cell['alike']} of "
        f"{others}) and not {cell['usual']!r}, though {given}"
    )


def _merged(columns: Sequence[SampledColumn]) -> NoiseFinding:
    hints = list(_joined_levels(columns))
    if not hints:
        text = "cannot be told: states that were made one leave no trace in a file"
        return NoiseFinding("merged", "cannot be told", text)
    shown = listing(f"{label!r} of {name!r}" for name, label in hints[:_NAMED])
    more = f" (and {len(hints) - _NAMED} more)" if len(hints) > _NAMED else ""
    names = tuple(dict.fromkeys(name for name, _ in hints))
    text = f"perhaps, by their names: {shown}{more}; others leave no trace in a file"
    return NoiseFinding("merged", "possibly", text, columns=names)


def _joined_levels(columns: Sequence[SampledColumn]) -> Iterator[tuple[str, str]]:
    """Yield column and level where the name joins two level names, such as ``low+high``."""
    everywhere: dict[str, int] = {}
    for column in columns:
        for label in column.labels:
            plain = label.casefold().strip()
            everywhere[plain] = everywhere.get(plain, 0) + 1
    for column in columns:
        for label in column.labels:
            for joint in _JOINTS:
                parts = [part.strip() for part in label.casefold().split(joint)]
                if len(parts) > 1 and all(everywhere.get(part, 0) >= 1 for part in parts):
                    yield column.name, label
                    break


def _hidden() -> NoiseFinding:
    text = (
        "cannot be told: a file does not show what it leaves out; learners for hidden variables "
        "(fci, gfci, rfci) say where one may be"
    )
    return NoiseFinding("hidden", "cannot be told", text)
