"""Serialisation of posteriors as JSON and arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.dag_weights import MOST_KEPT, DagWeights
from dagathlon.posteriors.draws import Draws, Parameters
from dagathlon.posteriors.edge_means import EdgeMeans
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]

VERSION = 1
# Path probabilities of more variables take too long to compute just for storage.
_MOST_PATHS = 12


def to_parts(posterior: Posterior) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return a JSON value and named arrays; draws on demand are stored as drawn."""
    meta: dict[str, Any] = {"version": VERSION, "names": list(posterior.names), "chains": []}
    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, chain in enumerate(posterior.chains):
        about, chain_arrays = _chain_parts(chain)
        meta["chains"].append(about)
        arrays |= {f"{number}.{name}": array for name, array in chain_arrays.items()}
    if posterior.space:
        meta["space"] = posterior.space
    if isinstance(posterior, MarginalPosterior):
        meta["marginal"] = {
            "log_partition": _number(posterior.log_partition),
            "log_evidence": _number(posterior.log_evidence),
            "entropy": _number(posterior.entropy),
        }
        arrays |= {"edges": posterior.edge_probabilities, "best": posterior.map().marks}
        paths = _paths(posterior)
        arrays |= {} if paths is None else {"paths": paths}
        weights = posterior.dag_weights if len(posterior.names) <= MOST_KEPT else None
        if weights is not None:
            meta["marginal"]["shared_variance"] = [weights.shape, weights.rate]
            arrays |= {"terms": weights.terms, "rests": weights.rests}
    return meta, arrays


def from_parts(meta: Any, arrays: Arrays) -> Posterior:
    """Rebuild a posterior from its JSON value and arrays."""
    if not isinstance(meta, dict) or meta.get("version") != VERSION:
        version = meta.get("version") if isinstance(meta, dict) else meta
        raise DataError(f"a posterior of format {version!r}; this version knows format {VERSION}")
    names = meta["names"]
    chains = [
        _chain(names, about, {key.partition(".")[2]: a for key, a in arrays.items() if _of(key, k)})
        for k, about in enumerate(meta["chains"])
    ]
    exact, space = meta.get("marginal"), str(meta.get("space", ""))
    if exact is None:
        return Posterior(chains, space=space)
    return MarginalPosterior(
        names,
        arrays["edges"],
        best=Graph(names, arrays["best"]),
        path_probabilities=arrays.get("paths"),
        log_partition=_nan(exact["log_partition"]),
        log_evidence=_nan(exact.get("log_evidence")),  # not in files of the first versions
        entropy=_nan(exact["entropy"]),
        chains=chains,
        space=space,
        dag_weights=_dag_weights(exact, arrays),
    )


def _dag_weights(exact: Mapping[str, Any], arrays: Arrays) -> DagWeights | None:
    """Read family weights; None in files of the first versions and of many variables."""
    if "terms" not in arrays:
        return None
    shape, rate = map(float, exact["shared_variance"])
    return DagWeights(arrays["terms"], arrays["rests"], shape, rate)


def old_chain(names: list[str], directed: bool, arrays: Arrays) -> Posterior:
    """Read a sampler's chain in the storage format that preceded posteriors."""
    return Posterior([_chain(names, {"kind": "chain", "directed": directed}, arrays)])


def _of(key: str, number: int) -> bool:
    return key.startswith(f"{number}.")


def _chain_parts(chain: Draws) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    if isinstance(chain, Chain):
        arrays: dict[str, Any] = {
            "index": chain.index,
            "score": chain.score,
            "added": chain.added.edges,
            "added_starts": chain.added.starts,
            "removed": chain.removed.edges,
            "removed_starts": chain.removed.starts,
            "time": chain.time,
        }
        if chain.edge_means is not None:
            arrays |= {f"edge_{name}": array for name, array in chain.edge_means._asdict().items()}
        return {"kind": "chain", "directed": chain.directed}, _given(arrays)
    assert isinstance(chain, Sample)
    arrays = {"bits": chain.bits, "score": chain.score, "log_weights": chain.log_weights}
    if chain.parameters is not None:
        arrays |= chain.parameters._asdict()
    return {"kind": "sample", "form": chain.form, "markov": chain.markov}, _given(arrays)


def _given(arrays: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    return {name: array for name, array in arrays.items() if array is not None}


def _chain(names: list[str], about: Mapping[str, Any], arrays: Arrays) -> Draws:
    if about["kind"] == "chain":
        return Chain(
            names,
            about["directed"],
            index=arrays["index"],
            score=arrays["score"],
            added=Edits(arrays["added"], arrays["added_starts"]),
            removed=Edits(arrays["removed"], arrays["removed_starts"]),
            time=arrays.get("time"),
            edge_means=_edge_means(arrays),
        )
    fields = Parameters._fields
    given = Parameters(*(arrays[name] for name in fields)) if fields[0] in arrays else None
    return Sample(
        names,
        about["form"],
        arrays["bits"],
        score=arrays.get("score"),
        log_weights=arrays.get("log_weights"),
        parameters=given,
        markov=about["markov"],
    )


def _edge_means(arrays: Arrays) -> EdgeMeans | None:
    if "edge_means" not in arrays:
        return None
    return EdgeMeans(arrays["edge_lengths"], arrays["edge_means"])


def _paths(posterior: MarginalPosterior) -> npt.NDArray[np.float64] | None:
    if len(posterior.names) > _MOST_PATHS and "path_probabilities" not in vars(posterior):
        return posterior._paths
    try:
        return posterior.path_probabilities
    except DataError:
        return None


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
