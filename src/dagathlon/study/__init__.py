"""Studies: config, plan, engine, store."""
