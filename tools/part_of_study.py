"""Write a part of a study: fewer data sets of each kind, some graphs, no long data.

python tools/part_of_study.py studies/interval_2017.json --data-sets 2 > part.json
python tools/part_of_study.py studies/interval_2017.json --data-sets 10 alarm=2 --longest alarm=6400
dagathlon run part.json --out results

The part keeps titles, ids and seeds, so that a run of the whole study into the same folder goes on
where the run of the part has ended (with another limit of searches, these are run again).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


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
    parser.add_argument("--search-limit", type=float, metavar="S", help="time_limit of exact_map")
    asked = parser.parse_args()
    study = json.loads(asked.study.read_text("utf-8"))
    part = part_of(study, asked.data_sets, asked.graphs, asked.longest)
    if asked.search_limit is not None:
        for learner in part["resources"]["structure_learning_algorithms"].get("exact_map", ()):
            learner["time_limit"] = asked.search_limit
    print(json.dumps(part, indent=2, ensure_ascii=False))


def part_of(
    study: Mapping[str, Any],
    data_sets: Sequence[Limit] = (),
    graphs: Sequence[str] = (),
    longest: Sequence[Limit] = (),
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
    """
    rows = dict(_rows(study["resources"]["data"]))
    setups = []
    for setup in study["benchmark_setup"]:
        kept = [
            _fewer(entry, _limit(data_sets, entry))
            for entry in setup["data"]
            if not graphs or _names(entry) & set(graphs)
            if rows.get(entry["data_id"], 0) <= (_limit(longest, entry) or float("inf"))
        ]
        if kept:
            setups.append({**setup, "data": kept})
    if not setups:
        raise SystemExit("no data entry of the study is left")
    return {**study, "benchmark_setup": setups}


def _names(entry: Mapping[str, Any]) -> set[str]:
    return {entry["graph_id"], Path(entry["graph_id"]).stem}


def _limit(limits: Sequence[Limit], entry: Mapping[str, Any]) -> int | None:
    """That of the graph, else that of all."""
    own = [limit.number for limit in limits if limit.graph in _names(entry)]
    rest = [limit.number for limit in limits if not limit.graph]
    return next(iter(own + rest), None)


def _rows(data: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[tuple[str, int]]:
    for entries in data.values():
        for entry in entries:
            sizes = entry.get("n", 0)
            yield entry["id"], max(sizes) if isinstance(sizes, list) else int(sizes)


def _fewer(entry: Mapping[str, Any], data_sets: int | None) -> dict[str, Any]:
    first, last = entry["seed_range"]
    end = last if data_sets is None else min(last, first + data_sets - 1)
    return {**entry, "seed_range": [first, end]}


if __name__ == "__main__":
    main()
