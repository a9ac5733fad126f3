"""Learners in JAX: the same code on CPUs and GPUs."""
