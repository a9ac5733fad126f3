"""Results on fixed data: they change with a version, or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from fingerprints import Fingerprint, alike, fingerprints
from record import complaint, may_update, read, recorded

from dagathlon.modules import modules

MAKERS = dict(fingerprints())
RECORDS = read()


@pytest.mark.parametrize("name", MAKERS)
def test_results_change_with_a_version_only(name: str) -> None:
    problem = complaint(name, RECORDS.get(name), MAKERS[name]())
    assert not problem, problem


def test_what_is_recorded_still_exists() -> None:
    gone = []
    for name in RECORDS.keys() - MAKERS.keys():
        kind, _, rest = name.partition("/")
        module: Any = modules(kind).get(rest.split("[")[0].split(" ")[0])  # type: ignore[arg-type]
        if module is None or not module.unavailable:  # what it needs may not be installed here
            gone.append(name)
    assert gone == []


def test_a_change_without_a_version_is_refused() -> None:
    first = Fingerprint(1, {"test/zf": 1}, {"edges": ["a -> b"], "score": -12.5})
    rounded = first._replace(result={"edges": ["a -> b"], "score": -12.5 * (1 + 1e-9)})
    changed = first._replace(result={"edges": ["a -> b", "b -> c"], "score": -12.5})
    old = recorded(first)
    assert complaint("x", old, first) == ""
    assert complaint("x", old, rounded) == ""
    assert "no version was raised" in complaint("x", old, changed)
    assert not may_update(old, changed)
    for raised in (changed._replace(version=2), changed._replace(lineage={"test/zf": 2})):
        assert "another version now (results have changed with it)" in complaint("x", old, raised)
        assert may_update(old, raised)
    assert "no fingerprint yet" in complaint("x", None, first)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1.0, 1.0 + 1e-8, True),
        (1.0, 1.001, False),
        (1e-12, 0.0, True),
        ([1, [2.0]], [1, [2.0 + 1e-9]], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"b": 1}, False),
        (None, 0, False),
        ("nan", "nan", True),
    ],
)
def test_alike(one: Any, other: Any, expected: bool) -> None:
    assert alike(one, other) is expected
