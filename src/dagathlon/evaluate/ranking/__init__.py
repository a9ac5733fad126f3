"""Ranks, significance tests and the comparison of learners over data sets."""
