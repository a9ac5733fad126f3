"""Learners that use tests and scores."""
