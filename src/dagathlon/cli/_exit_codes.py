"""Exit codes of commands."""

USER_ERROR = 2
INTERRUPTED = 130
