"""Processes of this machine: their use of time and memory, variables given to them, folders."""
