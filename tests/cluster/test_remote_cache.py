"""What a worker on another machine keeps at hand, and what it lets go."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path
from typing import Any

import pytest

from dagathlon.cluster import cache as module
from dagathlon.cluster.cache import Cache
from dagathlon.study.store.objects import INLINE, DamagedError, Payload

SIZE = 2 * INLINE


def content(number: int, size: int = SIZE) -> tuple[bytes, bytes]:
    data = bytes([number]) * size
    return hashlib.sha256(data).digest(), data


def given(cache: Cache, folder: Path, number: int, *, owed: bool = False) -> bytes:
    """A large result, made here."""
    digest, data = content(number)
    file = folder / f"result-{number}"
    file.write_bytes(data)
    cache.adopt(file, digest, SIZE, owed=owed)
    return digest


def read(cache: Cache, digest: bytes) -> None:
    """A batch that reads it comes and goes."""
    with cache.used([digest]):
        assert cache.payload(digest, SIZE) is not None


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", 3 * SIZE)


def test_small_results_are_kept_as_they_are_and_the_oldest_goes_first(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_SMALL_BYTES", 300)
    cache = Cache(tmp_path / "cache", 0)
    known = [content(number, 100) for number in range(4)]
    for digest, data in known[:3]:
        cache.take(digest, data)
    oldest, second = known[0][0], known[1][0]
    assert cache.payload(oldest, 100) == Payload(oldest, 100, known[0][1])
    cache.take(*known[3])
    assert cache.payload(second, 100) is None
    assert all(cache.payload(known[i][0], 100) is not None for i in (0, 2, 3))


def test_a_small_result_that_comes_twice_takes_its_room_once(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_SMALL_BYTES", 250)
    cache = Cache(tmp_path / "cache", 0)
    first, second = content(1, 100), content(2, 100)
    for digest, data in (first, first, first, second):
        cache.take(digest, data)
    assert cache.payload(first[0], 100) is not None


def test_the_file_that_was_not_used_for_longest_goes_first(cache, tmp_path):
    files = [given(cache, tmp_path, number) for number in range(3)]
    for digest in files:
        read(cache, digest)
    read(cache, files[0])
    given(cache, tmp_path, 3)
    assert cache.payload(files[1], SIZE) is None
    assert not cache.objects.path(files[1]).exists()
    assert all(cache.payload(files[i], SIZE) is not None for i in (0, 2))


def test_results_that_nobody_has_fetched_stay_however_many_there_are(cache, tmp_path):
    owed = [given(cache, tmp_path, number, owed=True) for number in range(6)]
    assert all(cache.piece(digest, 0, SIZE) for digest in owed)
    cache.settle(owed[:3])
    given(cache, tmp_path, 7)
    assert [cache.payload(digest, SIZE) is None for digest in owed] == [True] * 3 + [False] * 3


def test_inputs_stay_until_the_batch_that_they_came_for_has_ended(cache, tmp_path):
    inputs = [given(cache, tmp_path, number) for number in range(5)]
    assert all(cache.payload(digest, SIZE) is not None for digest in inputs)
    with cache.used(inputs), cache.used(inputs[:1]):
        given(cache, tmp_path, 6)
        assert all(cache.payload(digest, SIZE) is not None for digest in inputs)
    given(cache, tmp_path, 7)
    assert sum(cache.payload(digest, SIZE) is None for digest in inputs) >= 4


def test_pieces_make_the_whole(cache):
    digest, data = content(1)
    for offset in range(0, SIZE, 5000):
        assert cache.payload(digest, SIZE) is None
        cache.receive(digest, SIZE, offset, data[offset : offset + 5000])
    assert cache.payload(digest, SIZE) == Payload(digest, SIZE, None)
    assert bytes(cache.objects.read(Payload(digest, SIZE, None))) == data
    assert cache.piece(digest, 10, 20) == data[10:30]


def test_pieces_that_do_not_make_the_whole_are_refused_and_can_come_again(cache):
    digest, data = content(1)
    cache.receive(digest, SIZE, 0, data[:5000])
    with pytest.raises(DamagedError):
        cache.receive(digest, SIZE, 5000, bytes(SIZE - 5000))
    assert cache.payload(digest, SIZE) is None
    cache.receive(digest, SIZE, 0, data)
    assert cache.payload(digest, SIZE) is not None


def test_a_delivery_that_begins_again_leaves_nothing_of_the_first(cache):
    digest, data = content(1)
    cache.receive(digest, SIZE, 0, bytes(5000))
    for offset in (0, SIZE // 2):
        cache.receive(digest, SIZE, offset, data[offset : offset + SIZE // 2])
    assert cache.piece(digest, 0, SIZE) == data


def test_what_is_forgotten_is_gone_and_its_room_is_free(cache, tmp_path):
    digest = given(cache, tmp_path, 1)
    small, data = content(2, 10)
    cache.take(small, data)
    cache.forget(digest)
    cache.forget(small)
    cache.forget(small)
    assert cache.payload(digest, SIZE) is None
    assert cache.payload(small, 10) is None
    with pytest.raises(DamagedError):
        cache.piece(digest, 0, SIZE)


def test_a_full_disk_is_made_room_on_before_anybody_is_told(cache, tmp_path, monkeypatch):
    old = given(cache, tmp_path, 1)
    read(cache, old)
    digest, data = content(2)
    put, asked = module._put, []

    def full(path: Path, offset: int, piece: bytes) -> Any:
        asked.append(cache.objects.path(old).exists())
        if asked[-1]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(path, offset, piece)

    monkeypatch.setattr(module, "_put", full)
    cache.receive(digest, SIZE, 0, data)
    assert asked == [True, False]
    assert cache.payload(digest, SIZE) is not None


def test_a_disk_that_stays_full_is_said(cache, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "_put", full)
    with pytest.raises(OSError, match="No space left"):
        cache.receive(*content(1)[:1], SIZE, 0, content(1)[1])
