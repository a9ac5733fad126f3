"""Manifests: what they say becomes an ordinary learner, and what is wrong in them is named."""

from __future__ import annotations

import json

import pytest
from folders import MANIFEST, learned, module, write

from dagathlon.errors import StudyError
from dagathlon.external import load_folder
from dagathlon.learners.base import Learner, Sampler
from dagathlon.modules import add_files, find, modules

PARAMETERS = """
[parameters.lambda]
type = "number"
minimum = 0
nullable = true
description = "Penalty."

[parameters.method]
type = "choice"
choices = ["plain", "ranks"]
default = "plain"
description = "Method."
takes.plain = ["continuous"]

[parameters.name]
type = "text"
default = "x y"
description = "A name like that of a class variable."

[parameters.steps]
type = "integer"
maximum = 9
description = "Steps; there is no default."

[parameters.fast]
type = "boolean"
default = false
description = "Whether."
"""


def test_manifest_becomes_a_learner(tmp_path):
    cls = load_folder(write(tmp_path / "m", manifest=MANIFEST + PARAMETERS))
    assert issubclass(cls, Learner)
    assert not issubclass(cls, Sampler)
    assert (cls.name, cls.kind, cls.gives, cls.samples) == (
        "mine",
        "algorithm",
        "undirected",
        False,
    )
    assert cls.summary() == "A module of the tests."
    parameters = cls.parameters()
    assert list(parameters) == ["timeout", "lambda", "method", "name", "steps", "fast"]
    assert parameters["lambda"].type.text == "a number at least 0 or null"
    assert parameters["method"].type.schema == {"enum": ["plain", "ranks"]}
    assert parameters["steps"].required
    assert [p.description for p in parameters.values()][1:3] == ["Penalty.", "Method."]
    made = cls.from_json({"steps": 3})
    assert made.to_json() == {
        "timeout": None, "lambda": None, "method": "plain", "name": "x y", "steps": 3,
        "fast": False,
    }  # fmt: skip
    assert cls.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert made.accepted() == {"continuous"}
    assert cls.from_json({"steps": 3, "method": "ranks"}).accepted() == cls.takes


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 10}, "steps: found 10, expected a whole number at most 9"),
        ({"steps": 1, "lambda": -1}, "lambda: found -1, expected a number at least 0 or null"),
        ({"steps": 1, "method": "rank"}, r"did you mean 'ranks'"),
        ({}, "mine needs steps"),
        ({"step": 1}, r"step: mine has no such parameter \(did you mean 'steps'\?\)"),
    ],
)
def test_values_are_checked_like_those_of_native_learners(tmp_path, values, message):
    cls = load_folder(write(tmp_path / "m", manifest=MANIFEST + PARAMETERS))
    with pytest.raises(StudyError, match=message):
        cls.from_json(values)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("name = ", "not valid TOML"),
        ("", "parameters|name: is missing, expected a text"),
        (MANIFEST.replace("undirected", "undirectd"), r"gives: .* \(did you mean 'undirected'\?\)"),
        (MANIFEST.replace('name = "mine"', 'name = "my module"'), "name: 'my module' is no name"),
        (MANIFEST + "colour = 1", "colour: there is no such key"),
        (MANIFEST + 'takes = ["numbers"]', "takes: found 'numbers'"),
        (MANIFEST + 'kind = "metric"', "kind: found 'metric', expected one of algorithm, graph"),
        (MANIFEST.replace("{folder}", "{foldr}"), r"\{foldr\} \(did you mean 'folder'\?\)"),
        (MANIFEST.replace('"sh", "{folder}/learn.sh"', ""), "command: the command is empty"),
        (MANIFEST + "parameters = 3", "parameters: found 3, expected a table"),
        (MANIFEST + '[parameters.seed]\ntype = "integer"', r"parameters\.seed: no parameter can"),
        (MANIFEST + '[parameters.x]\ntype = "float"', r"parameters\.x\.type: found 'float'"),
        (MANIFEST + '[parameters.x]\ntype = "number"', r"parameters\.x\.description: is missing"),
        (
            MANIFEST + '[parameters.x]\ntype = "choice"\ndescription = "X."',
            r"parameters\.x\.choices: a parameter of type choice has choices",
        ),
        (
            MANIFEST + '[parameters.x]\ntype = "integer"\ndefault = "a"\ndescription = "X."',
            r"parameters\.x\.default: found 'a', expected a whole number",
        ),
        (
            MANIFEST + '[parameters.timeout]\ntype = "integer"\ndescription = "X."',
            "every module like this has the parameter 'timeout'",
        ),
        (MANIFEST + '[environment]\nkind = "conda"', r"environment\.kind: found 'conda'"),
        (MANIFEST + '[environment]\nkind = "uv"\nscript = "no.py"', r"script: there is no file"),
        (MANIFEST + '[environment]\nkind = "uv"\nimage = "x"', r"environment\.image: there is no"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path, manifest, message):
    folder = write(tmp_path / "m", manifest=manifest)
    with pytest.raises(StudyError, match=message) as caught:
        load_folder(folder)
    assert str(folder / "module.toml") in str(caught.value)


def test_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"module\.toml: cannot be read"):
        add_files([tmp_path])
    assert "pc" in modules("algorithm")


def test_version_follows_the_content_of_the_folder(tmp_path):
    first = module(tmp_path / "m")
    (tmp_path / "m" / ".hidden").write_text("x")
    (tmp_path / "m" / "__pycache__").mkdir()
    (tmp_path / "m" / "__pycache__" / "x.pyc").write_text("x")
    assert load_folder(tmp_path / "m").version == first.version
    (tmp_path / "m" / "helper.txt").write_text("x")
    second = load_folder(tmp_path / "m").version
    (tmp_path / "m" / "helper.txt").rename(tmp_path / "m" / "helper2.txt")
    versions = {first.version, second, load_folder(tmp_path / "m").version}
    assert len(versions) == 3
    assert module(tmp_path / "copy").version == first.version


def test_added_folder_is_found_and_a_name_is_taken_once(tmp_path):
    add_files([write(tmp_path / "one")])
    assert learned(find("algorithm", "mine")).graph.n_edges == 0
    add_files([write(tmp_path / "two")])
    with pytest.raises(StudyError, match="there is another algorithm module named 'mine'"):
        find("algorithm", "mine")


def test_chain_gives_a_sampler(tmp_path):
    cls = module(tmp_path / "m", gives='"chain"')
    assert issubclass(cls, Sampler)
    assert cls.samples
    assert list(cls.parameters())[-1] == "timeout"
    assert cls.ESTIMATOR_FIELDS == ("mcmc_estimator", "threshold", "burnin_frac")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("true", "yes"), ("false", "no"), ('"optional"', "optional"), ('"yes"', "yes")],
)
def test_need_of_a_card(tmp_path, written, meant):
    folder = write(tmp_path / "m", manifest=f"{MANIFEST}gpu = {written}\n")
    assert load_folder(folder).gpu == meant
