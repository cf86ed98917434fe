#!/bin/sh
# A sweep in parts under GNU parallel, on this machine or on several, put together at the end.
#
#     sh parallel.sh PARTS OUT.csv SCENARIO --vary ...
#     SSH=alice@one,alice@two sh parallel.sh 16 calls.csv mine.yaml --vary workload.call=512B..64KiB*2
#
# With SSH each machine needs an sdsim of the same version in its PATH; the scenario is copied there,
# profiles of your own have to be there already. A part that was interrupted goes on where
# it stopped when the script is started again. The result is that of one run, byte for byte.
set -eu

[ $# -ge 3 ] || { sed -n 's/^# \{4,\}//p' "$0" >&2; exit 2; }
parts=$1
out=$2
shift 2

set -- sdsim sweep "$@"
remote=
if [ -n "${SSH:-}" ]; then
    remote="--sshlogin $SSH --return $out.{}.csv --cleanup"
    [ ! -f "$3" ] || remote="$remote --basefile $3"
fi

# One word for each argument, safe for the shells on the way.
# shellcheck disable=SC2086 # options of parallel
seq "$parts" | parallel --will-cite --halt now,fail=1 $remote --quote "$@" --shard "{}/$parts" \
    --jobs "${JOBS:-1}" -o "$out.{}.csv"

merge=
for part in $(seq "$parts"); do
    merge="$merge --merge $out.$part.csv"
done
# shellcheck disable=SC2086 # a list of options
"$@" $merge -o "$out"
for part in $(seq "$parts"); do
    rm "$out.$part.csv"
done
