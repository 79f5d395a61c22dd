#!/usr/bin/env bash
# clustersim-gpubench without a GPU in reach: help, faults of the command line, one sentence, no file. Given: the program.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fails_with() {  # code, part of the sentence, arguments
  local code=0 expected=$1 part=$2
  shift 2
  CUDA_VISIBLE_DEVICES='' "$program" "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$expected" ] || { echo "exit $code, expected $expected: $*"; cat "$work/err"; exit 1; }
  [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] || { echo "not one sentence on standard error: $*"; exit 1; }
  grep -q -e "$part" "$work/err" || { echo "'$part' is missing in:"; cat "$work/err"; exit 1; }
}

"$program" --help | grep -q -e '--quick'
fails_with 2 '-o FILE'
fails_with 2 'memory, launch, gemm' -o x.json --only memories
fails_with 2 'number of a GPU' -o x.json --device one
fails_with 2 'cannot write' -o "$work/nowhere/x.json"
fails_with 2 'no GPU to measure' -o "$work/x.json"
[ ! -e "$work/x.json" ] || { echo 'a file without a measurement'; exit 1; }
echo "clustersim-gpubench: refusals as expected"
