"""Learners of measurement models: clusters of observed variables with common latent causes."""
