"""Reading of study files: JSON, files and units to settings."""
