"""Exact inference in Bayesian networks: probabilities given evidence."""

from dagathlon.data.inference.answer import Assignment, NormalAnswer, TableAnswer

__all__ = ["Assignment", "NormalAnswer", "TableAnswer"]
