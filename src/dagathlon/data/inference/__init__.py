"""Answers of a network: probabilities given evidence, exact."""

from dagathlon.data.inference.answer import Assignment, NormalAnswer, TableAnswer

__all__ = ["Assignment", "NormalAnswer", "TableAnswer"]
