"""Comparison of posteriors over graphs with the truth and with a reference."""
