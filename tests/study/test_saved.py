"""What a run saves of a study: there and back, damaged, absurd, and from an unkind stranger."""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.errors import StudyError
from dagathlon.study.plan.plan import Case, Run
from dagathlon.study.records.completeness import Standing
from dagathlon.study.records.file import (
    SAVED,
    Packed,
    by_column,
    by_record,
    load,
    packed,
    save,
    saved_setups,
)
from dagathlon.study.records.from_plan import POSITIONS, facts_of_setup
from dagathlon.study.records.provenance import PROVENANCE, Provenance, RunState
from dagathlon.workflow import Study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Setups that share tasks, one with limits, noise and diagnostics, one with further runs."""
    content = copy.deepcopy(STUDY)
    first = content["benchmark_setup"][0]
    second = copy.deepcopy(first) | {"title": "limited", "time_limit": 2.5}
    second["data"][0] |= {"noise": ["N", "I10"], "seed_range": [2, 4]}
    second["evaluation"] |= {"metrics": {"held_out": True}, "ranking": {}}
    third = copy.deepcopy(first) | {"title": "folds"}
    third["evaluation"] |= {"predictive": {"folds": 2}}
    content["benchmark_setup"] += [second, third]
    path = tmp_path_factory.mktemp("saved") / "small.json"
    path.write_text(json.dumps(content))
    return Study.load(path)


@pytest.fixture
def folder(study: Study, tmp_path: Path) -> Path:
    save(facts_of_setup(study.config, study.plan, 1), tmp_path)
    return tmp_path


def test_what_is_saved_comes_back(study: Study, tmp_path: Path) -> None:
    for number in (0, 1, 2):
        saved = facts_of_setup(study.config, study.plan, number)
        save(saved, tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == [SAVED]
        found = load(tmp_path)
        assert found.text == study.config.path.read_bytes()
        assert (found.name, found.setup, found.modules) == (saved.name, saved.setup, saved.modules)
        assert found.algorithms == saved.algorithms
        assert list(found.plan.keys) == list(saved.plan.keys)
        parts = ("cases", "runs", "further", "origins", "data_scores", "limits", "omissions")
        for part in (*parts, "further_scores"):
            assert getattr(found.plan, part) == getattr(saved.plan, part), part
    assert set(found.plan.further_scores.values()) == {("predicted_rows",)}


def test_earlier_versions_saved_no_scores_of_further_runs(folder: Path) -> None:
    def change(parts: dict[str, bytes]) -> None:
        facts = json.loads(parts["facts.json"])
        del facts["further_scores"]
        parts["facts.json"] = json.dumps(facts).encode()

    _changed(folder / SAVED, change)
    assert load(folder).plan.further_scores == {}


def test_a_setup_has_the_keys_of_its_own_runs(study: Study) -> None:
    plan = study.plan
    for number in (0, 1):
        saved = facts_of_setup(study.config, plan, number).plan
        runs = [run for run in plan.runs if run.setup == number]
        assert len(runs) == len(saved.runs) > 0
        for before, after in zip(runs, saved.runs, strict=True):
            case, found = plan.cases[before.case], saved.cases[after.case]
            assert case[2:-1] == found[2:-1]
            origin, place = plan.origins[case.origin], saved.origins[found.origin]
            assert origin._replace(setup=0) == place
            own = [(plan.tasks[i].key, saved.keys[j]) for i, j in _pairs(before, after)]
            assert len(own) == len(origin.scores)
            assert all(key == same for key, same in own)
            for name in POSITIONS[Run]:
                position, place = getattr(before, name), getattr(after, name)
                assert (position is None) == (place is None)
                if position is not None:
                    assert plan.tasks[position].key == saved.keys[place]
        assert len(set(saved.keys)) == len(saved.keys) < len(plan.tasks)
    limits = facts_of_setup(study.config, plan, 1).plan.limits
    assert {limit.time for limit in limits} == {2.5}


def _pairs(before: Run, after: Run) -> list[tuple[int, int]]:
    return list(zip(before.scores, after.scores, strict=True))


def test_every_field_is_known_to_be_a_place_or_not() -> None:
    others = {
        Case: {"seed", "graph_label", "parameters_label", "data_label", "noise", "steps"}
        | {"transform", "origin"},
        Run: {"setup", "case", "entry", "setting", "scores"},
    }
    for kind, known in others.items():
        assert set(kind._fields) == known | set(POSITIONS[kind])  # type: ignore[attr-defined]


def test_settings_are_what_the_modules_were(study: Study, folder: Path) -> None:
    found = load(folder).algorithms
    for name, entry in study.config.algorithms.items():
        assert found[name].curve_parameter == entry.curve_parameter
        for mine, theirs in zip(found[name].settings, entry.settings, strict=True):
            assert mine.values == theirs.values
            assert mine.parameters == json.loads(json.dumps(theirs.module.to_json()))
        assert found[name].module.gives == "undirected"
        assert found[name].module.summary == entry.module.summary()


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 127, None],
        [2**40, 2**63 - 1],
        ["a", "b", None, "a"],
        [1.5, None, 2.5],
        [True, 1, "1", 1.0, "true"],
        [],
    ],
)
def test_columns_keep_values_and_types(values: list[Any]) -> None:
    found = packed(values).unpacked()
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_columns_take_the_smallest_type() -> None:
    assert [packed([n]).numbers.itemsize for n in (127, 128, 2**15, 2**31)] == [1, 2, 4, 8]
    assert by_record(by_column([], "ab"), "ab") == []
    with pytest.raises(ValueError, match="stands for nothing"):
        Packed(packed([0, 3]).numbers, ["a", "b"]).unpacked()


def _changed(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Write the archive again with other parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def _facts(*changes: tuple[tuple[Any, ...], Any]) -> Callable[[dict[str, bytes]], None]:
    """Changes of the facts: path into them and new value."""

    def change(parts: dict[str, bytes]) -> None:
        facts = json.loads(parts["facts.json"])
        for (*way, last), value in changes:
            place = facts
            for step in way:
                place = place[step]
            place[last] = value
        parts["facts.json"] = json.dumps(facts).encode()

    return change


def _part(name: str, content: bytes | None) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        if content is None:
            del parts[name]
        else:
            parts[name] = content

    return change


ABSURD = {
    "no facts": _part("facts.json", None),
    "no JSON": _part("facts.json", b"{"),
    "another JSON": _part("facts.json", b"[1, 2]"),
    "deep JSON": _part("facts.json", b"[" * 100_000),
    "no keys": _part("keys", b""),
    "cut keys": _part("keys", b"\0" * 33),
    "a column is gone": _part("runs/learn", None),
    "a column is short": _part("runs/learn", b""),
    "a place that is not there": _facts((("tables", "runs", "case", 0), "<i8")),
    "a type that is none": _facts((("tables", "runs", "case", 0), "O")),
    "labels that are none": _facts((("tables", "cases", "data_label", 1), [1, 2, 3, 4, 5, 6])),
    "an algorithm that is none": _facts((("setup", "ids"), ["nobody"])),
    "a setting that is none": _facts((("algorithms", 0, "settings", "length"), 0)),
    "no origins": _facts((("origins",), [])),
    "an origin that is none": _facts((("origins", 0), ["x"])),
    "scores that are none": _facts((("further_scores",), [[0, "fold=1of2", "x"]])),
    "a metric that is none": _facts((("measures", 0, "better"), "up")),
    "a file elsewhere": _facts((("name",), "../../study.json")),
    "a module elsewhere": _facts((("algorithms", 0, "module", "name"), "../x")),
    "a parameter elsewhere": _facts((("algorithms", 0, "values"), {"a/../../b": [1, 2]})),
}


@pytest.mark.parametrize("change", ABSURD.values(), ids=ABSURD)
def test_what_is_absurd_has_a_reason(
    folder: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    _changed(folder / SAVED, change)
    with pytest.raises(StudyError, match=r"cannot be read \(.+\); run the study again"):
        load(folder)


def test_every_truncation_has_a_reason(folder: Path) -> None:
    whole = (folder / SAVED).read_bytes()
    for length in range(0, len(whole), max(len(whole) // 60, 1)):
        (folder / SAVED).write_bytes(whole[:length])
        with pytest.raises(StudyError, match="cannot be read"):
            load(folder)


def test_flipped_bytes_are_noticed_or_harmless(folder: Path) -> None:
    """Parts have checksums; what has none, such as a date, is not read."""
    whole = (folder / SAVED).read_bytes()
    before = load(folder)
    for place in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        (folder / SAVED).write_bytes(damaged)
        try:
            after = load(folder)
        except StudyError:
            continue
        assert after.plan.keys.content == before.plan.keys.content
        assert after.plan.runs == before.plan.runs


def test_a_later_format_is_named(folder: Path) -> None:
    _changed(folder / SAVED, _facts((("format",), 99)))
    with pytest.raises(StudyError, match="has format 99, this version of dagathlon knows format 1"):
        load(folder)


def test_a_bomb_is_not_unpacked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _changed(folder / SAVED, _part("keys", bytes(32 * 2**15)))
    monkeypatch.setattr("dagathlon.study.records.file.MOST_BYTES", 2**20)
    with pytest.raises(StudyError, match="unpacks to more than"):
        load(folder)


def test_results_of_an_earlier_version_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="there are no results of a study here"):
        saved_setups(tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / PROVENANCE).write_text('{"study": "small.json", "home": "/"}')
    for place in (tmp_path, tmp_path / "small"):
        with pytest.raises(StudyError, match="run the study again into this folder"):
            saved_setups(place)


def test_provenance_comes_back_or_has_a_reason(tmp_path: Path) -> None:
    before = Provenance("small.json", seed=3, time_limit=1.5)
    before.save(tmp_path)
    assert Provenance.load(tmp_path) == before
    assert before.state is RunState.RUNNING
    ended = before.closed(interrupted=True)
    assert (ended.state, ended.began) == (RunState.INTERRUPTED, before.began)
    for changed in ({"state": "odd"}, {"began": 1e300}, {"versions": 3}, {"process": "x"}):
        ended.save(tmp_path)
        content = json.loads((tmp_path / PROVENANCE).read_text())
        (tmp_path / PROVENANCE).write_text(json.dumps(content | changed))
        with pytest.raises(StudyError, match=r"provenance\.json: cannot be used"):
            Provenance.load(tmp_path)


def test_words_say_what_is_missing_and_why() -> None:
    assert Standing(900, 900, RunState.FINISHED).words() == ""
    running = Standing(412, 900, RunState.RUNNING)
    assert running.words() == "412 of 900 runs are in; the study is running"
    assert running.partial
    assert "was interrupted" in Standing(0, 1000, RunState.INTERRUPTED).words()
    assert "(--limit, --shard)" in Standing(1, 9, RunState.FINISHED, limited=True).words()
    assert "not in the store any more" in Standing(1, 9, RunState.FINISHED).words()
