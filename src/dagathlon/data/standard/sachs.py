"""The protein-signalling measurements of Sachs et al. (2005)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from dagathlon.data.dataset import Dataset
from dagathlon.data.networks.container import unpack
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, unknown
from dagathlon.graphs import Graph

BUNDLED = "bundled:"
"""Prefix of the names of bundled networks and data sets; such a name never means a file."""


@dataclass(frozen=True)
class Condition:
    """Experimental condition: its reagents, its number of cells and the reagents' targets."""

    description: str
    n_rows: int
    targets: tuple[str, ...] = ()


# In the order of the data. Targets are the measured molecules that a reagent inhibits or activates
# directly; general stimulation (CD3, CD28, ICAM-2) has none, and neither has LY294002, which
# inhibits PI3K, a molecule that was not measured.
SACHS_CONDITIONS: Mapping[str, Condition] = {
    "cd3cd28": Condition("anti-CD3 + anti-CD28", 853),
    "cd3cd28_icam2": Condition("anti-CD3 + anti-CD28 + ICAM-2", 902),
    "cd3cd28_aktinhib": Condition("anti-CD3 + anti-CD28 + AKT inhibitor", 911, ("Akt",)),
    "cd3cd28_g0076": Condition("anti-CD3 + anti-CD28 + G06976", 723, ("PKC",)),
    "cd3cd28_psitect": Condition("anti-CD3 + anti-CD28 + psitectorigenin", 810, ("PIP2",)),
    "cd3cd28_u0126": Condition("anti-CD3 + anti-CD28 + U0126", 799, ("Mek",)),
    "cd3cd28_ly": Condition("anti-CD3 + anti-CD28 + LY294002", 848),
    "pma": Condition("PMA", 913, ("PKC",)),
    "b2camp": Condition("β2cAMP", 707, ("PKA",)),
}

# The network that the field compares with, as the bnlearn repository draws it.
_ARCS = (
    "PKC -> PKA",
    "PKC -> Jnk",
    "PKC -> P38",
    "PKC -> Mek",
    "PKC -> Raf",
    "PKA -> Jnk",
    "PKA -> P38",
    "PKA -> Mek",
    "PKA -> Raf",
    "PKA -> Akt",
    "PKA -> Erk",
    "Raf -> Mek",
    "Mek -> Erk",
    "Erk -> Akt",
    "Plcg -> PIP2",
    "Plcg -> PIP3",
    "PIP3 -> PIP2",
)


def load_sachs(condition: str | None = None) -> Dataset:
    """Load the measurements of Sachs et al. (2005): 11 proteins and lipids in single cells.

    Parameters
    ----------
    condition
        One of `SACHS_CONDITIONS`, without interventions recorded; by default all nine, 7,466
        cells, where each row knows on which molecules its reagents act.

    Returns
    -------
    Dataset
        Fluorescence intensities as measured (not logarithms), columns in the order of the source.

    References
    ----------
    K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger, G. P. Nolan. Causal protein-signaling
    networks derived from multiparameter single-cell data. Science 308:523-529, 2005; the data are
    the supplementary material of that article, which carries no licence statement of its own.
    """
    if condition is not None and condition not in SACHS_CONDITIONS:
        raise DataError(unknown("condition", condition, SACHS_CONDITIONS))
    header, numbers = unpack(files(__package__).joinpath("sachs.dagdata").read_bytes())
    names = [str(name) for name in header["names"]]
    values = np.asfortranarray(numbers.reshape(len(names), -1).T)
    rows = [entry.n_rows for entry in SACHS_CONDITIONS.values()]
    targets = [entry.targets for entry in SACHS_CONDITIONS.values()]
    regimes = (targets, np.repeat(np.arange(len(rows)), rows))
    variables = [Variable(name) for name in names]
    if condition is None:
        return Dataset(variables, values=values, regimes=regimes)
    chosen = list(SACHS_CONDITIONS).index(condition)
    start = sum(rows[:chosen])
    return Dataset(variables, values=values[start : start + rows[chosen]])


def list_data() -> tuple[str, ...]:
    """Names of the bundled data sets, one for each condition of the Sachs data."""
    return tuple(f"sachs_{condition}" for condition in SACHS_CONDITIONS)


def load_data(name: str) -> Dataset:
    """Load a bundled data set, as studies use it: logarithms, mean 0 and variance 1.

    Parameters
    ----------
    name
        One of `list_data`, such as ``sachs_cd3cd28_icam2``; ``bundled:`` may precede it.
    """
    name = name.removeprefix(BUNDLED)
    if name not in list_data():
        raise DataError(unknown("bundled data set", name, list_data()))
    measured = load_sachs(name.removeprefix("sachs_"))
    logs = np.log(measured.values)
    values = (logs - logs.mean(axis=0)) / logs.std(axis=0, ddof=1)
    return Dataset(measured.variables, values=np.asfortranarray(values))


def sachs_graph() -> Graph:
    """Return the consensus network of 17 arcs over the columns of `load_sachs`."""
    names = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")
    return Graph.from_edges(_ARCS, names=names)
