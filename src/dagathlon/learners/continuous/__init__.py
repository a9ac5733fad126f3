"""Learners by continuous optimisation of weights, and by non-Gaussian noise."""
