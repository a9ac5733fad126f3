"""Figures: charts drawn, painted, cached and written to files."""
