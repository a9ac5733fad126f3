"""Hybrid learners, which use both independence tests and scores."""
