"""Drawings: labels, layouts and the SVG made of them."""

from dagathlon.graphs.drawing.svg import to_svg

__all__ = ["to_svg"]
