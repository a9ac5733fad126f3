"""Intersection-validation: learners ranked on data without a true graph."""
