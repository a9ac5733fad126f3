"""Learners that search over orders of the variables."""
