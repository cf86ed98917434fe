#!/bin/sh
# Puts the parts of a sweep together: sh merge.sh PARTS NAME SCENARIO --vary ... -> NAME.csv
#
# Parts of another scenario, profile, value or version of sdsim are refused, and so is a set that is not
# complete; then nothing is written.
#SBATCH --job-name=sdsim-merge
#SBATCH --ntasks=1
#SBATCH --time=00:10:00
set -eu

parts=$1
name=$2
shift 2
part=1
while [ "$part" -le "$parts" ]; do
    set -- "$@" --merge "$name.$part.csv"
    part=$((part + 1))
done
exec sdsim sweep "$@" -o "$name.csv"
