"""Metrics of posteriors over graphs."""
