"""The random streams: known answers, an independent Philox, exactness and uniformity."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from dagathlon._core import Stream, normal_quantile, philox, stream_bits


def any_philox(
    counter: list[int],
    key: list[int],
    multipliers: tuple[int, int],
    weyl: tuple[int, int],
    bits: int,
) -> list[int]:
    """Philox4xW-10 for words of any width, from the paper."""
    mask = (1 << bits) - 1
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = multipliers[0] * c[0], multipliers[1] * c[2]
        c = [b >> bits ^ c[1] ^ k[0], b & mask, a >> bits ^ c[3] ^ k[1], a & mask]
        k = [(word + step) & mask for word, step in zip(k, weyl, strict=True)]
    return c


WORDS_32 = ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85), 32)
WORDS_64 = (
    (0xD2E7470EE14C6C93, 0xCA5A826395121157),
    (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B),
    64,
)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_known_answers_of_random123(
    counter: list[int], key: list[int], expected: list[int]
) -> None:
    assert list(philox(counter, key)) == expected


def test_the_same_rounds_as_numpy_s_wider_philox() -> None:
    # numpy has the 64-bit version: the test's own Philox equals it there, and ours at 32 bits.
    generator = np.random.Philox(key=np.array([7, 9], dtype=np.uint64))
    words = generator.random_raw(8).tolist()
    assert any_philox([1, 0, 0, 0], [7, 9], *WORDS_64) == words[:4]
    assert any_philox([2, 0, 0, 0], [7, 9], *WORDS_64) == words[4:]
    rng = np.random.default_rng(1)
    for _ in range(200):
        counter = rng.integers(0, 2**32, 4).tolist()
        key = rng.integers(0, 2**32, 2).tolist()
        assert list(philox(counter, key)) == any_philox(counter, key, *WORDS_32)


def test_a_stream_is_the_generator_read_in_order() -> None:
    seed, number = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    words = []
    for block in range(3):
        words += philox([block, 0, 0x76543210, 0xFEDCBA98], [0x89ABCDEF, 0x01234567])
    expected = [words[i] | words[i + 1] << 32 for i in range(0, 12, 2)]
    stream = Stream(seed, number)
    assert [stream.bits() for _ in range(6)] == expected
    for start in range(6):
        assert Stream(seed, number, start).bits() == expected[start]
    assert list(stream_bits(seed, number, 0, 6)) == expected
    assert list(stream_bits(seed, number, 4, 2)) == expected[4:]


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1000])
def test_many_draws_at_once_are_the_single_draws(count: int) -> None:
    first = 2**33 - 6
    stream = Stream(3, 4, first)
    assert list(stream_bits(3, 4, first, count)) == [stream.bits() for _ in range(count)]


def test_uniform_is_the_high_53_bits() -> None:
    bits, uniform = Stream(1, 2), Stream(1, 2)
    for _ in range(1000):
        u = uniform.uniform()
        assert u == (bits.bits() >> 11) / 2**53
        assert 0 <= u < 1


def test_streams_and_seeds_differ() -> None:
    draws = {Stream(seed, number).bits() for seed in range(50) for number in range(50)}
    assert len(draws) == 2500


def test_below_is_uniform_and_in_range() -> None:
    stream = Stream(11, 0)
    counts = np.bincount([stream.below(7) for _ in range(70_000)], minlength=7)
    statistic = ((counts - 10_000) ** 2 / 10_000).sum()
    assert statistic < 22.5  # the 0.999 quantile of chi-square with 6 degrees of freedom
    assert all(stream.below(1) == 0 for _ in range(10))
    # A bound of 3·2^62 rejects a quarter of the draws; a biased method would favour low values.
    huge = [stream.below(3 << 62) for _ in range(3000)]
    thirds = np.bincount([value >> 62 for value in huge], minlength=3)
    assert thirds.sum() == 3000
    assert ((thirds - 1000) ** 2 / 1000).sum() < 13.8
    with pytest.raises(ValueError, match="below 0"):
        stream.below(0)


def test_permutations_are_equally_likely() -> None:
    stream = Stream(5, 5)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(24_000):
        order = tuple(stream.permutation(4))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 49.7
    assert stream.permutation(0) == []


def test_normal_quantiles_against_the_standard_library() -> None:
    normal = statistics.NormalDist()
    for p in np.concatenate([np.linspace(0.001, 0.999, 1999), 0.5 ** np.arange(2, 53)]):
        q = p - 0.5
        if 0.5 + q == p and q != 0:
            assert normal_quantile(q) == pytest.approx(normal.inv_cdf(p), rel=2e-15, abs=1e-16)
    assert normal_quantile(0.0) == 0.0
    assert normal_quantile(0.25) == -normal_quantile(-0.25)
    assert normal_quantile(-0.5 + 2**-54) == pytest.approx(-8.2923610758135957, rel=1e-14)
    with pytest.raises(ValueError, match="strictly"):
        normal_quantile(0.5)


def test_normal_draws() -> None:
    stream = Stream(2, 1)
    values = np.array([stream.normal() for _ in range(100_000)])
    edges = [statistics.NormalDist().inv_cdf(k / 50) for k in range(1, 50)]
    counts = np.bincount(np.searchsorted(edges, values), minlength=50)
    assert ((counts - 2000) ** 2 / 2000).sum() < 85.4  # 0.999 quantile, 49 degrees of freedom
    assert values[:2].tolist() == [Stream(2, 1).normal(), Stream(2, 1, 1).normal()]
