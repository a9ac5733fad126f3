"""Learners as people name them: texts, pairs, objects, classes, under names of their own."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dagathlon.errors import StudyError
from dagathlon.learners.base import Learner
from dagathlon.learners.constraint.pc import Pc
from dagathlon.modules.registry import FILES, modules
from dagathlon.study.config.picks import picks_of

OWN = '''
from dataclasses import dataclass
from dagathlon import Estimate, Graph, Learner

@dataclass(frozen=True, kw_only=True)
class Nobody(Learner):
    """Finds nothing."""

    name = "nobody"
    strength: float = 1.0

    def learn(self, data, rng):
        return Estimate(Graph(data.names))
'''


@pytest.mark.parametrize(
    "one",
    ["pc[alpha=0.01]", ("pc", {"alpha": 0.01}), ["pc", {"alpha": 0.01}], Pc(alpha=0.01)],
    ids=["text", "pair", "list", "object"],
)
def test_all_ways_of_naming_a_learner_mean_the_same(one: Any) -> None:
    (pick,) = picks_of([one])
    assert (pick.id, pick.module, pick.values) == ("pc", Pc, {"alpha": 0.01})
    assert [setting.module for setting in pick.settings] == [Pc(alpha=0.01)]


def test_one_learner_is_a_list_of_one() -> None:
    assert [pick.id for pick in picks_of("hc")] == ["hc"]
    assert [pick.module for pick in picks_of(Pc)] == [Pc]
    assert [pick.values for pick in picks_of(Pc())] == [{}]


def test_lists_of_values_are_several_settings() -> None:
    (pick,) = picks_of(["pc[alpha=0.01,0.05]"])
    assert [setting.module for setting in pick.settings] == [Pc(alpha=0.01), Pc(alpha=0.05)]


def test_names_tell_learners_apart() -> None:
    specs = ["hc", "pc", "pc[alpha=0.01]", "pc[alpha=0.2,test=zf]", "pc[alpha=0.01]"]
    found = [pick.id for pick in picks_of(specs)]
    assert found == ["hc", "pc", "pc[alpha=0.01]", "pc[alpha=0.2,test=zf]", "pc[alpha=0.01]-2"]
    given = picks_of({"strict": "pc[alpha=0.001]", "lax": ("pc", {"alpha": 0.2})})
    assert [pick.id for pick in given] == ["strict", "lax"]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        ("pcc", "did you mean 'pc'"),
        ("pc[alhpa=0.1]", "did you mean 'alpha'"),
        ("pc[alpha=2]", "alpha"),
        ("pc[", "is not a module"),
        (3, "names no learner"),
        (("pc", 0.1), "names no learner"),
        (lambda data: data, "names no learner"),
    ],
)
def test_what_is_no_learner_is_refused(one: Any, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        picks_of([one])


def test_own_learners_are_found_by_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILES, "")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "nobodys_learner.py").write_text(OWN)
    import nobodys_learner  # type: ignore[import-not-found]

    one, other = picks_of([nobodys_learner.Nobody, nobodys_learner.Nobody(strength=2.0)])
    assert (one.id, other.id) == ("nobody", "nobody[strength=2.0]")
    assert one.file == tmp_path / "nobodys_learner.py"
    assert other.settings[0].values == {"strength": 2.0}
    del sys.modules["nobodys_learner"]
    monkeypatch.undo()
    modules.cache_clear()


def test_a_learner_in_a_script_cannot_be_found() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(Learner):
        """Mine."""

        name = "mine"

    Mine.__module__ = "__main__"
    with pytest.raises(StudyError, match="put it into a file of its own"):
        picks_of([Mine])
