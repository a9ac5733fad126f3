"""`dagathlon.rank_without_truth`: from data and learners to a ranking with its forecast."""

from __future__ import annotations

import errno
import importlib
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dagathlon
from dagathlon import Study, workflow
from dagathlon.errors import DagathlonError, DataError, StudyError
from dagathlon.evaluations.intersection_validation.validation import IntervalResult
from dagathlon.learners.constraint.pc import Pc
from dagathlon.modules.registry import FILES, modules


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """A chain of four variables."""
    noise = np.random.default_rng(3).normal(size=(300, 4))
    weights = np.diag([1.0, 1.0, 1.0], 1)
    return pd.DataFrame(noise @ np.linalg.inv(np.eye(4) - weights), columns=list("abcd"))


@pytest.mark.parametrize(
    ("learners", "options", "kind", "words"),
    [
        (["hc"], {}, StudyError, "two learners or more"),
        ([], {}, StudyError, "two learners or more"),
        (["hc", ("hc", {})], {}, StudyError, "hc is given twice"),
        (["hc", "pc"], {"sizes": [300]}, DataError, "found 300"),
        (["hc", "pc"], {"sizes": []}, StudyError, "sizes"),
        (["hc", "pc"], {"sizes": np.array([100, 400])}, DataError, "found 400"),
        (["hc", "pc"], {"sizes": 300}, DataError, "found 300"),
        (["hc", "pc"], {"sizes": [0.5]}, StudyError, "expected whole numbers of rows"),
        (["hc", "pc"], {"subsamples": 0}, StudyError, "subsamples"),
        (["hc", "pc"], {"timeout": -1}, StudyError, "timeout"),
        (["hc", "pc"], {"memory_limit": "much"}, StudyError, "memory_limit"),
        (["hc", "exact_mapp"], {}, StudyError, "did you mean 'exact_map'"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    frame: pd.DataFrame,
    learners: list[object],
    options: dict[str, object],
    kind: type[DagathlonError],
    words: str,
) -> None:
    with pytest.raises(kind, match=words):
        dagathlon.rank_without_truth(frame, learners, **options)  # type: ignore[arg-type]


OWN = '''
from dataclasses import dataclass

from dagathlon import Learner
from dagathlon.learners.constraint.pc import Pc


@dataclass(frozen=True, kw_only=True)
class Strict(Learner):
    """PC with few edges."""

    name = "strict"
    gives = "cpdag"

    def delegates(self):
        return (Pc(alpha=0.001),)

    def learn(self, data, rng):
        return Pc(alpha=0.001).learn(data, rng)
'''


@pytest.mark.slow
def test_a_frame_and_learners_give_a_result(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILES, "")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strict_learner.py").write_text(OWN)
    strict = importlib.import_module("strict_learner").Strict
    learners = {"climbing": "hc", "lax": ("pc", {"alpha": 0.2}), "mine": strict(), "pc": Pc()}
    few = {"sizes": [50, 100], "subsamples": 3, "jobs": 1}
    found = dagathlon.rank_without_truth(frame, learners, **few)  # type: ignore[arg-type]
    assert isinstance(found, IntervalResult)
    assert found.learners == ("climbing", "lax", "mine", "pc")
    assert found.rows == 300
    assert {row.size for row in found.means} == {50, 100}
    assert str(found).startswith("Agreement of 4 learners")
    # Kept results are the same, and taken up again; the same seed is the same result.
    kept = dagathlon.rank_without_truth(frame, learners, out=tmp_path / "kept", **few)  # type: ignore[arg-type]
    assert kept == found
    assert (tmp_path / "kept" / "data-interval" / "report.html").is_file()
    other = dagathlon.rank_without_truth(frame, learners, out=tmp_path / "kept", seed=2, **few)  # type: ignore[arg-type]
    assert other.edges == found.edges
    assert other.distances != found.distances
    monkeypatch.undo()
    modules.cache_clear()


def test_the_store_that_finds_no_room_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorname = "SQLITE_FULL"
        raise error

    monkeypatch.setattr(workflow, "count_stale_results", full)
    study = Study.build("mine", "hc", "asia[n=20,seeds=1]")
    with pytest.raises(DagathlonError, match=r"cannot be written \(database or disk is full\)"):
        study.run(tmp_path)


def test_on_a_full_disk_the_store_has_the_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        name = "full"

        def run(self, *_: object, **__: object) -> None:
            monkeypatch.setattr(workflow.Provenance, "save", no_room)
            raise StudyError("the store cannot be written; what was finished is safe")

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    study = Study.build("mine", "hc", "asia[n=20,seeds=1]")
    with pytest.raises(StudyError, match="what was finished is safe"):
        study.run(tmp_path, engine=Full())  # type: ignore[arg-type]


def test_the_former_name_works_with_a_note() -> None:
    with pytest.warns(DeprecationWarning, match="dagathlon.interval is dagathlon.rank_without"):
        former = dagathlon.interval
    assert former is dagathlon.rank_without_truth
