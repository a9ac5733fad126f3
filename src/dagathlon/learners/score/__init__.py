"""Greedy searches for the DAG or equivalence class of highest score, and the scores."""
