"""Tables to figures to one HTML page."""
