"""Files of chains in Benchpress's trajectory format.

A CSV file with the columns index, score, added and removed, and time in continuous time. Edges are
written ``[a-b;c-d]`` or ``[a->b]``. Rows -2 and -1 add and remove an edge from the first node to
each other one, which records the nodes and their order; row 0 adds the edges of the start graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError, listing, unknown
from dagathlon.posteriors.chain import Chain, ChainRecorder
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.edits import Edits

_COLUMNS = ("index", "score", "added", "removed")


def read_trajectory(path: str | Path, names: Sequence[str] | None = None) -> Chain:
    """Read a chain.

    Parameters
    ----------
    path
        The file.
    names
        The nodes in order; by default as the first two rows of the file record them.
    """
    where = str(path)
    table = _read_table(Path(path))
    index = _whole(table["index"], where)
    first = int(np.searchsorted(index, 0))
    if first == len(index):
        raise DataError(f"{where}: the trajectory has no row with an index of 0 or more")
    texts = [text for part in ("added", "removed") for text in table[part][:first].to_pylist()]
    texts = [text for text in texts if text != "[]"]
    connector = "->" if any("->" in text for text in texts) else "-"
    nodes = tuple(names) if names is not None else _recorded_names(texts, connector, where)
    parse = _EdgeReader(nodes, connector, where)
    edits = [parse.edits(table[part][first:]) for part in ("added", "removed")]
    time = table["time"][first:] if "time" in table else None
    try:
        return Chain(
            nodes,
            connector == "->",
            index=index[first:],
            score=table["score"][first:],
            added=edits[0],
            removed=edits[1],
            time=time,
        )
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def write_trajectory(chain: Chain, path: str | Path) -> None:
    """Write a chain in a form that `read_trajectory` reads back unchanged."""
    Path(path).write_text(format_trajectory(chain), encoding="utf-8")


def chain_of(draws: Draws) -> Chain:
    """Convert draws to a chain, dropping parameters; refuse weights and edges with marks."""
    if isinstance(draws, Chain):
        return draws
    if draws.log_weights is not None or draws.form == "marks":
        what = "weights" if draws.log_weights is not None else "edges with circles or two arrows"
        raise DataError(f"a trajectory has no place for {what}; write an .npz file")
    recorder = ChainRecorder(draws.names, draws.form == "arcs")
    score = np.zeros(len(draws)) if draws.score is None else draws.score
    for first, rows in draws.blocks():
        for k, matrix in enumerate(draws.packing.adjacency(rows), first):
            recorder.record(k, float(score[k]), matrix)
    return recorder.chain(draws.end)


def format_trajectory(chain: Chain) -> str:
    """Return the text of a trajectory file."""
    import pyarrow.compute as pc  # noqa: PLC0415 - only where files are written

    bad = [name for name in chain.names if set(name) & set(";\n") or "->" in name]
    if bad:
        raise DataError(f"a trajectory file cannot name the node {bad[0]!r}: it has ';' or '->'")
    everyone = np.array([[0, j] for j in range(1, len(chain.names))]).reshape(-1, 2)
    nobody = np.empty((0, 2), dtype=np.int64)
    columns = {
        "index": np.concatenate([[-2, -1], chain.index]).astype(str),
        "score": list(map(repr, np.concatenate([[0.0, 0.0], chain.score]).tolist())),
        "added": _edge_texts(chain, chain.added, (everyone, nobody)),
        "removed": _edge_texts(chain, chain.removed, (nobody, everyone)),
    }
    if chain.time is not None:
        columns["time"] = list(map(repr, np.concatenate([[0.0, 0.0], chain.time]).tolist()))
    lines = pc.binary_join_element_wise(*map(_texts, columns.values()), ",")
    return "\n".join([",".join(columns), *lines.to_pylist(), ""])


def _texts(values: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - only where files are written

    return pa.array(values, type=pa.string())


def _edge_texts(chain: Chain, edits: Edits, label_rows: Sequence[npt.NDArray[np.int64]]) -> Any:
    """Return one text ``[a-b;c-d]`` per row, after the two rows that record the nodes."""
    import pyarrow as pa  # noqa: PLC0415 - only where files are written
    import pyarrow.compute as pc  # noqa: PLC0415

    p = len(chain.names)
    edges = np.concatenate([*label_rows, edits.edges]).astype(np.int64)
    before = np.cumsum([0, *map(len, label_rows)])
    starts = np.concatenate([before[:-1], before[-1] + edits.starts])
    used, codes = np.unique(edges[:, 0] * p + edges[:, 1], return_inverse=True)
    connector = "->" if chain.directed else "-"
    written = [chain.names[k // p] + connector + chain.names[k % p] for k in used.tolist()]
    flat = _texts(written).take(pa.array(codes))
    joined = pc.binary_join(pa.ListArray.from_arrays(starts, flat), ";")
    texts = pc.binary_join_element_wise("[", joined, "]", "")
    if any(set(name) & set(',"') for name in chain.names):
        doubled = pc.replace_substring(texts, '"', '""')
        texts = pc.binary_join_element_wise('"', doubled, '"', "")
    return texts


def _read_table(path: Path) -> dict[str, Any]:
    """Read the columns as arrays: numbers as float64, edges as pyarrow texts."""
    import pyarrow as pa  # noqa: PLC0415 - only where files are read
    import pyarrow.csv  # noqa: PLC0415

    if not path.is_file():
        raise DataError(f"{path}: no such file")
    if not path.stat().st_size:
        raise DataError(f"{path}: the trajectory is empty")
    numbers = {name: pa.float64() for name in ("index", "score", "time")}
    edges = {name: pa.large_string() for name in ("added", "removed")}
    options = pa.csv.ConvertOptions(
        column_types=numbers | edges, null_values=[], strings_can_be_null=False
    )
    try:
        table = pa.csv.read_csv(path, convert_options=options)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise DataError(f"{path}: not a trajectory: {str(error).splitlines()[0]}") from None
    absent = [name for name in _COLUMNS if name not in table.column_names]
    if absent:
        raise DataError(
            f"{path}: a trajectory has the columns {listing(_COLUMNS)}; {listing(absent)} is "
            f"missing, found {listing(table.column_names)}"
        )
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    return {
        name: column.to_numpy(zero_copy_only=False) if name in numbers else column
        for name, column in columns.items()
        if name in numbers or name in edges
    }


def _whole(index: npt.NDArray[np.float64], where: str) -> npt.NDArray[np.int64]:
    # R writes 100000 as 1e+05, so the numbers are read as such.
    if not np.all(np.isfinite(index)) or np.any(index != np.floor(index)):
        raise DataError(f"{where}: an index of a trajectory is a whole number")
    if np.any(np.diff(index) < 0):
        row = int(np.flatnonzero(np.diff(index) < 0)[0]) + 1
        raise DataError(
            f"{where}, line {row + 2}: index {index[row]:g} comes after {index[row - 1]:g}"
        )
    return index.astype(np.int64)


def _recorded_names(texts: Sequence[str], connector: str, where: str) -> tuple[str, ...]:
    """Return the nodes that the first rows record: their edges' common start, then the ends."""
    edges = [edge for text in texts[:1] for edge in text[1:-1].split(";")]
    if not edges:
        raise DataError(f"{where}: rows -2 and -1 do not record the nodes; give their names")
    first = edges[0].split(connector)
    for k in range(1, len(first)):
        start = connector.join(first[:k])
        ends = [edge.removeprefix(start + connector) for edge in edges]
        if start and all(ends) and all(end != edge for end, edge in zip(ends, edges, strict=True)):
            return (start, *ends)
    raise DataError(f"{where}: row -2 joins the first node to each other one, found {texts[0]}")


class _EdgeReader:
    """Parser of edge lists that caches distinct edges."""

    def __init__(self, names: Sequence[str], connector: str, where: str) -> None:
        self._index = {name: i for i, name in enumerate(names)}
        self._connector = connector
        self._where = where

    def edits(self, column: Any) -> Edits:
        """Parse the edges of all rows of a column."""
        import pyarrow.compute as pc  # noqa: PLC0415 - only where files are read

        closed = pc.and_(pc.starts_with(column, "["), pc.ends_with(column, "]"))
        if not pc.all(closed, min_count=0).as_py():
            odd = column[pc.index(closed, False).as_py()]
            raise DataError(f"{self._where}: edges are written like [a-b;c-d], found {odd}")
        inner = pc.utf8_slice_codeunits(column, 1, -1)
        lists = pc.split_pattern(pc.if_else(pc.equal(inner, ""), None, inner), ";")
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        texts = pc.list_flatten(lists).dictionary_encode()
        pairs = [self._pair(text) for text in texts.dictionary.to_pylist()]
        known = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        return Edits(known[texts.indices.to_numpy()], starts)

    def _pair(self, text: str) -> tuple[int, int]:
        parts = text.strip().split(self._connector)
        for k in range(1, len(parts)):
            left, right = (self._connector.join(half) for half in (parts[:k], parts[k:]))
            if left in self._index and right in self._index:
                return self._index[left], self._index[right]
        ends = [part for part in parts if part not in self._index] or [text]
        raise DataError(unknown("node", ends[0], self._index, f"{self._where}, edge {text}"))
