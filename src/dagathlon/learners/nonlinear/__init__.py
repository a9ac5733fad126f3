"""Learners of nonlinear additive noise models by a causal order and its pruning."""
