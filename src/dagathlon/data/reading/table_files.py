"""Reading of Parquet and Arrow files within a memory limit, checked before unpacking."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.reading.arrow_arrays import joined, narrowed
from dagathlon.data.reading.text_file import cannot_open
from dagathlon.data.reading.unpacking import TooLargeError, most_unpacked
from dagathlon.errors import DataError

PARQUET_SUFFIXES = (".parquet", ".pq")
_MAGIC = b"ARROW1\0\0"
_CELL = 8
# Fields of Arrow's tables, by their place in the schema of its messages.
_HEADER_TYPE, _HEADER = 1, 2
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_DICTIONARY_DATA = 1
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3


def read_parquet(stream: Any, label: str) -> pa.Table:
    """Read a Parquet file, unless it is too large for memory.

    The metadata are checked first; since they may be wrong, and since repeated values take
    little space in the file, the table is read in pieces and counted.
    """
    most = most_unpacked()
    file = _opened(stream)
    schema, about = file.schema_arrow, file.metadata
    groups = (about.row_group(i) for i in range(about.num_row_groups))
    if max(sum(group.total_byte_size for group in groups), _cells(about, schema)) > most:
        raise TooLargeError(most, label)
    columns: list[list[Any]] = [[] for _ in schema]
    held = 0
    for batch in file.iter_batches():
        for parts, part in zip(columns, map(narrowed, batch.columns), strict=True):
            parts.append(part)
            held += part.nbytes
        if held > most:
            raise TooLargeError(most, label)
    if not columns or not columns[0]:
        return pa.Table.from_batches([], schema)
    whole = list(map(joined, columns))
    fields = [field.with_type(column.type) for field, column in zip(schema, whole, strict=True)]
    return pa.Table.from_arrays(whole, schema=pa.schema(fields))


def _cells(about: Any, schema: pa.Schema) -> int:
    """Return a lower bound on the bytes of all cells: levels and small integers take one."""
    widths = sum(_CELL if pt.is_floating(field.type) else 1 for field in schema)
    return int(about.num_rows) * widths


def read_arrow(path: Path, label: str) -> pa.Table:
    """Read an Arrow file, unless it is too large for memory.

    The messages are read in the sequence that was checked, ignoring the file's footer.
    """
    most = most_unpacked()
    with pa.memory_map(str(path)) as stream:
        file = pa.ipc.open_file(stream)
        rows = size = 0
        for batch in _batch_sizes(stream):
            rows, size = rows + batch.rows, size + batch.size
            if max(size, rows * len(file.schema)) > most:
                raise TooLargeError(most, label)
        stream.seek(len(_MAGIC))
        batches = list(pa.ipc.open_stream(stream))
    if len(batches) != file.num_record_batches:
        raise ValueError(f"it has {len(batches)} batches of rows, not {file.num_record_batches}")
    return pa.Table.from_batches(batches, file.schema)


def read_in_place(path: Path) -> pa.Table | None:
    """Memory-map an Arrow file of one uncompressed batch; return None for any other file.

    The columns stay in the mapped file and take no memory, whatever its size.
    """
    if _is_parquet(path):
        return None
    with pa.memory_map(str(path)) as stream:
        batches = list(_batch_sizes(stream))
        if sum(not batch.of_labels for batch in batches) != 1 or any(one.packed for one in batches):
            return None
        stream.seek(len(_MAGIC))
        return pa.Table.from_batches(pa.ipc.open_stream(stream))


def table_schema(path: Path) -> pa.Schema:
    """Return the column types of a Parquet or Arrow file as they are read.

    Text in Parquet is read as dictionaries.
    """
    if _is_parquet(path):
        import pyarrow.parquet as pq  # noqa: PLC0415

        labels = pa.dictionary(pa.int32(), pa.string())
        schema = pq.read_schema(path)
        return pa.schema(
            [field.with_type(labels) if _is_text(field) else field for field in schema]
        )
    with pa.memory_map(str(path)) as stream:
        return pa.ipc.open_file(stream).schema


def table_rows(path: Path) -> int:
    """Return the number of rows according to the file's metadata."""
    if _is_parquet(path):
        import pyarrow.parquet as pq  # noqa: PLC0415

        return int(pq.read_metadata(path).num_rows)
    with pa.memory_map(str(path)) as stream:
        return sum(batch.rows for batch in _batch_sizes(stream) if not batch.of_labels)


def table_batches(path: Path, names: list[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield columns of a file of any size in batches, each of which must fit into memory.

    Batches have at most `rows` rows in a Parquet file, and are the file's own in an Arrow file.
    """
    if _is_parquet(path):
        # Mapped, because else all packed bytes of a row group would be held.
        with _opened(path, memory_map=True) as file:
            yield from file.iter_batches(rows, columns=names)
        return
    most = most_unpacked()
    with pa.memory_map(str(path)) as stream:
        schema = pa.ipc.open_file(stream).schema
        if any(batch.packed and batch.size > most for batch in _batch_sizes(stream)):
            raise TooLargeError(most, str(path))
        stream.seek(len(_MAGIC))
        places = sorted(map(schema.get_field_index, names))
        options = pa.ipc.IpcReadOptions(included_fields=places)
        for batch in pa.ipc.open_stream(stream, options=options):
            chosen = batch.select(names)
            chosen.validate()
            yield chosen


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET_SUFFIXES


def _opened(source: Any, **options: Any) -> Any:
    """Open a Parquet file with its text columns read as dictionaries."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    file = pq.ParquetFile(source, **options)
    texts = [field.name for field in file.schema_arrow if pt.is_string(field.type)]
    if not texts:
        return file
    file.close()
    return pq.ParquetFile(source, read_dictionary=texts, **options)


def _is_text(field: pa.Field) -> bool:
    return bool(pt.is_string(field.type) or pt.is_large_string(field.type))


class _Batch(NamedTuple):
    """Row count, uncompressed size and kind of a record batch."""

    rows: int
    size: int
    packed: bool
    of_labels: bool


def _batch_sizes(stream: Any) -> Iterator[_Batch]:
    """Yield the sizes of all batches from the metadata, without unpacking."""
    stream.seek(len(_MAGIC))
    for message in pa.ipc.MessageReader.open_stream(stream):
        header = _Table.root(message.metadata.to_pybytes())
        kind, batch = header.number(_HEADER_TYPE, "<B"), header.table(_HEADER)
        if kind == _DICTIONARY_BATCH and batch is not None:
            batch = batch.table(_DICTIONARY_DATA)
        if kind in (_DICTIONARY_BATCH, _RECORD_BATCH) and batch is not None:
            packed = batch.table(_COMPRESSION) is not None
            size = sum(_buffer_sizes(batch, message.body, packed))
            yield _Batch(batch.number(_LENGTH, "<q"), size, packed, kind == _DICTIONARY_BATCH)


def _buffer_sizes(batch: _Table, body: Any, packed: bool) -> Iterator[int]:
    view = memoryview(body) if body is not None else memoryview(b"")
    for offset, length in batch.pairs(_BUFFERS):
        # A packed buffer begins with its unpacked size, or with -1 where it was left as it is.
        size = struct.unpack_from("<q", view, offset)[0] if packed and length else -1
        yield size if size >= 0 else length


class _Table:
    """Reader of a FlatBuffers table, the format of Arrow's message metadata.

    A table begins with the offset back to its vtable: two sizes, then for each field its offset
    from the table, 0 if absent.
    """

    def __init__(self, data: bytes, place: int) -> None:
        self._data, self._place = data, place
        self._fields = place - self._at("<i", place)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        """Return the root table of a message."""
        return cls(data, struct.unpack_from("<I", data)[0])

    def number(self, field: int, code: str) -> int:
        """Return a number field; 0 if absent."""
        place = self._of(field)
        return self._at(code, place) if place else 0

    def table(self, field: int) -> _Table | None:
        """Return a nested table; None if absent."""
        place = self._of(field)
        return _Table(self._data, place + self._at("<I", place)) if place else None

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs of 64-bit integers in a vector field."""
        place = self._of(field)
        if not place:
            return
        start = place + self._at("<I", place)
        count = self._at("<I", start)
        yield from struct.iter_unpack("<qq", self._data[start + 4 : start + 4 + 16 * count])

    def _of(self, field: int) -> int:
        """Return the position of a field; 0 if absent."""
        entry = 4 + 2 * field
        if entry >= self._at("<H", self._fields):
            return 0
        distance = self._at("<H", self._fields + entry)
        return self._place + distance if distance else 0

    def _at(self, code: str, place: int) -> int:
        if place < 0:
            raise struct.error("a place before the beginning")
        value: int = struct.unpack_from(code, self._data, place)[0]
        return value


@contextlib.contextmanager
def reading_errors(place: Path, label: str) -> Iterator[None]:
    """Convert exceptions of opening and reading a file into a `DataError` about it."""
    try:
        if place.is_dir():
            raise IsADirectoryError
        if place.exists() and not place.is_file():
            raise OSError("it is not a regular file")
        yield
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError, struct.error) as error:
        raise DataError(_unreadable(label, error)) from None


def _unreadable(label: str, error: Exception) -> str:
    if isinstance(error, pa.ArrowException) or not isinstance(error, OSError):
        reason = " ".join(str(error).split())
        return (
            f"{label}: not a readable table ({reason}); a file is taken for what its ending says: "
            "Parquet, Arrow (a file, not a stream), or else text, such as .csv"
        )
    return cannot_open(label, error)
