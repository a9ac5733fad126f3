"""The quick reader of plain text gives what pyarrow's reader gives, or leaves the file to it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import read_data
from dagathlon.data.reading import text_file, text_table
from dagathlon.data.reading.plain_text import PlainText, whole_table
from dagathlon.errors import DataError


def scanned(text: str, uses: tuple[int, ...] = (2, 2), delimiter: str = ",") -> Any:
    uses_of_columns = np.array(uses, np.uint8)
    content = np.frombuffer(text.encode(), np.uint8)
    return _core.plain_columns(content, delimiter, uses_of_columns, ["", "-999", "NA"])


def test_fields_and_their_numbers() -> None:
    place, codes, values, lists = scanned("a,1\n\nb,2\r\n\r\na, 1\na,a-longer-word\n")
    assert codes.tolist() == [[0, 1, 0, 0], [0, 1, 2, 3]]
    assert lists == [["a", "b"], ["1", "2", " 1", "a-longer-word"]]
    assert (place.tolist(), values.shape) == ([[0, 1]], (0, 4))


def test_unwanted_columns_and_a_last_line_without_an_end() -> None:
    _, codes, _, lists = scanned("a;x;1\nb;y;2", (2, 0, 2), ";")
    assert (codes.tolist(), lists) == ([[0, 1], [0, 1]], [["a", "b"], ["1", "2"]])


def test_columns_with_the_same_fields_have_one_list() -> None:
    place, codes, _, lists = scanned("a,x,a\nb,x,b\nb,x,a\n", (2, 2, 2))
    assert (place.tolist(), lists) == ([[0, 1, 0]], [["a", "b"], ["x"]])
    assert codes.tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 0]]


def test_a_measurement_makes_numbers_of_a_column() -> None:
    place, codes, values, lists = scanned("3,a\nNA,b\n-999,a\n0,b\n-1.25e1,a\n,a\n300,a\n")
    assert (place.tolist(), lists) == ([[-1, 0]], [["a", "b"]])
    assert codes.tolist() == [[0, 1, 0, 1, 0, 0, 0]]
    expected = [[3, np.nan, np.nan, 0, -12.5, np.nan, 300]]
    np.testing.assert_array_equal(values, expected)


def test_a_column_of_fields_stays_one() -> None:
    place, codes, values, lists = scanned("1.5,1.5\n2,2\n", (1, 2))
    assert (place.tolist(), codes.tolist(), lists) == ([[0, -1]], [[0, 1]], [["1.5", "2"]])
    assert values.tolist() == [[1.5, 2.0]]


def test_more_whole_numbers_than_codes_are_numbers() -> None:
    numbers = [*range(256), *range(256)]
    place, _, values, _ = scanned("".join(f"{i},{i or 'NA'}\n" for i in numbers))
    assert place.tolist() == [[-1, -1]]
    assert values[0].tolist() == numbers
    np.testing.assert_array_equal(values[1], [i or np.nan for i in numbers])


def test_numbers_are_those_that_python_reads() -> None:
    rng = np.random.default_rng(7)
    numbers = rng.standard_normal(500) * 10.0 ** rng.integers(-300, 300, 500)
    words = [f"{x:.{rng.integers(0, 20)}e}" for x in numbers] + [
        "1.",
        ".5",
        "-.5e-3",
        "12345678901234567890",
    ]
    _, _, values, _ = scanned("".join(f"{word},{word.upper()}\n" for word in words))
    assert values.tolist() == [[float(word) for word in words]] * 2


@pytest.mark.parametrize(
    "odd", ["x", "01", "-0", "+1", "1e999", "inf", "nan", "1e", ".", "1 ", "-"]
)
def test_what_stands_amid_numbers_is_left_to_others(odd: str) -> None:
    assert scanned(f"1.5,a\n{odd},b\n") is None


@pytest.mark.parametrize(
    "text", ['a,"b"\n', "a,b\nc\n", "a,b\nc,d,e\n", "a\rb,c\n", "a,b\nc", "a\n,b\n"]
)
def test_what_is_not_plain_is_left_to_others(text: str) -> None:
    assert scanned(text) is None


@pytest.mark.parametrize("row", ["1,free\rtext,2\n", "1,\r,2\n", '1,a "word",2\n', "1,2\n"])
def test_what_is_not_plain_in_an_unwanted_column_is_left_to_others(row: str) -> None:
    assert scanned("1,note,2\n" + row, (2, 0, 2)) is None
    assert scanned("1,2,note\r\n", (2, 2, 0)) is not None


def test_no_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        scanned("a\n", ())


_WITHOUT_ROOM = """
import resource, sys
import numpy as np
from dagathlon import _core
width, lines = 3000, 1_000_000
end = chr(10)
text = 2 * (",".join(["1"] * width) + end) + lines * (sys.argv[1] + end)
text = np.frombuffer(text.encode(), np.uint8)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (200 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
found = _core.plain_columns(text, ",", np.full(width, 2, np.uint8), [""])
print(None if found is None else found[1].shape)
"""


@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("line", "found"), [("", "(3000, 2)"), ("x", "None")])
def test_lines_that_are_no_rows_take_no_memory(line: str, found: str) -> None:
    """Bytes for as many rows would be 3 GB, of a text of 2 MB."""
    command = [sys.executable, "-c", _WITHOUT_ROOM, line]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == found, done.stderr


@pytest.mark.parametrize(("different", "found"), [(9, True), (255, True), (256, False)])
def test_as_many_different_fields_as_a_byte_tells_apart(different: int, found: bool) -> None:
    words = [f"w{'long-word-' * (i % 3)}{i}" for i in range(different)]
    text = "".join(f"{word},x\n" for word in (*words, *reversed(words)))
    result = scanned(text)
    assert (result is not None) == found
    if result is not None:
        _, codes, _, lists = result
        assert lists == [words, ["x"]]
        assert codes[0].tolist() == [*range(different), *reversed(range(different))]


@pytest.mark.parametrize(
    "text",
    [
        "A,B\nhigh,0\nlow,1\n high ,2\n?,NA\nlow,\n",
        "\ufeffA,B\r\nx,0\r\ny,1\r\n\r\nx,1\r\n",
        "A,B\n2,3\n0,2\n1,0\n1,1\n,2\n",
        "A,B\nyes,01\nno,1\nno,2\n",
        "A,B\nyes,1\nno,300\nno,2\n",
        "A;B\nyes;1,5\nno;2,5\nno;2,25\n",
        "A,B,\nx,1,\ny,2,\nx,1,\n",
        "A,B\nnaïve,0\nÅ,1\nnaïve,1\n",
        "A,B,B\nx,0,0\ny,1,1\nx,1,0\n",
        "A\nx\n\ny\nx\n",
        "A,B\rx,0\ny,1\nx,1\n",
        "A,B\r\rx,0\r\ny,1\r\n",
        "A,B\n1.5,x\n2,y\nNA,x\n",
        "A,B\n1,x\n2.5,y\n,x\n",
        "A,B\n1,x\n300,y\n-4,x\n",
        "A,B\n1,x\n 2,y\n3,x\n",
        "A,B\n0.5,1.0\n1.5,2.0\n",
        "A,B\n1st,7\n2nd,8\n1st,9\n",
        "A,B\n1,x\nlow,y\n1.5,x\n",
        "A,B\nNA,x\n,y\nNA,x\n",
        "A,B\n300,2\n4,1\n299,0\n",
        "A,B\n2,1\n0,0\n2,0\n",
        "A,B\n3,4\n1,2\nNA,3\n0,0\n",
        "A,B,C\nyes,inf,a\nno,Infinity,b\nno,1,a\n",
        "A,B\n2020-01-01,1\n2020-01-02,2\n2020-01-03,1\n",
        "A,B\n" + "0,1\n" * 150 + "0x3, 0X1f\n",
        "A,B\n" + "0x10,1\n0x11,2\n" * 75 + "0x11,z\n",
        "A,B\n" + "01,1.5\n1,2.5\n" * 75 + "2,0x11\n",
        "A,B\n" + "01,1\n1,2\n" * 75 + "2,0x11\n",
        "A,B,B\nx,0,0\ny,0x1,1\nx,1,0x0\n",
        "A\tB\n0b1\tx\nnan\ty\n1,5\tx\n",
        "A,B,C\n" + "n,1,2\nm,2,1\n" * 60 + "free\rtext,1,2\n",
        "A,B\n" + "".join(f"{i % 12},{i % 7}\n" for i in range(40)),
        "A,B\n" + "".join(f"{i % 12 + 20},{i % 7 - 1}\n" for i in range(40)),
    ],
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kinds": "continuous", "drop": ["A"]},
        {"kinds": {"B": "discrete"}},
        {"cardinality_row": False},
        {"missing": ["2", "x"]},
    ],
)
def test_both_readers_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: dict[str, Any]
) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text, newline="", encoding="utf-8")
    quick = outcome(path, options)
    monkeypatch.setattr(text_table, "plain_text", lambda *_: None)
    assert outcome(path, options) == quick


def test_hexadecimal_numbers_are_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the parts of a text in which they are looked for meet."""
    path = tmp_path / "d.csv"
    path.write_text("A,B\n" + "0,01\n1,1\n" * 60 + '0x1,"2"\n')
    start = path.read_text().index("0x1")
    for size in (start, start + 1, start + 2):
        monkeypatch.setattr(text_file, "_CHUNK", size)
        data = read_data(path)
        assert [variable.levels for variable in data.variables] == [("0", "0x1", "1"), ("1", "2")]


def test_each_column_of_counts_is_looked_at_once() -> None:
    taken = 0

    class Counted(np.ndarray[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            nonlocal taken
            found = super().__getitem__(key)
            taken += np.size(found)
            return found

    def entries(width: int) -> int:
        nonlocal taken
        taken = 0
        words = [str(i) for i in range(20, 32)]
        lists = np.zeros(width, np.int32).view(Counted)
        codes = np.tile(np.arange(12, dtype=np.uint8), (width, 1))
        text = PlainText(range(width), lists, codes, np.empty((0, 12)), [words], frozenset({""}))
        whole = whole_table([f"V{j}" for j in range(width)], text, may_hold_cardinalities=False)
        assert whole is not None
        assert whole.data.values.tolist() == [[float(word)] * width for word in words]
        return taken

    assert entries(100) == 10 * entries(10)


def outcome(path: Path, options: dict[str, Any]) -> tuple[Any, list[str]]:
    """The data or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found: Any = read_data(path, **options)
        except DataError as error:
            found = str(error)
    return found, [str(one.message) for one in said]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_both_readers_agree_on_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Columns of many kinds, with gaps, odd numbers late in the file, and empty lines."""
    rng = np.random.default_rng(seed)
    pools = [
        ["0", "1", "2"],
        ["1", "2", "3", "NA"],
        ["yes", "no", ""],
        ["1.5", "-2", "3e2", "?"],
        [str(i) for i in range(25)],
        ["low", "1.5", " high"],
        ["01", "1", "2"],
        ["300", "4", "5"],
        ["", "NA"],
    ]
    chosen = rng.integers(0, len(pools), rng.integers(2, 6))
    lines = [",".join(f"V{j}" for j in range(len(chosen)))]
    for _ in range(rng.integers(1, 250)):
        row = [pools[k][rng.integers(len(pools[k]))] for k in chosen]
        if rng.random() < 0.004:
            row[rng.integers(len(row))] = str(rng.choice(["x", "+1", "-0", "7.5", "1000", "inf"]))
        lines.append(",".join(row))
    path = tmp_path / "d.csv"
    path.write_text("\n".join(lines) + "\n")
    quick = outcome(path, {})
    monkeypatch.setattr(text_table, "plain_text", lambda *_: None)
    assert outcome(path, {}) == quick


def test_a_row_that_does_not_fit_is_named_still(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("A,B\nx,0\n" * 1 + "y,1\n" * 200 + "z\n")
    with pytest.raises(DataError, match=r"line 203: found 1 field where the header has 2"):
        read_data(path)
