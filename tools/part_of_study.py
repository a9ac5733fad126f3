"""Write a part of a study: fewer data sets of each kind, some graphs, no long data, less noise.

python tools/part_of_study.py studies/interval_2017.json --data-sets 2 > part.json
python tools/part_of_study.py studies/noise_2021.json --longest 10000 --noise N M10 > part.json
python tools/part_of_study.py studies/interval_2017.json --data-sets 10 alarm=2 --longest alarm=6400
python tools/part_of_study.py studies/paper_er_sem.json --data-sets 10 --without gobnilp-bge
dagathlon run part.json --out results

The part keeps titles, ids and seeds, so that a run of the whole study into the same folder goes on
where the run of the part has ended (with another limit of searches, these are run again).
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.data.standard import BUNDLED


class Limit(NamedTuple):
    """A number, for all graphs or for one.

    Parameters
    ----------
    number
        The number.
    graph
        Id of the graph, with or without the suffix of a file; empty for all that have no own.
    """

    number: int
    graph: str = ""

    @classmethod
    def of(cls, text: str) -> Limit:
        """``2`` or ``alarm=2``."""
        graph, _, number = text.rpartition("=")
        return cls(int(number), graph)


def main() -> None:
    """Print the part."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("study", type=Path)
    for name, words in (
        ("--data-sets", "the first so many"),
        ("--longest", "at most so many rows"),
    ):
        parser.add_argument(
            name,
            type=Limit.of,
            nargs="+",
            default=(),
            metavar="[GRAPH=]N",
            help=f"{words}, of all graphs or of one",
        )
    parser.add_argument("--graphs", nargs="+", default=(), metavar="ID", help="as sachs alarm")
    parser.add_argument("--noise", nargs="+", default=(), metavar="CODE", help="as N M10 cMISL")
    parser.add_argument("--ids", nargs="+", default=(), metavar="ID", help="only these algorithms")
    parser.add_argument("--without", nargs="+", default=(), metavar="ID", help="not these ones")
    parser.add_argument("--starts", type=int, metavar="N", help="the first so many of an algorithm")
    parser.add_argument("--search-limit", type=float, metavar="S", help="time_limit of exact_map")
    asked = parser.parse_args()
    study = json.loads(asked.study.read_text("utf-8"))
    part = part_of(study, asked.data_sets, asked.graphs, asked.longest, asked.noise)
    choose_algorithms(part, asked.ids, asked.without)
    for name, learners in part["resources"]["structure_learning_algorithms"].items():
        for learner in learners:
            if asked.search_limit is not None and name == "exact_map":
                learner["time_limit"] = asked.search_limit
            if asked.starts is not None and isinstance(learner.get("start"), list):
                learner["start"] = learner["start"][: asked.starts]
    print(json.dumps(part, indent=2, ensure_ascii=False))


def part_of(
    study: Mapping[str, Any],
    data_sets: Sequence[Limit] = (),
    graphs: Sequence[str] = (),
    longest: Sequence[Limit] = (),
    noise: Sequence[str] = (),
) -> dict[str, Any]:
    """A study with fewer data sets.

    Parameters
    ----------
    study
        The content of its file.
    data_sets
        How many seeds are kept of each data entry, the first ones.
    graphs
        Ids of the graphs that are kept, with or without the suffix of a file; none keeps all.
    longest
        Largest number of rows that is kept.
    noise
        Codes of the noise experiments that are kept; none keeps all.
    """
    part = copy.deepcopy(dict(study))
    rows = _Rows(part["resources"]["data"])
    for setup in part["benchmark_setup"]:
        kept = []
        for entry in setup["data"]:
            data_id = rows.up_to(_limit(longest, entry), entry["data_id"])
            if data_id is not None and (not graphs or _names(entry) & set(graphs)):
                fewer = _fewer(entry, _limit(data_sets, entry)) | {"data_id": data_id}
                kept += _with_noise(fewer, noise)
        setup["data"] = kept
    part["benchmark_setup"] = [setup for setup in part["benchmark_setup"] if setup["data"]]
    if not part["benchmark_setup"]:
        raise SystemExit("no data entry of the study is left")
    return part


def choose_algorithms(
    part: Mapping[str, Any], ids: Sequence[str] = (), without: Sequence[str] = ()
) -> None:
    """Take algorithms out of the evaluations of a study.

    Parameters
    ----------
    part
        The content of its file, which is changed.
    ids
        Those to keep; none keeps all.
    without
        Those to take out.
    """
    for setup in part["benchmark_setup"]:
        for asked in setup["evaluation"].values():
            if isinstance(asked, dict) and "ids" in asked:
                kept = [name for name in asked["ids"] if not ids or name in ids]
                asked["ids"] = [name for name in kept if name not in without]


class _Rows:
    """The objects that draw rows, and those that draw fewer of them."""

    def __init__(self, data: dict[str, list[dict[str, Any]]]) -> None:
        self._objects = {one["id"]: (objects, one) for objects in data.values() for one in objects}

    def up_to(self, longest: int | None, data_id: str) -> str | None:
        """Id of the object without the sizes above a limit; None if none is left."""
        if longest is None or data_id not in self._objects:
            return data_id
        objects, one = self._objects[data_id]
        several = isinstance(one.get("n"), list)
        sizes = one["n"] if several else [int(one.get("n", 0))]
        left = [n for n in sizes if n <= longest]
        if left == sizes or not left:
            return data_id if left else None
        fewer = one | {"id": f"{data_id}_to_{longest}", "n": left}
        if fewer["id"] not in self._objects:
            objects.append(fewer)
            self._objects[fewer["id"]] = (objects, fewer)
        return str(fewer["id"])


def _with_noise(entry: dict[str, Any], codes: Sequence[str]) -> list[dict[str, Any]]:
    """The entry with these codes alone; none without any of them."""
    if not codes or "noise" not in entry:
        return [entry]
    left = [code for code in entry["noise"] if code in codes]
    return [entry | {"noise": left}] if left else []


def _names(entry: Mapping[str, Any]) -> set[str]:
    name = entry["graph_id"].removeprefix(BUNDLED)
    return {entry["graph_id"], name, Path(name).stem, f"{Path(name).stem}.csv"}


def _limit(limits: Sequence[Limit], entry: Mapping[str, Any]) -> int | None:
    """That of the graph, else that of all."""
    own = [limit.number for limit in limits if limit.graph in _names(entry)]
    rest = [limit.number for limit in limits if not limit.graph]
    return next(iter(own + rest), None)


def _fewer(entry: Mapping[str, Any], data_sets: int | None) -> dict[str, Any]:
    first, last = entry["seed_range"]
    end = last if data_sets is None else min(last, first + data_sets - 1)
    return {**entry, "seed_range": [first, end]}


if __name__ == "__main__":
    main()
