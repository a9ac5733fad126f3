"""Learners of undirected graphs."""
