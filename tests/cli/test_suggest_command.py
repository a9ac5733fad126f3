"""`dagathlon suggest`, and `dagathlon modules` by what learners take and give."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dagathlon.cli import USER_ERROR, main

ROWS = "a,b,c\n" + "".join(
    f"{i * 0.37 % 1:.3f},{i * 0.73 % 1:.3f},{'xy'[i % 2]}\n" for i in range(60)
)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("my data.csv").write_text(ROWS)
    return Path("my data.csv")


def test_what_is_suggested_can_be_pasted(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "suggest", str(data))
    assert code == 0
    assert "60 rows, 3 columns; 2 continuous and 1 discrete" in out
    assert "not for these data" not in out
    commands = [line.strip() for line in out.splitlines() if line.startswith("  dagathlon ")]
    learning, new, run, ranked = (shlex.split(command)[1:] for command in commands)
    assert said(capsys, *learning)[0] == 0
    assert Path("graph.csv").exists()
    assert said(capsys, *new)[0] == 0
    assert said(capsys, "check", *run[1:])[0] == 0
    assert ranked[:2] == ["rank-without-truth", str(data)]
    assert ranked.count("--with") >= 3


def test_commands_carry_what_was_said_of_the_data(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gaps = ROWS.replace("\n0", "\n-9", 1)
    data.write_text(gaps)
    flags = ["--na=-9.000", "--missing=impute=2", "--log=b", "--discretize=equal_width[levels=3]:a"]
    code, out, _ = said(capsys, "suggest", str(data), *flags)
    assert code == 0
    assert "a learner runs 2 times" in out
    commands = [line for line in out.splitlines() if line.startswith("  dagathlon ")]
    learning, new, _, ranked = (shlex.split(command)[1:] for command in commands)
    assert set(flags) <= set(learning)
    assert set(flags) <= set(new)
    assert set(flags) <= set(ranked)
    assert said(capsys, *learning)[0] == 0
    assert said(capsys, *new)[0] == 0


def test_wide_data_have_the_larger_penalty_already(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "\n".join(",".join(f"{(i * j * 0.37) % 1:.3f}" for j in range(1, 9)) for i in range(9))
    data.write_text("a,b,c,d,e,f,g,h\n" + rows)
    notes = json.loads(said(capsys, "suggest", str(data), "--json")[1])["notes"]
    assert any("each arc costs more (EBIC" in note for note in notes)


def test_all_says_why_others_do_not_suit(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "suggest", str(data), "--all")[1]
    assert "  direct_lingam: direct_lingam with these parameters needs continuous data" in out
    shown = json.loads(said(capsys, "suggest", str(data), "--json")[1])
    assert {"learner", "seconds", "assumes", "command"} <= set(shown["suitable"][0])
    assert "direct_lingam" in shown["unsuitable"]


def test_one_row(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data.write_text("a,b\n1.5,2\n")
    code, _, err = said(capsys, "suggest", str(data))
    assert code == USER_ERROR
    assert "nothing to learn from 1 row" in err


def test_modules_are_grouped_and_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "modules", "--takes", "mixed,missing", "--gives", "pag")[1]
    assert "constraint-based:\n" in out
    assert "    fci: " in out
    assert "    pc: " not in out
    assert (
        "no algorithm has all of these"
        in said(capsys, "modules", "--takes", "tiers", "--gives", "mag")[1]
    )
    code, _, err = said(capsys, "modules", "--takes", "mixd")
    assert code == USER_ERROR
    assert "did you mean 'mixed'?" in err
    assert "Takes:   any data, constraints" in said(capsys, "modules", "hc")[1]
