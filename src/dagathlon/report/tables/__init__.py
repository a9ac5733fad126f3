"""Tables that pages and files are made of."""
