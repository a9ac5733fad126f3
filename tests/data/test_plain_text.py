"""The quick reader of plain text gives what pyarrow's reader gives, or leaves the file to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import read_data, text_table
from dagathlon.errors import DataError


def scanned(text: str, wanted: tuple[bool, ...] = (True, True), delimiter: str = ",") -> object:
    return _core.plain_fields(np.frombuffer(text.encode(), np.uint8), delimiter, np.array(wanted))


def test_fields_and_their_numbers() -> None:
    codes, fields = scanned("a,1\n\nb,2\r\n\r\na, 1\na,a-longer-word\n")  # type: ignore[misc]
    assert codes.tolist() == [[0, 1, 0, 0], [0, 1, 2, 3]]
    assert fields == [["a", "b"], ["1", "2", " 1", "a-longer-word"]]


def test_unwanted_columns_and_a_last_line_without_an_end() -> None:
    codes, fields = scanned("a;x;1\nb;y;2", (True, False, True), ";")  # type: ignore[misc]
    assert (codes.tolist(), fields) == ([[0, 1], [0, 1]], [["a", "b"], ["1", "2"]])


@pytest.mark.parametrize(
    "text", ['a,"b"\n', "a,b\nc\n", "a,b\nc,d,e\n", "a\rb,c\n", "a,b\nc", "a\n,b\n"]
)
def test_what_is_not_plain_is_left_to_others(text: str) -> None:
    assert scanned(text) is None


@pytest.mark.parametrize(("different", "found"), [(9, True), (255, True), (256, False)])
def test_as_many_different_fields_as_a_byte_tells_apart(different: int, found: bool) -> None:
    words = [f"{'long-word-' * (i % 3)}{i}" for i in range(different)]
    text = "".join(f"{word},x\n" for word in (*words, *reversed(words)))
    result = scanned(text)
    assert (result is not None) == found
    if result is not None:
        codes, fields = result  # type: ignore[misc]
        assert fields == [words, ["x"]]
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
    ],
)
def test_both_readers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text, newline="", encoding="utf-8")
    quick = read_data(path)
    monkeypatch.setattr(text_table, "plain_columns", lambda *_: None)
    assert read_data(path) == quick


def test_a_row_that_does_not_fit_is_named_still(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("A,B\nx,0\n" * 1 + "y,1\n" * 200 + "z\n")
    with pytest.raises(DataError, match=r"line 203: found 1 field where the header has 2"):
        read_data(path)
