"""Tables to figures to one HTML page."""

from dagathlon.report.outputs import write_outputs

__all__ = ["write_outputs"]
