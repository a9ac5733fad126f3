"""Data sets, Bayesian networks, their file formats, standard networks."""

from typing import TYPE_CHECKING

from dagathlon.lazy import lazy

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset
    from dagathlon.data.inference import Assignment, NormalAnswer, TableAnswer
    from dagathlon.data.models.distributions import Distribution, Gaussian, Table
    from dagathlon.data.models.fitting import fit
    from dagathlon.data.models.multivariate_normal import MultivariateNormal
    from dagathlon.data.models.network import About, Network
    from dagathlon.data.models.sem import LinearSem
    from dagathlon.data.networks import NETWORK_FORMATS, read_network, write_network
    from dagathlon.data.preparing.discretization import discretize
    from dagathlon.data.preparing.gaps import drop_missing
    from dagathlon.data.preparing.imputation import impute
    from dagathlon.data.preparing.logarithms import log_columns
    from dagathlon.data.preparing.regimes import Regimes, regimes_of_mask
    from dagathlon.data.reading.files import read_data, write_data
    from dagathlon.data.reading.preview import ColumnSummary
    from dagathlon.data.spec import DataFacts, DataKind, DataSpec, facts_of, spec_of
    from dagathlon.data.standard import (
        SACHS_CONDITIONS,
        NetworkRecord,
        list_data,
        list_networks,
        load_data,
        load_sachs,
        sachs_graph,
    )
    from dagathlon.data.variable import Variable
    from dagathlon.data.writing.sem_file import read_sem

__all__ = [
    "NETWORK_FORMATS",
    "SACHS_CONDITIONS",
    "About",
    "Assignment",
    "ColumnSummary",
    "DataFacts",
    "DataKind",
    "DataSpec",
    "Dataset",
    "Distribution",
    "Gaussian",
    "LinearSem",
    "MultivariateNormal",
    "Network",
    "NetworkRecord",
    "NormalAnswer",
    "Regimes",
    "Table",
    "TableAnswer",
    "Variable",
    "discretize",
    "drop_missing",
    "facts_of",
    "fit",
    "impute",
    "list_data",
    "list_networks",
    "load_data",
    "load_sachs",
    "log_columns",
    "read_data",
    "read_network",
    "read_sem",
    "regimes_of_mask",
    "sachs_graph",
    "spec_of",
    "write_data",
    "write_network",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "dataset": "Dataset",
        "inference": "Assignment NormalAnswer TableAnswer",
        "models.distributions": "Distribution Gaussian Table",
        "models.fitting": "fit",
        "models.multivariate_normal": "MultivariateNormal",
        "models.network": "About Network",
        "models.sem": "LinearSem",
        "networks": "NETWORK_FORMATS read_network write_network",
        "preparing.discretization": "discretize",
        "preparing.gaps": "drop_missing",
        "preparing.imputation": "impute",
        "preparing.logarithms": "log_columns",
        "preparing.regimes": "Regimes regimes_of_mask",
        "reading.files": "read_data write_data",
        "reading.preview": "ColumnSummary",
        "spec": "DataFacts DataKind DataSpec facts_of spec_of",
        "standard": "SACHS_CONDITIONS NetworkRecord list_data list_networks load_data load_sachs "
        "sachs_graph",
        "variable": "Variable",
        "writing.sem_file": "read_sem",
    },
)
