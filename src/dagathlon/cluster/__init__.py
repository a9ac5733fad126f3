"""Engines on clusters: dask, SLURM and other managers, SSH and Kubernetes."""
