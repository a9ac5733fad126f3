# Writes adjmat.csv in the present folder. Arguments: seed, nodes, neighbours.
# A 1 in row i and column j is an edge from i to j; both ways is an undirected edge.
arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))  # all randomness must come from this seed
nodes <- as.integer(arguments[2])
share <- as.numeric(arguments[3]) / max(nodes - 1, 1)
edges <- matrix(1 * (runif(nodes * nodes) < share), nodes, nodes)
edges[lower.tri(edges, diag = TRUE)] <- 0
colnames(edges) <- paste0("X", seq_len(nodes))
write.csv(edges, "adjmat.csv", row.names = FALSE)
