#!/usr/bin/env bash
# Lints openapi.yaml as a real server serves it, generates clients in Python, TypeScript, Rust and Go, compiles them,
# and calls the server with two of them.
# tests/clients.sh PROGRAM; needs Python 3 with venv, Node.js with npm, Java, Go and Cargo. All it installs and
# generates is below target/clients.
set -euo pipefail
program=$(realpath "${1:?the program to test}")
cd "$(dirname "$0")/.."
tests=$PWD/tests/clients work=$PWD/target/clients
tools=$work/tools-$(cat "$tests"/requirements.txt "$tests"/package-lock.json | sha256sum | cut -c 1-12)
generated=$work/generated
rm -rf "$generated"
mkdir -p "$generated"
: >"$generated/results.txt"

if [ ! -e "$tools/complete" ]; then
    rm -rf "$tools"
    mkdir -p "$tools"
    python3 -m venv "$tools"
    "$tools"/bin/pip install --quiet --disable-pip-version-check --no-cache-dir -r "$tests/requirements.txt"
    cp "$tests"/package.json "$tests"/package-lock.json "$tools"
    npm ci --prefix "$tools" --cache "$tools/cache" --no-audit --no-fund --loglevel=error
    rm -rf "$tools/cache"
    touch "$tools/complete"
fi
PATH=$tools/bin:$tools/node_modules/.bin:$PATH
export PYTHONDONTWRITEBYTECODE=1 REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

data=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server"
    rm -rf "$data"
}
trap stop EXIT
key() { "$program" keys create --data "$data" --plan "$1" --name Clients --email clients@example.com; }
gold=$(key gold) platinum=$(key platinum)
touch "$data/out.txt"
"$program" serve --data "$data" --listen 127.0.0.1:0 --webhook-allow-private >"$data/out.txt" &
server=$!
until address=$(grep -o 'http://.*' "$data/out.txt"); do
    kill -0 "$server"
    sleep 0.1
done

# Runs a command as one check; the end of what it prints is shown where it fails.
check() {
    local name=$1 start=$SECONDS status
    shift
    # As a condition a function would go on after a command that fails.
    set +e
    (set -e; "$@") >"$generated/log.txt" 2>&1
    status=$?
    set -e
    if [ "$status" = 0 ]; then
        echo "ok   $name ($((SECONDS - start)) s)"
    else
        echo "FAIL $name ($((SECONDS - start)) s)"
        tail -n 40 "$generated/log.txt" | sed 's/^/     /'
    fi | tee -a "$generated/results.txt"
}

document=$generated/openapi.yaml
python3 -c 'import sys, urllib.request as r; sys.stdout.buffer.write(r.urlopen(sys.argv[1]).read())' \
    "$address/docs/openapi.yaml" >"$document"
# All but the address of the server is as it stands in the file.
served() { diff openapi.yaml <(sed "s|$address|http://localhost:8080|" "$document"); }
check 'the server serves openapi.yaml' served
check 'lint: redocly' redocly lint "$document" --config "$tests/redocly.yaml" --max-problems 1000
check 'lint: spectral' spectral lint "$document" --ruleset "$tests/spectral.yaml" --fail-severity hint
check 'lint: openapi-generator' openapi-generator-cli validate --recommend -i "$document"

generate() {
    openapi-generator-cli generate -g "$1" -i "$document" -o "$generated/$1" \
        --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false \
        --additional-properties "$2"
}

python_client() {
    generate python packageName=finserve_client
    cd "$generated/python"
    mypy --config-file "$tests/mypy.ini" --cache-dir "$work/mypy" -p finserve_client
}
check 'openapi-generator: Python, by mypy' python_client

compile() {
    tsc --noEmit --strict --target es2022 --module es2022 --moduleResolution bundler --lib es2022,dom "$1"
}

typescript_client() {
    generate typescript-fetch supportsES6=true
    cp "$tests/fetch.ts" "$generated"
    compile "$generated/fetch.ts"
}
check 'openapi-generator: TypeScript, by tsc' typescript_client

# Without its lock file the client would be compiled with whatever is newest; without TLS it is small.
rust_client() {
    generate rust packageName=finserve_client,packageVersion=0.0.0
    cd "$generated/rust"
    printf '\n[workspace]\n' >>Cargo.toml
    cp "$tests/Cargo.lock" .
    CARGO_TARGET_DIR=$work/rust cargo check --locked --no-default-features
}
check 'openapi-generator: Rust, by cargo' rust_client

# Fields are only ever added, so a client must not refuse those it does not know, as the generator would have it.
go_client() {
    generate go withGoMod=false,packageName=finserve_client,disallowAdditionalPropertiesIfNotPresent=false
    cd "$generated/go"
    rm -rf test
    printf 'module finserve_client\n\ngo 1.19\n' >go.mod
    HOME=$work/go GOCACHE=$work/go/cache GOPATH=$work/go/path CGO_ENABLED=0 GOPROXY=off GOTOOLCHAIN=local \
        go vet ./...
}
check 'openapi-generator: Go, by go vet' go_client

types() {
    openapi-typescript "$document" -o "$generated/openapi.d.ts"
    cp "$tests/types.ts" "$generated"
    compile "$generated/types.ts"
}
check 'openapi-typescript, by tsc' types

httpx_client() {
    mkdir -p "$generated/httpx"
    cd "$generated/httpx"
    openapi-python-client generate --path "$document" --output-path finserve_httpx --meta none --fail-on-warning
    touch finserve_httpx/py.typed
    mypy --config-file "$tests/mypy.ini" --cache-dir "$work/mypy" -p finserve_httpx
}
check 'openapi-python-client, by mypy' httpx_client

export PYTHONPATH=$generated/python:$generated/httpx
check 'the calls, by mypy' mypy --config-file "$tests/mypy.ini" --cache-dir "$work/mypy" "$tests/calls.py"
python3 "$tests/calls.py" "$address" "$gold" "$platinum" | tee -a "$generated/results.txt" || true

passed=$(grep -c '^ok' "$generated/results.txt" || true)
failed=$(grep -c '^FAIL' "$generated/results.txt" || true)
echo "$passed passed, $failed failed"
# Fewer lines than there are checks mean that the calls did not even begin.
[ "$failed" = 0 ] && [ "$passed" = 34 ]
