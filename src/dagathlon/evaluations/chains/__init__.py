"""Traces, autocorrelations and heat maps of Markov chains."""
