"""Charts: pure functions from tables (lists of dicts) to Vega-Lite specifications."""
