"""The study of posteriors in miniature, from its file to its tables and page."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagathlon.errors import StudyError
from dagathlon.evaluations.posterior_comparison.posteriors import Posteriors
from dagathlon.workflow import Study
from strategies import read_rows

SMALL = Path(__file__).parents[2] / "studies" / "posteriors_small.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("small")
    Study.load(SMALL).run(out, jobs=1)
    return out / "posteriors_small"


@pytest.mark.slow
def test_the_small_study_runs(folder: Path) -> None:
    runs = read_rows(folder / "posteriors" / "runs.csv")
    # 4 kinds of data of 2 sets each in either model: three methods at two starts, one at one, the
    # true posterior, and where it is that of equal variances the one of bge besides.
    assert len(runs) == 8 * (3 * 2 + 1 + 2) + 8 * (3 * 2 + 1 + 1)
    assert {row["status"] for row in runs} == {"ok"}
    columns = ("e_shd", "edge_auroc", "nll", "i_nll", "i_kl", "i_mmd", "graph_mmd", "params_mmd")
    for column in columns:
        assert all(row[column] != "NA" for row in runs), column


@pytest.mark.slow
def test_the_true_posterior_is_at_no_distance_from_itself(folder: Path) -> None:
    for row in read_rows(folder / "posteriors" / "runs.csv"):
        distance = float(row["graph_mmd"])
        assert (row["method"] == "true posterior") == (row["reference"] == "TRUE")
        if row["reference"] == "TRUE":
            assert distance == pytest.approx(0, abs=1e-9)
        else:
            assert distance > 0


@pytest.mark.slow
def test_its_page_has_the_section(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert '<section id="posterior-metrics"' in page
    assert "Which metrics can stand for Graph MMD?" in page
    names = ("agreement", "distance", "metrics", "entropy", "correlations")
    assert all(f'data-figure="posterior-{name}"' in page for name in names)
    means = read_rows(folder / "posteriors" / "means.csv")
    assert {row["rows"] for row in means} == {"5", "100"}
    assert {row["data_sets"] for row in means} == {"2"}
    ranked = read_rows(folder / "posteriors" / "correlations.csv")
    assert {row["graph"] for row in ranked} == {"ER1", "SF1", "all graphs"}


def test_unknown_metrics_are_refused() -> None:
    with pytest.raises(StudyError, match=r"unknown metric of posteriors 'e_sdh'.*did you mean"):
        Posteriors.from_json({"metrics": ["e_sdh"]}, "here")
