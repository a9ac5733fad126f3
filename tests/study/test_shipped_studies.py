"""The studies that come with the project, and the data they use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon import Study, read_data
from dagathlon.data import list_data, load_data, load_sachs
from dagathlon.errors import DataError
from dagathlon.study.config.library import Library

STUDIES = sorted((Path(__file__).parents[2] / "studies").glob("*.json"))


WITH_YOUR_NETWORKS = ("noise_2021",)  # tests/study/test_noise_2021.py
LARGE = ("posteriors_2024", "interval_2017", "interval_forecast")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem.startswith(LARGE) else [])
        for path in STUDIES
        if path.stem not in WITH_YOUR_NETWORKS
    ],
    ids=lambda path: path.stem,
)
def test_every_study_has_a_plan_without_gaps(path: Path) -> None:
    study = Study.load(path)
    titles = [setup.title for setup in study.config.setups]
    assert titles[0] == path.stem
    assert all(title.startswith(path.stem) for title in titles)
    assert study.plan.tasks


def test_data_on_board_are_standardised_logarithms() -> None:
    data = load_data("sachs_cd3cd28_icam2")
    logs = np.log(load_sachs("cd3cd28_icam2").values)
    assert len(data) == 902
    np.testing.assert_allclose(data.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.values.std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(np.corrcoef(data.values.T), np.corrcoef(logs.T), atol=1e-12)


def test_unknown_data_on_board_are_named() -> None:
    with pytest.raises(DataError, match="did you mean 'sachs_cd3cd28'"):
        load_data("sachs_cd3cd82")


def test_a_file_goes_before_bundled_data(tmp_path: Path) -> None:
    library = Library(None, tmp_path)
    name = f"{list_data()[0]}.csv"
    assert library.data(name)[0].bundled
    (tmp_path / name).write_text("A,B\n1.5,2.5\n2.5,1.5\n")
    assert not library.data(name)[0].bundled


@pytest.mark.shared
def test_data_on_board_are_those_of_the_paper(shared: Path) -> None:
    folder = shared / "benchpress" / "resources" / "data" / "mydatasets"
    theirs = read_data(folder / "2005_sachs_2_cd3cd28icam2_log_std.csv")
    ours = load_data("sachs_cd3cd28_icam2")
    order = [ours.names.index(name) for name in theirs.names]
    np.testing.assert_allclose(ours.values[:, order], theirs.values, atol=1e-13)
