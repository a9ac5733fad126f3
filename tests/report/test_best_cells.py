"""The best mean of a column is bold, among those of as many data sets."""

from __future__ import annotations

from dagathlon.report.tables.latex import best_cells


def test_best_and_incomplete_means() -> None:
    rows = [
        {"SHD": 3.0, "SHD_n": 4, "F1_skel": 0.5, "F1_skel_se": 0.1},
        {"SHD": 5.0, "SHD_n": 4, "F1_skel": 0.75, "F1_skel_se": 0.2},
        {"SHD": 1.0, "SHD_n": 2, "F1_skel": None},
    ]
    assert best_cells(rows, ["SHD", "F1_skel"], ".2f") == [
        ["<b>3.00</b>", "0.50 ± 0.10"],
        ["5.00", "<b>0.75 ± 0.20</b>"],
        ["1.00 (2 of 4)", None],
    ]
    assert best_cells([{"SHD": 1.0}], ["SHD"]) == [["1"]]
