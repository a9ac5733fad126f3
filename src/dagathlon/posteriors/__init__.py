"""Distributions over graphs: chains, convergence, edge strengths."""
