"""Tests of independence against the numbers of bnlearn and pcalg."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dagathlon.data import read_data
from dagathlon.learners.independence import independence_test

CASES = [
    "alarm_n1000",
    "alarm_n60_fulllevels",
    "asia_n1000",
    "gauss_p20_n640",
    "sachs_cont",
]
# Statistics below are differences of almost equal numbers: their absolute error counts.
SMALL = 1e-11


def our_name(test: dict[str, Any]) -> str:
    return f"{test['test']}-adapt" if test.get("adaptDF") else test["test"]


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize("case", CASES)
def test_numbers_of_bnlearn_and_pcalg(shared: Path, case: str):
    data = read_data(shared / "reference" / case / "data.csv")
    content = json.loads((shared / "reference/numeric" / f"citests_{case}.json").read_text())
    tests: dict[str, Any] = {}
    compared = 0
    for triple in content["triples"]:
        for expected in triple["tests"]:
            name = our_name(expected).replace("binCItest-adapt", "disCItest-adapt")
            if name not in tests:
                tests[name] = independence_test(data, name)
            found = tests[name].test(triple["x"], triple["y"], triple["z"])
            compared += 1
            assert found.p_value == pytest.approx(expected["p_value"], rel=1e-9)
            if "statistic" in expected:
                assert found.statistic == pytest.approx(expected["statistic"], rel=1e-9, abs=SMALL)
            if "df" in expected:
                assert found.df == expected["df"]
    assert compared >= 100
