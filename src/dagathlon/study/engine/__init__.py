"""Running tasks: engines, workers, limits."""
