"""Inspection of a data file: how it was parsed, what is suspicious, which options change it."""

from dagathlon.data.inspection.description import Description, describe
from dagathlon.data.inspection.remarks import Remark

__all__ = ["Description", "Remark", "describe"]
