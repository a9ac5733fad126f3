"""Estimated and true graphs as files, pictures and statistics."""
