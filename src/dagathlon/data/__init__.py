"""Data sets, file formats, standard networks."""
