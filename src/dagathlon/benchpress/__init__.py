"""Benchpress's module names, as thin translations of our own modules.

Each class carries the parameters of the Benchpress module of the same name. Those that have a
native counterpart hand over to it; the others say in `unavailable` why they cannot run.
"""
