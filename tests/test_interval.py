"""`dagathlon.interval`: from data and learners to a ranking with its forecast."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagathlon
from dagathlon.errors import DagathlonError, DataError, StudyError


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
        (["hc", ("hc", {})], {}, StudyError, "hc is there twice"),
        (["hc", "pc"], {"sizes": [300]}, DataError, "found 300"),
        (["hc", "pc"], {"sizes": []}, StudyError, "sizes"),
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
        dagathlon.interval(frame, learners, **options)  # type: ignore[arg-type]
