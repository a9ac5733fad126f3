"""Temporary files for in-memory data and graphs, so that a study can name them."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dagathlon.data import Dataset, read_data, write_data
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph, write_graph
from dagathlon.processes.held_folder import HeldFolder


def home_of(data: Sequence[Any]) -> Path:
    """Return the folder that relative names refer to: a temporary one for in-memory data."""
    texts = all(isinstance(item, str | Path) for item in data)
    return Path() if texts else _folder()


def is_pair(item: Any) -> bool:
    """Whether an item is a pair of data and true graph."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Graph)


def as_named(item: Any) -> str:
    """Return the text that names data in a study; texts are returned unchanged.

    Anything else is written to a file that lives as long as this process; a study keeps its data
    in its store, so that it is needed only until the data have been read there.

    Parameters
    ----------
    item
        A text; a path; a `Dataset` or what `read_data` makes one of; or a pair of such data and the
        true `Graph`.
    """
    if isinstance(item, str):
        return item
    if isinstance(item, Path):
        return str(item)
    if isinstance(item, tuple) and not is_pair(item):
        raise StudyError("data and their truth are a pair of data and a Graph")
    data, truth = item if is_pair(item) else (item, None)
    table = data if isinstance(data, Dataset) else read_data(data)
    place = _folder() / f"data-{table.fingerprint[:12]}.parquet"
    write_data(table, place)
    if truth is None:
        return str(place)
    graph = _folder() / f"truth-{hash(truth) & 0xFFFFFFFFFFFF:012x}.csv"
    write_graph(truth, graph)
    return f"{place}[truth={graph}]"


@cache
def _folder() -> Path:
    held = HeldFolder()
    atexit.register(held.remove)
    return held.path
