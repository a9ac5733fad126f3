"""Generated studies: a starting point to edit, or one from command-line arguments."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from dagathlon.data import list_data, list_networks
from dagathlon.data.networks import NETWORK_FORMATS
from dagathlon.data.standard import BUNDLED
from dagathlon.errors import StudyError, unknown
from dagathlon.learners.spec import LearnerLike, LearnerSpec
from dagathlon.modules import Module
from dagathlon.modules.spec import parse_values
from dagathlon.study.config.library import Library
from dagathlon.study.config.study_file import RESERVED_TITLES

_OF_NETWORKS = ("n", "seeds", "standardized")
_NETWORK_ENDINGS = [ending for format in NETWORK_FORMATS.values() for ending in format.endings]
_DATA = re.compile(r"\s*(\S.*?)\s*(?:\[(.*)\])?\s*", re.S)
# How many learners are ranked without a truth, and on how many sizes of subsamples of a large file.
_LEAST_RANKED, _MOST_SIZES = 3, 4
# Asked only for what is no file, so that it finds what is bundled.
_BUNDLED = Library(None, Path())


def title_of(path: Path) -> str:
    """Return a title from the name of a study's file, blanks replaced."""
    title = "-".join(path.stem.split()) or "study"
    return f"{title}-study" if title in RESERVED_TITLES else title


def starting_study(title: str) -> dict[str, Any]:
    """Return a small study with explanations under keys that begin with an underscore."""
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
    picks: Sequence[LearnerLike] | Mapping[str, LearnerLike],
    data: Sequence[str],
    modules: Sequence[Path] = (),
    home: Path = Path(),
) -> dict[str, Any]:
    """Return a study of the given learners on the named data.

    Parameters
    ----------
    title
        Title of the study.
    picks
        Learners in the forms of `LearnerSpec.of`, such as ``pc[alpha=0.01,0.05]``; or a mapping of
        them by the ids that they shall have.
    data
        Networks, bundled or in files, such as ``alarm[n=1000,seeds=5]``, data files such as
        ``mine.csv[truth=graph.csv]``; none means random linear Gaussian data.
    modules
        Files and folders of the user's own modules, which are known already.
    home
        Folder of the study's file, from which the paths in it are read.
    """
    algorithms: dict[str, list[dict[str, Any]]] = {}
    ids: list[str] = []
    files = list(modules)
    for id, pick in (
        picks.items() if isinstance(picks, Mapping) else ((None, learner) for learner in picks)
    ):
        spec, file = LearnerSpec.of(pick).findable()
        ids.append(id or _new_id(spec.name, ids))
        settings = _written(spec)
        algorithms.setdefault(spec.name, []).append({"id": ids[-1], **settings})
        files += [file] if file is not None and file not in files else []
    resources: dict[str, Any] = {"graph": {}, "parameters": {}, "data": {}}
    entries = [_entry(text, resources, home) for text in data] or [_random_entry(resources)]
    with_truth = all(entry["graph_id"] is not None for entry in entries)
    evaluation: dict[str, Any] = {"benchmarks": {"ids": ids}, "metrics": {}, "ranking": {}}
    if not with_truth:
        n = sum(_settings(entry) for entries in algorithms.values() for entry in entries)
        evaluation = without_truth(ids, learners=n)
    own = {"modules": [_from(home, str(path)) for path in files]} if files else {}
    return own | {
        "benchmark_setup": [{"title": title, "data": entries, "evaluation": evaluation}],
        "resources": resources | {"structure_learning_algorithms": algorithms},
    }


def _written(spec: LearnerSpec) -> dict[str, Any]:
    """Return parameters as JSON; values without a JSON form are spelled as text."""
    known = spec.cls.parameters()
    refers = {key for key, parameter in known.items() if parameter.type.reference is not None}
    return {
        key: known[key].type.read(value, key) if key in refers and value is not None else value
        for key, value in spec.values.items()
    }


def without_truth(ids: Sequence[str], copies: int = 20, learners: int = 0) -> dict[str, Any]:
    """Return the evaluations that need no true graph.

    Parameters
    ----------
    ids
        The algorithms.
    copies
        Number of bootstrap samples that each of them is run on.
    learners
        Number of settings of all algorithms; three or more are ranked by what they agree on.
    """
    ranked = {"intersection_validation": {"subsamples": 10, "most_sizes": _MOST_SIZES}}
    return {
        "graph_estimation": {"ids": list(ids), "csvs": True},
        "agreement": {},
        **(ranked if learners >= _LEAST_RANKED else {}),
        "stability": {"copies": copies},
        "held_out": {"folds": 10},
        "independences": {},
    }


def _settings(entry: Mapping[str, Any]) -> int:
    """Return how many settings an object of the study has."""
    return prod(len(value) for value in entry.values() if isinstance(value, list))


def with_full_paths(module: type[Module], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with absolute file names, for a study in another folder."""
    known = module.parameters()
    result = dict(values)
    for name, value in values.items():
        reference = known[name].type.reference if name in known else None
        if reference is not None and reference.to == "constraints" and isinstance(value, str):
            result[name] = str(Path(value).resolve())
    return result


def _new_id(name: str, taken: Sequence[str]) -> str:
    number = sum(other == name or other.startswith(f"{name}-") for other in taken)
    return name if not number else f"{name}-{number + 1}"


def _from(home: Path, path: str) -> str:
    """Return a path as a study in that folder writes it."""
    if home.is_absolute() and Path(path).is_relative_to(home):
        return str(Path(path).relative_to(home))
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _entry(text: str, resources: dict[str, Any], home: Path) -> dict[str, Any]:
    name, values = _parse_data(text)
    is_bundled, name = name.startswith(BUNDLED), name.removeprefix(BUNDLED)
    known = [record.name for record in list_networks()]
    if name in known:
        return _network_entry(name, BUNDLED + name, values, resources)
    if not is_bundled and Path(name).is_file() and Path(name).suffix.lower() in _NETWORK_ENDINGS:
        place = _from(home, name)
        return _network_entry(Path(name).stem, place, values, resources)
    bundled = "" if Path(name).exists() and not is_bundled else name.removesuffix(".csv")
    if bundled and bundled not in list_data():
        what = "bundled network or data file"
        raise StudyError(unknown(what, name, [*known, *list_data()], text))
    if set(values) - {"truth"}:
        raise StudyError(f"{text}: {name} has its own rows; a data file takes only truth")
    truth = values.get("truth", [None])[0]
    return {
        "graph_id": None if truth is None else _truth(home, str(truth)),
        "parameters_id": None,
        "data_id": BUNDLED + bundled if bundled else _from(home, name),
        "seed_range": None,
    }


def _parse_data(text: str) -> tuple[str, dict[str, list[Any]]]:
    """Parse a data spec as `parse_spec` does; file names may have blanks or brackets."""
    starts = [found.start() for found in re.finditer(r"\[", text)] if text.endswith("]") else []
    for end in (len(text), *reversed(starts)):
        if text[:end].strip() and Path(text[:end]).exists():
            return text[:end], parse_values(text[end + 1 : -1], text)
    match = _DATA.fullmatch(text)
    if match is None:
        raise StudyError(f"{text!r} names no data; write a network or a data file")
    values = parse_values(match.group(2) or "", text)
    for key in ("n", "seeds"):
        for value in values.get(key, ()):
            if type(value) is not int or value < 1:
                raise StudyError(f"{text!r}: {key} is a whole number at least 1, found {value!r}")
    return match.group(1), values


def _truth(home: Path, name: str) -> str:
    bundled = None if Path(name).exists() else _BUNDLED.graph(name)
    return bundled.location if bundled else _from(home, name)


def _network_entry(
    name: str, place: str, values: dict[str, list[Any]], resources: dict[str, Any]
) -> dict[str, Any]:
    """Return an entry of data drawn from a network, a file or bundled."""
    if "truth" in values:
        raise StudyError(f"{name}: data are drawn from a network, whose graph is their truth")
    for key, given in values.items():
        if key not in _OF_NETWORKS:
            raise StudyError(unknown("key", key, _OF_NETWORKS, name))
        if key != "n" and len(given) > 1:
            raise StudyError(f"{name}: {key!r} takes one value, {len(given)} given")
    n = values.get("n", [1000])
    entry = {
        "id": f"{name}-data",
        "n": n[0] if len(n) == 1 else n,
        "standardized": values.get("standardized", [False])[0],
    }
    resources["data"].setdefault("iid", []).append(entry)
    seeds = [1, values.get("seeds", [3])[0]]
    return {
        "graph_id": place,
        "parameters_id": place,
        "data_id": entry["id"],
        "seed_range": seeds,
    }


def _random_entry(resources: dict[str, Any]) -> dict[str, Any]:
    dag = {"id": "dag", "nodes": 20, "neighbours": 4, "max_parents": 5}
    resources["graph"]["erdos_renyi"] = [dag]
    resources["parameters"]["linear_sem"] = [{"id": "sem", "min": 0.25, "max": 1}]
    resources["data"]["iid"] = [{"id": "rows", "n": 300, "standardized": True}]
    return {
        "graph_id": "dag",
        "parameters_id": "sem",
        "data_id": "rows",
        "seed_range": [1, 5],
    }
