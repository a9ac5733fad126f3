"""Files as spreadsheets, pandas and R write them."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import lzma
import os
import subprocess
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from everyday import FRAME, check, noted, quiet
from pyarrow import feather, parquet

from dagathlon import pipes
from dagathlon.cli import USER_ERROR, main
from dagathlon.data import read_data, read_network
from dagathlon.data.inspection import Remark, describe, noise_sample
from dagathlon.data.reading import unpacking
from dagathlon.data.reading.options import Reading
from dagathlon.data.reading.text_file import TextFile
from dagathlon.errors import DagathlonError, DataError, DataWarning, GraphError
from dagathlon.graphs import read_graph
from dagathlon.learners.background import content_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.csv"


@pytest.mark.parametrize(
    "labels",
    [
        *(None, [3, 5, 6, 900], [0.0, 1.0, 2.0, 3.0], [-2, -1, 0, 1], list("abcd")),
        ["2024-01-01", "2024-01-02", "c", "d"],
    ],
)
def test_the_index_of_pandas_is_left_out_and_said(file: Path, labels: list[object] | None) -> None:
    FRAME.set_index(pd.Index(labels) if labels else FRAME.index).to_csv(file)
    check(noted(file, "first column has no name and another value in each of the first rows"))
    found = describe(file)
    assert [column.name for column in found.columns] == list(FRAME.columns)
    assert any("first column has no name" in one.text for one in found.remarks)


@pytest.mark.parametrize("header", ['"","größe","ort","n"', '"größe","ort","n"'])
def test_row_names_of_r_are_left_out_and_said(file: Path, header: str) -> None:
    rows = [f'"{i + 1}",{a},"{b}",{c}' for i, (a, b, c) in enumerate(FRAME.itertuples(index=False))]
    file.write_text("\n".join([header, *rows]) + "\n")
    check(noted(file, "first column has no name"))


def test_a_nameless_column_that_tells_something_stays(file: Path) -> None:
    file.write_text(",b\n1.5,1.5\n2.5,3.5\n0.5,2.25\n")
    assert noted(file, "column 1 has no name").names == ("Unnamed: 0", "b")
    file.write_text(",b\n3.0,1.5\n5.0,3.5\n4.0,2.25\n")
    assert noted(file, "column 1 has no name").names == ("Unnamed: 0", "b")
    file.write_text(",b\nx,1.5\ny,3.5\nx,2.25\n")
    note = r"column 1 has no name .* kept, .* --drop 'Unnamed: 0'"
    assert noted(file, note).names == ("Unnamed: 0", "b")
    assert noted(file, note, drop=["Unnamed: 0"]).names == ("b",)


@pytest.mark.parametrize("write", [feather.write_feather, parquet.write_table])
def test_the_index_of_pandas_in_typed_tables_is_left_out(tmp_path: Path, write: object) -> None:
    path = tmp_path / f"data{'.feather' if write is feather.write_feather else '.parquet'}"
    frame = FRAME.set_index(pd.Index(["w", "x", "y", "z"]))
    write(pa.Table.from_pandas(frame), path)  # type: ignore[operator]
    check(noted(path, "labels of the rows as '__index_level_0__'; they were left out"))
    found = describe(path)
    assert [one.name for one in found.columns if one.kind == "left out"] == ["__index_level_0__"]
    assert any("labels of the rows" in one.text for one in found.remarks)
    assert quiet(path, keep=["__index_level_0__", "n"]).names == ("n", "__index_level_0__")


def test_a_faulty_cell_beside_an_index_keeps_its_place(file: Path) -> None:
    rows = [f"{i},{i}.5,{i * i}.25" for i in range(30)]
    rows[20] = "20,oops,400.25"
    file.write_text("\n".join([",a,b", *rows]) + "\n")
    with pytest.warns(DataWarning), pytest.raises(DataError, match=r"line 22, column 'a'.*'oops'"):
        read_data(file)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_europe_is_guessed_and_said(file: Path, encoding: str) -> None:
    FRAME.to_csv(file, index=False, encoding=encoding)
    check(noted(file, r"byte 0xF6 at offset 2, line 1\); read as cp1252"))
    check(quiet(file, encoding=encoding))
    assert any("cp1252" in one.text for one in describe(file).remarks)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_byte_order_marks_are_obeyed(file: Path, encoding: str) -> None:
    FRAME.to_csv(file, index=False, encoding=encoding)
    check(quiet(file))
    check(quiet(file, encoding=encoding))


def test_encodings_can_be_named(file: Path) -> None:
    FRAME.replace("Nîmes", "Köln").to_csv(file, index=False, encoding="cp850", errors="replace")
    assert quiet(file, encoding="cp850").names == ("größe", "ort", "n")
    file.write_bytes(b"a,b\n1,2\n\0,3\n")
    with pytest.raises(DataError, match=r"zero byte at offset 8.*--encoding NAME"):
        read_data(file)
    with pytest.raises(DataError, match=r"unknown encoding 'cp1253x'.*did you mean 'cp1252'"):
        read_data(file, encoding="cp1253x")
    for codec in ("rot13", "hex", "undefined"):  # none of them makes text of bytes
        with pytest.raises(DataError, match=f"unknown encoding '{codec}'"):
            read_data(file, encoding=codec)
    file.write_bytes(b"a,b\n1,2\nx\x81,3\n")
    with pytest.raises(DataError, match=r"line 3: not cp1252 text \(byte 0x81 at offset 9\)"):
        read_data(file, encoding="cp1252")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_guessed_and_said(file: Path, encoding: str) -> None:
    FRAME.to_csv(file, index=False, encoding=encoding)
    check(noted(file, f"not UTF-8 text .* read as {encoding}"))
    check(quiet(file, encoding=encoding))
    assert any(encoding in one.text for one in describe(file).remarks)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_without_their_ending_are_told(file: Path, pack: object) -> None:
    file.write_bytes(pack(FRAME.to_csv(index=False).encode()))  # type: ignore[operator]
    for look in (read_data, describe):
        with pytest.raises(DataError, match="not a text file but a packed one"):
            look(file)


@pytest.mark.parametrize("line", ["sep={}\n", "\ufeffsep={}\r\n", '"sep={}"\n'])
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_line_that_names_the_delimiter_for_excel_is_obeyed(
    file: Path, line: str, delimiter: str
) -> None:
    table = FRAME.to_csv(index=False, sep=delimiter)
    file.write_bytes((line.format(delimiter) + table).encode())
    check(quiet(file))
    assert [column.name for column in describe(file).columns] == list(FRAME.columns)
    file.write_bytes((line.format(delimiter) + table.replace("0.25", "oops")).encode())
    with pytest.raises(DataError, match=r"line 5, column 'größe'.*'oops'"):
        read_data(file, kinds={"größe": "continuous"})


def test_damaged_utf_8_is_not_guessed(file: Path) -> None:
    file.write_bytes("a,b\n1,ä\n2,ö\n3,ü\n".encode() + b"4,\xe9\n")
    with pytest.raises(DataError, match=r"line 5: not UTF-8 text \(byte 0xE9.*--encoding"):
        read_data(file)


TITLES = 'Survey of 2020; all of them\n\nby us, and "others"\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_title_lines_are_skipped_and_suggested(file: Path, delimiter: str) -> None:
    file.write_text(TITLES + FRAME.to_csv(index=False, sep=delimiter))
    with pytest.raises(DataError, match=r"line 4 looks like the header: --skip 3 \(skip=3"):
        read_data(file)
    check(quiet(file, skip=3))
    file.write_text(TITLES + FRAME.to_csv(index=False, sep=delimiter, quoting=2))
    check(quiet(file, skip=3))
    assert describe(file, Reading(skip=3)).n_rows == 4


def test_titles_that_are_padded_are_seen(file: Path) -> None:
    file.write_text("Survey,,\n,,\n" + FRAME.to_csv(index=False))
    with pytest.raises(DataError, match=r"column 2 has no name; line 3 looks like the header"):
        read_data(file)
    check(quiet(file, skip=2))


def test_no_header_is_suggested_where_there_is_none(file: Path) -> None:
    file.write_text("a,b\n1,2\n\n1,2,3\n")
    with pytest.raises(DataError, match=r"line 4: found 3 fields where the header has 2$"):
        read_data(file)
    file.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="nothing follows the 5 lines to skip"):
        read_data(file, skip=5)
    with pytest.raises(DataError, match="found -1"):
        read_data(file, skip=-1)


def test_places_count_skipped_lines(file: Path) -> None:
    rows = [f"{i}.5,{i}.25" for i in range(30)]
    rows[20] = "oops,1.5"
    file.write_text("\n".join(["title", "", "a,b", *rows]) + "\n")
    with pytest.raises(DataError, match=r"line 24, column 'a'.*'oops'"):
        read_data(file, skip=2)
    with pytest.raises(DataError, match=r"line 24, column 'a'.*'oops'"):
        read_data(file, skip=2, kinds="continuous")


@pytest.mark.parametrize("said", [{"encoding": "cp1252"}, {"skip": 3}, {"sheet": "Data"}])
def test_a_reading_is_part_of_a_study_only_where_it_was_said(said: dict[str, object]) -> None:
    assert Reading().to_json() == {}
    assert Reading.from_json(said).to_json() == said
    assert Reading.from_json(said) != Reading()


def test_a_pipe_is_waited_for_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("w") as sink:
            FRAME.to_csv(sink, index=False)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    check(quiet(pipe))
    writer.join()
    monkeypatch.setattr(pipes, "PATIENCE", 0.05)
    for look in (read_data, describe):
        with pytest.raises(DataError, match="a pipe to which nothing was written for"):
            look(pipe)
    table = tmp_path / "pipe.parquet"
    os.mkfifo(table)
    for look in (read_data, describe):
        with pytest.raises(DataError, match="not a regular file"):
            look(table)


@pytest.mark.parametrize(
    ("look", "name"),
    [
        (read_graph, "graph.csv"),
        (read_network, "net.bif"),
        (lambda path: content_of(str(path)), "k.json"),
    ],
)
def test_pipes_of_graphs_networks_and_constraints(
    look: Callable[[Path], object], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    monkeypatch.setattr(pipes, "PATIENCE", 0.05)
    with pytest.raises(DagathlonError, match="a pipe to which nothing was written for"):
        look(pipe)
    monkeypatch.setattr(pipes, "PATIENCE", 60.0)
    monkeypatch.setattr(pipes, "_MOST", 1000)
    writer = subprocess.Popen(["sh", "-c", 'exec yes > "$1"', "sh", str(pipe)])
    with pytest.raises(DagathlonError, match="a pipe that gives more than 1,000 bytes"):
        look(pipe)
    assert writer.wait() != 0


def test_a_graph_comes_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=["a,b\n0,1\n0,0\n"], daemon=True)
    writer.start()
    assert [str(edge) for edge in read_graph(pipe).edges()] == ["a -> b"]
    writer.join()


def test_graphs_are_compared_through_pipes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipes, "PATIENCE", 20.0)
    content = "a,b\n0,1\n0,0\n"
    (tmp_path / "truth.csv").write_text(content)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[content], daemon=True)
    writer.start()
    assert main(["compare", str(pipe), str(tmp_path / "truth.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["SHD"] == 0
    writer.join()


def test_constraints_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text('{"forbidden_edges": [["ä", "b"]]}', "utf-8-sig")
    assert content_of(str(path)) == {"forbidden_edges": [["ä", "b"]]}


@pytest.mark.parametrize("look", [read_data, describe])
def test_devices_are_refused(look: object) -> None:
    with pytest.raises(DataError, match=r"/dev/zero: .*not a regular file"):
        look("/dev/zero")  # type: ignore[operator]


def test_a_bomb_is_refused_before_it_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as sink:
        sink.write(b"a,b\n")
        for _ in range(4):
            sink.write(b"1" * (1 << 20))
    with pytest.raises(DataError, match=r"not a table .found a field of more than 1,048,576 bytes"):
        read_data(bomb)
    with gzip.open(bomb, "wb", compresslevel=1) as sink:
        sink.write(b"a,b\n")
        for _ in range(12):
            sink.write(b"1,2\n" * (1 << 18))
    monkeypatch.setenv(unpacking.MOST_UNPACKED, str(10 << 20))
    monkeypatch.setattr(unpacking, "_TRUSTED", 2 << 20)
    monkeypatch.setattr(unpacking, "USUAL_RATIO", 10)
    held: list[int] = []
    count = unpacking._count
    monkeypatch.setattr(
        unpacking, "_count", lambda *given: (held.append(given[1]), count(*given))[1]
    )
    with pytest.raises(DataError, match="unpacks to more than 10,485,760 bytes"):
        read_data(bomb)
    assert held == [2 << 20]
    monkeypatch.setenv(unpacking.MOST_UNPACKED, str(100 << 20))
    with contextlib.suppress(DataWarning):
        assert len(read_data(bomb, kinds="categorical")) == 12 << 18


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_is_refused_before_it_is_split(
    file: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    def never(*given: object) -> None:
        raise AssertionError("the line was split")

    content = b"a,b\n1," + b"," * (6 << 20) + b"\n"
    path = file.with_suffix(".csv.gz") if packed else file
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    monkeypatch.setattr(TextFile, "records", never)
    for look in (read_data, describe):
        with pytest.raises(DataError, match="a line of more than 5,000,000 fields"):
            look(path)


def test_describe_shows_what_other_commands_refuse(file: Path) -> None:
    rows = [f"{i}.5,{i * i}.25,{i % 7}.125,{i % 5}.5" for i in range(60)]
    file.write_text("\n".join(["a,b,,a", *rows]) + "\n")
    with pytest.raises(DataError, match="column 3 has no name"):
        read_data(file)
    found = describe(file)
    assert [column.name for column in found.columns] == ["a", "b", "Unnamed: 2", "a.1"]
    assert found.remarks[0].text == "line 1: column 3 has no name; other commands refuse the file"
    for place in (3, 50):
        wrong = [*rows[:place], "1.5", *rows[place:], "1,2,3,4,5"]
        file.write_text("\n".join(["a,b,c,d", *wrong]) + "\n")
        with pytest.raises(DataError, match=f"line {place + 2}: found 1 field"):
            read_data(file)
        found = describe(file)
        assert found.n_rows == 60
        assert any(
            f"2 rows have another number of fields (line {place + 2}: found 1 field" in one.text
            for one in found.remarks
        )
        assert sum("found 1 field" in one.text for one in found.remarks) == 1
    file.write_text(TITLES + "\n".join(["a,b,c,d", *rows]) + "\n")
    found = describe(file)
    assert [column.name for column in found.columns] == list("abcd")
    assert (found.remarks[0].flag, found.remarks[0].advised) == ("--skip=3", True)
    assert describe(file, Reading(skip=1)).remarks[0].flag == "--skip=3"


def test_infinite_numbers_are_described_in_silence(file: Path) -> None:
    file.write_text("a,b\ninf,1.5\n-inf,2.5\n0.5,3.5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = describe(file)
    assert (found.columns[0].mean, found.columns[1].mean) == (None, 2.5)


def test_describe_shows_a_table_that_nearly_has_cardinalities(file: Path) -> None:
    rows = [f"{i % 2},{i % 3}" for i in range(400)]
    file.write_text("\n".join(["a,b", "2,3", *rows, "2,1"]) + "\n")
    with pytest.raises(DataError, match="the first row gives the column 2 levels"):
        read_data(file)
    found = describe(file)
    assert found.n_rows == 402
    assert found.remarks[0].flag == "--cardinality-row=no"


@pytest.mark.parametrize("write", [feather.write_feather, parquet.write_table])
def test_repeated_names_in_typed_tables_are_shown(tmp_path: Path, write: object) -> None:
    path = tmp_path / ("data.feather" if write is feather.write_feather else "data.parquet")
    columns = [pa.array([1.5, 2.5]), pa.array(["x", "y"]), pa.array([1, 2])]
    write(pa.table(columns, names=["a", "a", ""]), path)  # type: ignore[operator]
    found = describe(path)
    assert [column.name for column in found.columns] == ["a", "a.1", "Unnamed: 2"]
    assert "here they are called 'a.1', 'Unnamed: 2'" in found.remarks[0].text
    with pytest.raises(DataError, match=r"column 3 has no name|the name 'a' stands twice"):
        read_data(path)


@pytest.mark.parametrize("values", ["ab", "01"])
def test_describing_wide_files_takes_time_by_their_width(
    file: Path, monkeypatch: pytest.MonkeyPatch, values: str
) -> None:
    p, compared = 3000, 0
    rows = [",".join(values[(i * j) % 7 % 2] for j in range(p)) for i in range(5)]
    file.write_text("\n".join([",".join(f"c{j}" for j in range(p)), *rows]) + "\n")
    same = Remark.__eq__

    def counted(one: Remark, other: object) -> bool:
        nonlocal compared
        compared += 1
        return same(one, other)

    monkeypatch.setattr(Remark, "__eq__", counted)
    found = describe(file)
    assert len(found.remarks) >= 0.9 * p
    assert compared < 10 * p


def test_gaps_of_wide_files_are_counted_in_all_columns(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(60, 40))).add_prefix("c")
    table[rng.random(table.shape) < 0.4] = np.nan
    table.to_csv(file, index=False)
    whole = describe(file).noise[0]
    monkeypatch.setattr(noise_sample, "_MOST_KEPT", 10)
    some = describe(file).noise[0]
    assert (some.rate, some.columns) == (whole.rate, whole.columns)


@pytest.mark.parametrize("command", [["check"], ["learn", "--with", "hc"], ["describe"]])
def test_commands_refuse_devices(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command[0], "/dev/zero", *command[1:]]) == USER_ERROR
    assert "not a regular file" in capsys.readouterr().err


def test_graphs_and_knowledge_are_no_devices() -> None:
    with pytest.raises(GraphError, match=r"/dev/zero: cannot be read .it is a device"):
        read_graph("/dev/zero")
    with pytest.raises(GraphError, match="/dev/zero: cannot be read: it is a device"):
        content_of("/dev/zero")


def test_a_study_reads_as_it_says(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{i * 7 % 50}.5,{'fFmM'[i % 4]}\n" for i in range(80))
    file.write_bytes(f"Titel\n\ngröße,sex\n{rows}".encode("latin-1"))
    study = file.with_name("study.json")
    flags = ["--skip", "2", "--encoding", "latin-1", "--recode", "sex:F=f,M=m"]
    assert main(["new", "study", str(study), "--pick", "hc", "--data", str(file), *flags]) == 0
    (entry,) = json.loads(study.read_text())["benchmark_setup"][0]["data"]
    said = {"skip": 2, "encoding": "latin-1", "recode": {"sex": {"F": "f", "M": "m"}}}
    assert {key: entry[key] for key in said} == said
    assert main(["check", str(study)]) == 0
    study.write_text(study.read_text().replace('"skip": 2', '"skip": "2"'))
    assert main(["check", str(study)]) == USER_ERROR
    assert "skip: expected a number of lines, found '2'" in capsys.readouterr().err
