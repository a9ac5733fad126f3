"""Graph, parameter, data and noise generators."""
