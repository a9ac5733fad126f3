"""Learners in JAX: the same code on processors and on graphics cards."""
