"""Learners of measurement models: which observed variables share latent causes."""
