#!/usr/bin/env bash
# Runs every target for so many seconds, one after the other; fails at the first finding.
#
#   fuzz/run.sh [--dev] SECONDS [TARGET…]
#
# With --dev it is built in a fraction of the time, and tries less in each second.
set -euo pipefail
profile=release
[ "${1:-}" != --dev ] || { profile=dev && shift; }
seconds=${1:?how many seconds each}
shift
cd "$(dirname "$0")"
targets=("$@")
[ $# -gt 0 ] || targets=(keys search import query form headers mcp request)
# What libFuzzer is told of the code that it tries: which edges were taken and what was compared. Memory is safe by the
# language; without a sanitizer more is tried in the same time, and any compiler will do.
seen=(--cfg fuzzing -Cpasses=sancov-module)
for what in level=4 inline-8bit-counters pc-table trace-compares; do
    seen+=("-Cllvm-args=-sanitizer-coverage-$what")
done
# With a named target the build scripts and macros are left alone.
host=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}/$host/${profile/dev/debug}
RUSTFLAGS=${seen[*]} cargo build --locked --profile "$profile" --target "$host" --bins
for target in "${targets[@]}"; do
    printf '== %s\n' "$target"
    mkdir -p "corpus/$target" "artifacts/$target"
    "$built/$target" "corpus/$target" "seeds/$target" -artifact_prefix="artifacts/$target/" \
        -max_total_time="$seconds" -max_len=4096 -timeout=60 -report_slow_units=60 -rss_limit_mb=2048 -print_final_stats=1 2>&1 |
        tee "$target.log" | grep -E 'stat::|SUMMARY|panicked|Test unit|cov:.*(DONE|pulse)' || true
    grep -q 'stat::number_of_executed_units' "$target.log" || { tail -n 40 "$target.log" && exit 1; }
    if compgen -G "artifacts/$target/*" >/dev/null; then exit 1; fi
    rm "$target.log"
done
