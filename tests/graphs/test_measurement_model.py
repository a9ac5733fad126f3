"""Measurement models: clusters, marginals, files, storage, drawings."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, MeasurementModel, read_measurement, to_svg, write_measurement
from dagathlon.graphs.measurement import of_clusters
from dagathlon.learners import Estimate
from dagathlon.study.store.codec import CodecError, decode, encode

NAMES = ("a", "b", "c", "d", "e", "f")


def example() -> MeasurementModel:
    graph = Graph.from_edges(
        ["L -> M", "L -> a", "L -> b", "L -> c", "M -> d", "M -> e", "M -> c", "a -> d"],
        ["L", "M", *NAMES],
    )
    return MeasurementModel.from_graph(graph, NAMES)


def test_clusters_have_the_same_latent_causes() -> None:
    model = example()
    assert model.latents == ("L", "M")
    assert model.indicators["M"] == ("c", "d", "e")
    assert model.clusters == (("a", "b"), ("d", "e"))  # c has both, f has none
    assert model.structure == Graph.from_edges(["L -> M"])
    two = of_clusters(NAMES, [["b", "a", "c"]], factors=2)
    assert two.clusters == (("a", "b", "c"),)
    assert two.indicators == {"L1": ("a", "b", "c"), "L2": ("a", "b", "c")}
    assert two.structure is None


def test_names_of_latent_variables_are_not_those_of_columns() -> None:
    assert of_clusters(("L1", "x", "y"), [["x", "y"]]).latents == ("L2",)


def test_the_marginal_joins_what_shares_a_cause() -> None:
    marginal = of_clusters(NAMES, [["a", "b", "c"], ["d", "e"]]).marginal
    assert {str(edge) for edge in marginal.edges()} == {
        "a <-> b", "a <-> c", "b <-> c", "d <-> e"
    }  # fmt: skip
    assert marginal.is_mag
    assert of_clusters(NAMES, []).marginal == Graph(NAMES)


def test_files_and_results_give_the_model_again(tmp_path: Path) -> None:
    for model in (example(), of_clusters(NAMES, [["a", "b"]]), of_clusters(NAMES, [])):
        write_measurement(model, tmp_path / "model.json")
        assert read_measurement(tmp_path / "model.json") == model
        assert pickle.loads(pickle.dumps(model)) == model
        estimate = Estimate(model.marginal, {"n": 1}, measurement=model)
        restored = decode(b"".join(encode(estimate)))
        assert restored.measurement == model
        assert restored.notes == ()
    write_measurement(example(), tmp_path / "model.csv")
    lines = (tmp_path / "model.csv").read_text().splitlines()
    assert lines[:2] == ["latent,indicator", "L,a"]
    assert len(lines) == 7


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"observed": ["a"], "latents": {"a": []}}', '{"latents": 1}', "{"]
)
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(GraphError, match="not a measurement model"):
        read_measurement(tmp_path / "model.json")


def test_a_damaged_result_is_refused() -> None:
    estimate = Estimate(Graph(NAMES), measurement=of_clusters(NAMES, [["a", "b"]]))
    stored = bytearray(b"".join(encode(estimate)))
    stored[len(stored) // 2] ^= 255
    with pytest.raises(CodecError):
        decode(bytes(stored))


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="latent and observed"):
        MeasurementModel(NAMES, {"a": ["b"]})
    with pytest.raises(GraphError, match="not among the observed: z"):
        MeasurementModel(NAMES, {"L": ["z"]})
    with pytest.raises(GraphError, match=r"\.json or \.csv"):
        write_measurement(example(), tmp_path / "model.txt")


def test_latent_variables_are_drawn_as_ellipses() -> None:
    model = example()
    drawing = to_svg(model.graph, latents=model.latents)
    assert drawing.count("<ellipse") == 2
    assert drawing.count("<rect") == len(NAMES)
    assert "<ellipse" in model._repr_html_()
