"""Tables of metrics over all runs, and charts of them."""
