"""Metrics, rankings and validation of learned graphs."""
