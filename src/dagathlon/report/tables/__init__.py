"""Tables of pages and files."""
