"""Data sets, file formats, standard networks."""

from dagathlon.data.dataset import Dataset
from dagathlon.data.files import read_data, write_data
from dagathlon.data.preview import ColumnSummary
from dagathlon.data.regimes import Regimes, regimes_of_mask
from dagathlon.data.variable import Variable

__all__ = [
    "ColumnSummary",
    "Dataset",
    "Regimes",
    "Variable",
    "read_data",
    "regimes_of_mask",
    "write_data",
]
