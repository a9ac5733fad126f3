"""Structure learners, one file per family."""
