#!/usr/bin/env bash
# sbatch slurm.sh: an array of four tasks in a folder that all nodes share; then `lab merge shard-*.json`.
#SBATCH --job-name=scenarios
#SBATCH --array=1-4
#SBATCH --cpus-per-task=2
#SBATCH --output=shard-%a.log

lab run Scenarios --seed 7 --shard auto --report "json=shard-$SLURM_ARRAY_TASK_ID.json"
