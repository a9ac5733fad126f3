"""Rankings of learners with significance tests."""
