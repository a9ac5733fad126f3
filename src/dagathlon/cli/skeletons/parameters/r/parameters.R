# Reads graph.csv in the present folder and writes model.csv: the weight of each edge from the row
# to the column. Arguments: seed, smallest, largest.
arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))  # all randomness must come from this seed
graph <- as.matrix(read.csv("graph.csv", check.names = FALSE))
sizes <- runif(length(graph), as.numeric(arguments[2]), as.numeric(arguments[3]))
signs <- sample(c(-1, 1), length(graph), replace = TRUE)
weights <- graph * signs * sizes
write.csv(weights, "model.csv", row.names = FALSE)
