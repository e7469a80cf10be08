#!/usr/bin/env bash
# Runs every target for so many seconds, one after the other; fails at the first finding.
#
#   fuzz/run.sh [--dev] SECONDS [TARGET…]
#
# With --dev it is built in a fraction of the time, and tries less in each second.
set -euo pipefail
build=(--fuzz-dir fuzz --sanitizer none)
[ "${1:-}" != --dev ] || { build+=(--dev) && shift; }
seconds=${1:?how many seconds each}
shift
cd "$(dirname "$0")/.."
targets=("$@")
[ $# -gt 0 ] || targets=(keys search import query form headers request)
# All of them share what takes long to build.
cargo +nightly fuzz build "${build[@]}"
for target in "${targets[@]}"; do
    printf '== %s\n' "$target"
    mkdir -p "fuzz/corpus/$target"
    # Memory is safe by the language; without a sanitizer more is tried in the same time.
    cargo +nightly fuzz run "${build[@]}" "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -max_len=4096 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 2>&1 |
        tee "fuzz/$target.log" | grep -E 'stat::|SUMMARY|panicked|Test unit|cov:.*(DONE|pulse)' || true
    grep -q 'stat::number_of_executed_units' "fuzz/$target.log" || { tail -n 40 "fuzz/$target.log" && exit 1; }
    if compgen -G "fuzz/artifacts/$target/*" >/dev/null; then exit 1; fi
    rm "fuzz/$target.log"
done
