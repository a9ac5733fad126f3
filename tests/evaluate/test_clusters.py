"""Agreement of clusters: by hand, against all pairs, in a small study and from the command line."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import write_data
from dagathlon.errors import GraphError
from dagathlon.evaluate.graphs.clusters import ClusterScores, compare_clusters
from dagathlon.graphs import MeasurementModel, write_graph
from dagathlon.graphs.measurement import of_clusters
from dagathlon.learners import learn
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.measurement import Hide, RandomMeasurementModel

NAMES = tuple("abcdefgh")


def test_by_hand() -> None:
    truth = of_clusters(NAMES, ["abcd", "efg"])
    found = compare_clusters(of_clusters(NAMES, ["abc", "deh"]), truth)
    assert found["cluster_precision"] == pytest.approx(3 / 6)
    assert found["cluster_recall"] == pytest.approx(3 / 9)
    assert found["cluster_f1"] == pytest.approx(6 / 15)
    # Pairs in both 3, expected 6 * 9 / 28, at most (6 + 9) / 2.
    assert found["cluster_ari"] == pytest.approx((3 - 54 / 28) / (7.5 - 54 / 28))
    assert found["cluster_purity"] == pytest.approx(4 / 6)
    assert found["clustered_share"] == pytest.approx(5 / 7)
    assert found["latent_omission"] == pytest.approx(1 / 2)
    assert found["latent_commission"] == pytest.approx(1 / 2)


def test_the_truth_has_the_best_values_and_nothing_is_no_agreement() -> None:
    truth = of_clusters(NAMES, ["abcd", "efg"])
    best = compare_clusters(truth, truth)
    assert {name for name, value in best.items() if value == 0} == {
        "latent_omission", "latent_commission"
    }  # fmt: skip
    assert set(best.values()) == {0.0, 1.0}
    nothing = compare_clusters(of_clusters(NAMES, []), truth)
    assert nothing["cluster_ari"] == 0
    assert nothing["cluster_recall"] == nothing["clustered_share"] == 0
    assert nothing["latent_omission"] == 1
    with pytest.raises(GraphError, match="different observed variables: h"):
        compare_clusters(of_clusters(NAMES[:-1], []), truth)


def test_pairs_are_counted_rightly_for_random_clusters() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        models = []
        for _ in range(2):
            labels = rng.integers(0, 4, len(NAMES))
            groups = [[n for n, g in zip(NAMES, labels, strict=True) if g == k] for k in (1, 2, 3)]
            models.append(of_clusters(NAMES, [g for g in groups if len(g) > 1]))
        joined, true = (
            {frozenset(pair) for cluster in model.clusters for pair in combinations(cluster, 2)}
            for model in models
        )
        found = compare_clusters(*models)
        if joined and true:
            assert found["cluster_precision"] == pytest.approx(len(joined & true) / len(joined))
            assert found["cluster_recall"] == pytest.approx(len(joined & true) / len(true))


def test_generated_models_have_what_was_asked_for() -> None:
    made = RandomMeasurementModel(
        clusters=3, indicators=4, cross_loadings=2, observed_edges=3, structure=1.0
    )
    graph = made.sample(np.random.default_rng(1))
    assert graph.is_dag
    observed = [name for name in graph.names if name.startswith("X")]
    model = MeasurementModel.from_graph(graph, observed)
    assert len(model.latents) == 3
    assert sum(map(len, model.indicators.values())) == 12 + 2
    assert model.graph.subgraph(model.names).n_edges == 3
    assert model.structure is not None
    assert model.structure.n_edges == 3
    two = RandomMeasurementModel(clusters=2, indicators=6, factors=2)
    pairs = MeasurementModel.from_graph(two.sample(np.random.default_rng(2)), NAMES_X)
    assert [len(cluster) for cluster in pairs.clusters] == [6, 6]


NAMES_X = tuple(f"X{i + 1}" for i in range(12))


def test_clusters_of_clear_data_are_found_and_scored() -> None:
    rng = np.random.default_rng(5)
    graph = RandomMeasurementModel(clusters=3, indicators=4).sample(rng)
    model = RandomLinearSem(min=0.8, max=1.4).sample(graph, rng)
    data = Hide().apply(model.sample(4000, rng), rng)
    assert set(data.names) == set(NAMES_X)
    estimate = learn(data, "fofc")
    scores = ClusterScores().compute(model, estimate)
    assert scores["cluster_precision"] == 1
    assert float(scores["cluster_f1"] or 0) > 0.9
    assert ClusterScores().compute(model, learn(data, "corr_thresh"))["cluster_f1"] is None


def test_the_commands_write_compare_and_draw_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    graph = RandomMeasurementModel(clusters=3, indicators=4).sample(rng)
    model = RandomLinearSem(min=0.8, max=1.4).sample(graph, rng)
    write_data(Hide().apply(model.sample(1000, rng), rng), tmp_path / "data.csv")
    write_graph(graph, tmp_path / "truth.csv")
    learned = str(tmp_path / "model.json")
    asked = ["learn", str(tmp_path / "data.csv"), "--with", "fofc", "--measurement", learned]
    assert main(asked) == 0
    capsys.readouterr()
    assert main(["compare", learned, str(tmp_path / "truth.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cluster_purity"] == 1
    picture = tmp_path / "model.svg"
    assert main(["draw", learned, "--out", str(picture)]) == 0
    assert picture.read_text().count("<ellipse") == 3
    assert main([*asked[:3], "corr_thresh", *asked[4:]]) != 0
    assert "no measurement model" in capsys.readouterr().err
