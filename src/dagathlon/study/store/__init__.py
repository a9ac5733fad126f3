"""Keeping results: index, objects, stored forms."""
