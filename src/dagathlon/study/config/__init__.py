"""The grammar of studies: JSON, files and units become settings."""
