"""Reader of ``.rds`` files with a fitted network of R's bnlearn (class ``bn.fit``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dagathlon.data.models.distributions import FloatArray
from dagathlon.data.models.network import Network
from dagathlon.data.networks.definition import Definition, at, build
from dagathlon.data.networks.limits import MAX_NODES
from dagathlon.data.networks.r_objects import RVector, read_r_object
from dagathlon.errors import DataError, listing
from dagathlon.wording import counted


def read(content: bytes) -> Network:
    """Read a decompressed ``.rds`` file."""
    return build(definitions(content))


def definitions(content: bytes) -> list[Definition]:
    """Return the nodes of a ``bn.fit`` object."""
    fit = read_r_object(content)
    if not isinstance(fit, RVector) or fit.kind != "list" or "bn.fit" not in _classes(fit):
        kind = listing(_classes(fit)) if isinstance(fit, RVector) else type(fit).__name__
        raise DataError(f"holds no bn.fit object of bnlearn, found class {kind}")
    names = fit.names()
    if len(names) != len(fit.values) or len(names) > MAX_NODES:
        raise DataError(f"{counted(len(names), 'name')} for {counted(len(fit.values), 'node')}")
    parts = {}
    for name, node in zip(names, fit.values, strict=True):
        if not isinstance(node, RVector) or node.kind != "list":
            raise DataError(f"node {name!r} is not a list")
        parts[name] = dict(zip(node.names(), node.values, strict=False))
    return [_definition(name, part, parts) for name, part in parts.items()]


def _classes(value: RVector) -> list[str]:
    classes = value.attributes.get("class")
    return _strings(classes) if isinstance(classes, RVector) else []


def _definition(name: str, part: dict[str, Any], parts: dict[str, dict[str, Any]]) -> Definition:
    with at(None, name):
        parents = _strings(part.get("parents"))
        if "prob" in part:
            return _table(name, part["prob"], parents)
        if "coefficients" in part and "sd" in part:
            return _gaussian(name, part, parents, parts)
        raise DataError(f"has neither prob nor coefficients and sd; found {listing(part)}")


def _strings(value: Any) -> list[str]:
    if isinstance(value, RVector) and value.kind == "character":
        return [str(text) for text in value.values]
    return []


def _doubles(value: Any, what: str) -> FloatArray:
    if isinstance(value, RVector) and value.kind in ("double", "integer"):
        return np.asarray(value.values, dtype=np.float64)
    raise DataError(f"{what} is not a vector of numbers")


def _shape(value: RVector) -> tuple[int, ...]:
    dim = value.attributes.get("dim")
    if not isinstance(dim, RVector) or dim.kind not in ("integer", "double"):
        return (len(value.values),)
    sizes = tuple(int(size) for size in _doubles(dim, "dim") if np.isfinite(size))
    product = 1
    for size in sizes:
        product *= max(size, 0)
    if product != len(value.values):
        raise DataError(f"an array of {len(value.values)} numbers has dimensions {list(sizes)}")
    return sizes


def _table(name: str, prob: Any, parents: list[str]) -> Definition:
    """Return a node from R's array: node's levels, then the parents'; first dimension fastest."""
    cells = _doubles(prob, "prob")
    labels = prob.attributes.get("dimnames")
    axes = list(labels.values) if isinstance(labels, RVector) and labels.kind == "list" else []
    shape = _shape(prob)
    if not axes or len(axes) != len(shape) or len(shape) != len(parents) + 1:
        raise DataError(f"prob has {len(shape)} dimensions for {len(parents)} parents")
    levels = _strings(axes[0])
    array = np.moveaxis(cells.reshape(shape, order="F"), 0, -1)
    if len(levels) != shape[0]:
        raise DataError(f"{len(levels)} level names for {shape[0]} levels")
    return Definition(name, tuple(levels), tuple(parents), array.reshape(-1, shape[0]))


def _gaussian(
    name: str, part: dict[str, Any], parents: list[str], parts: dict[str, dict[str, Any]]
) -> Definition:
    discrete = [p for p in parents if p in parts and "prob" in parts[p]]
    continuous = [p for p in parents if p not in discrete]
    coefficients = _doubles(part["coefficients"], "coefficients")
    sd = _doubles(part["sd"], "sd")
    if coefficients.size != (len(continuous) + 1) * sd.size or sd.size == 0:
        raise DataError(
            f"{coefficients.size} coefficients and {sd.size} sds for {len(continuous)} continuous "
            "parents and the intercept"
        )
    order = _coefficient_order(part["coefficients"], continuous)
    by_row = coefficients.reshape(sd.size, len(continuous) + 1)[:, order]
    rows = np.hstack([by_row, sd.reshape(-1, 1)])
    counts = [_shape(parts[parent]["prob"])[0] for parent in discrete]
    if int(np.prod(counts, dtype=np.int64)) != sd.size:
        raise DataError(f"{sd.size} sds for discrete parents of {counts} levels")
    # In R the first discrete parent varies fastest, here the last one does.
    rows = rows.reshape(*reversed(counts), -1).transpose(
        [*reversed(range(len(counts))), len(counts)]
    )
    return Definition(
        name, None, tuple(discrete + continuous), np.ascontiguousarray(rows).reshape(sd.size, -1)
    )


def _coefficient_order(coefficients: RVector, continuous: list[str]) -> list[int]:
    """Return positions of intercept and parents' coefficients, matched by name where named."""
    labels = coefficients.names()
    dimnames = coefficients.attributes.get("dimnames")
    if isinstance(dimnames, RVector) and dimnames.kind == "list" and dimnames.values:
        labels = _strings(dimnames.values[0])
    wanted = ["(Intercept)", *continuous]
    if sorted(labels) == sorted(wanted):
        return [labels.index(label) for label in wanted]
    if labels:
        raise DataError(f"coefficients are named {listing(labels)}, expected {listing(wanted)}")
    return list(range(len(wanted)))
