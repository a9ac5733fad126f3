"""The flags that say how a data file is read and prepared, and ``describe``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import USER_ERROR, main, parser
from dagathlon.cli._data import copies_of, data_from
from dagathlon.data import Dataset
from dagathlon.errors import DataWarning


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """People with an id, two numbers with gaps, a count, a grade, and an income with zeros."""
    rng = np.random.default_rng(1)
    age = rng.normal(50, 10, 120)
    lines = ["id,age,bp,visits,grade,income"]
    for i in range(120):
        years = "" if i % 11 == 0 else f"{age[i]:.3f}"
        pressure = "-999" if i % 13 == 0 else f"{80 + age[i] / 2 + rng.normal():.3f}"
        grade = "low" if age[i] < 45 else "high" if age[i] > 55 else "medium"
        income = 0 if i == 5 else round(float(np.exp(age[i] / 10 + rng.normal())), 2)
        lines.append(f"P{i:03d},{years},{pressure},{i % 14},{grade},{income}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


PARSER = parser()


def read(file: Path, *flags: str) -> Dataset:
    return data_from(PARSER.parse_args(["learn", str(file), "--with", "hc", *flags]))


BASE = ("--drop=id", "--na=-999", "--kinds=visits=continuous")


def test_flags_say_what_python_can(file: Path) -> None:
    data = read(file, *BASE, "--levels", "grade=low<medium<high")
    assert data.names == ("age", "bp", "visits", "grade", "income")
    assert data.variables[3].levels == ("low", "medium", "high")
    assert data.variables[3].ordered
    assert np.isnan(data.column("bp")).sum() == 10
    assert read(file, "--keep", "age, grade").names == ("age", "grade")
    assert read(file, "--kinds", "id=id,*=categorical", "--drop=age,bp,income").is_discrete


def test_preparations_come_in_a_fixed_order(file: Path) -> None:
    plain = read(file, *BASE, "--missing=drop")
    assert len(plain) == 120 - 11 - 10 + 1
    both = read(
        file, *BASE, "--standardize", "--discretize=equal_frequency[levels=2]:age", "--log=income",
        "--missing", "drop",
    )  # fmt: skip
    assert both.variables[0].arity == 2
    assert np.bincount(both.column("age")).tolist() == [50, 50]
    assert np.allclose(both.values.mean(axis=0), 0)
    low = plain.column("income")[plain.column("income") > 0].min() / 2
    logs = np.log(plain.column("income") + low * (plain.column("income").min() == 0))
    assert np.allclose(both.column("income"), (logs - logs.mean()) / logs.std(ddof=1))


def test_gaps_are_imputed_once_or_left_to_the_pool(file: Path) -> None:
    assert not read(file, *BASE, "--missing=impute").has_missing
    asked = PARSER.parse_args(["learn", str(file), "--with", "hc", *BASE, "--missing", "impute=7"])
    assert copies_of(asked) == 7
    assert data_from(asked, pooled=True).has_missing


def test_learn_pools_what_copies_say(file: Path, tmp_path: Path) -> None:
    stats = tmp_path / "stats.json"
    asked = ["learn", str(file), "--with", "hc", *BASE, "--missing", "impute=3"]
    assert main([*asked, "--stats", str(stats)]) == 0
    written = json.loads(stats.read_text())
    assert (written["learner"], written["copies"]) == ("imputed", 3)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--kinds", "aeg=continuous"], "unknown column 'aeg' (did you mean 'age'?)"),
        (["--kinds", "age"], "--kinds: expected NAME=VALUE, found 'age'"),
        (["--kinds", "age=contious"], "did you mean 'continuous'"),
        (["--kinds", "age=id", "--kinds", "age=ordinal"], "'age' is given twice"),
        (["--missing", "imputt"], "--missing imputt (did you mean 'impute'?)"),
        (["--missing", "impute=0"], "write impute=5"),
        (["--missing", "drop=3"], "write impute=5"),
        (["--discretize", "hartmink"], "did you mean 'hartemink'"),
        (["--discretize", "mdl[level=3]"], "did you mean 'levels'"),
        ([*BASE, "--discretize", "mdl:agee"], "unknown variable 'agee' (did you mean 'age'?)"),
        ([*BASE, "--log", "grade"], "column 'grade' has levels already"),
        (["--drop=id", "--kinds=visits=ordinal", "--log", "bp"], "without a logarithm"),
        (["--kind", "age=id", "--decimal", "x"], "--decimal"),
        (["--standardise"], "did you mean '--standardize'"),
    ],
)
def test_wrong_flags_are_told_the_right_ones(
    file: Path, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    asked = ["learn", str(file), "--with", "corr_thresh", *flags]
    try:
        code = main(asked)
    except SystemExit as error:
        code = int(error.code or 0)
    assert code == USER_ERROR
    assert message in capsys.readouterr().err


def test_describe_ends_with_the_next_command(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["describe", str(file), "--kinds=visits=continuous"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["column", "kind", "values", "missing"]
    assert next(line for line in lines if line.startswith("age")).split()[-2:] == ["11", "(9%)"]
    assert any("--na=-999" in line and line.startswith("  bp:") for line in lines)
    assert "120 rows, 6 columns" in lines[-2]
    command = shlex.split(lines[-1].removeprefix("next: "))
    assert command[:3] == ["dagathlon", "suggest", str(file)]
    # What it advises can be read, and leaves nothing to advise.
    assert main(["describe", *command[2:]]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(shlex.join(command[3:]))


@pytest.mark.parametrize("rows", ["1.5,x\n", "1.5,x\n" * 3])
def test_describe_sends_nobody_on_with_data_that_say_nothing(
    rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text("a,b\n" + rows)
    assert main(["describe", str(tmp_path / "d.csv")]) == 0
    said = capsys.readouterr().out
    assert "nothing can be learned from these data" in said
    assert "next:" not in said


@pytest.mark.parametrize("header", [",,a", "a,,b"])
def test_describe_sends_nobody_on_with_a_file_that_others_refuse(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{i},{i * i % 11}.5,{i % 7}.25" for i in range(30)]
    (tmp_path / "d.csv").write_text("\n".join([header, *rows]) + "\n")
    assert main(["describe", str(tmp_path / "d.csv")]) == 0
    assert capsys.readouterr().out.endswith("next: mend the file as said above\n")
    assert main(["suggest", str(tmp_path / "d.csv")]) == 2


def test_describe_sums_up_many_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wide.csv"
    values = np.random.default_rng(1).normal(size=(12, 80))
    values[:, 3:23] = 1.5
    header = ",".join(f"g{j}" for j in range(80))
    np.savetxt(path, values, fmt="%.4f", delimiter=",", header=header, comments="")
    assert main(["describe", str(path)]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) < 10
    assert "constant: g3, g4, g5, g6, g7, g8, g9, g10, … (20 in all)  e.g. --drop g3" in out
    assert main(["describe", str(path), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["columns"]) == 80


def test_describe_refuses_with_the_reason(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert main(["describe", str(empty)]) == USER_ERROR
    assert "the file is empty" in capsys.readouterr().err
    assert main(["describe", str(file), "--log", "age"]) == USER_ERROR
    assert "before --log" in capsys.readouterr().err


def test_names_with_commas_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.csv"
    rows = "".join(f"1,{i}.5,{i % 7}.25\n" for i in range(30))
    path.write_text('"a, b",x,y\n' + rows)
    assert main(["describe", str(path)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    command = shlex.split(last.removeprefix("next: "))
    assert read(path, *command[3:]).names == ("x", "y")


def test_a_new_study_is_told_the_same(file: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.json"
    asked = ["new", "study", str(study), "--pick", "hc", "--data", str(file), *BASE]
    more = ["--missing", "impute=3", "--discretize", "mdl:age", "--log", "income"]
    assert main([*asked, *more]) == 0
    (entry,) = json.loads(study.read_text())["benchmark_setup"][0]["data"]
    assert entry["kinds"] == {"visits": "continuous"}
    assert entry["missing"] == {"impute": 3}
    assert [next(iter(step)) for step in entry["transforms"]] == ["log", "discretize"]
    assert main(["check", str(study)]) == 0


def test_a_learner_that_refuses_gaps_is_told_the_way_on(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(file), "--with", "hc", *BASE]) == USER_ERROR
    said = capsys.readouterr().err
    assert "20 of 120 rows have missing values" in said
    assert "add --missing drop or --missing impute=5" in said


def test_a_first_line_of_data_is_doubted(tmp_path: Path) -> None:
    file = tmp_path / "d.csv"
    rows = "".join(f"{i}.5,{i * i % 7}.25\n" for i in range(9))
    file.write_text(rows)
    with pytest.warns(DataWarning, match="--no-header"):
        read(file)
    assert read(file, "--no-header").names == ("V1", "V2")
    file.write_text("2,5\n" + rows)
    assert read(file).names == ("2", "5")


def test_gaps_are_not_blamed_for_another_refusal(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for learner, advised in (("hc", True), ("pc_missing", False), ("structural_em", False)):
        assert main(["learn", str(file), "--with", learner, *BASE]) == USER_ERROR
        assert ("--missing drop" in capsys.readouterr().err) == advised


def test_check_names_data_once_and_not_their_samples(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    picks = ["--pick", "hc", "--pick", "pc[test=wilks-dg.td]"]
    assert main(["new", "study", "s.json", *picks, "--data", file.name, *BASE]) == 0
    assert main(["check", "s.json"]) == 0
    said = capsys.readouterr().out
    assert "will be skipped: hc on fixed/" in said
    assert "bootstrap=" not in said
