"""A study in shards: run, merged and reported, as if it had been run at once."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3

import pytest
from small_study import STUDY

from dagathlon.cli import main
from dagathlon.study.records.provenance import Provenance, RunState
from dagathlon.study.store.index_tables import MIGRATIONS
from dagathlon.study.store.results_folder import INDEX
from dagathlon.study.store.store import Store

INLINE = ["--engine", "inline", "--quiet", "--figures", "none"]


def run(study, out, *more):
    return main(["run", str(study), "--out", str(out), *INLINE, *more])


def change(folder, statement, *values):
    with sqlite3.connect(folder / "store" / INDEX) as index:
        index.execute(statement, values)
    index.close()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.json"
    path.write_text(json.dumps(STUDY))
    return path


@pytest.fixture(scope="module")
def shards(study):
    """Two shards, in a folder each; the second was run on another machine."""
    folders = [study.parent / f"shard-{number}" for number in (1, 2)]
    for number, folder in enumerate(folders, 1):
        assert run(study, folder, "--shard", f"{number}/2") == 0
    change(folders[1], "UPDATE results SET host = 'beta'")
    change(folders[1], "DELETE FROM hosts")
    facts = json.dumps({"processor": "Abacus 9000"})
    change(folders[1], "INSERT INTO hosts VALUES ('beta', ?)", facts)
    return folders


@pytest.fixture(scope="module")
def merged(shards):
    out = shards[0].parent / "merged"
    assert main(["merge", *map(str, shards), "--out", str(out)]) == 0
    return out


def tables(folder):
    """All tables without what is measured."""
    found = {}
    for path in sorted((folder / "small").rglob("*.csv")):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        measured = {name for name in (rows[0] if rows else ()) if "time" in name or "mem" in name}
        measured |= {"cpu"}
        found[path.relative_to(folder).as_posix()] = [
            {name: value for name, value in row.items() if name not in measured} for row in rows
        ]
    return found


@pytest.mark.parametrize("text", ["0/10", "11/10", "x", "1", "1/2/3", "-1/2", "1/0", ""])
def test_what_is_no_shard(study, tmp_path, capsys, text):
    assert run(study, tmp_path, f"--shard={text}") == 2
    said = capsys.readouterr().err
    assert "from 1/100 to 100/100" in said
    assert repr(text) in said


def test_a_study_has_10_000_shards_at_most(study, tmp_path, capsys):
    assert run(study, tmp_path, "--shard", "1/999999999") == 2
    assert "10,000 parts at most; found '1/999999999'" in capsys.readouterr().err


def test_a_shard_is_no_quick_look(study, tmp_path, capsys):
    assert run(study, tmp_path, "--shard", "1/2", "--limit", "3") == 2
    assert "--limit" in capsys.readouterr().err


def test_a_shard_leaves_no_report_and_says_what_comes_next(study, shards, capsys):
    assert not list(shards[0].rglob("*.html"))
    assert Provenance.load(shards[0] / "small").partial
    code = main(
        ["run", str(study), "--out", str(shards[0]), "--engine", "inline", "--shard", "1/2"]
    )
    assert code == 0
    said = capsys.readouterr()
    assert "this was a part of the study" in said.err
    assert "shard 1/2 is done" in said.out
    assert "dagathlon merge" in said.out


def test_merged_shards_are_the_whole_study(study, merged, tmp_path, capsys):
    assert main(["report", str(merged), "--figures", "none"]) == 0
    assert "runs are in" not in capsys.readouterr().out  # nothing is missing
    whole = tmp_path / "whole"
    assert run(study, whole) == 0
    assert tables(merged) == tables(whole)
    assert len(tables(whole)) > 0
    copied = shutil.copytree(merged, tmp_path / "copied")
    assert run(study, copied) == 0
    with Store(copied / "store", readonly=True) as store:
        ((ran, _),) = store.connection.execute("SELECT progress, 1 FROM runs")
    assert json.loads(ran)["ran"] == []


def test_the_report_names_the_machines_and_no_table_does(merged):
    assert main(["report", str(merged), "--figures", "none"]) == 0
    page = (merged / "small" / "report.html").read_text()
    assert "beta (Abacus 9000): 18 learning runs" in page
    assert "measured on different processors" in page
    assert not any("beta" in path.read_text() for path in merged.rglob("*.csv"))


def test_shards_may_share_a_folder(study, tmp_path):
    for number in (1, 2, 3):
        assert run(study, tmp_path, "--shard", f"{number}/3") == 0
    with Store(tmp_path / "store", readonly=True) as store:
        assert store.connection.execute("SELECT count(*) FROM results").fetchone() == (96,)


def test_setups_come_along_once(shards, merged):
    setup = merged / "small"
    assert (setup / "study.json").read_bytes() == (shards[0] / "small/study.json").read_bytes()
    found = Provenance.load(setup)
    began = [Provenance.load(shard / "small").began for shard in shards]
    assert (found.partial, found.state, found.began) == (True, RunState.FINISHED, min(began))


def test_a_setup_of_another_study_stays_apart(study, shards, tmp_path, capsys):
    other = tmp_path / "other"
    assert run(study, other, "--seed", "10", "--shard", "1/2") == 0
    out = shutil.copytree(shards[0], tmp_path / "out")
    saved = (out / "small" / "study.zip").read_bytes()
    assert main(["merge", str(other), "--out", str(out)]) == 0
    assert "is a setup of another study" in capsys.readouterr().out
    assert (out / "small" / "study.zip").read_bytes() == saved


def test_a_run_that_goes_on_elsewhere_does_not_go_on_here(shards, tmp_path):
    source = shutil.copytree(shards[0], tmp_path / "source")
    path = source / "small" / "provenance.json"
    path.write_text(path.read_text().replace('"finished"', '"running"'))
    assert main(["merge", str(source), "--out", str(tmp_path / "out")]) == 0
    assert Provenance.load(tmp_path / "out/small").state is RunState.INTERRUPTED


def test_stores_alone_are_merged_too(shards, tmp_path, capsys):
    assert main(["merge", str(shards[0] / "store"), "--out", str(tmp_path / "out")]) == 0
    assert "54 results added" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["store"]


def test_conflicts_end_with_1_and_are_written_down(shards, tmp_path, capsys):
    source = shutil.copytree(shards[0], tmp_path / "source")
    change(
        source,
        "UPDATE results SET inline = x'00', size = 1, digest = ?, host = 'gamma'"
        " WHERE id = (SELECT min(id) FROM results WHERE kind = 'learn')",
        bytes.fromhex("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    )
    both, out = [str(shards[0]), str(source)], str(tmp_path / "out")
    assert main(["merge", *both, "--out", out]) == 1
    said = capsys.readouterr().out
    assert "conflicts: 1;" in said
    assert "on gamma" in said
    (noted,) = json.loads((tmp_path / "out" / "conflicts.json").read_text())["conflicts"]
    assert noted["other"]["digest"].startswith("6e340b9c")
    assert main(["merge", *both, "--out", out]) == 1
    assert main(["merge", both[0], "--out", out]) == 0


@pytest.mark.parametrize("name", ["nowhere", "empty", "newer", "damaged", "out"])
def test_what_cannot_be_merged_is_named(shards, tmp_path, capsys, name):
    out = shutil.copytree(shards[0], tmp_path / "out")
    folder = tmp_path / name
    words = {
        "nowhere": "there is no such folder",
        "empty": "there is no store here",
        "newer": "use a newer dagathlon",
        "damaged": "not a store",
        "out": "is the folder that results are merged into",
    }
    if name == "empty":
        folder.mkdir()
    elif name in ("newer", "damaged"):
        shutil.copytree(shards[1], folder)
    if name == "newer":
        change(folder, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    elif name == "damaged":
        (folder / "store" / INDEX).write_bytes(b"not an index" * 1000)
    assert main(["merge", str(shards[1]), str(folder), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert words[name] in said
    assert str(folder) in said
