"""A setup of a study as its run saved it: plain facts, so that looking at results runs no module.

Reports, tables and the live page read these objects alone, during the run and ever after. What
they say of modules was true when the study ran; the modules themselves, the study's own files and
the machine need not be there any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, overload

from dagathlon.evaluate.metric import Measure
from dagathlon.study.plan.plan import Case, Omission, Origin, Run
from dagathlon.study.plan.task import Limits

KEY_BYTES = 32


@dataclass(frozen=True)
class ModuleFacts:
    """Facts about a module, readable without importing it.

    Parameters
    ----------
    name, kind, version, implementation, summary, references
        As the module's class says.
    parameters
        One line on each parameter, by name.
    takes, gives, samples
        Of a learner: kinds of data, kind of graph, whether it gives a chain.
    abilities
        Of a learner: what it ``takes``, ``gives`` and ``assumes``, in words.
    """

    name: str
    kind: str
    version: int
    implementation: str = ""
    summary: str = ""
    references: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    gives: str = ""
    samples: bool = False
    abilities: Mapping[str, str] = field(default_factory=dict)


class SavedSetting(NamedTuple):
    """Setting of an algorithm.

    Parameters
    ----------
    values
        The parameters that the study gives, in its order.
    parameters
        All parameters, defaults filled in.
    """

    values: Mapping[str, Any]
    parameters: Mapping[str, Any]


class Column(NamedTuple):
    """Values of a parameter over all settings, dictionary-encoded.

    No codes stand for a value that all settings share.
    """

    levels: Sequence[Any]
    codes: Sequence[int] = ()

    def at(self, number: int) -> Any:
        """Return the value of one setting."""
        return self.levels[self.codes[number] if self.codes else 0]


@dataclass(frozen=True)
class Settings(Sequence[SavedSetting]):
    """Settings of an algorithm by columns, since a product of lists may have a million.

    Parameters
    ----------
    length
        How many there are.
    values, parameters
        As in `SavedSetting`.
    outputs
        The kind of graph that each gives, which parameters may decide; None where that was not
        saved.
    """

    length: int
    values: Mapping[str, Column]
    parameters: Mapping[str, Column]
    outputs: Column | None = None

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, number: int) -> SavedSetting: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[SavedSetting]: ...
    def __getitem__(self, number: int | slice) -> SavedSetting | Sequence[SavedSetting]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(self.length))]
        if not 0 <= number < self.length:
            raise IndexError(number)
        return SavedSetting(
            {name: column.at(number) for name, column in self.values.items()},
            {name: column.at(number) for name, column in self.parameters.items()},
        )


@dataclass(frozen=True)
class Algorithm:
    """Algorithm of the study: a module under an id, with all its settings.

    Parameters
    ----------
    id
        The name that tables use.
    module
        What is known of the module.
    values
        Parameters as the study writes them, lists unexpanded.
    curve_parameter
        The parameter that is varied along a curve.
    settings
        All combinations of the lists.
    """

    id: str
    module: ModuleFacts
    values: Mapping[str, Any]
    curve_parameter: str
    settings: Settings

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """Return the parameters with several values; a list may also be a single value."""
        lists = {k: v for k, v in self.values.items() if isinstance(v, list) and len(v) > 1}
        first = self.settings[0].values if lists else {}
        return tuple(key for key, value in lists.items() if first.get(key) != value)

    def output(self, setting: int) -> str:
        """Return the kind of graph that a setting gives."""
        outputs = self.settings.outputs
        return self.module.gives if outputs is None else str(outputs.at(setting))


@dataclass(frozen=True)
class SavedEvaluation:
    """Requested evaluation of a setup: name and parameters."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class SavedSetup:
    """Benchmark setup of the study.

    Parameters
    ----------
    title
        Its name, and that of its folder.
    evaluations
        What is to be made of the results.
    ids
        Algorithms that some evaluation reads, in order of appearance.
    has_truth
        Whether every data entry has a true graph.
    off
        Names of evaluations that the report does not show either where nobody asks for them.
    """

    title: str
    evaluations: tuple[SavedEvaluation, ...]
    ids: tuple[str, ...]
    has_truth: bool
    off: tuple[str, ...] = ()

    def algorithm_ids(self) -> list[str]:
        """Return the ids that some evaluation reads, in order of appearance."""
        return list(self.ids)


class Keys(Sequence[bytes]):
    """Task keys, concatenated in one block of memory."""

    def __init__(self, content: bytes) -> None:
        if len(content) % KEY_BYTES:
            raise ValueError("the keys of tasks are cut short")
        self.content = content

    def __len__(self) -> int:
        return len(self.content) // KEY_BYTES

    @overload
    def __getitem__(self, position: int) -> bytes: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[bytes]: ...
    def __getitem__(self, position: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        if not 0 <= position < len(self):
            raise IndexError(position)
        return self.content[position * KEY_BYTES : (position + 1) * KEY_BYTES]

    def __iter__(self) -> Iterator[bytes]:
        starts = range(0, len(self.content), KEY_BYTES)
        return (self.content[start : start + KEY_BYTES] for start in starts)


@dataclass(frozen=True)
class SavedPlan:
    """Planned runs of a setup.

    Parameters
    ----------
    cases
        The data sets; graphs and data are places in `keys`, origins in `origins`.
    runs
        The rows of the results; their steps are places in `keys`, their cases in `cases`.
    further
        Runs on transformed data that evaluations asked for.
    keys
        The keys of the tasks, under which the store has their results.
    origins
        Where data sets come from.
    data_scores
        Places of the tasks that look at whole data sets, by name and number of the case.
    limits
        Limits of each of `runs`.
    omissions
        Experiments that are not applicable, with the reason.
    further_scores
        Names of the further scores of `further`, by origin and label of the transforms.
    """

    cases: Sequence[Case]
    runs: Sequence[Run]
    further: Sequence[Run]
    keys: Keys
    origins: Sequence[Origin]
    data_scores: Mapping[str, Mapping[int, int]]
    limits: Sequence[Limits]
    omissions: Sequence[Omission]
    further_scores: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedStudy:
    """Facts about one setup of a study, sufficient with the store to show its results.

    Parameters
    ----------
    name
        Name of the study's file.
    text
        Content of the study's file.
    setup
        The setup.
    algorithms
        The algorithms of the study, by id.
    modules
        What is known of the modules that draw graphs, parameters and data.
    measures
        The columns of metrics, with their titles and directions.
    plan
        What was to be run.
    """

    name: str
    text: bytes
    setup: SavedSetup
    algorithms: Mapping[str, Algorithm]
    modules: Sequence[ModuleFacts]
    measures: Sequence[Measure]
    plan: SavedPlan
