"""Predictive scores of learned networks."""
