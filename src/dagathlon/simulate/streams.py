"""Random streams derived from a random stream."""

from __future__ import annotations

import numpy as np


def native_key(rng: np.random.Generator) -> int:
    """Draw a 64-bit key for the random streams of the native core."""
    return int(rng.integers(0, 2**64, dtype=np.uint64))


def substreams(rng: np.random.Generator, count: int) -> list[np.random.Generator]:
    """Return independent streams, so that more draws from one do not change the others."""
    keys = rng.integers(0, 2**64, (count, 2), dtype=np.uint64)
    return [np.random.Generator(np.random.Philox(key=key)) for key in keys]
