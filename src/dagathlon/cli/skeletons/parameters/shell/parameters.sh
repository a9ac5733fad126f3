# Reads graph.csv in the present folder and writes model.csv: the weight of each edge from the row
# to the column. Arguments: seed, smallest, largest.
awk -F, -v seed="$1" -v smallest="$2" -v largest="$3" '
    NR == 1 { srand(seed); print; next }  # all randomness must come from this seed
    {
        p = NR == 2 ? NF : p
        for (j = 1; j <= p; j++) {
            weight = 0
            if ($j == 1) {
                weight = smallest + (largest - smallest) * rand()
                if (rand() < 0.5) weight = -weight
            }
            printf "%s%.9g", (j > 1 ? "," : ""), weight
        }
        print ""
    }
' graph.csv > model.csv
