"""Benchpress's module names, as thin translations of our own modules.

Each has the parameters of the Benchpress module of the same name and hands over to a module of
ours. Most are rows of tables (the TOML files; `table.py` says what stands in them), those that
translate by more than a table are classes, and what several share are their base classes.
"""
