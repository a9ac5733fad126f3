"""Damaged network files: each gives a valid network or a `DataError`, nothing else."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import random

import numpy as np
import pytest
from network_examples import examples

from dagathlon.data import Network, Table
from dagathlon.data.networks import NETWORK_FORMATS
from dagathlon.data.networks.container import MAGIC, VERSION
from dagathlon.data.networks.limits import decompressed
from dagathlon.errors import DataError

FILES = [(name, content) for name, contents in examples().items() for content in contents]
WORDS = [
    *(bytes([c]) for c in b'(){}[],;|"\\=:%*<>&/\x00\xff \n'),
    *(b"-1 1e309 nan inf 0x10 1_0 99999999999999999999 0 2 \xc3\xa9 \xed\xa0\x80".split()),
    *(b"table default property type discrete node probability variable network data".split()),
    *(b"normal( states potential <cpt> </cpt> <!DOCTYPE <!ENTITY &amp; <state/> ]]>".split()),
    *(b"\x00\x00\x00\x13 \x00\x00\x02\x0e \x00\x00\x00\xfe \x00\x00\x01\xff".split()),
    b"\xff\xff\xff\xff",
    *(b"\x7f\xff\xff\xff \x00\x00\x00\xee \x00\x00\x00\x15 \x00\x00\x04\x03".split()),
]


def mutated(content: bytes, rng: random.Random) -> bytes:
    """A few damages: bytes, words, slices cut out, doubled or moved."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        start = rng.randrange(len(data) + 1)
        length = rng.choice([1, 1, 4, 8, 40, 400])
        kind = rng.randrange(6)
        if kind == 0 and start < len(data):
            data[start] = rng.randrange(256)
        elif kind == 1:
            data[start:start] = rng.choice(WORDS)
        elif kind == 2:
            word = rng.choice(WORDS)
            data[start : start + len(word)] = word
        elif kind == 3:
            del data[start : start + length]
        elif kind == 4:
            piece = bytes(data[start : start + length])
            other = rng.randrange(len(data) + 1)
            data[other:other] = piece
        elif len(data) > 20:
            del data[rng.randrange(len(data)) :]
    return bytes(data)


def damaged(name: str, content: bytes, rng: random.Random) -> bytes:
    """A damaged file; inside a container or compression the outer layer stays valid."""
    if name == "dagnet" and rng.random() < 0.8:
        payload = mutated(lzma.decompress(content[len(MAGIC) + 33 :]), rng)
        digest = hashlib.sha256(payload).digest()
        return MAGIC + bytes([VERSION]) + digest + lzma.compress(payload, preset=0)
    if rng.random() < 0.2:
        return mutated(gzip.compress(content), rng)
    if name == "rds" and rng.random() < 0.5:
        return gzip.compress(mutated(content, rng), compresslevel=1)
    return mutated(content, rng)


def check(content: bytes, name: str) -> bool:
    """Whether the file still is a network, and if so a valid one."""
    try:
        network = NETWORK_FORMATS[name].read(decompressed(content))
    except DataError:
        return False
    assert isinstance(network, Network)
    for given in network.distributions.values():
        if isinstance(given, Table):
            assert np.allclose(given.probabilities.sum(axis=-1), 1)
    assert network.graph.names == network.names
    return True


def fuzz(seed: int, count: int) -> int:
    rng = random.Random(seed)
    valid = 0
    for _ in range(count):
        name, content = rng.choice(FILES)
        valid += check(damaged(name, content, rng), name)
    return valid


def test_damaged_files() -> None:
    valid = fuzz(1, 1500)
    # Some damage must leave a network (a changed label) and some must not.
    assert 15 < valid < 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 19))
def test_more_damaged_files(seed: int) -> None:
    assert 5 < fuzz(seed, 500) < 400


@pytest.mark.parametrize("name", NETWORK_FORMATS)
@pytest.mark.parametrize("content", [b"", b"\x00", b"\xff" * 100, b"\n" * 100, b"0" * 100])
def test_files_of_something_else(name: str, content: bytes) -> None:
    assert not check(content, name)
