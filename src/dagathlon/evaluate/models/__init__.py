"""Likelihoods, cross-entropies and losses of fitted graphs."""
