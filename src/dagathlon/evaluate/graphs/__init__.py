"""Metrics of one graph against another."""
