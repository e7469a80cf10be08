# What the gate (.ci/run) and the long form (.ci/nightly) share: steps, lanes and every check. Needs Rust and Python 3;
# everything else (wrk, Java, Go, Chromium, Node.js, LibreOffice, nginx, Caddy, Prometheus, PostgreSQL, Redis) is
# installed where it is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Nothing built here is built twice.
export CARGO_INCREMENTAL=0
program=target/release/finserve logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
: >"$logs/times"

# Runs a command as a step: its name, then the command. Prints how long it took, and the processor time of what it ran.
step() {
    local name=$1 began=$SECONDS spent
    shift
    printf '\n== %s\n' "$name"
    times >"$logs/before"
    "$@"
    times >"$logs/after"
    spent=$(awk -F '[ms ]' 'FNR == 2 { sum = 60 * ($1 + $4) + $2 + $5 - sum } END { print int(sum) }' "$logs/before" "$logs/after")
    printf '%5d s  %s (%d s of processor time)\n' $((SECONDS - began)) "$name" "$spent" | tee -a "$logs/times"
}

# Runs checks one after the other, as a lane beside others. Each writes to a log of its own, of which the end is shown.
lane() {
    local check began
    for check in "$@"; do
        began=$SECONDS
        if ! "$check" >"$logs/$check" 2>&1; then
            printf '== %s FAILED after %d s\n%s\n' "$check" $((SECONDS - began)) "$(tail -n 100 "$logs/$check")"
            return 1
        fi
        printf '== %s: %d s\n%s\n' "$check" $((SECONDS - began)) "$(tail -n 5 "$logs/$check" | cut -c 1-300)"
        # Of `cargo test`, which ends with doctests.
        grep '^test result: .* [1-9][0-9]* passed' "$logs/$check" || true
        printf '%5d s  %s\n' $((SECONDS - began)) "$check" >>"$logs/times"
    done
}

# A lane that leaves the processors to those beside it.
gently() {
    renice -n 19 "$BASHPID" >/dev/null
    lane "$@"
}

# Waits for lanes; fails if one did.
join() {
    local pid failed=0
    for pid in "$@"; do wait "$pid" || failed=1; done
    [ "$failed" = 0 ]
}

# Where the time went, the longest first.
report() {
    printf '\n== where the time went\n'
    sort -rn "$logs/times"
    printf 'all of it: %d s\n' "$SECONDS"
}

# Installs what is missing of so many programs, each named with its Debian package, as the user that may.
install() {
    local root=() missing=() wanted
    for wanted in "$@"; do
        command -v "${wanted%:*}" >/dev/null || missing+=("${wanted#*:}")
    done
    python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
    compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null || missing+=(libfaketime)
    # LibreOffice is told by Debian's Python what to do.
    [[ $* != *soffice* ]] || /usr/bin/python3 -c 'import uno' 2>/dev/null || missing+=(python3-uno)
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || root=(sudo)
    "${root[@]}" apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
installed() { wait "$installing" || { tail -n 40 "$logs/install" && return 1; }; }

# By tools of others, which need Node.js: where it is missing, it is being installed.
document() { { command -v npm >/dev/null || installed; } && tests/openapi.sh; }
tests() { cargo test --workspace; }
# Optimised, with what `release` has built. At night also those of the library, not optimised.
long_tests() { cargo test --release -p finserve --features cluster --test tests -- --ignored; }
longest_tests() { cargo test --workspace --lib -- --ignored; }
examples() {
    local example
    for example in fincore/examples/*.rs; do
        example=$(basename "$example" .rs)
        # That one makes the bundled tables from files that are not here.
        # The tests have built them.
        [ "$example" = make_bundle ] || "target/debug/examples/$example" >/dev/null
    done
}
# With the feature that replicas need, so that one program serves all that follows; and the long tests of it.
release() { cargo test --release -p finserve --features cluster --test tests --no-run; }

# The second: what is fuzzed has a lock file of its own.
lints() {
    cargo clippy --workspace --all-targets --features finserve/cluster -- -D warnings &&
        cargo tree --locked --manifest-path fuzz/Cargo.toml >/dev/null
}
features() {
    cargo clippy -p finserve --no-default-features -- -D warnings &&
        cargo clippy -p fincore --no-default-features -- -D warnings &&
        cargo clippy -p fincore --no-default-features --features parquet -- -D warnings
}
documentation() { RUSTDOCFLAGS='-D warnings' cargo doc --workspace --features finserve/cluster --no-deps --quiet; }
# Whether they run; what they measure is for people to look at.
benches() { cargo bench -p benches --profile dev -- --test && cargo bench -p finserve --profile dev --bench http -- --test; }
killed_imports() { tests/kill_import.py $program ${long:+100}; }
killed_syncs() { tests/kill_sync.py $program "${long:-8}"; }
killed_webhooks() { tests/kill_webhooks.py $program "${long:-4}"; }
killed_servers() { tests/kill_server.py $program "${long:-15}"; }
memory_of_imports() { tests/import_memory.py $program; }
exports_read_back() { tests/read_back.py $program; }
sheet() { tests/sheet.py $program; }
contract() { tests/contract.sh $program "${long:-15}"; }
transformations() { tests/transformations.py $program; }
statements() { tests/statements.py $program ${long:+--long}; }
clients() { tests/clients.sh $program; }
agents() { tests/mcp.sh $program; }
# At night also with every other Python that is here.
python_client() { clients/python/check.sh $program ${long:+$(other_pythons)}; }
other_pythons() {
    local version
    for version in 3.10 3.11 3.12 3.13 3.14; do
        ! "python$version" -c "" 2>/dev/null || echo "python$version"
    done
}
snippets() { tests/snippets.sh; }
reader() { tests/reader.sh $program; }
# What is in the package is enough to build it.
package() {
    cargo package -p fincore --allow-dirty --no-verify --target-dir target/apart &&
        tar -C "$logs" -xzf target/apart/package/fincore-*.crate &&
        cargo check --manifest-path "$logs"/fincore-*/Cargo.toml --target-dir target/apart \
            --config profile.dev.package.zstd-sys.opt-level=3
}
deployment() { tests/deploy.sh $program; }
# The tests of the feature `cluster`, with the engines that they need; `published` also runs replicas.
conformance() {
    tests/cluster/engines.py cargo test -p finserve --lib --test tests --features cluster -- \
        --include-ignored cluster publication
}
published() { tests/cluster/publish.py $program 5; }
limits() { tests/cluster/limits.py $program short; }
accounts() { tests/cluster/accounts.py $program short; }
outage() { tests/cluster/outage.py $program short; }
tls() { tests/tls.py $program; }
panics() { cargo build --workspace --features finserve/faults && tests/panics.py target/debug/finserve; }
fuzzing() { fuzz/run.sh --dev 60; }
pages() {
    npm ci --prefix tests/browser --no-audit --no-fund --loglevel=error &&
        CHROMIUM=$(command -v chromium) node tests/browser/pages.mjs $program ${long:+--long} &&
        CHROMIUM=$(command -v chromium) node tests/browser/explore.mjs $program ${long:+--long} &&
        CHROMIUM=$(command -v chromium) node tests/browser/lighthouse.mjs $program ${long:+--long}
}
faults() { tests/faults.py $program; }
stop() { tests/stop.py $program 1; }
restart() { tests/restart.py $program 2; }
instructions() { tests/instructions.py $program; }
