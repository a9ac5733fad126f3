# Reads model.csv (weights) and noise.csv (variances) in the present folder and writes data.csv.
# Arguments: seed, n.
arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))  # all randomness must come from this seed
n <- as.integer(arguments[2])
weights <- as.matrix(read.csv("model.csv", check.names = FALSE))
variances <- unlist(read.csv("noise.csv", check.names = FALSE))
p <- ncol(weights)

# Replace this by your way of drawing rows. Solving takes care of the order of the variables.
noise <- matrix(rnorm(n * p), n, p) %*% diag(sqrt(variances), p, p)
data <- noise %*% solve(diag(p) - weights)
colnames(data) <- colnames(weights)
write.csv(data, "data.csv", row.names = FALSE)
