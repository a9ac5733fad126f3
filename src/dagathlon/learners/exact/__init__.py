"""Exact learners, which prove their result optimal."""
