"""What learners take, give and assume: words that are true, one page, filters."""

from __future__ import annotations

from dataclasses import fields
from typing import cast

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.learners import learn
from dagathlon.learners.abilities import (
    FAMILIES,
    GIVES,
    TAKES,
    abilities_of,
    chosen,
    suitable_setting,
)
from dagathlon.learners.base import Learner
from dagathlon.modules import modules
from quick_settings import NATIVE, QUICK


def learner(name: str) -> type[Learner]:
    return cast(type[Learner], modules("algorithm")[name])


@pytest.mark.parametrize(
    ("name", "taken", "given"),
    [
        ("hc", "any data, constraints, tiers, start (by score)", "dag"),
        ("corr_thresh", "continuous, missing", "undirected"),
        ("direct_lingam", "continuous", "dag"),
        (
            "order_mcmc",
            "any data, interventions, constraints, tiers, start (by score)",
            "posterior",
        ),
        (
            "exact_posterior",
            "any data, interventions, constraints, tiers (by score, variances)",
            "dag, posterior",
        ),
        ("gcastle_golem", "continuous", "dag"),
        (
            "tetrad_fges",
            "continuous, discrete [by datatype and score], constraints, tiers (by datatype, score)",
            "cpdag",
        ),
    ],
)
def test_words_of_some_learners(name: str, taken: str, given: str) -> None:
    able = abilities_of(learner(name))
    assert (able.takes_in_words(), able.gives_in_words()) == (taken, given)


def test_what_a_parameter_decides_is_named() -> None:
    assert "test=cor.td" in abilities_of(learner("pc")).takes["missing"]
    assert abilities_of(learner("notears")).takes["discrete"] == "loss_type=logistic"
    assert abilities_of(learner("anm")).gives == {"dag": "", "mixed": "undecided=keep"}
    assert "interventions" in abilities_of(learner("gies")).takes
    assert "missing" not in abilities_of(learner("hc")).takes


def test_all_learners_speak_the_same_words_and_ours_say_what_they_assume() -> None:
    for name in NATIVE:
        able = abilities_of(learner(name))
        assert set(able.takes) <= set(TAKES), name
        assert set(able.gives) <= set(GIVES), name
        assert able.gives, name
        assert able.family in FAMILIES, name
        says = able.assumes or name in ("bootstrap", "imputed", "new_alg", "new_mcmcalg")
        assert says, f"{name} does not say what it assumes"


def test_no_parameter_hides_what_every_learner_has() -> None:
    taken = set(dir(Learner))
    hidden = {
        n: taken & {field.name for field in fields(m)} for n, m in modules("algorithm").items()
    }
    assert not {name: found for name, found in hidden.items() if found}


def test_every_learner_on_board_has_a_family() -> None:
    names = [name for name in NATIVE if learner(name).__module__.startswith("dagathlon.")]
    assert not [name for name in names if abilities_of(learner(name)).family == "own"]


def test_filters() -> None:
    assert chosen(learner("pc"), {"mixed", "missing"}, {"cpdag"})
    assert not chosen(learner("hc"), {"mixed", "missing"}, set())
    assert not chosen(learner("pc"), set(), {"dag"})


def test_a_test_is_found_that_takes_the_data() -> None:
    gaps = DataFacts("discrete", missing=True, n_rows=100, n_columns=4)
    found = suitable_setting(learner("pc"), gaps)
    assert isinstance(found, tuple)
    assert found[0].startswith("test=")
    assert not found[1].why_unsuitable(gaps)
    assert "missing" in cast(str, suitable_setting(learner("hc"), gaps))
    assert "l2" in cast(
        str, suitable_setting(learner("notears"), DataFacts("discrete", missing=False))
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NATIVE if "gies" not in name])
def test_posteriors_and_kinds_of_data_are_as_declared(name: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.laplace(size=(60, 4))
    values[:, 1] += values[:, 0]
    continuous = Dataset([Variable(f"V{i}") for i in range(4)], values=values)
    codes = (values > 0).astype(np.int32)
    discrete = Dataset([Variable(f"V{i}", ("0", "1")) for i in range(4)], codes=codes)
    able = abilities_of(learner(name))
    usual = learner(name)().accepted()
    data = continuous if "continuous" in usual else discrete
    found = learn(data, name, **QUICK.get(name, {}))
    assert (found.posterior is not None) == ("posterior" in able.gives)
