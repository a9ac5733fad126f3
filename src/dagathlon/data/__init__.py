"""Data sets, file formats, standard networks."""

from dagathlon.data.dataset import Dataset
from dagathlon.data.preview import ColumnSummary
from dagathlon.data.regimes import Regimes, regimes_of_mask
from dagathlon.data.variable import Variable

__all__ = ["ColumnSummary", "Dataset", "Regimes", "Variable", "regimes_of_mask"]
