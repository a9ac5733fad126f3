"""A user's module: its file, what it imports from beside it, and whose code it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import StudyError
from dagathlon.modules import add_files, find
from dagathlon.modules.sources import sources, version_of

DATA = Dataset([Variable("a"), Variable("b")], values=np.zeros((3, 2)))
LEARNER = '''
from dataclasses import dataclass
from dagathlon import Estimate, Graph, Learner
{imports}

@dataclass(frozen=True, kw_only=True)
class Mine(Learner):
    """Says a number.
    """

    name = "{name}"
    {more}

    def learn(self, data, rng):
        {late}
        return Estimate(Graph(data.names), {{"said": {said}}})
'''
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(
        name: str, imports: str = "", said: str = "1", late: str = "pass", more: str = ""
    ) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        text = LEARNER.format(
            name=path.parent.name + path.stem, imports=imports, said=said, late=late, more=more
        )
        path.write_text(text)
        return path

    return written


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = os.environ.get("DAGATHLON_MODULES", "")
    yield
    os.environ["DAGATHLON_MODULES"] = before
    add_files([])


def loaded(path: Path) -> Any:
    add_files([path])
    return find("algorithm", path.parent.name + path.stem)


def said(cls: Any) -> Any:
    return cls().learn(DATA, np.random.default_rng(1)).stats["said"]


def test_what_lies_beside_a_file_can_be_imported(write: Write, tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / "f/helper.py").write_text("from deeper.inner import NUMBER\n")
    package = tmp_path / "f/deeper"
    package.mkdir()
    (package / "__init__.py").write_text("from .other import OTHER\n")
    (package / "inner.py").write_text("from . import OTHER\nNUMBER = OTHER + 1\n")
    (package / "other.py").write_text("OTHER = 40\n")
    late = "import deeper.late; from helper import NUMBER"
    (package / "late.py").write_text("LATE = 1\n")
    path = write("f/mine.py", "import helper", "helper.NUMBER + deeper.late.LATE", late)
    cls = loaded(path)
    assert said(cls) == 42
    assert "helper" not in sys.modules
    assert "deeper" not in sys.modules
    names = {file.relative_to(path.parent).as_posix() for file in sources(path)}
    assert names == {
        "mine.py", "helper.py", "deeper/__init__.py", "deeper/inner.py", "deeper/other.py",
        "deeper/late.py",
    }  # fmt: skip


def test_helpers_of_the_same_name_do_not_meet(write: Write, tmp_path: Path) -> None:
    found = []
    for folder, number in (("one", 1), ("two", 2)):
        path = write(f"{folder}/mine.py", "import helper", "helper.NUMBER", "import helper")
        (path.parent / "helper.py").write_text(f"NUMBER = {number}\n")
        found.append(loaded(path))
    assert [said(cls) for cls in found] == [1, 2]
    assert found[0].version != found[1].version


@pytest.mark.parametrize("late", [False, True])
def test_an_edited_helper_is_another_version_and_is_read_again(
    write: Write, tmp_path: Path, late: bool
) -> None:
    statement = "from helper import NUMBER"
    path = write("g/mine.py", "" if late else statement, "NUMBER", statement if late else "pass")
    helper = path.parent / "helper.py"
    helper.write_text("NUMBER = 1\n")
    first = loaded(path)
    assert said(first) == 1
    assert loaded(path) is first
    helper.write_text("NUMBER = 2\n")  # of the same size, and in the same second
    second = loaded(path)
    assert said(second) == 2
    assert second.version != first.version
    helper.write_text("NUMBER = 1\n")
    assert loaded(path).version == first.version


def test_what_is_not_imported_does_not_count(write: Write) -> None:
    path = write("h/mine.py", "import json, numpy")
    version = loaded(path).version
    (path.parent / "notes.py").write_text("x = 1\n")
    (path.parent / "numpy").mkdir()  # a folder beside it does not hide what is installed
    assert sources(path) == [path]
    assert loaded(path).version == version


def test_a_single_file_has_the_version_that_older_stores_know(write: Write) -> None:
    import hashlib

    path = write("i/mine.py")
    content = hashlib.sha256(path.read_bytes()).digest()
    assert version_of([path]) == int.from_bytes(content[:6], "big")


def test_names_written_out_count(write: Write) -> None:
    path = write("j/mine.py", late='import importlib; importlib.import_module("helper")')
    (path.parent / "helper.py").write_text("")
    assert path.parent / "helper.py" in sources(path)


def test_whose_code_it_is(write: Write) -> None:
    assert loaded(write("k/mine.py")).implementation == "mine.py"
    more = 'implementation = "the authors, 2.1"'
    assert loaded(write("k/theirs.py", more=more)).implementation == "the authors, 2.1"
    path = write("k/derived.py", "from dagathlon.benchpress.pcalg import PcalgPc as Learner")
    assert loaded(path).implementation == "derived.py"


def test_modules_of_a_helper_are_the_users_too(write: Write) -> None:
    write("m/helper.py")
    path = write("m/mine.py", "from helper import Mine as Other")
    add_files([path])
    other = find("algorithm", "mhelper")
    assert other.implementation == "mine.py"
    assert other.version == find("algorithm", "mmine").version


def test_a_broken_helper_is_reported(write: Write) -> None:
    path = write("n/mine.py", "import helper")
    (path.parent / "helper.py").write_text("def broken(:\n")
    with pytest.raises(StudyError, match=r"mine\.py: SyntaxError: .*helper\.py"):
        add_files([path])
    (path.parent / "helper.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(StudyError, match="No module named 'nothing_of_that_name'"):
        add_files([path])
