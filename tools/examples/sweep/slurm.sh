#!/bin/sh
# A sweep as a Slurm job array: each task computes one part, and merge.sh puts them together.
#
#     job=$(sbatch --parsable --array=1-64 slurm.sh calls mine.yaml --vary ...)
#     sbatch --dependency=afterok:$job merge.sh 64 calls mine.yaml --vary ...
#
# The arguments are the same in both lines: a name for the parts, then those of `sdsim sweep`. Files go
# to the folder sbatch was called in. A task that is requeued goes on where it was interrupted.
#SBATCH --job-name=sdsim-sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=02:00:00
#SBATCH --requeue
set -eu

: "${SLURM_ARRAY_TASK_ID:?start it with sbatch --array=1-N}"
if [ "${SLURM_ARRAY_TASK_MIN:-1}" -ne 1 ]; then
    echo "the array has to begin with 1: --array=1-N" >&2
    exit 2
fi
name=$1
shift
exec sdsim sweep "$@" --shard "$SLURM_ARRAY_TASK_ID/${SLURM_ARRAY_TASK_COUNT:?}" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" -o "$name.$SLURM_ARRAY_TASK_ID.csv"
