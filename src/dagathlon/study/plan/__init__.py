"""Planning: from settings to tasks with labels and keys, and what data suit what learner."""
