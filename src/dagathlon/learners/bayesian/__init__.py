"""Samplers and exact sums over DAGs; the bootstrap."""
