"""Drawings of graphs: labels, layouts and SVG."""

from dagathlon.graphs.drawing.svg import to_svg

__all__ = ["to_svg"]
