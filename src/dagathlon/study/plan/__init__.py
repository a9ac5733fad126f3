"""From settings to tasks: labels, keys, what fits what."""
