"""Folders of results of strangers: no command leaves them, or believes what they hold."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from small_study import STUDY

from dagathlon.cli import main
from dagathlon.cli.serve import server_of
from dagathlon.errors import StudyError
from dagathlon.report.live import page as live
from dagathlon.study.store.claims import Registration
from dagathlon.study.store.index_tables import MIGRATIONS
from dagathlon.study.store.results_folder import (
    INDEX,
    LinkError,
    open_file,
    plain_files,
    read_file,
    write_file,
)
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study, rewrite

TEXT = "what the user has written"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study and its results."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "study.json").write_text(json.dumps(STUDY), "utf-8")
    Study.load(folder / "study.json").run(folder / "out", engine="inline", figures="none")
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of the study and its results, with files beside them that are nobody's business."""
    home = Path(shutil.copytree(made, tmp_path / "home"))
    (home / "thesis").mkdir()
    (home / "thesis" / "chapter.tex").write_text(TEXT)
    (home / "thesis" / "ab12").write_text(TEXT)
    (home / "thesis" / ("0" * 62)).write_text(TEXT)
    return home


def _is_whole(home: Path) -> bool:
    texts = {path.name: path.read_text() for path in (home / "thesis").iterdir()}
    return texts == {"chapter.tex": TEXT, "ab12": TEXT, "0" * 62: TEXT}


def _run(home: Path) -> int:
    command = ["run", str(home / "study.json"), "--out", str(home / "out"), "--quiet"]
    return main([*command, "--engine", "inline", "--figures", "none"])


def _commands(home: Path) -> Iterator[tuple[str, int]]:
    """All commands that take a folder of results, with the codes that they end with."""
    out = str(home / "out")
    yield "run", _run(home)
    for words in (
        ["report", out, "--figures", "none"],
        ["status", out],
        *(["store", action, out] for action in ("size", "verify", "gc")),
        ["store", "verify", "--repair", out],
        ["merge", out, "--out", str(home / "merged")],
        ["merge", str(home / "merged"), "--out", out],
        ["stop", out],
    ):
        yield " ".join(words[:2]), main(words)


def _with_text_for_a_number(home: Path) -> None:
    """A run whose number is the path of a folder."""
    index = sqlite3.connect(home / "out" / "store" / INDEX)
    index.executescript(
        "ALTER TABLE runs RENAME TO old;"
        "CREATE TABLE runs (id, pid, started, began, ended, progress);"
        "INSERT INTO runs SELECT * FROM old; DROP TABLE old;"
    )
    index.execute("INSERT INTO runs VALUES (?, 1, 'x', 0, NULL, '{}')", (str(home / "thesis"),))
    index.commit()
    index.close()


def test_a_text_in_the_place_of_a_run_removes_no_folder(home: Path) -> None:
    _with_text_for_a_number(home)
    ended = dict(_commands(home))
    assert _is_whole(home)
    assert {ended["run"], ended["status " + str(home / "out")]} == {2}


def test_a_text_among_numbers_is_not_believed_either(home: Path) -> None:
    """The declaration may be right and a row not: types are checked when a row is read."""
    index = sqlite3.connect(home / "out" / "store" / INDEX)
    index.execute("PRAGMA writable_schema = ON")
    index.execute("UPDATE sqlite_schema SET sql = replace(sql, 'id INTEGER PRIMARY KEY', 'id')")
    index.commit()
    index.close()
    _run(home)
    assert _is_whole(home)


LINKS: dict[str, tuple[str, str]] = {
    "unfinished files": ("out/store/objects/unfinished", "thesis"),
    "objects": ("out/store/objects", "thesis"),
    "some objects": ("out/store/objects/ab", "thesis"),
    "zero objects": ("out/store/objects/00", "thesis"),
    "scratch": ("out/store/scratch", "thesis"),
    "scratch of the next run": ("out/store/scratch/2", "thesis"),
    "lock": ("out/store/lock", "thesis/chapter.tex"),
    "log": ("out/store/index.sqlite-wal", "thesis/chapter.tex"),
    "journal": ("out/store/index.sqlite-journal", "thesis/chapter.tex"),
    "report": ("out/small/report.html", "thesis/chapter.tex"),
    "unfinished report": ("out/small/report.html.part", "thesis/chapter.tex"),
    "tables": ("out/small/benchmarks", "thesis"),
    "study": ("out/small/study.json", "thesis/chapter.tex"),
    "provenance": ("out/small/provenance.json", "thesis/chapter.tex"),
    "conflicts": ("out/conflicts.json", "thesis/chapter.tex"),
    "setup": ("out/small", "thesis"),
}


@pytest.mark.parametrize("name", LINKS)
def test_links_are_not_followed(name: str, home: Path) -> None:
    place, target = (home / part for part in LINKS[name])
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    ended = dict(_commands(home))
    assert _is_whole(home)
    assert set(ended.values()) <= {0, 1, 2}


@pytest.mark.parametrize("place", ["out/store", "out/store/index.sqlite"])
def test_a_linked_store_is_refused_by_every_command(
    place: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / place).rename(home / "elsewhere")
    (home / place).symlink_to(home / "elsewhere")
    for name, code in _commands(home):
        if name != "merge " + str(home / "merged"):
            assert (name, code) == (name, 2)
            assert "is a link" in capsys.readouterr().err


def test_the_folder_itself_may_be_a_link(home: Path) -> None:
    (home / "link").symlink_to(home / "out")
    assert main(["status", str(home / "link")]) == 0
    assert main(["store", "gc", str(home / "link")]) == 0
    assert main(["report", str(home / "link"), "--figures", "none"]) == 0


def test_python_refuses_links_too(home: Path) -> None:
    (home / "out" / "small" / "extra").symlink_to(home / "thesis")
    study = Study.load(home / "study.json")
    with pytest.raises(StudyError, match="is a link"):
        study.run(home / "out", engine="inline")
    with pytest.raises(StudyError, match="is a link"):
        rewrite(home / "out")


def test_pipes_keep_nobody_waiting(home: Path) -> None:
    for place in ("out/store/lock", "out/small/report.html", "out/small/study.zip"):
        (home / place).unlink()
        os.mkfifo(home / place)
        assert _run(home) in (0, 2)
        assert main(["report", str(home / "out"), "--figures", "none"]) in (0, 2)
        (home / place).unlink()


@pytest.mark.parametrize("place", ["scratch", "scratch/2", "objects", "objects/unfinished"])
def test_pipes_in_the_place_of_folders_keep_nobody_waiting(place: str, home: Path) -> None:
    path = home / "out" / "store" / place
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    refused = main(["store", "gc", str(home / "out")])
    assert refused == (0 if place == "scratch/2" else 2)
    with Store(home / "elsewhere") as store:
        store.connection.execute("INSERT INTO runs VALUES (2, 1, 'x', 0.0, NULL, '{}')")
    (home / "elsewhere" / "scratch").mkdir(exist_ok=True)
    os.mkfifo(home / "elsewhere" / "scratch" / "2")
    with Store(home / "elsewhere") as store, pytest.raises(LinkError, match="is no folder"):
        Registration(store)


def test_a_journal_that_names_another_file_is_refused(home: Path) -> None:
    """SQLite would remove the file that it names."""
    journal = home / "out" / "store" / f"{INDEX}-journal"
    journal.write_bytes(b"/home/me/thesis" + bytes(8) + bytes.fromhex("d9d505f920a163d7"))
    assert _run(home) == 2
    journal.write_bytes(b"")
    assert _run(home) == 0


ALIEN = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
    "view": "ALTER TABLE hosts RENAME TO h; CREATE VIEW hosts AS SELECT * FROM h",
    "table": "CREATE TABLE more (x)",
    "column": "ALTER TABLE runs ADD COLUMN x TEXT",
    "index": "CREATE INDEX i ON results (abs(wall))",
}


@pytest.mark.parametrize("statement", ALIEN.values(), ids=ALIEN)
def test_only_the_tables_of_a_store_are_accepted(
    statement: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = sqlite3.connect(home / "out" / "store" / INDEX)
    index.executescript(statement)
    index.close()
    for words in (["status"], ["store", "gc"], ["report"]):
        assert main([*words, str(home / "out")]) == 2
        assert "not those of a store" in capsys.readouterr().err
    assert _run(home) == 2


@pytest.mark.parametrize("steps", range(1, len(MIGRATIONS) + 1))
def test_older_stores_are_used_whole(steps: int, home: Path, tmp_path: Path) -> None:
    """Their tables take values of any type; new ones refuse what is of another type."""
    with Store(home / "out" / "store") as store:
        rows = store.connection.execute("SELECT * FROM results").fetchall()
    with pytest.raises(StudyError, match="cannot store TEXT"), Store(home / "out/store") as store:
        store.connection.execute("UPDATE runs SET pid = 'x'")
    index = home / "out" / "store" / INDEX
    index.unlink()
    older = sqlite3.connect(index)
    for statement in (one for step in MIGRATIONS[:steps] for one in step):
        older.execute(statement)
    width = len(older.execute("SELECT * FROM results LIMIT 0").description)
    marks = ", ".join("?" * width)
    older.executemany(f"INSERT INTO results VALUES ({marks})", (row[:width] for row in rows))
    older.execute(f"PRAGMA user_version = {steps}")
    older.commit()
    older.close()
    assert main(["status", str(home / "out")]) == 0
    study = Study.load(home / "study.json")
    assert not study.run(home / "out", engine="inline", figures="none").ran
    with Store(home / "out" / "store") as store:  # opened again as it is now
        assert len(store.connection.execute("SELECT * FROM results").fetchall()) == len(rows)


def test_files_are_opened_part_by_part(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / "a" / "link").symlink_to("b")
    (tmp_path / "a" / "b" / "linked").symlink_to("file")
    os.mkfifo(tmp_path / "a" / "pipe")
    assert read_file(tmp_path, "a", "b", "file") == b"x"
    for names in (("a", "link", "file"), ("a", "b", "linked"), ("a", "pipe")):
        with pytest.raises(LinkError):
            os.close(open_file(tmp_path, *names))
    with pytest.raises(FileNotFoundError, match="none"):
        open_file(tmp_path, "a", "none")
    assert [entry.name for entry in plain_files(tmp_path, "a", "b")] == ["file"]
    assert list(plain_files(tmp_path, "a", "link")) == []
    write_file(tmp_path / "a" / "b" / "linked", b"new")
    assert (tmp_path / "a" / "b" / "file").read_text() == "x"
    assert not (tmp_path / "a" / "b" / "linked").is_symlink()


# Served pages


@pytest.fixture
def server(home: Path) -> Iterator[live.LiveServer]:
    out = home / "out"
    shutil.rmtree(out / "small" / "benchmarks")
    (out / "linked").mkdir()
    (out / "linked" / "report.html").symlink_to(home / "thesis" / "chapter.tex")
    (out / "elsewhere").symlink_to(home / "out" / "small")
    (out / os.fsdecode(b"caf\xe9")).mkdir()
    (out / os.fsdecode(b"caf\xe9") / "report.html").write_text("hello")
    with server_of(out) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def _answer(server: live.LiveServer, path: str) -> tuple[str, dict[str, str]]:
    with urllib.request.urlopen(server.address + path, timeout=20) as answer:
        return answer.read().decode(), dict(answer.headers)


@pytest.mark.parametrize("setup", ["linked", "elsewhere"])
def test_no_link_is_served(server: live.LiveServer, setup: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _answer(server, f"report/{setup}")
    assert setup not in json.loads(_answer(server, server.state_address)[0])["reports"]


@pytest.mark.parametrize("path", ["", "report/small", "so-far/small", "report/caf%E9"])
def test_served_pages_have_no_origin_and_no_network(server: live.LiveServer, path: str) -> None:
    _, headers = _answer(server, path)
    said = [part.strip() for part in headers["Content-Security-Policy"].split(";")]
    policy = {part.split()[0]: part.split()[1:] for part in said}
    assert policy["sandbox"] in (["allow-scripts"], ["allow-scripts", "allow-downloads"])
    assert policy["default-src"] == policy["frame-ancestors"] == ["'none'"]
    asked = [server.address + "state.json"]
    assert policy.get("connect-src", []) == ([] if path else asked)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_state_is_for_our_own_page(server: live.LiveServer) -> None:
    for path in ("state.json", "state.json?key=", "state.json?key=%ff"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            _answer(server, path)
    assert _answer(server, server.state_address)[1]["Access-Control-Allow-Origin"] == "null"


def test_requests_leave_no_tracebacks_and_have_an_end(
    server: live.LiveServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def answered(request: bytes) -> None:
        with socket.create_connection(server.server_address[:2], timeout=60) as connection:
            connection.sendall(request)
            while connection.recv(65536):
                pass

    answered(b"GET /\xff HTTP/1.0\r\nHost: \xff\r\n\r\n")
    answered(b"\xff\xfe\r\n\r\n")
    with monkeypatch.context() as patch, suppress(ConnectionError):
        patch.setattr(live._Handler, "timeout", 0.2)
        answered(b"GET / HT")  # is given up, on a busy machine before it has come
    for _ in range(3):
        with socket.create_connection(server.server_address[:2]) as connection:
            connection.sendall(f"GET / HTTP/1.0\r\nHost: {server.address[7:-1]}\r\n\r\n".encode())
    _answer(server, "report/small")
    assert "Traceback" not in capfd.readouterr().err


def test_what_cannot_be_shown_is_said_in_words(
    server: live.LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(title: str) -> str:
        raise KeyError(title)

    monkeypatch.setattr(server, "page", fails)
    with pytest.raises(urllib.error.HTTPError, match="500") as caught:
        _answer(server, "so-far/small")
    assert "this cannot be shown" in caught.value.read().decode()
