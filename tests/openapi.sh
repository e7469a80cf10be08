#!/usr/bin/env bash
# Has two outside tools read openapi.yaml, as every client generator does before it begins: openapi-spec-validator holds
# it against the schema of OpenAPI 3.0, redocly lints it.
# tests/openapi.sh; needs Python 3 with venv and Node.js with npm, and installs both tools below target/.
set -euo pipefail
cd "$(dirname "$0")/.."
validator=$PWD/target/openapi-spec-validator-0.9.0
linter=$PWD/target/redocly-$(sha256sum <tests/clients/package-lock.json | cut -c 1-12)

if [ ! -e "$validator/complete" ]; then
    rm -rf "$validator"
    python3 -m venv "$validator"
    "$validator"/bin/pip install --quiet --disable-pip-version-check openapi-spec-validator==0.9.0
    touch "$validator/complete"
fi
if [ ! -e "$linter/complete" ]; then
    rm -rf "$linter"
    mkdir -p "$linter"
    cp tests/clients/package.json tests/clients/package-lock.json "$linter"
    npm ci --prefix "$linter" --no-audit --no-fund --loglevel=error
    touch "$linter/complete"
fi

"$validator"/bin/openapi-spec-validator --schema 3.0 openapi.yaml
REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
    "$linter"/node_modules/.bin/redocly lint openapi.yaml --config tests/clients/redocly.yaml
