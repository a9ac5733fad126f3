"""Damaged and crafted stores: every command ends with words, and no table is silently wrong."""

from __future__ import annotations

import copy
import csv
import hashlib
import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.cli import main
from dagathlon.cli.serve import server_of
from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.graphs import Graph
from dagathlon.study.engine import perform
from dagathlon.study.engine.protocol import Event, Note, Writing
from dagathlon.study.plan.task import Call
from dagathlon.study.store.codec import encode
from dagathlon.study.store.results_folder import INDEX
from dagathlon.workflow import Study

pytestmark = pytest.mark.filterwarnings("ignore::dagathlon.study.store.store.StoreWarning")

TIMES = ("time", "cpu", "memory")
REPORT = ["report", "--figures", "none"]


def _study() -> dict[str, Any]:
    """A study whose data sets are in part so large that they are in files of their own."""
    study = copy.deepcopy(STUDY)
    study["resources"]["data"]["iid"][0]["n"] = [20, 600]
    study["benchmark_setup"][0]["data"][0]["seed_range"] = [1, 1]
    return study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with its results; what was written last is in the log beside the index."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "study.json").write_text(json.dumps(_study()), "utf-8")
    out = folder / "out"
    Study.load(folder / "study.json").run(out, engine="inline", figures="none")
    index = out / "store" / INDEX
    with sqlite3.connect(index) as connection:
        connection.execute("UPDATE results SET created = created + 1 WHERE id % 2")
        connection.commit()
        shutil.copytree(folder, folder / "copied")
    connection.close()
    assert (folder / "copied" / "out" / "store" / f"{INDEX}-wal").stat().st_size
    return folder / "copied"


class Store:
    """The store that is damaged.

    Parameters
    ----------
    folder
        Where it is.
    chance
        What is damaged.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.index = folder / INDEX

    def whole(self) -> Path:
        """The index with all that is in its log."""
        with sqlite3.connect(self.index) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return self.index

    def flip(self, path: Path, bits: int) -> None:
        content = bytearray(path.read_bytes())
        for _ in range(bits):
            content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
        path.write_bytes(content)

    def objects(self) -> list[Path]:
        return sorted(path for path in (self.folder / "objects").rglob("*") if path.is_file())

    def execute(self, *statements: str, strict: bool = True) -> None:
        """Change the index; its tables take values of any type unless `strict`."""
        connection = sqlite3.connect(self.whole())
        if not strict:
            connection.execute("PRAGMA writable_schema = ON")
            for word in (", STRICT", " STRICT"):
                changed = "UPDATE sqlite_schema SET sql = replace(sql, ?, '')"
                connection.execute(changed, (word,))
            connection.commit()
            connection.close()
            connection = sqlite3.connect(self.index)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()


def _cut(store: Store) -> None:
    content = store.whole().read_bytes()
    store.index.write_bytes(content[: store.chance.randrange(1, len(content))])


def _zeros(store: Store) -> None:
    content = bytearray(store.whole().read_bytes())
    start = 2048 * store.chance.randrange(len(content) // 2048)
    content[start : start + 2048] = bytes(2048)
    store.index.write_bytes(content)


def _without_log(store: Store) -> None:
    store.index.with_name(f"{INDEX}-wal").unlink()


def _without_table(store: Store) -> None:
    store.execute(f"DROP TABLE {store.chance.choice(['results', 'runs', 'claims', 'hosts'])}")


def _without_column(store: Store) -> None:
    column = store.chance.choice(["wall", "detail", "digest", "created", "host"])
    store.execute(f"ALTER TABLE results DROP COLUMN {column}")


VALUES = ["'text'", "x'00ff'", "-7", "1e300", "''", "NULL"]


def _wrong_types(store: Store) -> None:
    """Rows of other types in tables that are declared as ever."""
    column = store.chance.choice(
        (
            *("results.status", "results.wall", "results.memory", "results.created"),
            *("results.digest", "results.inline", "results.size", "results.kind"),
            *("runs.pid", "runs.began", "runs.progress", "leases.beats", "hosts.facts"),
        )
    )
    table, name = column.split(".")
    for value in store.chance.sample(VALUES, len(VALUES)):
        try:
            store.execute(f"UPDATE {table} SET {name} = {value}", strict=False)
            return
        except sqlite3.IntegrityError:
            continue


def _untyped(store: Store) -> None:
    """Tables with the same columns, without their types."""
    table = store.chance.choice(["results", "runs"])
    store.execute(
        f"ALTER TABLE {table} RENAME TO old", f"CREATE TABLE {table} AS SELECT * FROM old"
    )


def _view(store: Store) -> None:
    table = store.chance.choice(["results", "runs", "leases"])
    store.execute(f"ALTER TABLE {table} RENAME TO old", f"CREATE VIEW {table} AS SELECT * FROM old")


def _lost_row(store: Store) -> None:
    store.execute("UPDATE results SET digest = NULL, inline = NULL, size = NULL WHERE id % 3 = 1")


def _inline(store: Store) -> None:
    connection = sqlite3.connect(store.whole())
    found = connection.execute("SELECT id, inline FROM results WHERE inline IS NOT NULL").fetchall()
    number, content = store.chance.choice(found)
    changed = bytearray(content)
    changed[store.chance.randrange(len(changed))] ^= 1
    connection.execute("UPDATE results SET inline = ? WHERE id = ?", (bytes(changed), number))
    connection.commit()
    connection.close()


DAMAGES: dict[str, Callable[[Store], object]] = {
    "a bit": lambda store: store.flip(store.whole(), 1),
    "many bits": lambda store: store.flip(store.whole(), 40),
    "cut": _cut,
    "zeros": _zeros,
    "empty": lambda store: store.whole().write_bytes(b""),
    "no index": lambda store: store.whole().write_bytes(b"no index of anybody's" * 99),
    "no log": _without_log,
    "bits in the log": lambda store: store.flip(store.index.with_name(f"{INDEX}-wal"), 9),
    "no table": _without_table,
    "no leases": lambda store: store.execute("DROP TABLE leases"),
    "no column": _without_column,
    "wrong types": _wrong_types,
    "no types": _untyped,
    "view": _view,
    "unknown status": lambda store: store.execute("UPDATE results SET status = 'F9'"),
    "no result": _lost_row,
    "a bit of a result": _inline,
    "a bit of a file": lambda store: store.flip(store.objects()[0], 1),
    "no file": lambda store: store.objects()[0].unlink(),
}


def _tables(out: Path) -> dict[str, list[dict[str, str]]]:
    """All tables without what is measured."""
    found = {}
    for path in sorted((out / "small").rglob("*.csv")):
        with path.open(newline="") as stream:
            rows = [
                {name: cell for name, cell in row.items() if not any(t in name for t in TIMES)}
                for row in csv.DictReader(stream)
            ]
        found[path.relative_to(out).as_posix()] = rows
    return found


def _look(folder: Path) -> Iterator[tuple[str, int]]:
    """The codes of the commands that look at the results."""
    out = str(folder / "out")
    yield "status", main(["status", out])
    yield "size", main(["store", "size", out])
    yield "verify", main(["store", "verify", out])
    yield "report", main([*REPORT, out])
    yield "merge", main(["merge", out, "--out", str(folder / "merged")])
    try:
        with server_of(folder / "out") as server:
            json.dumps(server.state())
    except DagathlonError:
        yield "serve", 2


def _run(folder: Path) -> int:
    words = ["run", str(folder / "study.json"), "--out", str(folder / "out"), "--quiet"]
    return main([*words, "--engine", "inline", "--figures", "none"])


def _check(made: Path, folder: Path, damage: str, seed: int) -> None:
    folder = Path(shutil.copytree(made, folder))
    DAMAGES[damage](Store(folder / "out" / "store", random.Random(f"{damage} {seed}")))
    ended = dict(_look(folder))
    assert set(ended.values()) <= {0, 1, 2}, ended
    code = _run(folder)
    if code:
        assert main(["store", "verify", "--repair", str(folder / "out")]) in (0, 1, 2)
        code = _run(folder)
    if code:
        # What cannot be repaired is moved away, as the message says.
        for path in (folder / "out" / "store").glob(f"{INDEX}*"):
            path.unlink()
        code = _run(folder)
    assert code == 0
    assert _tables(folder / "out") == _tables(made / "out"), (damage, seed)
    assert main(["store", "gc", str(folder / "out")]) in (0, 2)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_ends_no_command_with_a_traceback(
    damage: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _check(made, tmp_path / "copy", damage, 1)
    assert "Traceback" not in capsys.readouterr().err


def test_texts_that_cannot_be_read_are_found_and_repaired(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "copy"))
    store = Store(folder / "out" / "store", random.Random(1))
    store.execute("UPDATE results SET detail = CAST(x'fffe' AS TEXT) WHERE id % 3 = 1")
    out = str(folder / "out")
    assert main(["store", "verify", out]) == 1
    assert "all sound" not in capsys.readouterr().out
    main(["store", "verify", "--repair", out])
    assert main(["store", "verify", out]) == 0
    assert [main(["status", out]), main([*REPORT, out]), _run(folder)] == [0, 0, 0]
    assert _tables(folder / "out") == _tables(made / "out")


@pytest.mark.parametrize("stored", [False, True])
def test_tasks_of_a_run_that_is_repaired_count_once(
    stored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is skipped is looked at by both passes, and what is repaired may have run in both."""
    execute = perform.execute

    def without_precision(call: Call, *arguments: Any) -> Any:
        if call.module == "prec_thresh":
            raise UnavailableError("not here")
        return execute(call, *arguments)

    monkeypatch.setattr(perform, "execute", without_precision)
    path = tmp_path / "study.json"
    events: list[Event] = []
    path.write_text(json.dumps(_study()), "utf-8")
    study = Study.load(path)

    def damage(event: Event) -> None:
        if isinstance(event, Writing) and not any(isinstance(each, Writing) for each in events):
            store = Store(tmp_path / "out" / "store", random.Random(1))
            learned = "kind = 'learn' AND inline IS NOT NULL"
            store.execute(f"UPDATE results SET inline = zeroblob(size) WHERE {learned}")
        events.append(event)

    if stored:
        study.run(tmp_path / "out", engine="inline", figures="none")
        shutil.rmtree(tmp_path / "out" / "small")
    found = study.run(tmp_path / "out", engine="inline", figures="none", on_event=damage)
    assert any(isinstance(event, Note) and "computed again" in event.text for event in events)
    calm = study.run(tmp_path / "calm", engine="inline", figures="none")
    assert found.ran + found.stored == calm.ran
    assert found.failures() == calm.failures()
    assert stored or found.ran == calm.ran


def _seen(made: Path, folder: Path, *statements: tuple[str, tuple[Any, ...]]) -> dict[str, int]:
    """The codes of the commands on a copy of the store whose rows were changed."""
    folder = Path(shutil.copytree(made, folder))
    connection = sqlite3.connect(Store(folder / "out" / "store", random.Random(1)).whole())
    for statement in statements:
        connection.execute(*statement)
    connection.commit()
    connection.close()
    return {**dict(_look(folder)), "run": _run(folder)}


ESCAPES = "\x1b[2J\x1b]0;title\x07\u202e"
COLUMNS = ("kind", "module", "reason", "detail", "host")


@pytest.mark.parametrize("column", COLUMNS)
def test_texts_of_a_store_do_not_control_the_terminal(
    column: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = f"UPDATE results SET {column} = ?, digest = zeroblob(32) WHERE kind = 'learn'"
    progress = json.dumps({"hosts": [ESCAPES]})
    _seen(
        made,
        tmp_path / "copy",
        (changed, (f"a{ESCAPES}z",)),
        ("UPDATE runs SET progress = ?", (progress,)),
    )
    setup = tmp_path / "copy" / "out" / "small"
    setup.rename(setup.with_name(f"small{ESCAPES}"))
    assert set(dict(_look(tmp_path / "copy")).values()) <= {0, 1, 2}
    said = "".join(capsys.readouterr())
    assert "".join(said.split()).isprintable()


def test_what_failed_has_no_metrics_of_an_earlier_result(made: Path, tmp_path: Path) -> None:
    last = "(SELECT max(id) FROM results WHERE kind = 'learn')"
    statement = f"UPDATE results SET status = 'error' WHERE id = {last}"
    assert set(_seen(made, tmp_path / "copy", (statement, ())).values()) <= {0, 1}
    table = "small/benchmarks/joint_benchmarks.csv"
    rows = _tables(tmp_path / "copy" / "out")[table]
    assert [row["SHD_pattern"] for row in rows if row["status"] == "error"] == ["NA"]


CONTENTS: list[Any] = [
    *([], {"SHD_pattern": [1]}, {"true_n_edges_skel": 3}, Graph("ab")),
    {"n_nodes": 10**400},
    dict.fromkeys(("TP_skel", "FP_skel", "SHD_pattern", "true_n_edges_skel"), "text"),
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda one: str(one)[:30])
def test_a_score_that_is_none_is_computed_again(
    content: Any, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its bytes have the hash that the row says."""
    stored = b"".join(bytes(piece) for piece in encode(content))
    last = "(SELECT max(id) FROM results WHERE kind = 'score')"
    statement = f"UPDATE results SET digest = ?, size = ?, inline = ? WHERE id = {last}"
    values = (hashlib.sha256(stored).digest(), len(stored), stored)
    found = _seen(made, tmp_path / "copy", (statement, values))
    assert (found["report"], found["run"]) == (0, 0)
    assert _tables(tmp_path / "copy" / "out") == _tables(made / "out")


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_many_damaged_stores(
    damage: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(2, 14):
        _check(made, tmp_path / str(seed), damage, seed)
        shutil.rmtree(tmp_path / str(seed))
    assert "Traceback" not in capsys.readouterr().err
