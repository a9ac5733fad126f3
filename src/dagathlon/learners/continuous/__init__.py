"""Learners that fit weights: continuous optimisation and non-Gaussian noise."""
