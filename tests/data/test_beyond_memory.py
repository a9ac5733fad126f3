"""Files larger than what may be held: the same data, without the memory."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from memory_held import held

from dagathlon import learn
from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.data.reading import large_file
from dagathlon.data.reading.table_files import table_batches
from dagathlon.data.reading.unpacking import MOST_UNPACKED
from dagathlon.errors import DataError

N_ROWS = 3001
LIMIT = 2900
"""Less than one column of bytes."""


def _parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, row_group_size=403)


def _unified(table: pa.Table) -> pa.Table:
    """The table as it may stand in an Arrow file, where a column has one list of labels."""
    several = any(column.num_chunks > 1 for column in table.columns)
    return table.unify_dictionaries() if several else table


def _arrow(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(_unified(table).combine_chunks())


def _batches(table: pa.Table, path: Path) -> None:
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(path, table.schema, options=options) as file:
        file.write_table(_unified(table), max_chunksize=57)


Writer = Callable[[pa.Table, Path], None]
FORMS: Mapping[str, Writer] = {"d.parquet": _parquet, "d.arrow": _arrow, "d.feather": _batches}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_file, "_BATCH", 8000)


def _seen(path: Path, options: Mapping[str, Any]) -> tuple[Dataset | str, list[str]]:
    """The data or what was wrong, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found: Dataset | str = read_data(path, **options)
        except DataError as error:
            found = str(error)
    return found, [str(one.message) for one in said]


def _chosen(values: list[Any], kind: Any = None, n: int = N_ROWS) -> pa.Array:
    """Random ones, the last of which is rare and comes late."""
    places = np.random.default_rng(len(values)).integers(0, max(len(values) - 1, 1), n)
    places[-5] = len(values) - 1
    return pa.array([values[i] for i in places], kind)


def _parts_with_their_own_labels() -> pa.ChunkedArray:
    labels = (["b", "a", "unused"], ["c", "b"], ["a", "d", "e"])
    indices = pa.array([0, 1, None, 1] * 1001)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, one) for one in labels])


def _written(arity: int, used: int, ordered: bool = False) -> pa.Table:
    variable = Variable("A", tuple(f"level {arity - i}" for i in range(arity)), ordered)
    codes = np.random.default_rng(arity).integers(0, used, (N_ROWS, 1))
    codes[7] = -1
    return Dataset([variable], codes).to_arrow()


TEXT = _chosen(["no", "yes", None, "perhaps"])
NOISE = pa.array(np.random.default_rng(4).normal(size=N_ROWS))
NUMBERS = _chosen([3, 0, 7, None, 1])
TABLES: dict[str, tuple[pa.Table, dict[str, Any]]] = {
    "text": (pa.table({"A": TEXT, "B": TEXT.cast(pa.large_string())}), {}),
    "levels": (pa.table({"A": TEXT}), {"levels": {"A": ["yes", "perhaps", "x", "no"]}}),
    "strange label": (pa.table({"A": TEXT}), {"levels": {"A": ["yes", "no"]}}),
    "words for gaps": (pa.table({"A": TEXT, "B": TEXT}), {"missing": ["perhaps", "no"]}),
    "dictionaries": (pa.table({"A": _parts_with_their_own_labels()}), {}),
    "dictionaries, gaps": (pa.table({"A": _parts_with_their_own_labels()}), {"missing": "b"}),
    "dictionary of numbers": (pa.table({"A": NUMBERS.dictionary_encode()}), {}),
    "booleans": (pa.table({"A": _chosen([True, False, None]), "B": _chosen([True, False])}), {}),
    "codes": (pa.table({"A": NUMBERS, "B": _chosen([1, 2], pa.uint8())}), {}),
    "guessed": (pa.table({"A": _chosen(list(range(8)))}), {}),
    "numbers for gaps": (pa.table({"A": _chosen([0, 1, -9, 999])}), {"missing": ["-9", "999"]}),
    "categories": (pa.table({"A": _chosen([-5, 300, 10**9, None])}), {"kinds": "categorical"}),
    "near categories": (pa.table({"A": _chosen([-5, 300, 40])}), {"kinds": "categorical"}),
    "great numbers": (pa.table({"A": _chosen([1, 2**63], pa.uint64())}), {"kinds": "discrete"}),
    "ordinal": (pa.table({"A": NUMBERS}), {"kinds": {"A": "ordinal"}}),
    "ordinal text": (pa.table({"A": TEXT}), {"kinds": {"A": "ordinal"}}),
    "ordinal levels": (
        pa.table({"A": TEXT}),
        {"kinds": {"A": "ordinal"}, "levels": {"A": ["no", "perhaps", "yes"]}},
    ),
    "halves": (pa.table({"A": _chosen([1.5, 2.0, None, np.nan])}), {"kinds": "discrete"}),
    "nothing": (pa.table({"A": pa.nulls(N_ROWS)}), {"levels": {"A": ["a", "b"]}}),
    "no levels": (pa.table({"A": pa.nulls(N_ROWS), "B": TEXT}), {"kinds": "discrete"}),
    "written": (_written(3, 3), {}),
    "written order": (_written(4, 2, ordered=True), {}),
    "many written": (_written(300, 5), {}),
    "many": (_written(400, 400), {}),
    "many, without most": (
        pa.table({"A": _chosen([str(i) for i in range(300)]), "B": TEXT}),
        {"missing": [str(i) for i in range(100)]},
    ),
    "counts": (pa.table({"A": TEXT, "B": list(range(N_ROWS)), "C": [1, 2] * 1500 + [20]}), {}),
    "small counts": (pa.table({"A": _chosen(list(range(12))), "B": TEXT}), {}),
    "late counts": (pa.table({"A": _chosen([0, 1, 2, 99]), "B": _chosen([0, 1, -1])}), {}),
    "no numbers": (pa.table({"A": pa.nulls(N_ROWS, pa.int64()), "B": TEXT}), {}),
    "no words": (pa.table({"A": pa.nulls(N_ROWS, pa.string()), "B": pa.nulls(N_ROWS)}), {}),
    "no words left": (pa.table({"A": ["x"] * N_ROWS, "B": TEXT}), {"missing": "x"}),
    "measured": (pa.table({"A": NOISE, "B": NOISE.cast(pa.float32()), "C": TEXT, "D": NOISE}), {}),
    "measured, gaps": (
        pa.table({"A": [-999.0, None, math.nan, *NOISE[3:].tolist()]}),
        {"missing": "-999"},
    ),
    "decimals": (pa.table({"A": _chosen([1.5, 2.25]).cast(pa.decimal128(9, 3))}), {}),
    "measured as requested": (pa.table({"A": NUMBERS, "B": TEXT}), {"kinds": {"A": "continuous"}}),
    "infinite": (
        pa.table({"A": NOISE, "B": [*NOISE[:2000].tolist(), math.inf] * 1 + [1.0] * 1000}),
        {},
    ),
    "row numbers": (
        pa.table({"id": np.arange(float(N_ROWS)), "B": NOISE, "C": [2.5] * N_ROWS}),
        {},
    ),
    "one value": (pa.table({"A": ["x"] * N_ROWS, "B": TEXT}), {}),
    "names of rows": (pa.table({"id": [f"r{i}" for i in range(N_ROWS)], "B": TEXT}), {}),
    "kept": (pa.table({"A": TEXT, "B": NUMBERS, "C": TEXT}), {"keep": ["C", "B"]}),
    "dropped": (pa.table({"A": TEXT, "B": [1.5] * N_ROWS}), {"drop": ["B"]}),
    "unknown": (pa.table({"A": TEXT}), {"drop": ["C"]}),
    "repeated": (pa.table([TEXT, TEXT], names=["A", "A"]), {}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", TABLES)
def test_the_same_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, case: str
) -> None:
    table, options = TABLES[case]
    FORMS[form](table, tmp_path / form)
    expected, said = _seen(tmp_path / form, options)
    # The packed labels of an Arrow file must be within the limit themselves.
    monkeypatch.setenv(MOST_UNPACKED, "5500" if case.startswith("many") else str(LIMIT))
    monkeypatch.setattr("dagathlon.data.reading.frames._used_in_place", lambda *_: None)
    found, said_now = _seen(tmp_path / form, options)
    assert found == expected
    assert said_now == said
    if isinstance(found, Dataset) and isinstance(expected, Dataset):
        assert found.variables == expected.variables
        assert found.codes.dtype == expected.codes.dtype
        assert found.fingerprint == expected.fingerprint
        assert not found.codes.flags.writeable


@pytest.mark.parametrize("form", ["d.arrow", "d.feather"])
def test_null_as_a_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """The levels do not depend on how many batches there are, in memory neither."""
    labels = pa.array(["b", None, "a", "unused"])
    column = pa.DictionaryArray.from_arrays(_chosen([0, 1, None, 2]), labels)
    FORMS[form](pa.table({"A": column}), tmp_path / form)
    expected = read_data(tmp_path / form)
    assert expected.variables[0].levels == ("a", "b", "unused")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(tmp_path / form) == expected


@pytest.fixture(scope="module")
def whole() -> Dataset:
    """Labels each of which depends on the one before."""
    rng = np.random.default_rng(4)
    codes = np.zeros((N_ROWS, 5), np.uint8)
    for j in range(5):
        fresh = rng.integers(0, 3, N_ROWS)
        codes[:, j] = np.where(rng.random(N_ROWS) < 0.6, codes[:, j - 1], fresh)
    return Dataset([Variable(f"X{j}", ("high", "low", "some")) for j in range(5)], codes)


@pytest.fixture(params=["d.parquet", "d.arrow"])
def large(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    whole: Dataset,
    monkeypatch: pytest.MonkeyPatch,
) -> Dataset:
    write_data(whole, tmp_path / request.param)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    return read_data(tmp_path / request.param)


@pytest.mark.parametrize("spec", ["hc", "pc", "boss", "fges", "mmhc", "bootstrap[learner=hc]"])
def test_the_same_graph(large: Dataset, whole: Dataset, spec: str) -> None:
    assert large == whole
    found, expected = learn(large, spec, seed=1), learn(whole, spec, seed=1)
    assert found.graph == expected.graph
    assert found.stats.get("score") == expected.stats.get("score")


@pytest.mark.parametrize("form", FORMS)
def test_measurements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """With interventions on some, in any learner."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(N_ROWS, 5)) @ np.triu(rng.normal(size=(5, 5))) + 1e6
    targets = [frozenset({"X0", "X3"}), frozenset[str]()]
    variables = [Variable(f"X{j}") for j in range(5)]
    whole = Dataset(variables, values=values, regimes=(targets, np.arange(N_ROWS) % 2))
    FORMS[form](whole.to_arrow(), tmp_path / form)
    expected = read_data(tmp_path / form)
    monkeypatch.setenv(MOST_UNPACKED, "120000")
    large = read_data(tmp_path / form)
    assert large == expected == whole
    assert large.targets == expected.targets
    for spec in ("pc", "fges", "direct_lingam"):
        found, known = (
            learn(Dataset(variables, values=data.values), spec) for data in (large, whole)
        )
        assert found.graph == known.graph
        assert found.stats.get("score") == known.stats.get("score")


def test_counts_are_found_out_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is begun again once for all whole numbers that are no levels."""
    table = pa.table({f"X{j}": np.arange(N_ROWS) + j for j in range(5)})
    pq.write_table(table, tmp_path / "d.parquet")
    expected, begun = read_data(tmp_path / "d.parquet"), []

    def noted(*given: Any) -> Iterator[pa.RecordBatch]:
        begun.append(given)
        return table_batches(*given)

    monkeypatch.setattr(large_file, "table_batches", noted)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(tmp_path / "d.parquet") == expected
    assert len(begun) == 2


def test_batches_of_wide_files_have_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({f"X{j}": np.arange(3000.0) + j for j in range(200)})
    pq.write_table(table, tmp_path / "d.parquet")
    seen = []

    def noted(*given: Any) -> Iterator[pa.RecordBatch]:
        for batch in table_batches(*given):
            seen.append(batch.num_rows * batch.num_columns * 8)
            yield batch

    monkeypatch.setattr(large_file, "table_batches", noted)
    monkeypatch.setattr(large_file, "_BATCH", 1 << 19)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(tmp_path / "d.parquet") == read_data(table)
    assert max(seen) <= 1 << 19
    assert len(seen) > 1


def test_ordinary_data(large: Dataset, whole: Dataset, tmp_path: Path) -> None:
    assert pickle.loads(pickle.dumps(large)) == whole
    assert large[::7].take([3, 0]) == whole.take([21, 0])
    assert large.select(["X3", "X0"]) == whole.select(["X3", "X0"])
    assert large.summary() == whole.summary()
    write_data(large, tmp_path / "again.arrow")
    assert read_data(tmp_path / "again.arrow") == whole


def test_a_child_process_has_them(large: Dataset, whole: Dataset) -> None:
    child = os.fork()
    if not child:
        os._exit(large != whole)
    assert os.waitpid(child, 0)[1] == 0


def test_what_lies_ready_is_mapped(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.arrow"
    write_data(whole, path)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    monkeypatch.setattr("dagathlon.data.reading.large_file._mapped", None)
    for data in (read_data(path), read_data(path, drop=["X0", "X1"])):
        assert data == whole.select(data.names)
        assert not data.codes.flags.owndata
    numbers = pa.table({name: whole.column(name) for name in whole.names})
    _arrow(numbers, path)
    np.testing.assert_array_equal(read_data(path).codes, whole.codes)


@pytest.mark.parametrize("change", ["columns between", "order of labels", "gaps"])
def test_what_does_not_lie_ready_is_copied_to_a_file(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path, options = tmp_path / "d.arrow", {}
    codes = whole.codes.copy()
    if change == "gaps":
        codes[5, 2] = 255
    data = Dataset(whole.variables, codes)
    write_data(data, path)
    if change == "columns between":
        options = {"drop": ["X2"]}
    elif change == "order of labels":
        levels = {name: ["some", "high", "low"] for name in whole.names}
        options = {"levels": levels}
    expected = read_data(path, **options)  # type: ignore[arg-type]
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(path, **options) == expected  # type: ignore[arg-type]


def test_mixed_data_that_lie_ready(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(5).normal(size=(N_ROWS, 2))
    data = Dataset([*whole.variables, Variable("U"), Variable("V")], whole.codes, values)
    write_data(data, tmp_path / "d.arrow")
    write_data(data, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(tmp_path / "d.arrow") == data
    assert read_data(tmp_path / "d.parquet") == data
    assert read_data(tmp_path / "d.parquet", drop=["U", "V"]) == whole
    assert read_data(tmp_path / "d.parquet", keep=["U", "V"]) == data.select(["U", "V"])


@pytest.mark.parametrize(
    ("column", "options"),
    [
        (["1"] * N_ROWS, {"kinds": {"K": "continuous"}}),
        ([True] * N_ROWS, {"kinds": {"K": "continuous"}}),
        ([[1]] * N_ROWS, {}),
    ],
)
def test_what_is_neither_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: Any, options: dict[str, Any]
) -> None:
    _parquet(pa.table({"A": TEXT, "K": column}), tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match=r"'K' holds neither as requested: leave columns out"):
        read_data(tmp_path / "d.parquet", **options)


def test_too_many_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_file, "_BATCH", 1 << 17)
    table = pa.table({"id": [f"r{i}" for i in range(70_000)]})
    for name, write in (("d.parquet", pq.write_table), ("d.arrow", _arrow)):
        write(table, tmp_path / name)
        monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
        with pytest.raises(DataError, match=r"column 'id': found .* a discrete column has at most"):
            read_data(tmp_path / name)


@pytest.mark.parametrize("name", FORMS)
def test_interventions(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    targets = [frozenset({"X0", "X3"}), frozenset[str](), frozenset({"X3"})]
    data = Dataset(whole.variables, whole.codes, None, (targets, np.arange(N_ROWS) % 3))
    FORMS[name](data.to_arrow(), tmp_path / name)
    expected = read_data(tmp_path / name)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match=r"in which rows 'X0', 'X3' were intervened on"):
        read_data(tmp_path / name)
    monkeypatch.setattr("dagathlon.data.reading.frames._MARKED_ROW", -2)
    found = read_data(tmp_path / name)
    assert found == expected == data
    assert found.targets == expected.targets
    assert read_data(tmp_path / name, drop=["X0", "X3"]).targets is None


_WITHOUT_ROOM = """
import resource, sys
from dagathlon.data import read_data
from dagathlon.errors import DataError
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    read_data(sys.argv[1])
except DataError as error:
    print(error)
"""


def test_a_disk_without_room(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(whole, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-c", _WITHOUT_ROOM, str(tmp_path / "d.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == (
        f"{tmp_path}: no room for a temporary file of 15,005 bytes, which the cells of a large "
        "file need (File too large); name a folder on a disk that has it by the environment "
        "variable TMPDIR\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["d.parquet"]


def test_a_file_that_has_other_rows_than_it_says(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(whole, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    for claim in (N_ROWS - 1, N_ROWS + 1):
        monkeypatch.setattr(large_file, "table_rows", lambda _, claim=claim: claim)
        with pytest.raises(DataError, match=rf"it has (3001 rows, not|more rows than) {claim}"):
            read_data(tmp_path / "d.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d.parquet", "d.arrow"])
def test_what_is_held_of_measurements(tmp_path: Path, name: str) -> None:
    """Of 320 MB some batches, beside the pages of the files."""
    rng = np.random.default_rng(3)
    table = pa.table({f"X{j}": rng.normal(size=2_000_000) for j in range(20)})
    write: Writer = pq.write_table if name == "d.parquet" else _arrow
    write(table, tmp_path / f"large-{name}")
    write(table.slice(0, 90_000), tmp_path / f"small-{name}")
    files = (tmp_path / f"{size}-{name}" for size in ("large", "small"))
    holds = "data.values.nbytes == 320_000_000"
    assert held(*files, 'learn(data, "pc")', holds, 10_000_000) < 200_000_000


@pytest.mark.memory
@pytest.mark.parametrize("name", ["d.parquet", "d.feather"])
def test_what_is_held(tmp_path: Path, name: str) -> None:
    """Of 60 MB of codes some batches, beside the pages of the files."""
    rng = np.random.default_rng(3)
    labels = [pa.array(rng.integers(0, 3, 3_000_000, np.int8)) for _ in range(20)]
    words = pa.array(["high", "low", "some"])
    columns = [pa.DictionaryArray.from_arrays(column, words) for column in labels]
    table = pa.table(columns, names=[f"X{j}" for j in range(20)])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    for size, part in (("large", table), ("small", table.slice(0, 600_000))):
        if name == "d.parquet":
            pq.write_table(part, tmp_path / f"{size}-{name}")
        else:
            with pa.ipc.new_file(tmp_path / f"{size}-{name}", table.schema, options=options) as f:
                f.write_table(part, max_chunksize=200_000)
    files = (tmp_path / f"{size}-{name}" for size in ("large", "small"))
    found = held(*files, "pass", "data.codes.nbytes == 60_000_000", 10_000_000)
    assert found < 40_000_000
