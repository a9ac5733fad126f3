"""What is said of answers, weights, spellings and the order of rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dagathlon.cli import main
from dagathlon.data import read_data
from dagathlon.data.inspection import Description, Remark, describe
from dagathlon.data.inspection.scales import in_order
from dagathlon.data.reading.options import Reading
from dagathlon.errors import DataError, suggestion

N = 400


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "survey.csv"


def look(file: Path, **columns: Any) -> Description:
    rng = np.random.default_rng(2)
    whole = {"x": rng.normal(size=N).round(5), **columns, "y": rng.normal(size=N).round(5)}
    pd.DataFrame(whole).to_csv(file, index=False)
    return describe(file)


def about(found: Description, column: str | None) -> list[Remark]:
    return [one for one in found.remarks if one.column == column]


def draw(values: list[Any], seed: int = 1) -> Any:
    return np.random.default_rng(seed).choice(values, N)


SCALES = [
    ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["Low", "Medium", "High"],
    ["none", "mild", "moderate", "severe"],
    ["poor", "fair", "good", "very good", "excellent"],
    ["1 - none of it", "2 - some", "10 - all"],
    ["VERY_UNLIKELY", "UNLIKELY", "LIKELY", "VERY_LIKELY"],
]


@pytest.mark.parametrize("scale", SCALES)
def test_scales_are_offered_as_ordinal(file: Path, scale: list[str]) -> None:
    assert in_order(sorted(scale)) == scale
    (remark,) = about(look(file, q=draw(scale)), "q")
    assert remark.flag == f"--levels=q={'<'.join(scale)}"
    levels = {"q": scale}
    found = describe(file, Reading(levels=levels, kinds={"q": "ordinal"}))
    assert found.columns[1].kind == "ordinal"
    assert about(found, "q") == []
    assert read_data(file, levels=levels).variables[1].levels == tuple(scale)


@pytest.mark.parametrize(
    "words",
    [["red", "green", "blue"], ["low", "high"], ["agree", "often", "good"], ["a", "b", "c"]],
)
def test_other_words_have_no_order(words: list[str]) -> None:
    assert in_order(words) is None


def test_answers_without_a_value_are_flagged(file: Path) -> None:
    first, second = about(look(file, q=draw(["Don't know", "agree", "disagree", "neutral"])), "q")
    assert (first.flag, first.advised) == ("--na=Don't know", True)
    assert second.flag == "--levels=q=disagree<neutral<agree"
    assert read_data(file, missing=["NA", "Don't know"]).variables[1].arity == 3


def test_spellings_get_the_flag_that_joins_them(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*["f"] * 3, "F", *["male"] * 3, "Male", "other"]
    (remark,) = about(look(file, sex=draw(words), r=draw(["A", "a", "b"])), "sex")
    assert remark.flag == "--recode=sex:F=f,Male=male"
    assert (
        remark.text
        == "the levels 'F' and 'f', 'Male' and 'male' differ in capitals or blanks alone"
    )
    assert main(["describe", str(file)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("--recode=sex:F=f,Male=male --recode=r:A=a")
    assert main(["suggest", *last.split()[4:], str(file)]) == 0
    said = {"sex": {"F": "f", "Male": "male"}}
    assert read_data(file, recode=said).variables[1].levels == ("f", "male", "other")
    assert about(describe(file, Reading(recode=said)), "sex") == []


RECODED = {"sex": {"F": "f", "Female": "f", "male": "m"}, "k": {"2": "1"}}


def test_recoding_is_the_same_wherever_data_come_from(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"sex": ["f", "F", "Female", "m", "male"] * 6, "k": [0, 1, 2, 1, 0] * 6, "x": range(30)}
    )
    csv, table = tmp_path / "data.csv", tmp_path / "data.parquet"
    frame.to_csv(csv, index=False)
    frame.to_parquet(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in (csv, table, frame, frame.astype({"sex": "category"})):
            data = read_data(source, recode=RECODED, drop=["x"])
            assert [variable.levels for variable in data.variables] == [("f", "m"), ("0", "1")]
            assert data.codes[:5].tolist() == [[0, 0], [0, 1], [0, 1], [1, 1], [1, 0]]
        for path in (csv, table):
            found = describe(path, Reading(recode=RECODED, drop=("x",)))
            assert [column.levels for column in found.columns[:2]] == [
                {"f": 18, "m": 12},
                {"0": 12, "1": 18},
            ]
        gap = read_data(csv, recode={"k": {"0": "1.5", "2": ""}}, kinds={"k": "continuous"})
    assert np.array_equal(gap.column("k")[:5], [1.5, 1, np.nan, 1, 1.5], equal_nan=True)
    with pytest.raises(DataError, match=r"column 'sex'.*'Femle' \(did you mean 'Female'"):
        read_data(csv, recode={"sex": {"Femle": "f"}})
    with pytest.raises(DataError, match="unknown column 'sexx'"):
        read_data(csv, recode={"sexx": {"F": "f"}})


def test_recoding_is_part_of_a_reading() -> None:
    said = {"recode": {"sex": {"F": "f"}}}
    assert Reading.from_json(said).to_json() == said
    with pytest.raises(DataError, match="recode: expected an object"):
        Reading.from_json({"recode": {"sex": "f"}})


def test_codes_below_their_numbers_of_levels_are_not_recoded(file: Path) -> None:
    file.write_text("a,b\n2,3\n" + "0,1\n1,2\n" * 10)
    with pytest.raises(DataError, match="cannot be recoded"):
        read_data(file, recode={"a": {"0": "1"}})


def test_sampling_weights_are_named_as_unsupported(file: Path) -> None:
    rng = np.random.default_rng(3)
    around = rng.gamma(20, 1 / 20, N).round(4)
    found = look(file, weight=around, fnlwgt=rng.gamma(2, 900, N).round(), wt_kg=70 + around)
    for name, how in (("weight", "their mean is 1"), ("fnlwgt", "they sum to")):
        (remark,) = [one for one in about(found, name) if one.what == "weights"]
        assert how in remark.text
        assert remark.flag == f"--drop={name}"
    assert about(found, "wt_kg") == []
    assert about(look(file, weight=rng.normal(70, 9, N).round(2)), "weight") == []


def test_two_values_are_remarked(file: Path) -> None:
    (remark,) = about(look(file, sex=draw([-0.0446, 0.0507])), "sex")
    assert remark.flag == "--kinds=sex=categorical"
    assert about(describe(file, Reading(kinds={"sex": "continuous"})), "sex") == []


def walk(seed: int) -> Any:
    return np.cumsum(np.random.default_rng(seed).normal(size=N)).round(4)


def test_serial_dependence_is_warned_of(file: Path) -> None:
    def said(**columns: Any) -> list[Remark]:
        found = about(look(file, **columns), None)
        return [one for one in found if one.what == "serial dependence"]

    assert said() == []
    (remark,) = said(a=walk(1), b=walk(2), c=walk(3))
    assert "alike in 3 of 5 columns" in remark.text
    assert said(a=walk(1)) == []  # one column may well be sorted
    (remark,) = said(time=np.arange(N), a=walk(1))
    assert "alike in 1 of 3 columns (lag-1 autocorrelation: 0.9" in remark.text
    days = [f"2024-{i // 28 % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(N)]
    assert len(said(day=days, a=walk(1))) == 1
    assert said(time=np.arange(N)) == []


def test_rows_in_random_order_are_seldom_taken_for_a_series(file: Path) -> None:
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(30):
        skewed = {f"e{j}": rng.exponential(size=60).round(4) for j in range(3)}
        tied = {f"t{j}": rng.integers(0, 4, 60) + 20 for j in range(3)}
        pd.DataFrame({"time": range(60), **skewed, **tied}).to_csv(file, index=False)
        alarms += any(one.what == "serial dependence" for one in describe(file).remarks)
    assert alarms <= 3  # of 30 with a level of 1 %


def test_one_problem_has_one_line(file: Path) -> None:
    bmi = np.random.default_rng(7).normal(25, 3, N).round(1).astype(str)
    bmi[::20] = "n/a"
    found = look(file, bmi=bmi, inc=np.where(np.arange(N) % 10, walk(4), -999))
    (remark,) = about(found, "bmi")
    assert remark.text == "'n/a' (20 times) among numbers may mean a missing value"
    assert remark.flag == "--na=n/a"
    assert found.noise[0].rate == pytest.approx((20 + 40) / (4 * N))
    assert set(found.noise[0].columns) == {"bmi", "inc"}
    assert "the states 'n/a', '-999'" in found.noise[0].text


def test_bounds_that_tell_nothing_are_not_printed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    look(file, q=draw(["a", "b"]), r=draw(["c", "d"], 2))
    assert main(["describe", str(file)]) == 0
    out = capsys.readouterr().out
    assert "at most" not in out
    assert "wrong values" not in out


def test_a_part_of_a_name_suggests_all_that_have_it() -> None:
    names = ["gcastle_ica_lingam", "direct_lingam", "ica_lingam", "boss", "pc_missing"]
    assert suggestion("lingam", names) == " (did you mean 'direct_lingam' or 'ica_lingam'?)"
    assert suggestion("bos", names) == " (did you mean 'boss'?)"
    assert suggestion("missing", names) == " (did you mean 'pc_missing'?)"
