"""Bayesian networks and linear models: distributions, fitting, sampling, likelihood."""
