"""Learners that prove their result optimal."""
