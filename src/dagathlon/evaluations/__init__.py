"""Evaluations: what a study can ask to be made of its results, one file each, found by location."""
