#!/usr/bin/env bash
# Lets the official client of the Model Context Protocol call every tool of a real server, over HTTP and over the standard
# input and output. tests/mcp.sh PROGRAM; needs Python 3 with venv, and installs the client below target/.
set -euo pipefail
program=$(realpath "${1:?the program to test}")
cd "$(dirname "$0")/.."
tests=$PWD/tests tool=$PWD/target/mcp-2.3.0
if [ ! -e "$tool"/installed ]; then
    python3 -m venv "$tool"
    "$tool"/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
    touch "$tool"/installed
fi

data=$(mktemp -d)
server=
stop() {
    if [ -n "$server" ]; then
        kill "$server"
        wait "$server" || true
    fi
    rm -rf "$data"
}
trap stop EXIT

key=$("$program" keys create --data "$data" --plan platinum --name Agent --email agent@example.com | grep -o 'fin_[A-Za-z0-9]*')
touch "$data/out.txt"
"$program" serve --data "$data" --listen 127.0.0.1:0 --log-level warn >"$data/out.txt" &
server=$!
until address=$(grep -o 'http://.*' "$data/out.txt"); do
    kill -0 "$server"
    sleep 0.1
done

FINSERVE_KEY=$key PYTHONDONTWRITEBYTECODE=1 "$tool"/bin/python "$tests/mcp_client.py" "$program" "$address" "$data"
