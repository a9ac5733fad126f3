"""Samplers of DAGs, exact posteriors and the bootstrap."""
