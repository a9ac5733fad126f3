"""Writing data sets and models to files."""
