"""Looking at a data file: what was understood of it, what is suspicious, what changes it."""

from dagathlon.data.inspection.description import Description, describe
from dagathlon.data.inspection.remarks import Remark

__all__ = ["Description", "Remark", "describe"]
