# Reads data.csv in the present folder; writes adjmat.csv, and stats.json, which is optional.
set -eu
folder=$(dirname "$0")
awk -F, -v thresh="$1" -f "$folder/correlation.awk" data.csv > adjmat.csv
pairs=$(awk -F, 'NR > 1 { for (i = NR; i <= NF; i++) n += $i } END { print n + 0 }' adjmat.csv)
printf '{"pairs_joined": %d}\n' "$pairs" > stats.json
