"""Reading and writing graph files of every format."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, cast

from dagathlon.errors import GraphError, not_written, unknown
from dagathlon.graphs.formats.csvtext import first_fields
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import PathOrFile, TextSource
from dagathlon.graphs.graph import Graph
from dagathlon.modules import modules

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
        ``"dot"`` (Graphviz), ``"graphml"``, or one of your own. By default the extension decides,
        and the content for ``.csv``, ``.txt`` and unknown extensions.
    names
        The nodes in order, if they are known: adds those that the file does not have and refuses
        others that it has.
    """
    source = TextSource.open(path_or_file)
    known = None if names is None else tuple(names)
    if format is None:
        return _read_recognised(source, known)
    return format_named(format).read(source, known)


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
    chosen = format_named(name)
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
    """Return the name of the format in which a graph of that size is written to such a file."""
    by_suffix = _by_suffix(target)
    if by_suffix is None:
        raise GraphError(f"{target}: which format? Known are {', '.join(modules('format'))}")
    return "table" if by_suffix.name == "adjacency" and n_nodes > MOST_IN_MATRIX else by_suffix.name


def format_named(name: str) -> GraphFormat:
    """Return the format of that name; an unknown one is a `GraphError` with the nearest match."""
    if name not in modules("format"):
        raise GraphError(unknown("graph format", name, modules("format")))
    return cast(type[GraphFormat], modules("format")[name])()


def _formats() -> list[GraphFormat]:
    """Return all formats, in the order in which they are tried on a content."""
    formats = [format_named(name) for name in modules("format")]
    return sorted(formats, key=lambda one: (one.rank, one.name))


def _by_suffix(target: str) -> GraphFormat | None:
    """The format of the longest suffix that a file name ends in."""
    name = target.lower()
    suffixes = {
        suffix: graph_format for graph_format in _formats() for suffix in graph_format.suffixes
    }
    found = max(filter(name.endswith, suffixes), key=len, default=None)
    return None if found is None else suffixes[found]


def _read_recognised(source: TextSource, names: Iterable[str] | None) -> Graph:
    """Read a file in the format of its suffix or, if that is ambiguous, of its content."""
    by_suffix = _by_suffix(source.name)
    if by_suffix is not None and not by_suffix.content_decides:
        return by_suffix.read(source, names)
    recognised = next(
        (graph_format for graph_format in _formats() if graph_format.recognises(source)), None
    )
    if recognised is None:
        # Text with columns was meant as a matrix, whose reader has the best error messages.
        columns = any(sign in ",".join(first_fields(source)) for sign in ",;\t")
        recognised = format_named("adjacency" if columns else "edges")
    return recognised.read_recognised(source, names)


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
