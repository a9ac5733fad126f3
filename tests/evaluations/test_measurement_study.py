"""``measurement`` in a study: cluster agreement in its tables, models with ellipses on the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dagathlon.workflow import Study

pytestmark = pytest.mark.slow

SHIPPED = Path(__file__).parents[2] / "studies" / "measurement.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = json.loads(SHIPPED.read_text())
    (setup,) = content["benchmark_setup"]
    for entry in setup["data"]:
        entry["seed_range"] = [1, 2]
    content["resources"]["data"]["iid"][0]["n"] = 250
    setup["evaluation"]["graph_estimation"] = {"ids": ["fofc-wishart"]}
    out = tmp_path_factory.mktemp("measurement")
    summary = Study.of(content, name="measurement.json").run(out, engine="inline", figures="all")
    assert not summary.interrupted
    return out / "measurement"


def test_every_run_has_its_agreement(made: Path) -> None:
    with (made / "measurement" / "clusters.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 6
    for row in rows:
        assert -1 <= float(row["cluster_ari"]) <= 1
        both = [float(row[name]) for name in ("cluster_precision", "cluster_recall")]
        assert min(both) <= float(row["cluster_f1"]) <= max(both)
    pure = [float(row["cluster_purity"]) for row in rows if row["graph"] == "pure"]
    assert sum(pure) / len(pure) > 0.8


def test_the_page_draws_latent_variables(made: Path) -> None:
    page = (made / "report.html").read_text()
    assert "Measurement models" in page
    assert "<ellipse" in page
    (drawn,) = made.glob("**/model_1.svg")
    assert "<ellipse" in drawn.read_text()
