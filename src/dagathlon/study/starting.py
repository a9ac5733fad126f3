"""Studies made for the user: a starting point to edit, or one from the command line alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dagathlon.data import list_networks
from dagathlon.errors import StudyError, unknown
from dagathlon.modules import find
from dagathlon.modules.spec import parse_spec

_RESERVED = ("n", "seeds", "truth", "standardized")


def starting_study(title: str) -> dict[str, Any]:
    """A small study whose keys beginning with an underscore explain it."""
    study = picked_study(title, ["pc[alpha=0.01,0.05]", "hc", "boss"], [])
    setup = study["benchmark_setup"][0]
    setup["_title"] = "names the folder of results"
    setup["_data"] = "each entry: which graph, which parameters, which data, and the seeds"
    setup["_evaluation"] = "what to make of the results; dagathlon modules lists the kinds"
    study["_resources"] = "modules with parameters under an id; a list of values is tried in full"
    study["_help"] = "dagathlon check FILE validates; dagathlon modules NAME explains a module"
    return study


def picked_study(
    title: str,
    picks: Sequence[str],
    data: Sequence[str],
    modules: Sequence[Path] = (),
    home: Path = Path(),
) -> dict[str, Any]:
    """A study of the picked algorithms on the named data.

    Parameters
    ----------
    title
        Title of the study.
    picks
        Algorithms such as ``pc[alpha=0.01,0.05]``.
    data
        Networks on board such as ``alarm[n=1000,seeds=5]``, data files such as
        ``mine.csv[truth=graph.csv]``; none means random linear Gaussian data.
    modules
        Files and folders of the user's own modules, which are known already.
    home
        Folder of the study's file, from which the paths in it are read.
    """
    algorithms: dict[str, list[dict[str, Any]]] = {}
    ids: list[str] = []
    for pick in picks:
        name, values = parse_spec(pick)
        module = find("algorithm", name, pick)
        ids.append(_new_id(name, ids))
        settings = {key: found[0] if len(found) == 1 else found for key, found in values.items()}
        algorithms.setdefault(module.name, []).append({"id": ids[-1], **settings})
    resources: dict[str, Any] = {"graph": {}, "parameters": {}, "data": {}}
    entries = [_entry(text, resources, home) for text in data] or [_random_entry(resources)]
    with_truth = all(entry["graph_id"] is not None for entry in entries)
    evaluation: dict[str, Any] = {"graph_estimation": {"ids": ids, "csvs": True}}
    if with_truth:
        evaluation = {"benchmarks": {"ids": ids}, "metrics": {}, "ranking": {}}
    own = {"modules": [_from(home, str(path)) for path in modules]} if modules else {}
    return own | {
        "benchmark_setup": [{"title": title, "data": entries, "evaluation": evaluation}],
        "resources": resources | {"structure_learning_algorithms": algorithms},
    }


def _new_id(name: str, taken: Sequence[str]) -> str:
    number = sum(other == name or other.startswith(f"{name}-") for other in taken)
    return name if not number else f"{name}-{number + 1}"


def _from(home: Path, path: str) -> str:
    """A path as a study in that folder writes it."""
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _entry(text: str, resources: dict[str, Any], home: Path) -> dict[str, Any]:
    # A file may have a name that no module has, with blanks or brackets.
    name, values = (text, {}) if Path(text).is_file() else parse_spec(text)
    for key in values:
        if key not in _RESERVED:
            raise StudyError(unknown("key", key, _RESERVED, text))
    known = [record.name for record in list_networks()]
    if name in known:
        return _network_entry(name, values, resources)
    if not Path(name).exists():
        what = "network on board or data file"
        raise StudyError(unknown(what, name, known, text))
    truth = values.get("truth", [None])[0]
    return {
        "graph_id": None if truth is None else _from(home, str(truth)),
        "parameters_id": None,
        "data_id": _from(home, name),
        "seed_range": None,
    }


def _network_entry(
    name: str, values: dict[str, list[Any]], resources: dict[str, Any]
) -> dict[str, Any]:
    n = values.get("n", [1000])
    entry = {
        "id": f"{name}-data",
        "n": n[0] if len(n) == 1 else n,
        "standardized": values.get("standardized", [False])[0],
    }
    resources["data"].setdefault("iid", []).append(entry)
    seeds = [1, values.get("seeds", [3])[0]]
    return {
        "graph_id": f"{name}.csv",
        "parameters_id": f"{name}.rds",
        "data_id": entry["id"],
        "seed_range": seeds,
    }


def _random_entry(resources: dict[str, Any]) -> dict[str, Any]:
    resources["graph"]["pcalg_randdag"] = [{"id": "dag", "n": 20, "d": 4, "max_parents": 5}]
    resources["parameters"]["sem_params"] = [{"id": "sem", "min": 0.25, "max": 1}]
    resources["data"]["iid"] = [{"id": "rows", "n": 300, "standardized": True}]
    return {
        "graph_id": "dag",
        "parameters_id": "sem",
        "data_id": "rows",
        "seed_range": [1, 5],
    }
