"""Looking at a study: result tables, progress."""
