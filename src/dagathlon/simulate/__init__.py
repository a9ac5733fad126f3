"""Generators of graphs, parameters, data and noise, and transforms of data."""
