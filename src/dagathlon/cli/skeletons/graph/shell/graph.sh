# Writes adjmat.csv in the present folder. Arguments: seed, nodes, neighbours.
# A 1 in row i and column j is an edge from i to j; both ways is an undirected edge.
awk -v seed="$1" -v p="$2" -v neighbours="$3" 'BEGIN {
    srand(seed)  # all randomness must come from this seed
    share = p > 1 ? neighbours / (p - 1) : 0
    for (i = 1; i <= p; i++) printf "%sX%d", (i > 1 ? "," : ""), i
    print ""
    for (i = 1; i <= p; i++) {
        for (j = 1; j <= p; j++) printf "%s%d", (j > 1 ? "," : ""), i < j && rand() < share
        print ""
    }
}' > adjmat.csv
