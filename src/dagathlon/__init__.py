"""Dagathlon: the same data, the same rules, one scoreboard for structure learners."""
