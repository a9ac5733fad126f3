"""What stored results call classes of a user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dagathlon.data import storable as module
from dagathlon.data.storable import name_of, stored_class
from dagathlon.errors import DagathlonError
from dagathlon.modules.user_files import namespace_of, run_file
from dagathlon.study.store.codec import decode, encode

SOURCE = """
from dagathlon.data.storable import storable


@storable
class {name}:
    def to_parts(self):
        return "parts", {{}}

    @classmethod
    def from_parts(cls, meta, arrays):
        return cls()
"""


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of these tests are known to no other test."""
    monkeypatch.setattr(module, "_declared", dict(module._declared))


def loaded(folder: Path, name: str = "Coin") -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "coins.py"
    path.write_text(SOURCE.format(name=name))
    return getattr(run_file(path), name)


def test_the_name_does_not_hang_on_the_folder_of_the_file(tmp_path):
    first = loaded(tmp_path / "first")
    stored = b"".join(encode(first()))
    name = name_of(first)
    module._declared.clear()
    second = loaded(tmp_path / "second")
    assert name == name_of(second) == "dagathlon_file_coins.coins:Coin"
    assert b"".join(encode(second())) == stored
    assert type(decode(stored)) is second


def test_older_names_with_the_folder_are_read(tmp_path):
    coin = loaded(tmp_path)
    path = tmp_path / "coins.py"
    assert stored_class(f"{namespace_of(path)}.coins:Coin") is coin
    assert stored_class("dagathlon_file_coins_0123abcd.coins:Coin") is coin
    assert stored_class("dagathlon_file_coins_0123abcd.coins:Other") is None


def test_a_file_that_is_loaded_again_replaces_itself(tmp_path):
    first = loaded(tmp_path)
    second = loaded(tmp_path)
    assert first is not second
    assert stored_class(name_of(first)) is second


def test_two_files_of_one_name_are_refused_when_they_declare_one_class(tmp_path):
    loaded(tmp_path / "first")
    with pytest.raises(DagathlonError, match=r"two files declare a storable Coin.*rename one"):
        loaded(tmp_path / "second")
    assert loaded(tmp_path / "third", "Die") is stored_class("dagathlon_file_coins.coins:Die")
