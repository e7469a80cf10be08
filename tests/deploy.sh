#!/usr/bin/env bash
# Lints what is under deploy/ with the tools that read it, and runs nginx and Caddy in front of the program: a forged
# X-Forwarded-For must change nothing, and the caller's address must arrive. Prints what was checked and what was
# skipped, and why.
#
#   tests/deploy.sh target/release/finserve
#
# The tools are Debian's: nginx caddy prometheus (for promtool) openssl jq systemd. hadolint is used where it is
# installed; Debian does not have it.
set -euo pipefail
binary=$(realpath "${1:?the program to run}")
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
chmod 755 "$work"
checked=0 failed=0 skipped=0 running=()
cleanup() {
    for pid in "${running[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

ok() { checked=$((checked + 1)) && printf 'ok       %s\n' "$1"; }
wrong() { failed=$((failed + 1)) && printf 'WRONG    %s\n' "$1"; }
skip() { skipped=$((skipped + 1)) && printf 'skipped  %s: %s\n' "$1" "$2"; }

# Runs a command, which must succeed; its output is shown where it does not.
check() {
    local what=$1
    shift
    if "$@" >"$work/output" 2>&1; then ok "$what"; else wrong "$what" && sed 's/^/         /' "$work/output"; fi
}

# Whether there is a program; says what is skipped without it.
have() {
    command -v "$1" >/dev/null && return
    skip "$2" "there is no $1"
    return 1
}

# Compares what is with what is wanted.
same() { if [ "$2" = "$3" ]; then ok "$1: $2"; else wrong "$1: $2, wanted $3"; fi; }

units() {
    have systemd-analyze 'systemd units' || return 0
    mkdir "$work/units"
    for unit in deploy/systemd/*.{service,socket,timer}; do
        sed "s|/usr/local/bin/finserve|$binary|" "$unit" >"$work/units/$(basename "$unit")"
    done
    mkdir "$work/units/finserve.socket.d"
    for unit in "$work"/units/finserve*.*[a-z]; do
        [ -f "$unit" ] || continue
        # It succeeds even where it complains of a setting that it does not know; man pages may be missing here.
        check "systemd-analyze verify $(basename "$unit")" silent \
            systemd-analyze verify --man=no --recursive-errors=no "$unit"
    done
    cp deploy/systemd/finserve-tls.conf "$work/units/finserve.socket.d/"
    check 'systemd-analyze verify finserve.socket with finserve-tls.conf' silent \
        systemd-analyze verify --man=no --recursive-errors=no "$work/units/finserve.socket"
    # 0 is a sandbox without anything, 100 none at all.
    for unit in finserve finserve@ finserve-backup; do
        check "systemd-analyze security $unit.service: an exposure of at most 2.0" \
            systemd-analyze security --offline=true --threshold=20 "$work/units/$unit.service"
        tail -n 1 "$work/output" | sed 's/^[^O]*/         /'
    done
    if command -v systemd-sysusers >/dev/null; then
        mkdir -p "$work/system/etc"
        check 'systemd-sysusers makes the user' systemd-sysusers --root="$work/system" "$PWD/deploy/systemd/finserve.sysusers"
        check 'the user is in passwd' grep -q '^finserve:' "$work/system/etc/passwd"
    else
        skip finserve.sysusers 'there is no systemd-sysusers'
    fi
}

# Fails where a command fails or says anything.
silent() {
    local said
    said=$("$@" 2>&1) && [ -z "$said" ] && return
    printf '%s\n' "$said"
    return 1
}

environment() {
    local known named
    known=$(COLUMNS=200 "$binary" serve --help | grep -o 'env: FINSERVE_[A-Z_]*' | sed 's/env: //' | sort -u)
    named=$(grep -o '^#\?FINSERVE_[A-Z_]*' deploy/finserve.env | tr -d '#' | sort -u)
    check 'finserve.env has every variable of serve, and no other' diff <(echo "$known") <(echo "$named")
    local values
    values=$(sed -n 's/^#\?\(FINSERVE_[A-Z_]*=.*\)/\1/p' deploy/finserve.env | grep -v 'FINSERVE_DATA\|FINSERVE_LISTEN\|_TLS_' |
        grep -v 'FINSERVE_ACCOUNTS\|FINSERVE_LIMITS\|FINSERVE_CATALOGUE_FROM')
    # A wrong address to listen on is found last, after all other values were read.
    if env $values FINSERVE_DATA="$work/none" "$binary" serve --listen nowhere.invalid:1 >"$work/output" 2>&1; then
        wrong 'finserve.env: a server on an address that does not exist'
    elif grep -q 'cannot listen on nowhere.invalid:1' "$work/output"; then
        ok 'finserve.env: every value is understood'
    else
        wrong "finserve.env: $(cat "$work/output")"
    fi
    named=$(grep -o '^#\?FINSERVE_[A-Z_]*' deploy/cluster.env | tr -d '#' | sort -u)
    check 'cluster.env has only variables of serve' \
        bash -c 'missing=$(comm -13 <(echo "$0") <(echo "$1")); echo "$missing"; [ -z "$missing" ]' "$known" "$named"
    for name in ACCOUNTS:POSTGRES LIMITS:VALKEY; do
        check "cluster.env: the password of FINSERVE_${name%:*} is that of ${name#*:}" bash -c \
            '. deploy/cluster.env 2>/dev/null; a=FINSERVE_${0%:*} p=${0#*:}_PASSWORD; [[ ${!a} == *:"${!p}"@* ]]' "$name"
    done
}

compose() {
    if python3 -c 'import yaml' 2>/dev/null; then
        check 'compose.yaml: only the balancer has ports' python3 -c '
import sys, yaml
services = yaml.safe_load(open("deploy/compose.yaml"))["services"]
open_to_all = [name for name, service in services.items() if service.get("ports")]
unchecked = [name for name, service in services.items() if not service.get("healthcheck") and "build" not in service]
sys.exit(None if open_to_all == ["balancer"] and not unchecked else f"ports: {open_to_all}, no health check: {unchecked}")'
    else
        skip 'compose.yaml is YAML' 'there is no yaml for Python'
    fi
    if docker compose version >/dev/null 2>&1; then
        check 'docker compose config' docker compose -f deploy/compose.yaml config -q
    else
        skip 'docker compose config' 'there is no docker compose'
    fi
}

monitoring() {
    if have promtool 'alert rules'; then
        check 'promtool check rules' promtool check rules deploy/prometheus/finserve.rules.yml
        check 'promtool test rules' promtool test rules deploy/prometheus/finserve.test.yml
        cp deploy/prometheus/*.yml "$work"
        check 'promtool check config scrape.yml' promtool check config "$work/scrape.yml"
    fi
    have jq 'the dashboard' || return 0
    check 'the dashboard is JSON with panels' jq -e '.panels | length > 10' deploy/grafana/finserve.json
    # Its queries are read by the tool that reads rules: each becomes one.
    jq '{groups: [{name: "dashboard", rules: ([.panels[].targets[]?.expr | gsub("\\$instance"; ".*")] | to_entries
        | map({record: "panel:\(.key)", expr: .value}))}]}' deploy/grafana/finserve.json >"$work/panels.yml"
    if command -v promtool >/dev/null; then
        check 'promtool reads every query of the dashboard' promtool check rules "$work/panels.yml"
    fi
}

# That rules and dashboard name only metrics that a server has.
metrics() {
    local known named
    curl -sf "http://$admin/metrics" >"$work/metrics" || { wrong "http://$admin/metrics" && return; }
    # What is counted ends with _total, and one without labels yet has no line besides its type.
    known=$(sed -n 's/^# TYPE \([a-z_]*\) counter/\1_total/p; s/^# TYPE \([a-z_]*\) info/\1_info/p; s/^# TYPE \([a-z_]*\) .*/\1/p' \
        "$work/metrics" | sort -u)
    named=$(cat deploy/prometheus/finserve.rules.yml deploy/grafana/finserve.json |
        grep -o '\b\(finserve\|process\)_[a-z_]*' | sed 's/_bucket$//' | sort -u)
    check 'the outcome of synchronising is told for each dataset' \
        grep -q 'finserve_sync_runs_total{dataset="selic",outcome="failure"}' "$work/metrics"
    check 'rules and dashboard name only metrics that there are' \
        bash -c 'missing=$(comm -13 <(echo "$0") <(echo "$1")); echo "$missing"; [ -z "$missing" ]' "$known" "$named"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Starts the program behind a proxy of this machine; sets `server` and `admin` to HOST:PORT.
serve() {
    admin=127.0.0.1:$(free_port)
    # It synchronises, so that this is measured, and there is nobody to synchronise with.
    local nobody=(--sgs-url http://127.0.0.1:1 --olinda-url http://127.0.0.1:1 --ptax-url http://127.0.0.1:1 --bcb-url http://127.0.0.1:1
        --cvm-url http://127.0.0.1:1 --retry-delay 1)
    "$binary" serve --listen 127.0.0.1:0 --data "$work/data" --trusted-proxy 127.0.0.1 --base-path /data \
        --admin "$admin" --sync "${nobody[@]}" >"$work/server" 2>"$work/server.log" &
    running+=($!)
    server=
    for _ in $(seq 300); do
        server=$(sed -n 's|.*listens on http://\([^ ]*\).*|\1|p' "$work/server")
        [ -n "$server" ] && return
        sleep 0.1
    done
    wrong 'the program starts' && cat "$work/server.log"
    exit 1
}

# What is left of the limit, asked through a proxy from one address, with a header line.
left() {
    curl -sk --interface "$1" -o /dev/null -D - -H "$2" --resolve "data.example.org:$port:127.0.0.1" "$url/api/v1/plans" |
        tr -d '\r' | sed -n 's/^x-ratelimit-remaining: //Ip'
}

# A proxy on `url`: forged addresses are all one caller, and each real address is one of its own. Addresses that
# no test before has used begin with a whole limit.
forging() {
    local name=$1 one=$2 two=$3 first second third
    first=$(left "$one" 'X-Forwarded-For: 203.0.113.7')
    second=$(left "$one" 'X-Forwarded-For: 203.0.113.8, 203.0.113.9')
    third=$(left "$one" 'Forwarded: for=203.0.113.10')
    same "$name: three requests with forged addresses are one caller's" "$first $second $third" '29 28 27'
    same "$name: another address is another caller" "$(left "$two" 'Accept: */*')" 29
}

wait_for() {
    for _ in $(seq 300); do
        curl -sk -o /dev/null --resolve "data.example.org:$port:127.0.0.1" "$url/health" && return
        sleep 0.1
    done
    return 1
}

with_nginx() {
    have nginx 'nginx configuration' || return 0
    local plain=$(free_port) tls=$(free_port) path=$(free_port)
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=data.example.org \
        -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
    sed -e "s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443 ssl|listen 127.0.0.1:$tls ssl|; /listen \[::\]/d" \
        -e "s|server 127.0.0.1:8080|server $server|; s|/var/log/nginx/finserve.log|$work/access.log|" \
        -e "s|/etc/letsencrypt/live/data.example.org/fullchain|$work/cert|; s|/etc/letsencrypt/live/data.example.org/privkey|$work/key|" \
        deploy/nginx/finserve.conf >"$work/site.conf"
    sed "s|127.0.0.1:8080|$server|" deploy/nginx/finserve-subpath.conf >"$work/subpath.conf"
    cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
    include $work/site.conf;
    server { listen 127.0.0.1:$path; include $work/subpath.conf; location / { return 404; } }
}
CONF
    check 'nginx -t' nginx -t -q -e "$work/nginx.log" -c "$work/nginx.conf"
    nginx -e "$work/nginx.log" -c "$work/nginx.conf" 2>/dev/null &
    running+=($!)
    port=$tls url=https://data.example.org:$tls
    wait_for || wrong 'nginx answers'
    forging nginx 127.0.1.1 127.0.1.2
    curl -sk -o /dev/null --resolve "data.example.org:$port:127.0.0.1" "$url/api/v1/market/selic/current?token=finl_secret"
    curl -s -o /dev/null "http://127.0.0.1:$plain/redirected?token=finl_secret"
    same 'nginx: requests in its log' "$(grep -c 'GET /\(api/v1/market/selic/current\|redirected\)"' "$work/access.log")" 2
    check 'nginx: no token in its log' bash -c '! grep -q finl_ "$0"' "$work/access.log"
    same 'nginx: plain HTTP is sent to HTTPS' "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$plain/a")" 301
    same 'nginx: a body over 16 KiB is refused' "$(head -c 20000 /dev/zero |
        curl -sk -o /dev/null -w '%{http_code}' --resolve "data.example.org:$port:127.0.0.1" --data-binary @- "$url/api/v1/plans/register")" 413
    port=$path url=http://data.example.org:$path/data
    forging 'nginx under a path' 127.0.1.3 127.0.1.4
    check 'nginx under a path: links of pages begin with it' \
        bash -c 'curl -s "http://127.0.0.1:$0/data/" | grep -q "href=\"/data/"' "$path"
}

# A replica that takes a request and closes the connection; notes each.
closing() {
    python3 -u -c '
import socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listens")
while True:
    client, _ = listener.accept()
    client.recv(65536)
    client.close()
    print("closed")' "$1" >"$work/closed" &
    running+=($!)
    for _ in $(seq 100); do grep -q listens "$work/closed" && return; sleep 0.1; done
}

# Three replicas, two of which do not work: nobody notices.
with_replicas() {
    have nginx 'nginx in front of replicas' || return 0
    local plain=$(free_port) tls=$(free_port) nobody=$(free_port) closes=$(free_port) answered
    closing "$closes"
    sed -e "s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443 ssl|listen 127.0.0.1:$tls ssl|; /listen \[::\]/d" \
        -e "s|/var/log/nginx/finserve.log|$work/access.log|; s|replica-1:8080|$server|; s|replica-2:8080|127.0.0.1:$nobody|; s|replica-3:8080|127.0.0.1:$closes|" \
        -e "s|/etc/letsencrypt/live/data.example.org/fullchain|$work/cert|; s|/etc/letsencrypt/live/data.example.org/privkey|$work/key|" \
        deploy/nginx/finserve-replicas.conf >"$work/replicas.conf"
    sed -e "s|$work/site.conf|$work/replicas.conf|; s|nginx.pid|replicas.pid|; /subpath.conf/d" "$work/nginx.conf" >"$work/balancer.conf"
    check 'nginx -t with replicas' nginx -t -q -e "$work/replicas.log" -c "$work/balancer.conf"
    nginx -e "$work/replicas.log" -c "$work/balancer.conf" 2>/dev/null &
    running+=($!)
    port=$tls url=https://data.example.org:$tls
    wait_for || wrong 'nginx with replicas answers'
    forging 'nginx with replicas' 127.0.1.7 127.0.1.8
    answered=$(for _ in $(seq 30); do
        curl -sk -o /dev/null -w '%{http_code}\n' --resolve "data.example.org:$port:127.0.0.1" "$url/health"
    done | sort | uniq -c | tr -s ' ')
    same 'nginx with replicas: 30 requests while two of three do not work' "$answered" ' 30 200'
    check 'nginx with replicas: one of them did get requests' grep -q closed "$work/closed"
}

# Starts Caddy on a free port; sets `port` and `url`.
start_caddy() {
    port=$(free_port)
    # Without a domain there is no certificate: the same site by plain HTTP.
    { printf '{\n\tadmin off\n\tauto_https off\n}\n' &&
        sed "s|^data.example.org|http://data.example.org:$port|; s|^www.example.org|http://www.example.org:$port|; s|127.0.0.1:8080|$server|" \
            deploy/caddy/Caddyfile; } >"$work/Caddyfile"
    caddy run --adapter caddyfile --config "$work/Caddyfile" >"$work/caddy.log" 2>&1 &
    running+=($!)
    url=http://data.example.org:$port
    wait_for
}

with_caddy() {
    have caddy 'Caddyfile' || return 0
    export HOME=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work
    check 'caddy validate' caddy validate --adapter caddyfile --config deploy/caddy/Caddyfile
    check 'caddy fmt' bash -c 'caddy fmt deploy/caddy/Caddyfile | diff deploy/caddy/Caddyfile -'
    # Another program may take the port before Caddy does.
    start_caddy || start_caddy || start_caddy || { wrong 'Caddy answers' && tail -n 5 "$work/caddy.log"; }
    forging Caddy 127.0.1.5 127.0.1.6
}

image() {
    if have hadolint Dockerfile; then
        check 'hadolint Dockerfile' hadolint deploy/Dockerfile
    fi
    # Without a linter: what it copies is there, and it does not run as root.
    for source in LICENSE-MIT LICENSE-APACHE; do
        check "Dockerfile: $source is there to be copied" grep -q '^' "$source"
    done
    same 'Dockerfile: the user' "$(sed -n 's/^USER //p' deploy/Dockerfile)" nonroot
    check 'Dockerfile: its health check is a command of the program' \
        bash -c '"$0" doctor --help | grep -q -- "--ready"' "$binary"
    if docker info >/dev/null 2>&1; then
        check 'docker build' docker build -q -f deploy/Dockerfile .
    else
        skip 'docker build' 'no Docker daemon runs here'
    fi
}

scripts() {
    for script in deploy/*.sh tests/deploy.sh; do check "bash -n $script" bash -n "$script"; done
    if have shellcheck 'shell scripts'; then
        check 'shellcheck' shellcheck -S warning deploy/*.sh
    fi
    mkdir -p "$work/lineage" "$work/tls"
    echo certificate >"$work/lineage/fullchain.pem" && echo key >"$work/lineage/privkey.pem"
    sed 's/ -g finserve//' deploy/certbot-hook.sh >"$work/hook.sh"
    check 'certbot-hook.sh copies both files' env RENEWED_LINEAGE="$work/lineage" FINSERVE_TLS_DIRECTORY="$work/tls" sh "$work/hook.sh"
    same 'certbot-hook.sh: who may read the key' "$(stat -c %a "$work/tls/key.pem" 2>/dev/null)" 640
}

units
environment
compose
monitoring
image
scripts
serve
with_nginx
with_replicas
with_caddy
metrics
printf '%d checked, %d wrong, %d skipped\n' "$checked" "$failed" "$skipped"
[ "$failed" = 0 ]
