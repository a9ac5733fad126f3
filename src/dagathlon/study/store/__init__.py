"""Storage of results: index, content-addressed files, encoded forms."""
