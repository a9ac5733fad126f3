# Arguments: seed, kind of data, method, algorithm, iterations, edge prior, degrees of freedom,
# start graph. The score of a graph is the logarithm of the share of the chain that it takes up.
arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))
kind <- arguments[2]
algorithm <- arguments[4]
iterations <- as.integer(arguments[5])

data <- as.matrix(read.csv("data.csv", check.names = FALSE))
if (kind == "discrete") data <- data[-1, , drop = FALSE]  # the row of cardinalities
labels <- colnames(data)
p <- ncol(data)
if (nrow(data) < 2 || p < 3) stop("BDgraph needs at least 2 rows and 3 columns")
if (any(apply(data, 2, var) == 0)) stop("a column is constant: it has no correlations")

invisible(loadNamespace("BDgraph"))
begin <- proc.time()[["elapsed"]]
sampled <- BDgraph::bdgraph(
  data,
  method = arguments[3],
  algorithm = algorithm,
  iter = iterations,
  burnin = 0,
  not.cont = if (kind == "discrete") rep(1, p) else NULL,
  g.prior = as.numeric(arguments[6]),
  df.prior = as.numeric(arguments[7]),
  g.start = arguments[8],
  save = TRUE,
  cores = 1,
  verbose = FALSE
)
seconds <- proc.time()[["elapsed"]] - begin

visits <- sampled$all_graphs
births <- startsWith(algorithm, "bd")
weights <- if (births) sampled$all_weights else rep(1, length(visits))
share <- tapply(weights, visits, sum) / sum(weights)
changes <- c(1, which(diff(visits) != 0) + 1)

# A graph is kept as a text of 0 and 1, one per pair, in the order of the upper triangle.
pairs <- which(upper.tri(diag(p)), arr.ind = TRUE)
pairs <- paste0(labels[pairs[, "row"]], "-", labels[pairs[, "col"]])
edges_of <- function(visit) {
  strsplit(sampled$sample_graphs[visit], "")[[1]] == "1"
}
listed <- function(edges) paste0("[", paste(pairs[edges], collapse = ";"), "]")
everyone <- paste0("[", paste0(labels[1], "-", labels[-1], collapse = ";"), "]")

rows <- length(changes)
added <- removed <- character(rows)
state <- rep(FALSE, length(pairs))
for (i in seq_len(rows)) {
  now <- edges_of(visits[changes[i]])
  added[i] <- listed(now & !state)
  removed[i] <- listed(state & !now)
  state <- now
}
score <- log(share[as.character(visits[changes])])
elapsed <- c(0, cumsum(weights))
trajectory <- data.frame(
  index = c(-2, -1, changes - 1, length(visits)),
  score = c(0, 0, score, score[rows]),
  added = c(everyone, "[]", added, "[]"),
  removed = c("[]", everyone, removed, "[]")
)
if (births) trajectory$time <- c(0, 0, elapsed[changes], elapsed[length(elapsed)])
write.csv(trajectory, "trajectory.csv", row.names = FALSE)
version <- as.character(packageVersion("BDgraph"))
cat(sprintf('{"seconds": %.6f, "BDgraph": "%s"}\n', seconds, version), file = "stats.json")
