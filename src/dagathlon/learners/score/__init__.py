"""Learners that climb a score over DAGs and their classes."""
