"""Learners of nonlinear additive-noise models that need no network: an order, then its pruning."""
