"""From a study and its plan to the facts that its run saves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar, cast

from dagathlon.evaluate.metric import measures
from dagathlon.frame import Rows
from dagathlon.learners.abilities import abilities_of
from dagathlon.learners.base import Learner
from dagathlon.modules import Module
from dagathlon.study.config.expand import ModuleEntry, Setting
from dagathlon.study.config.study_file import Config, DataEntry, Part, Setup
from dagathlon.study.plan.plan import Case, Plan, Run
from dagathlon.study.plan.task import Limits
from dagathlon.study.records.file import uncollected
from dagathlon.study.records.schema import (
    Algorithm,
    Column,
    Keys,
    ModuleFacts,
    SavedEvaluation,
    SavedPlan,
    SavedSetup,
    SavedStudy,
    Settings,
)

# The fields that are places of tasks; a plan of several setups has places that one has no use for.
POSITIONS: Mapping[type[tuple[Any, ...]], tuple[str, ...]] = {
    Case: ("graph", "data"),
    Run: ("learn", "estimate", "score"),
}
_NO_LIMITS = Limits()
_Record = TypeVar("_Record", Case, Run)


def facts_of_setup(config: Config, plan: Plan, number: int) -> SavedStudy:
    """Return the facts that a run saves of one setup of a study."""
    setup = config.setups[number]
    with uncollected():
        plan_of_setup = _saved_plan(plan, number)
    return SavedStudy(
        config.path.name,
        config.text,
        SavedSetup(
            setup.title,
            tuple(_evaluations(setup)),
            tuple(setup.algorithm_ids()),
            all(entry.graphs for entry in setup.data),
            setup.off,
        ),
        {name: _algorithm(entry) for name, entry in config.algorithms.items()},
        _generators(setup),
        list(measures().values()),
        plan_of_setup,
    )


def module_facts(module: type[Module]) -> ModuleFacts:
    """Return the facts about a module that can be read without importing it later."""
    return ModuleFacts(
        module.name,
        module.kind,
        module.version,
        module.implementation,
        module.summary(),
        tuple(module.references),
        {name: parameter.description for name, parameter in module.parameters().items()},
        tuple(sorted(getattr(module, "takes", ()))),
        str(getattr(module, "gives", "")) if module.kind == "algorithm" else "",
        bool(getattr(module, "samples", False)),
        _abilities(module),
    )


def _abilities(module: type[Module]) -> dict[str, str]:
    if not issubclass(module, Learner):
        return {}
    able = abilities_of(module)
    return {
        "takes": able.takes_in_words(),
        "gives": able.gives_in_words(),
        "assumes": ", ".join(able.assumes),
    }


def _algorithm(entry: ModuleEntry) -> Algorithm:
    return Algorithm(
        entry.id, module_facts(entry.module), entry.values, entry.curve_parameter, _settings(entry)
    )


def _settings(entry: ModuleEntry) -> Settings:
    given = [setting.values for setting in entry.settings]
    filled = [setting.module.to_json() for setting in entry.settings]
    outputs = [cast(Learner, setting.module).output() for setting in entry.settings]
    return Settings(len(given), _columns(given), _columns(filled), _column(outputs))


def _columns(rows: Rows) -> dict[str, Column]:
    return {name: _column([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def _column(values: Sequence[Any]) -> Column:
    """Encode the values of a parameter, telling 1 from 1.0 and true as JSON does."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(json.dumps(value), len(numbers)) for value in values]
    levels = [json.loads(text) for text in numbers]
    return Column(levels, codes if len(levels) > 1 else [])


def _evaluations(setup: Setup) -> Iterator[SavedEvaluation]:
    for evaluation in setup.evaluations:
        yield SavedEvaluation(evaluation.name, json.loads(json.dumps(evaluation.to_json())))


def _generators(setup: Setup) -> list[ModuleFacts]:
    parts = (part for entry in setup.data for part in _parts(entry))
    classes = (type(part.module) for part in parts if isinstance(part, Setting))
    return [module_facts(module) for module in dict.fromkeys(classes)]


def _parts(entry: DataEntry) -> Iterator[Part]:
    return chain(entry.graphs, entry.parameters, entry.data)


def _saved_plan(plan: Plan, number: int) -> SavedPlan:
    """Return the part of a plan that belongs to one setup, with positions renumbered."""
    runs, further = (
        [run for run in entries if run.setup == number] for entries in (plan.runs, plan.further)
    )
    origins = [i for i, origin in enumerate(plan.origins) if origin.setup == number]
    place_of_origin = {origin: place for place, origin in enumerate(origins)}
    chosen = [i for i, case in enumerate(plan.cases) if case.origin in place_of_origin]
    place_of_case = {case: place for place, case in enumerate(chosen)}
    cases = [plan.cases[case] for case in chosen]
    looks = {
        name: {place_of_case[case]: i for case, i in entries.items() if case in place_of_case}
        for name, entries in plan.data_scores.items()
    }
    used = {*_positions(cases), *_positions(runs), *_positions(further)}
    used |= {i for run in (*runs, *further) for i in run.scores}
    used |= {i for entries in looks.values() for i in entries.values()}
    place = {position: i for i, position in enumerate(sorted(used - {None}))}
    tasks = plan.tasks
    return SavedPlan(
        _moved(cases, place, origin=[place_of_origin[case.origin] for case in cases]),
        _moved_runs(runs, place, place_of_case),
        _moved_runs(further, place, place_of_case),
        Keys(b"".join(tasks[position].key for position in place)),
        [plan.origins[origin]._replace(setup=0) for origin in origins],
        {
            name: {case: place[i] for case, i in entries.items()}
            for name, entries in looks.items()
            if entries
        },
        [plan.limits.get(run.learn, _NO_LIMITS) for run in runs],
        list(dict.fromkeys(plan.omissions)),
        {
            (place_of_origin[origin], label): names
            for (origin, label), names in plan.further_scores.items()
            if origin in place_of_origin
        },
    )


def _moved_runs(
    runs: Sequence[Run], place: Mapping[int, int], place_of_case: Mapping[int, int]
) -> list[Run]:
    return _moved(
        runs,
        place,
        case=[place_of_case[run.case] for run in runs],
        setup=[0] * len(runs),
        scores=[tuple([place[i] for i in run.scores]) for run in runs],
    )


def _by_field(records: Sequence[_Record]) -> dict[str, list[Any]]:
    fields = type(records[0])._fields
    return {name: [record[i] for record in records] for i, name in enumerate(fields)}


def _positions(records: Sequence[_Record]) -> set[int]:
    if not records:
        return set()
    columns = _by_field(records)
    return set(chain.from_iterable(columns[name] for name in POSITIONS[type(records[0])]))


def _moved(records: Sequence[_Record], place: Mapping[int, int], **changed: Any) -> list[_Record]:
    """Return the records with new positions, set in place because there may be a million."""
    if not records:
        return []
    kind, columns = type(records[0]), _by_field(records)
    moved = {name: list(map(place.get, columns[name])) for name in POSITIONS[kind]}
    return list(map(kind._make, zip(*(columns | moved | changed).values(), strict=True)))
