"""Data files of Benchpress, Bayesys and the reference results, in the developers' shared folder."""

from __future__ import annotations

import json
import warnings

import pytest

from dagathlon.data import read_data
from dagathlon.errors import DataWarning

BENCHPRESS_DATA = {
    "2005_sachs_1_cd3cd28_log": (853, 11, "c"),
    "2005_sachs_2_cd3cd28icam2_log": (902, 11, "c"),
    "2005_sachs_2_cd3cd28icam2_log_std": (902, 11, "c"),
    "2013_green_thomas_p50_n1000": (1000, 50, "c"),
    "2013_green_thomas_p50_n400": (399, 50, "c"),
    "2019_olsson_pavlenko_rios_p15_n1000": (1000, 15, "d"),
    "czech_autoworkers": (1841, 6, "d"),
    "gmint": (5000, 8, "c"),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", BENCHPRESS_DATA)
def test_benchpress_data_have_their_sizes(shared, name) -> None:
    data = read_data(shared / f"benchpress/resources/data/mydatasets/{name}.csv")
    n_rows, p, kind = BENCHPRESS_DATA[name]
    assert (len(data), len(data.names)) == (n_rows, p)
    assert kind == ("c" if data.is_continuous else "d" if data.is_discrete else "mixed")
    assert not data.has_missing
    assert set(data.arities) <= {2}


@pytest.mark.shared
def test_the_conditions_of_sachs_have_their_sizes(shared) -> None:
    files = sorted((shared / "benchpress/resources/data/mydatasets/2005_sachs").iterdir())
    sizes = [len(read_data(file)) for file in files]
    assert sizes == [853, 902, 911, 723, 810, 799, 848, 913, 707]
    assert all(read_data(file).is_continuous for file in files)


@pytest.mark.shared
def test_gmint_has_its_interventions(shared) -> None:
    data = read_data(shared / "benchpress/resources/data/mydatasets/gmint.csv")
    assert set(data.targets) == {frozenset(), frozenset({"Ctrl"}), frozenset({"V5"})}
    hits = data.intervened.sum(axis=0)
    assert [name for name, hit in zip(data.names, hits, strict=True) if hit] == ["Ctrl", "V5"]


@pytest.mark.shared
def test_reference_data_have_the_levels_of_their_description(shared) -> None:
    described = [file.parent for file in sorted((shared / "reference").glob("*/meta.json"))]
    cases = [case for case in described if (case / "data.csv").exists()]
    assert len(cases) == 7
    for case in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            data = read_data(case / "data.csv")
        meta = json.loads((case / "meta.json").read_text())
        assert len(data) == meta["n"], case
        assert data.is_continuous != case.name.startswith(("alarm", "asia")), case


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n_rows", "p"),
    [("ALARM_L10_10k", 10_000, 33), ("ALARM_N_1k", 1000, 37), ("ASIA_N_10k", 10_000, 8)],
)
def test_bayesys_data_have_text_levels(shared, name, n_rows, p) -> None:
    data = read_data(shared / f"bayesys/trainingData_{name}.csv")
    assert (len(data), len(data.names)) == (n_rows, p)
    assert data.is_discrete
    if name.startswith("ASIA"):
        assert {variable.levels for variable in data.variables} == {("no", "yes")}
