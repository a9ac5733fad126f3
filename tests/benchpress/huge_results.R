# What huge gives for data.csv in the folder of the first argument: paths, selected graphs, and the
# random numbers that they were selected with.
library(huge)
folder <- commandArgs(TRUE)[1]
place <- function(name) file.path(folder, paste0(name, ".csv"))
put <- function(table, name) {
  write.table(format(table, digits = 17), place(name), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
}
flat <- function(graphs) do.call(rbind, lapply(graphs, function(one) as.vector(as.matrix(one)) != 0)) * 1

x <- as.matrix(read.csv(place("data"), header = FALSE))
n <- nrow(x)
for (method in c("glasso", "mb")) {
  path <- huge(x, method = method, verbose = FALSE)
  put(flat(path$path), paste0(method, "_path"))
  put(path$lambda, paste0(method, "_lambda"))
  set.seed(1)
  ric <- huge.select(path, criterion = "ric", verbose = FALSE)
  put(flat(list(ric$refit)), paste0(method, "_ric"))
  put(ric$opt.lambda, paste0(method, "_ric_lambda"))
  set.seed(2)
  stars <- huge.select(path, criterion = "stars", rep.num = 4, verbose = FALSE)
  put(stars$variability, paste0(method, "_variability"))
  put(stars$opt.index, paste0(method, "_stars"))
  if (method == "glasso") {
    ebic <- huge.select(path, criterion = "ebic", verbose = FALSE)
    put(ebic$ebic.score, "ebic")
    put(path$df, "df")
    put(do.call(rbind, lapply(path$icov, as.vector)), "icov")
  }
}
set.seed(1)
put(sample(n, 20), "shifts")
set.seed(2)
size <- floor(n * if (n > 144) 10 * sqrt(n) / n else 0.8)
put(t(replicate(4, sample(c(1:n), size, replace = FALSE))), "subsamples")
for (penalty in c(0.4, 0.2, 0.1, 0.05)) {
  put(flat(huge(x, method = "tiger", lambda = penalty, verbose = FALSE)$path), paste0("tiger_", penalty))
}
put(huge.npn(x, verbose = FALSE), "shrinkage")
put(huge.npn(x, npn.func = "truncation", verbose = FALSE), "truncation")
put(huge.npn(x, npn.func = "skeptic", verbose = FALSE), "skeptic")
