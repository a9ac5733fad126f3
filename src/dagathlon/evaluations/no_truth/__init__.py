"""Judging graphs without a truth: agreement, stability, held-out likelihood, tests."""
