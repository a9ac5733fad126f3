"""Reading tables from files, frames and arrays."""
