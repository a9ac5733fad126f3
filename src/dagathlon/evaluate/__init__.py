"""Metrics, rankings and validation of learned graphs."""

from dagathlon.evaluate.distance import shd

__all__ = ["shd"]
