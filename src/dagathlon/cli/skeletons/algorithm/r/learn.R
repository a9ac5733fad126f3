# Finds data.csv in the present folder and writes adjmat.csv there. Arguments: seed, thresh.
arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))  # all randomness must come from this seed
thresh <- as.numeric(arguments[2])
data <- as.matrix(read.csv("data.csv", check.names = FALSE))
if (nrow(data) < 2) stop("correlations need at least 2 rows")
cat("@dagathlon progress 1 2\n")  # steps that are done, and how many there are

# Replace this by your method. edges[i, j] = 1 is an edge from i to j; both ways is undirected.
correlation <- suppressWarnings(cor(data))
correlation[is.na(correlation)] <- 0
edges <- 1 * (abs(correlation) > thresh)
diag(edges) <- 0

colnames(edges) <- colnames(data)
write.csv(edges, "adjmat.csv", row.names = FALSE)
cat(sprintf('{"edges": %d}\n', sum(edges) %/% 2), file = "stats.json")
