"""Metrics of undirected graphs, precision matrices and regularisation paths."""
