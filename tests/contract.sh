#!/usr/bin/env bash
# Sends what openapi.yaml allows, and what it forbids, to a real server; schemathesis judges the answers.
# tests/contract.sh PROGRAM [EXAMPLES]; needs Python 3 with venv, and installs schemathesis below target/.
set -euo pipefail
program=$(realpath "${1:?the program to test}") examples=${2:-50}
cd "$(dirname "$0")/.."
tests=$PWD/tests tool=$PWD/target/schemathesis-4.32.5
if [ ! -x "$tool"/bin/schemathesis ]; then
    python3 -m venv "$tool"
    "$tool"/bin/pip install --quiet --disable-pip-version-check schemathesis==4.32.5
fi

data=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server"
    rm -rf "$data"
}
trap stop EXIT

# A key passes 2000 requests a minute, and the test sends more.
for _ in $(seq 20); do
    "$program" keys create --data "$data" --plan platinum --name Contract --email contract@example.com
done >"$data/keys.txt"
touch "$data/out.txt"
# Webhooks call this machine, and so nobody else.
"$program" serve --data "$data" --listen 127.0.0.1:0 --trusted-proxy 127.0.0.1/32 --webhook-allow-private \
    >"$data/out.txt" &
server=$!
until address=$(grep -o 'http://.*' "$data/out.txt"); do
    kill -0 "$server"
    sleep 0.1
done

# The seed makes a failure happen again. Credentials come from the hooks: a generated one beside them would be
# a second key, which is refused. What schemathesis leaves where it runs goes with the data.
cd "$data"
export CONTRACT_KEYS="$data/keys.txt" CONTRACT_ADDRESS="$address"
SCHEMATHESIS_HOOKS=contract_hooks PYTHONPATH="$tests" PYTHONDONTWRITEBYTECODE=1 \
    "$tool"/bin/schemathesis run "$address/docs/openapi.yaml" --url "$address" --checks all --max-examples "$examples" \
    --seed 7 --generation-with-security-parameters false --generation-database none --no-color
