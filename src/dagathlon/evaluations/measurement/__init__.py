"""Measurement models: clusters of indicators against the true ones."""
