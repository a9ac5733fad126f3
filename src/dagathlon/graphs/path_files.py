"""Files of graph paths: ``.npz`` with everything, ``.csv`` with one edge per line."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np

from dagathlon.errors import GraphError, no_such_file, not_written
from dagathlon.graphs.formats.csvtext import quoted
from dagathlon.graphs.path import GraphPath

SUFFIXES = (".npz", ".csv")
_HEADER = "penalty,chosen,from,to"
# A zip of a few kilobytes can claim any size.
_MOST_BYTES = 1 << 32
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    OSError,
    MemoryError,
    NotImplementedError,
)
"""Exceptions raised by damaged archives; a forged header can request any amount of memory."""


def write_path(path: GraphPath, file: str | Path) -> None:
    """Write a path of graphs.

    Parameters
    ----------
    path
        The path.
    file
        ``.npz``: all of it, as arrays `names`, `penalties`, `bits` (pairs of nodes above the
        diagonal, row by row, packed) and `chosen` (-1 for none). ``.csv``: a table with the
        columns penalty, chosen, from, to, an edge in each line; a graph without edges has one line
        without nodes.
    """
    place = Path(file)
    check_path_suffix(place)
    content = _table(path).encode() if place.suffix == ".csv" else _archive(path)
    try:
        place.write_bytes(content)
    except OSError as error:
        raise GraphError(not_written(place, error)) from None


def read_path(file: str | Path) -> GraphPath:
    """Read a path of graphs from an ``.npz`` file written by `write_path`, without unpickling."""
    place = Path(file)
    if place.suffix != ".npz":
        raise GraphError(f"{place}: paths are read from .npz files")
    if not place.is_file():
        raise GraphError(no_such_file(place))
    try:
        with zipfile.ZipFile(place) as archive:
            claimed = sum(member.file_size for member in archive.infolist())
        if claimed > _MOST_BYTES:
            raise ValueError(f"it claims {claimed / 1e9:.3g} GB of arrays")
        with np.load(place, allow_pickle=False) as arrays:
            chosen = int(arrays["chosen"])
            return GraphPath.from_bits(
                map(str, arrays["names"]),
                arrays["penalties"],
                arrays["bits"],
                None if chosen < 0 else chosen,
            )
    except (*DAMAGED, GraphError) as error:
        raise GraphError(f"{place}: not a path of graphs ({error})") from None


def is_path_file(file: Path) -> bool:
    """Whether an ``.npz`` file has the arrays of a path rather than of another object."""
    try:
        with zipfile.ZipFile(file) as archive:
            return "penalties.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def refuse_path_table(file: Path) -> None:
    """Refuse to read the CSV table of `write_path`, which lacks isolated nodes."""
    if not file.is_file():  # a pipe can be read once only
        return
    try:
        with file.open("rb") as table:
            is_table = table.readline(100).rstrip() == _HEADER.encode()
    except OSError:  # other readers report the error
        return
    if is_table:
        raise GraphError(
            f"{file}: a table of graphs along the penalties is for reading; write the path as .npz "
            "(--path path.npz) to compare it"
        )


def check_path_suffix(file: Path) -> None:
    """Refuse a file whose ending is not one of graph paths."""
    if file.suffix not in SUFFIXES:
        raise GraphError(
            f"{file}: paths of graphs are written as .npz or .csv, not "
            f"{file.suffix or 'without an ending'}"
        )


def _archive(path: GraphPath) -> bytes:
    arrays = {
        "names": np.array(path.names),
        "penalties": path.penalties,
        "bits": path.bits,
        "chosen": np.array(-1 if path.chosen is None else path.chosen),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as target:
        for name, array in arrays.items():
            # Without the time of day, so that the same path gives the same bytes.
            about = zipfile.ZipInfo(f"{name}.npy")
            about.compress_type = zipfile.ZIP_DEFLATED
            with target.open(about, "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return content.getvalue()


def _table(path: GraphPath) -> str:
    lines = [_HEADER]
    for k, penalty in enumerate(path.penalties):
        start = f"{float(penalty)!r},{int(k == path.chosen)},"
        edges = [f"{quoted(one.left)},{quoted(one.right)}" for one in path.graph(k).edges()]
        lines += [start + edge for edge in edges or [","]]
    return "\n".join(lines) + "\n"
