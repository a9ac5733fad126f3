"""Reading and writing graph files of every format."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from dagathlon.errors import GraphError, not_written, unknown
from dagathlon.graphs.formats import bayesys, dot, edges, graphml, matrix, table
from dagathlon.graphs.formats.dot_tokens import after_comments
from dagathlon.graphs.formats.source import PathOrFile, TextSource, split_lines
from dagathlon.graphs.graph import Graph

Reader = Callable[[TextSource, Iterable[str] | None], Graph]

_DOT_START = re.compile(r"(strict\s+)?(di)?graph\b[^,{\n]*(?:\n\s*)?\{", re.IGNORECASE)


class Format(NamedTuple):
    """A file format: how it is read and written, and what it cannot say of a graph."""

    read: Reader
    write: Callable[[Graph], str | bytes]
    loses: Callable[[Graph], str | None] = lambda _: None


FORMATS: Mapping[str, Format] = {
    "adjacency": Format(matrix.read_adjacency, matrix.write_adjacency, matrix.lost_by_adjacency),
    "marks": Format(matrix.read_marks, matrix.write_marks),
    "bayesys": Format(bayesys.read_bayesys, bayesys.write_bayesys, bayesys.lost_by_bayesys),
    "edges": Format(edges.read_edges, edges.write_edges),
    "table": Format(table.read_table, table.write_table),
    "parquet": Format(table.read_parquet, table.write_parquet),
    "dot": Format(dot.read_dot, dot.write_dot),
    "graphml": Format(graphml.read_graphml, graphml.write_graphml),
}

_BY_SUFFIX: Mapping[str, str] = {
    ".csv": "adjacency",
    ".marks.csv": "marks",
    ".txt": "edges",
    ".edges": "edges",
    ".parquet": "parquet",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".xml": "graphml",
}
# Files with these extensions hold any format: the content decides.
_ANY_CONTENT = (".csv", ".txt")
# A graph of more nodes is written to .csv as a table of its edges: its matrix of 0 and 1 would have
# many megabytes of zeros.
MOST_IN_MATRIX = 2_000


def read_graph(
    path_or_file: PathOrFile, format: str | None = None, names: Iterable[str] | None = None
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path_or_file
        A path, or a file open for reading.
    format
        ``"adjacency"`` (CSV of 0 and 1 from row to column, as Benchpress), ``"marks"`` (CSV of
        marks 0 to 3), ``"bayesys"``, ``"edges"`` (``A -> B`` per line, also Tetrad's text),
        ``"table"`` (CSV with the columns from, edge, to), ``"parquet"`` (the same three columns),
        ``"dot"`` (Graphviz) or ``"graphml"``. By default the extension decides, and the content
        for ``.csv``, ``.txt`` and unknown extensions.
    names
        The nodes in order, if they are known: adds those that the file does not have and refuses
        others that it has.
    """
    source = TextSource.open(path_or_file)
    reader = _inferred(source) if format is None else _format(format).read
    return reader(source, None if names is None else tuple(names))


def write_graph(
    graph: Graph,
    path_or_file: PathOrFile,
    format: str | None = None,
    *,
    lossy: bool = False,
) -> None:
    """Write a graph to a file.

    Parameters
    ----------
    graph
        The graph.
    path_or_file
        A path, or a file open for writing.
    format
        As for `read_graph`; by default the extension decides: ``.csv`` is ``"adjacency"`` up to
        2,000 nodes and ``"table"`` beyond, ``.marks.csv`` ``"marks"``, ``.txt`` ``"edges"``,
        ``.parquet`` ``"parquet"``.
    lossy
        Write even if the format cannot say everything: ``"adjacency"`` then has every edge that
        is not directed in both directions, ``"bayesys"`` leaves isolated nodes out. Otherwise
        that is an error.
    """
    is_path = isinstance(path_or_file, str | os.PathLike)
    target = str(path_or_file) if is_path else str(getattr(path_or_file, "name", "the open file"))
    name = format or format_of(target, len(graph))
    chosen = _format(name)
    lost = None if lossy else chosen.loses(graph)
    if lost:
        raise GraphError(
            f"{target}: format {name!r} would lose {lost}; lossy=True writes it all the same"
        )
    content = _encoded(chosen.write(graph), target)
    if isinstance(path_or_file, str | os.PathLike):
        _write_file(Path(path_or_file), content)
    else:
        _write_open(path_or_file, content)


def format_of(target: str, n_nodes: int = 0) -> str:
    """The format in which a graph of that many nodes is written to a file of that name."""
    name = _BY_SUFFIX.get(TextSource(target).suffix)
    if name is None:
        raise GraphError(f"{target}: which format? Known are {', '.join(FORMATS)}")
    return "table" if name == "adjacency" and n_nodes > MOST_IN_MATRIX else name


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise GraphError(unknown("graph format", name, FORMATS))
    return FORMATS[name]


def _inferred(source: TextSource) -> Reader:
    suffix = source.suffix
    if suffix in _BY_SUFFIX and suffix not in _ANY_CONTENT:
        return FORMATS[_BY_SUFFIX[suffix]].read
    return _reader_of_content(source)


def _reader_of_content(source: TextSource) -> Reader:
    """Which reader a file is meant for, by how it begins."""
    if table.is_parquet(source.content):
        return table.read_parquet
    if matrix.is_matrix(source):
        return matrix.read_matrix
    if source.content.lstrip().startswith((b"<", b"\xef\xbb\xbf<")):
        return graphml.read_graphml
    if _DOT_START.match(source.text, after_comments(source.text)):
        return dot.read_dot
    return _reader_of_lines(source)


def _reader_of_lines(source: TextSource) -> Reader:
    lines = split_lines(source.text[:100_000])
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    header = first.replace('"', "").split(",")
    if bayesys.is_header(header):
        return bayesys.read_bayesys
    if table.is_header(header):
        return table.read_table
    if edges.is_tetrad(source.text) or any(map(edges.has_edge, lines)):
        return edges.read_edges
    has_columns = any(separator in first for separator in ",;\t")
    return matrix.read_matrix if has_columns else edges.read_edges


def _encoded(text: str | bytes, target: str) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        bad = text[error.start]
        raise GraphError(f"{target}: a node name holds {bad!r}, which is no character") from None
    if b"\0" in content:
        raise GraphError(f"{target}: a node name holds the character '\\0'")
    return content


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except (OSError, ValueError) as error:
        raise GraphError(not_written(path, error)) from None


def _write_open(file: IO[str] | IO[bytes], content: bytes) -> None:
    target: Any = file
    try:
        target.write(content.decode())
    except (TypeError, UnicodeDecodeError):
        target.write(content)
