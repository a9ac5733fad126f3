# Reads model.csv (weights) and noise.csv (variances) in the present folder and writes data.csv.
# Arguments: seed, n.
awk -F, -v seed="$1" -v n="$2" '
    FNR == 1 { header = $0; next }
    FILENAME == "model.csv" { p = FNR - 1; for (j = 1; j <= NF; j++) weight[p, j] = $j; next }
    { for (j = 1; j <= NF; j++) spread[j] = sqrt($j) }
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
    END {
        srand(seed)  # all randomness must come from this seed
        while (placed < p)  # parents before their children
            for (j = 1; j <= p; j++) {
                ready = !(j in done)
                for (i = 1; i <= p; i++) if (weight[i, j] != 0 && !(i in done)) ready = 0
                if (ready) { order[++placed] = j; done[j] }
            }
        print header
        for (row = 1; row <= n; row++) {
            for (k = 1; k <= p; k++) {
                j = order[k]
                x[j] = spread[j] * normal()
                for (i = 1; i <= p; i++) if (weight[i, j] != 0) x[j] += weight[i, j] * x[i]
            }
            for (j = 1; j <= p; j++) printf "%s%.9g", (j > 1 ? "," : ""), x[j]
            print ""
        }
    }
' model.csv noise.csv > data.csv
