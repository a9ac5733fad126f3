"""Metrics, rankings and validation of learned graphs."""

from dagathlon.evaluate.comparison import compare
from dagathlon.evaluate.distance import shd

__all__ = ["compare", "shd"]
