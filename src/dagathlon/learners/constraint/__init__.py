"""Learners that ask tests of independence."""
