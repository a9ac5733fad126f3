"""What learners that can use a card say of where they computed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dagathlon.learners import learn
from dagathlon.learners.base import GPU_WORDS
from dagathlon.learners.jax import backend
from dagathlon.modules import modules
from dagathlon.testing.samples import ordinary

CARD = SimpleNamespace(device_kind="NVIDIA H200", compute_capability="9.0")


def pretended(
    monkeypatch, device: SimpleNamespace, whole: bool = False, **config: object
) -> dict[str, object]:
    settings = {"jax_enable_x64": False, "jax_default_matmul_precision": None, **config}
    fake = SimpleNamespace(devices=lambda: [device], config=SimpleNamespace(**settings))
    monkeypatch.setattr(backend, "jax", fake)
    return backend.device_and_precision.__wrapped__(whole)


def test_precision_of_a_card_is_told(monkeypatch):
    short = {"device": "NVIDIA H200", "precision": "float32 (products tf32)"}
    assert pretended(monkeypatch, CARD) == short
    whole = pretended(monkeypatch, CARD, jax_default_matmul_precision="highest")
    assert whole["precision"] == "float32"
    assert pretended(monkeypatch, CARD, whole=True)["precision"] == "float32"
    assert pretended(monkeypatch, CARD, jax_enable_x64=True)["precision"] == "float64"
    old = SimpleNamespace(device_kind="Tesla V100", compute_capability="7.0")
    assert pretended(monkeypatch, old)["precision"] == "float32"
    plain = pretended(monkeypatch, SimpleNamespace(device_kind="cpu"))
    assert plain == {"device": "cpu", "precision": "float32"}


def test_every_learner_in_jax_says_that_it_can_use_a_card():
    found = [c for c in modules("algorithm").values() if issubclass(c, backend.JaxLearner)]
    assert {"dibs", "bcd_nets", "dag_gflownet", "vbg"} <= {cls.name for cls in found}
    assert {GPU_WORDS[cls.gpu] for cls in found} == {"optional"}


def test_networks_say_that_their_products_are_whole_and_make_them_so():
    pytest.importorskip("jax")
    networks = [
        modules("algorithm")[name] for name in ("notears_mlp", "dagma_mlp", "grandag", "mcsl")
    ]
    assert all(cls.whole_products for cls in networks)
    with backend.full_precision_products():
        assert backend.jax.config.jax_default_matmul_precision == "highest"
    assert backend.jax.config.jax_default_matmul_precision is None


@pytest.mark.slow
def test_statistics_name_the_device_and_the_precision():
    pytest.importorskip("jax")
    found = learn(ordinary("continuous"), "dibs", steps=20, particles=2)
    assert found.stats["device"] == "cpu"
    assert found.stats["precision"] == "float32"
