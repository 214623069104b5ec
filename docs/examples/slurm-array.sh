#!/bin/bash
#SBATCH --job-name=throws --array=1-32 --cpus-per-task=2
#
# A study as a Slurm array: each task makes every 32nd throw, into a file of its own in DIR.
#
#   sbatch slurm-array.sh NET DIR --degrade links --throws 300 --engines dmodc,updn+roots,nue
#   dmodc report DIR
set -euo pipefail
net=$1 dir=$2
shift 2
exec dmodc compare "$net" -o "$dir" --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$@"
