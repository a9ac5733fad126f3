"""Constraint-based learners, which test conditional independence."""
