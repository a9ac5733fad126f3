"""How well intersection-validation predicts the ranking by the truth."""
