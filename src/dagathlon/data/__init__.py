"""Data sets, file formats, standard networks."""

from dagathlon.data.dataset import Dataset
from dagathlon.data.gaussian import Gaussian
from dagathlon.data.files import read_data, write_data
from dagathlon.data.preview import ColumnSummary
from dagathlon.data.regimes import Regimes, regimes_of_mask
from dagathlon.data.sem import LinearSem
from dagathlon.data.variable import Variable

__all__ = [
    "ColumnSummary",
    "Dataset",
    "Gaussian",
    "LinearSem",
    "Regimes",
    "Variable",
    "regimes_of_mask",
from dagathlon.data.distributions import Distribution, Gaussian, Table
from dagathlon.data.network import About, Network
from dagathlon.data.networks import NETWORK_FORMATS, read_network, write_network
from dagathlon.data.preview import ColumnSummary
from dagathlon.data.regimes import Regimes, regimes_of_mask
from dagathlon.data.standard import (
    SACHS_CONDITIONS,
    NetworkRecord,
    list_networks,
    load_sachs,
    sachs_graph,
)
from dagathlon.data.variable import Variable

__all__ = [
    "NETWORK_FORMATS",
    "SACHS_CONDITIONS",
    "About",
    "ColumnSummary",
    "Dataset",
    "Distribution",
    "Gaussian",
    "Network",
    "NetworkRecord",
    "Regimes",
    "Table",
    "Variable",
    "list_networks",
    "load_sachs",
    "read_network",
    "regimes_of_mask",
    "sachs_graph",
    "write_network",
    "Regimes",
    "Variable",
    "read_data",
    "regimes_of_mask",
    "write_data",
]
