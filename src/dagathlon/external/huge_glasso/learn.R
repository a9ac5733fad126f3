# Arguments: seed, lambda, nlambda, select_criterion; "null" where there is none.
arguments <- commandArgs(TRUE)
given <- function(i) if (arguments[i] == "null") NULL else arguments[i]
number <- function(text) if (is.null(text)) NULL else as.numeric(text)

set.seed(as.integer(arguments[1]))
penalty <- number(given(2))
steps <- number(given(3))
criterion <- if (is.null(given(4))) "ebic" else given(4)

data <- as.matrix(read.csv("data.csv", check.names = FALSE))
if (nrow(data) < 2) stop("the graphical lasso needs at least 2 rows")
if (any(apply(data, 2, var) == 0)) stop("a column is constant: it has no correlations")

invisible(loadNamespace("huge"))
begin <- proc.time()[["elapsed"]]
if (is.null(penalty)) {
  path <- huge::huge(data, nlambda = steps, method = "glasso", verbose = FALSE)
  graph <- huge::huge.select(path, criterion = criterion, verbose = FALSE)$refit
} else {
  graph <- huge::huge(data, lambda = penalty, method = "glasso", verbose = FALSE)$path[[1]]
}
seconds <- proc.time()[["elapsed"]] - begin

edges <- as.matrix(graph) != 0
diag(edges) <- FALSE
colnames(edges) <- colnames(data)
write.csv(1 * edges, "adjmat.csv", row.names = FALSE)
version <- as.character(packageVersion("huge"))
cat(sprintf('{"seconds": %.6f, "huge": "%s"}\n', seconds, version), file = "stats.json")
