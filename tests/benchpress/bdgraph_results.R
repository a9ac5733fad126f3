# Arguments: data file, iterations, chains, edge prior, degrees of freedom, then method:algorithm ...
# Prints a line for each chain: method, algorithm, the probabilities of the pairs by column.
arguments <- commandArgs(TRUE)
data <- as.matrix(read.csv(arguments[1]))
iterations <- as.integer(arguments[2])
suppressMessages(library(BDgraph))
for (which in arguments[-(1:5)]) {
  kind <- strsplit(which, ":")[[1]]
  for (chain in seq_len(as.integer(arguments[3]))) {
    set.seed(chain)
    sampled <- bdgraph(
      data, method = kind[1], algorithm = kind[2], iter = iterations, burnin = iterations / 10,
      g.prior = as.numeric(arguments[4]), df.prior = as.integer(arguments[5]), cores = 1,
      verbose = FALSE
    )
    links <- plinks(sampled, round = 6)
    cat(which, links[upper.tri(links)], "\n")
  }
}
