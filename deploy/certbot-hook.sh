#!/bin/sh
# Gives finserve each new certificate, the key readable by its group only: for `certbot certonly --deploy-hook`. The
# server notices the new files by itself.
set -eu
to=${FINSERVE_TLS_DIRECTORY:-/etc/finserve/tls}
install -d -m 0750 -g finserve "$to"
# The certificate first: the server waits until both fit together.
install -m 0644 "$RENEWED_LINEAGE/fullchain.pem" "$to/cert.pem.new"
install -m 0640 -g finserve "$RENEWED_LINEAGE/privkey.pem" "$to/key.pem.new"
mv "$to/cert.pem.new" "$to/cert.pem"
mv "$to/key.pem.new" "$to/key.pem"
