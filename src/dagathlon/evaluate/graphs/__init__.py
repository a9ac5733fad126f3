"""Metrics that compare an estimated graph with the true one."""
