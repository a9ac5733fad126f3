"""Regularisation paths, precision matrices and edge recovery."""
