"""A user's own modules on their way to other machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dagathlon.cluster import user_modules as baggage
from dagathlon.cluster.user_modules import packed_user_modules, unpack_user_modules
from dagathlon.errors import DagathlonError
from dagathlon.modules.registry import FILES

LEARNER = """
from dataclasses import dataclass

from helpers.naming import NAME
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner


@dataclass(frozen=True, kw_only=True)
class Own(Learner):
    \"\"\"Finds nothing.\"\"\"

    name = NAME

    def learn(self, data, rng):
        return Estimate(Graph(data.names))
"""
MANIFEST = """\
name = "outside"
summary = "A module of the tests."
command = ["sh", "{folder}/learn.sh"]
gives = "undirected"
"""
VERSIONS = """
import json
from dagathlon.modules import modules
found = modules("algorithm")
print(json.dumps([found[name].version for name in ("own", "outside")]))
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with helpers, and a folder of an external module, at home."""
    home = tmp_path / "home"
    (home / "helpers").mkdir(parents=True)
    (home / "own.py").write_text(LEARNER)
    (home / "helpers" / "__init__.py").write_text("")
    (home / "helpers" / "naming.py").write_text('NAME = "own"\n')
    (home / "unrelated.py").write_text("raise SystemExit\n")
    folder = home / "outside"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / "module.toml").write_text(MANIFEST)
    (folder / "learn.sh").write_text("printf 'a,b\\n0,0\\n0,0\\n' > adjmat.csv\n")
    (folder / "learn.sh").chmod(0o755)
    monkeypatch.setenv(FILES, os.pathsep.join([str(home / "own.py"), str(folder)]))
    return home


def versions(variables: Mapping[str, str]) -> list[int]:
    """What a process with these variables knows the modules as."""
    done = subprocess.run(
        [sys.executable, "-c", VERSIONS],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[int] = json.loads(done.stdout)
    return found


def test_modules_are_the_same_on_both_sides(own, tmp_path):
    variables = unpack_user_modules(packed_user_modules(), tmp_path / "away")
    here = versions({})
    for path in sorted(own.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert versions(variables) == here
    entries = [Path(entry) for entry in variables[FILES].split(os.pathsep)]
    assert [entry.name for entry in entries] == ["own.py", "outside"]
    assert all(entry.is_relative_to(tmp_path / "away") for entry in entries)


def test_only_what_belongs_to_a_module_travels(own, tmp_path):
    for hidden in (".git/config", ".venv/big.bin", ".env", "inner/.secret"):
        (own / "outside" / hidden).parent.mkdir(exist_ok=True)
        (own / "outside" / hidden).write_text("nobody's business")
    (own / "outside" / "dangling").symlink_to(own / "nowhere")
    unpack_user_modules(packed_user_modules(), tmp_path / "away")
    found = {path.name for path in (tmp_path / "away").rglob("*") if path.is_file()}
    assert found == {"own.py", "__init__.py", "naming.py", "module.toml", "learn.sh"}
    (script,) = (tmp_path / "away").rglob("learn.sh")
    assert script.stat().st_mode & 0o777 == 0o755


def test_files_that_are_too_large_are_refused_before_they_are_read(own, monkeypatch):
    with (own / "outside" / "data.bin").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(DagathlonError, match=r"953,\d{3} MB in all cannot be sent.*at most 64 MB"):
        packed_user_modules()
    assert baggage._MOST_BYTES == 64 * 2**20


def test_nobody_without_modules_carries_anything(monkeypatch, tmp_path):
    monkeypatch.delenv(FILES, raising=False)
    assert unpack_user_modules(packed_user_modules(), tmp_path) == {FILES: ""}
