"""``dagathlon interval``: what is refused and why; runs from a file to a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import USER_ERROR, main

GOOD = ("--with", "hc", "--with", "pc")


def write(name: str, columns: Sequence[str], values: np.ndarray) -> None:
    lines = [",".join(columns), *(",".join(f"{cell:.4f}" for cell in row) for row in values)]
    Path(name).write_text("\n".join([*lines, ""]).replace("nan", ""))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain of four variables, some of its rows, and files that are worse."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(3).normal(size=(300, 4))
    values = noise @ np.linalg.inv(np.eye(4) - np.diag([1.0, 1.0, 1.0], 1))
    names = ["a", "b", "c", "d"]
    write("d.csv", names, values)
    write("few.csv", names, values[:30])
    write("one.csv", names, values[:1])
    write("column.csv", ["a"], values[:, :1])
    Path("none.csv").write_text("a,b,c,d\n")
    values[:, 2] = 1.5
    write("constant.csv", names, values)
    values[:, 2] = np.where(np.arange(300) % 7, noise[:, 2], np.nan)
    write("gaps.csv", names, values)
    return tmp_path


@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.csv", *GOOD), "there is no such file"),
        (("none.csv", *GOOD), "none.csv"),
        (("one.csv", *GOOD), "nothing to learn from 1 row of 4 columns"),
        (("column.csv", *GOOD), "nothing to learn from 300 rows of 1 column"),
        (("few.csv", *GOOD), "30 rows are too few to be divided"),
        (("constant.csv", *GOOD), "constant: c."),
        (("d.csv", "--with", "hc"), "two learners or more are compared, and there is hc"),
        (("d.csv", "--with", "hc", "--with", "pcc"), "did you mean 'pc'"),
        (("d.csv", "--with", "hc", "--with", "pc[alpha=7]"), "alpha"),
        (("d.csv", "--with", "hc", "--with", "pc[alpha=]"), "alpha"),
        (("d.csv", "--with", "hc", "--with", "hc"), "hc is there twice"),
        (("d.csv", "--with", "pc", "--with", "pc[alpha=0.05]"), "pc is there twice"),
        (("d.csv", *GOOD, "--sizes", "100,300"), "found 300; subsamples have 2 rows or more"),
        (("d.csv", *GOOD, "--sizes", "1"), "found 1;"),
        (("d.csv", *GOOD, "--sizes", "many"), "write numbers of rows such as 100,200,400"),
        (("d.csv", *GOOD, "--sizes", ""), "write numbers of rows"),
        (("d.csv", *GOOD, "--subsamples", "0"), "subsamples"),
        (("d.csv", *GOOD, "--copies=-1"), "copies"),
        (("d.csv", *GOOD, "--seed=-1"), "seed"),
        (("d.csv", *GOOD, "--jobs=-2"), "--jobs is a number of cores"),
        (("d.csv", *GOOD, "--engine", "loca"), "did you mean 'local'"),
        (("d.csv", *GOOD, "--time-limit", "soon"), "--time-limit"),
        (("d.csv", *GOOD, "--memory-limit", "much"), "--memory-limit"),
        (("d.csv", *GOOD, "--out", "d.csv"), "d.csv"),
        (("gaps.csv", *GOOD), "add --missing drop or --missing impute=5"),
        (("gaps.csv", *GOOD, "--missing", "drop", "--sizes", "257"), "found 257"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_wrong_input_is_answered_with_its_reason(
    folder: Path, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["interval", *arguments]) == USER_ERROR
    shown = capsys.readouterr()
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert not shown.out
    assert not Path("results").exists()
