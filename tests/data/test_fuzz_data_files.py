"""Spoilt files: whatever they hold, they are a `DataError` or a valid `Dataset`."""

from __future__ import annotations

import gzip
import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.errors import DataError, DataWarning

SEEDS = {
    "codes.csv": b"a,b,c\n2,3,4\n" + b"0,1,3\n1,2,0\n,0,1\n" * 12,
    "interventions.csv": b"x,y,z,y\n" + b"0.5,1.5,-2e3,0\n1.5,,3.25,1\n-7,1e-3,NA,0\n" * 12,
    "labels.csv": b"sex,age,ward\n" + b'f,31,"a, b"\nm,45.5,c\n"f ",?,"d ""e"""\n' * 12,
    "labels.tsv": "größe\tb\n".encode() + "klein\tTRUE\ngroß\tFALSE\n\tTRUE\n".encode() * 12,
    "semicolons.txt": b"\xef\xbb\xbfa;b\r\n" + b"1;x\r\n2;y\r\n3;2020-01-01\r\n" * 12,
    "wide.csv": b",".join(b"V%d" % j for j in range(60)) + (b"\n" + b"1,0," * 29 + b"1,0") * 3,
}
FIELDS = [
    b"", b"NA", b"inf", b"-1", b"0", b"1e999", b"9" * 30, b"1" * 400, b"0.1", b"NaN", b"0x10",
    b'"', b'""', b'"a\nb"', b"\xff\xfe", b"\xc3\xa9", b"\xe9", b"\x00", b"65536", b"255",
    b"a" * 5000, b"1,5", b"- 3", b"+4", b"2020-01-01", b"12:30:00", b"true", b" ",
    b"\xe2\x80\xa8", b"\x0c", b"\x1a",
]  # fmt: skip


def flip_bytes(content: bytes, rng: random.Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        spoilt[rng.randrange(len(spoilt))] = rng.choice(
            [rng.randrange(256), *b',;\t\n"0123456789.-eE ']
        )
    return bytes(spoilt)


def cut(content: bytes, rng: random.Random) -> bytes:
    start, stop = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice([content[:stop], content[start:], content[:start] + content[stop:]])


def change_field(content: bytes, rng: random.Random) -> bytes:
    delimiter = max((b",", b";", b"\t"), key=content.count)
    lines = content.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        row = rng.choice([0, len(lines) // 2, rng.randrange(len(lines))])
        fields = lines[row].split(delimiter)
        at = rng.randrange(len(fields))
        change = rng.choice([0, 0, 0, 0, 1, 2, 3, 3])
        if change == 0:
            fields[at] = rng.choice(FIELDS)
        elif change == 1:
            fields.insert(at, fields[at])
        elif change == 2:
            del fields[at]
        else:
            fields[at] += rng.choice(FIELDS)
        lines[row] = delimiter.join(fields)
    return b"\n".join(lines)


def change_column(content: bytes, rng: random.Random) -> bytes:
    delimiter = max((b",", b";", b"\t"), key=content.count)
    rows = [line.split(delimiter) for line in content.split(b"\n")]
    at, fields = rng.randrange(len(rows[0])), [rng.choice(FIELDS) for _ in range(3)]
    for row in rows[rng.randint(0, 2) :]:
        if at < len(row):
            row[at] = rng.choice(fields)
    return b"\n".join(delimiter.join(row) for row in rows)


def change_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines) if rng.random() < 0.3 else lines.insert(
        rng.randrange(len(lines)), rng.choice([b"", b" ", lines[0], lines[-1], *FIELDS])
    )
    return rng.choice([b"\n", b"\r\n", b"\r", b"\n\n"]).join(lines)


def recode(content: bytes, rng: random.Random) -> bytes:
    text = content.decode("utf-8", errors="replace")
    encoded = text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1"]), "replace")
    return rng.choice([encoded, encoded[: rng.randrange(len(encoded) + 1)]])


TEXT_CHANGES = [flip_bytes, flip_bytes, cut, *[change_field] * 4, *[change_column] * 2]
TEXT_CHANGES += [change_lines, recode]


def spoilt(content: bytes, changes: list[Callable[..., bytes]], rng: random.Random) -> bytes:
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if content:
            content = rng.choice(changes)(content, rng)
    return content


def read_or_refuse(path: Path, **options) -> bool:
    """Read a file; whether it was data. Anything but a `DataError` goes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            data = read_data(path, **options)
        except DataError:
            return False
    check_valid(data)
    return True


def check_valid(data: Dataset) -> None:
    assert len(set(data.names)) == len(data.names) > 0
    assert len(data) > 0
    again = Dataset(data.variables, data.codes, data.values, data.regimes)
    assert again == data
    assert len(data.fingerprint) == 64
    assert np.isfinite(data.values[~np.isnan(data.values)]).all()


def fuzz_texts(folder: Path, numbers: range) -> tuple[int, int]:
    """Numbers of files that were data and that were not."""
    counts = {True: 0, False: 0}
    for number in numbers:
        rng = random.Random(number)
        name, content = rng.choice(list(SEEDS.items()))
        path = folder / f"{number}-{name}"
        text = spoilt(content, TEXT_CHANGES, rng)
        if rng.random() < 0.02:
            path = path.with_name(path.name + ".gz")
            text = flip_bytes(gzip.compress(text), rng)
        path.write_bytes(text)
        options = rng.choice(
            [{}, {}, {}, {"kinds": "discrete"}, {"kinds": "continuous"}, {"cardinality_row": True}]
        )
        try:
            counts[read_or_refuse(path, **options)] += 1
        except BaseException as error:
            error.add_note(f"file {number} ({name}) with {options}: {text!r}")
            raise
        path.unlink()
    return counts[True], counts[False]


def table_seeds(folder: Path) -> list[bytes]:
    variables = [Variable("a", ("x", "y", "z")), Variable("b"), Variable("c", ("0", "1"))]
    codes = [[i % 3, i % 2] for i in range(40)]
    values = [[i / 7 if i % 5 else np.nan] for i in range(40)]
    data = Dataset(variables, codes, values, ([(), ("b",)], [i % 2 for i in range(40)]))
    seeds = []
    for ending in ("parquet", "arrow"):
        path = folder / f"seed.{ending}"
        write_data(data, path)
        seeds.append(path.read_bytes())
    return seeds


def fuzz_tables(folder: Path, numbers: range) -> tuple[int, int]:
    counts = {True: 0, False: 0}
    seeds = table_seeds(folder)
    for number in numbers:
        rng = random.Random(number)
        kind = rng.randrange(2)
        path = folder / f"{number}.{('parquet', 'arrow')[kind]}"
        path.write_bytes(spoilt(seeds[kind], [flip_bytes, flip_bytes, cut], rng))
        try:
            counts[read_or_refuse(path)] += 1
        except BaseException as error:
            error.add_note(f"table file {number}")
            raise
        path.unlink()
    return counts[True], counts[False]


def test_seeds_are_data(tmp_path) -> None:
    for name, content in SEEDS.items():
        (tmp_path / name).write_bytes(content)
        assert read_or_refuse(tmp_path / name), name


@pytest.mark.slow
def test_spoilt_text_files(tmp_path) -> None:
    read, refused = fuzz_texts(tmp_path, range(1500))
    assert read + refused == 1500
    assert min(read, refused) > 150


@pytest.mark.slow
def test_many_spoilt_text_files(tmp_path) -> None:
    read, refused = fuzz_texts(tmp_path, range(1500, 10_000))
    assert min(read, refused) > 1000


def test_spoilt_table_files(tmp_path) -> None:
    read, refused = fuzz_tables(tmp_path, range(300))
    assert read + refused == 300
    assert refused > 100


@pytest.mark.slow
def test_many_spoilt_table_files(tmp_path) -> None:
    read, refused = fuzz_tables(tmp_path, range(300, 4000))
    assert min(read, refused) > 100
