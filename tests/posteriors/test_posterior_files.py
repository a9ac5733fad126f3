"""Posteriors as files: there and back, as trajectories, and damaged ones."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from all_graphs import all_dags
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagathlon.data import read_data
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.base import Estimate
from dagathlon.posteriors import (
    Chain,
    ChainRecorder,
    MarginalPosterior,
    Posterior,
    files,
    read_posterior,
    write_posterior,
)
from dagathlon.posteriors.edits import Edits
from dagathlon.study.store.codec import decode, encode

GRAPHS = [
    *all_dags("abc"),
    Graph.from_edges(["a - b", "b - c"], "abc"),
    Graph.from_edges(["a o-> b", "b <-> c"], "abc"),
]


@st.composite
def posteriors(draw: st.DrawFn) -> Posterior:
    """Of DAGs, of any graphs, of chains of changes, exact ones; with and without all options."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    count = draw(st.integers(1, 12))
    if draw(st.booleans()):
        return Posterior([chain(rng, count) for _ in range(draw(st.integers(1, 3)))])
    dags = draw(st.booleans())
    graphs = [GRAPHS[k] for k in rng.integers(25 if dags else len(GRAPHS), size=count)]
    with_parameters = dags and draw(st.booleans())
    found = Posterior.of(
        graphs,
        score=rng.normal(size=count) if draw(st.booleans()) else None,
        log_weights=rng.normal(size=count) if draw(st.booleans()) else None,
        coefficients=[rng.normal(size=(3, 3)) * g.adjacency for g in graphs]
        if with_parameters
        else None,
        variances=rng.random((count, 3)) if with_parameters else None,
        markov=draw(st.booleans()),
    )
    if not draw(st.booleans()):
        return found
    edges = np.triu(rng.random((3, 3)), 1)
    paths = np.triu(rng.random((3, 3)), 1) if draw(st.booleans()) else None
    return MarginalPosterior(
        "abc", edges, best=graphs[0], path_probabilities=paths, entropy=0.5, chains=found.chains
    )


def chain(rng: np.random.Generator, rows: int) -> Chain:
    recorder = ChainRecorder("abc", directed=True)
    for k in range(rows):
        recorder.record(2 * k, float(rng.normal()), np.triu(rng.random((3, 3)) < 0.5, 1))
    return recorder.chain(2 * rows)


@settings(max_examples=60)
@given(found=posteriors())
def test_there_and_back(found: Posterior) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.npz"
        write_posterior(found, path)
        again = read_posterior(path)
    assert again == found
    assert again.names == found.names
    np.testing.assert_array_equal(again.edge_probabilities, found.edge_probabilities)
    stored = decode(b"".join(encode(Estimate(GRAPHS[0], {"score": 1.5}, found))))
    assert stored.posterior == found
    assert stored.stats == {"score": 1.5}


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), rows=st.integers(1, 20))
def test_trajectories_are_read_and_written(seed: int, rows: int) -> None:
    found = Posterior([chain(np.random.default_rng(seed), rows)])
    plain = Posterior.of([found.chains[0].graph_at(k) for k in range(rows)], score=range(rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.csv"
        write_posterior(found, path)
        assert read_posterior(path) == found
        write_posterior(plain, path)
        again = read_posterior(path)
    np.testing.assert_allclose(again.edge_probabilities, plain.edge_probabilities)
    assert again.n_draws == rows


def test_anybody_can_read_the_arrays(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    write_posterior(Posterior.of([GRAPHS[0], GRAPHS[3]], weights=[0.25, 0.75]), path)
    with np.load(path, allow_pickle=False) as arrays:
        meta = json.loads(arrays["meta"].tobytes())
        assert meta["names"] == ["a", "b", "c"]
        assert meta["chains"] == [{"kind": "sample", "form": "arcs", "markov": False}]
        bits = np.unpackbits(arrays["0.bits"].view(np.uint8), axis=1, bitorder="little", count=6)
        np.testing.assert_allclose(np.exp(arrays["0.log_weights"]), [0.25, 0.75])
    off = ~np.eye(3, dtype=bool)
    assert bits.tolist() == [GRAPHS[0].adjacency[off].tolist(), GRAPHS[3].adjacency[off].tolist()]


def test_the_same_posterior_gives_the_same_bytes(tmp_path: Path) -> None:
    found = Posterior.of(GRAPHS, log_weights=range(len(GRAPHS)))
    for name in ("a.npz", "b.npz"):
        write_posterior(found, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**6), value=st.integers(0, 255))
def test_a_changed_byte_is_an_error_or_does_not_matter(
    tmp_path: Path, place: int, value: int
) -> None:
    path = tmp_path / "p.npz"
    found = Posterior.of(GRAPHS[:5], weights=[0.1, 0.2, 0.3, 0.2, 0.2])
    write_posterior(found, path)
    content = bytearray(path.read_bytes())
    content[place % len(content)] = value
    path.write_bytes(content)
    try:
        again, problem = read_posterior(path), "p.npz"
    except DataError as error:
        again, problem = found, str(error)
    assert again == found
    assert "p.npz" in problem


def test_what_a_trajectory_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    weighted = Posterior.of(GRAPHS[:2], weights=[0.5, 0.5])
    with pytest.raises(DataError, match="no place for weights"):
        write_posterior(weighted, path)
    with pytest.raises(DataError, match="edges with circles"):
        write_posterior(Posterior.of(GRAPHS[-1:]), path)
    with pytest.raises(DataError, match="holds one chain, and there are 2"):
        write_posterior(Posterior.of(GRAPHS[:2], chain=[0, 1]), path)
    assert not path.exists()


def test_damaged_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.npz"
    with pytest.raises(DataError, match=r"no such file"):
        read_posterior(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="not a posterior"):
        read_posterior(path)
    np.savez(path, a=np.ones(3))
    with pytest.raises(DataError, match="not a posterior"):
        read_posterior(path)
    np.savez(path, meta=np.frombuffer(b'{"version": 9}', np.uint8))
    with pytest.raises(DataError, match="format 9; this version knows format 1"):
        read_posterior(path)
    write_posterior(Posterior.of(GRAPHS[:3]), path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="not a posterior"):
        read_posterior(path)
    write_posterior(Posterior.of(GRAPHS[:3]), path)
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    with pytest.raises(DataError, match="more than is ever read"):
        read_posterior(path)
    with pytest.raises(DataError, match=r"written as \.npz"):
        write_posterior(Posterior.of(GRAPHS[:3]), tmp_path / "p.pickle")
    with pytest.raises(DataError, match="cannot be written"):
        write_posterior(Posterior.of(GRAPHS[:3]), tmp_path / "no" / "p.npz")


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    np.savez(path, meta=np.array([{"version": 1}], dtype=object))
    with pytest.raises(DataError, match="not a posterior"):
        read_posterior(path)


def test_bits_that_are_no_graph_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    write_posterior(Posterior.of(GRAPHS[:3]), path)
    with np.load(path) as arrays:
        kept = {name: arrays[name].copy() for name in arrays.files}
    kept["0.bits"][0, 0] |= np.uint64(1) << np.uint64(63)
    np.savez(path, **kept)
    with pytest.raises(DataError, match="beyond the last pair"):
        read_posterior(path)
    assert zipfile.is_zipfile(path)


def test_chains_of_older_stores_are_still_read() -> None:
    """The bytes of an estimate with a chain, as they were written before there were posteriors."""
    old = Chain(
        "abc",
        True,
        index=[0, 3, 9],
        score=[-3.0, -2.0, -2.0],
        added=Edits.of([[(0, 1)], [(1, 2)], []]),
        removed=Edits.of([[], [(0, 1)], []]),
    )
    stored = bytes.fromhex(OLD_STORE)
    found = decode(stored)
    assert found.posterior == Posterior([old])
    assert found.graph == Graph.from_edges([("b", "c")], "abc")
    assert dict(found.stats) == {"score": -2.0}


OLD_STORE = (
    "789ca590d10a82301486d56eea2de25cafd06961d15d415d44dd742723962e90b0605b1154efd6a3b5a99904"
    "91d60f870dbeff7c834da6abd97cb9306dd348130013324ea8648082002820d8a80981a00b88f0c0190c3bb8"
    "6bdf90e447467427a17c2754e77a74d48e8b5c82600cc85610e27dc4ce8a8d625fb38cf43d8d329942db1272"
    "b0af198d2216a56b9e6218e19c0e7041d742522e45e1f6b20aeef57585b3e4702a299ca7c2c576897f90b8be"
    "4708695749fa6996d130fecc53d0fa69bb79cf2fef67a598f9583fbdfd721825471d97f9bd52db55d5f900da"
    "b252a2"
)


def test_the_space_of_a_posterior_is_kept(tmp_path: Path) -> None:
    plain = Posterior.of(GRAPHS[:3], space="all DAGs")
    other = Posterior.of(GRAPHS[:2], space="trees")
    write_posterior(plain, tmp_path / "draws.npz")
    assert read_posterior(tmp_path / "draws.npz").space == "all DAGs"
    assert plain.after(0.2).thinned(2).space == "all DAGs"
    assert plain != Posterior.of(GRAPHS[:3])
    assert Posterior.merge([plain, other, plain]).space == "all DAGs; trees"
    assert Posterior.merge([plain, plain]).space == "all DAGs"
    assert Posterior.of(GRAPHS[:2]).space == ""


def test_an_exact_posterior_says_which_dags_it_sums_over() -> None:
    data = read_data(np.random.default_rng(1).normal(size=(20, 3)))
    everything = learn(data, "exact_posterior").posterior
    assert everything is not None
    assert everything.space == "all DAGs"
    limited = learn(data, "exact_posterior", max_parents=1).posterior
    assert limited is not None
    assert limited.space == "all DAGs of at most 1 parents for each node"
    assert decode(b"".join(encode(Estimate(limited.map(), posterior=limited)))).posterior == limited
