# From data with a header to an adjacency matrix with the same header.

NR == 1 { print; next }

{
    if (NR == 2) { p = NF; for (i = 1; i <= p; i++) first[i] = $i }
    n++
    # Differences from the first row keep the sums of squares small.
    for (i = 1; i <= p; i++) {
        x[i] = $i - first[i]
        sum[i] += x[i]
        for (j = 1; j <= i; j++) product[i, j] += x[i] * x[j]
    }
}

END {
    for (i = 1; i <= p; i++)
        for (j = 1; j <= i; j++) {
            covariance[i, j] = product[i, j] - sum[i] * sum[j] / n
            covariance[j, i] = covariance[i, j]
        }
    for (i = 1; i <= p; i++) {
        for (j = 1; j <= p; j++) {
            spread = covariance[i, i] * covariance[j, j]
            joined = i != j && spread > 0 && covariance[i, j] ^ 2 > thresh ^ 2 * spread
            printf "%s%d", (j > 1 ? "," : ""), joined
        }
        print ""
    }
}
