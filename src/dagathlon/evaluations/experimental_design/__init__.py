"""Experimental design: which interventions learners would choose."""
