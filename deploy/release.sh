#!/usr/bin/env bash
# Builds a release: the program, its completions, manual pages, what is under deploy/ and the licences in one archive,
# with its SHA-256 beside it.
#
#   deploy/release.sh [DIRECTORY]     by default target/archives
#
# The program is static, and runs on any Linux of its processor, if the musl target is installed (rustup target add
# x86_64-unknown-linux-musl; apt install musl-tools). Otherwise it needs the C library of this system or a newer one,
# and the name of the archive says so. TARGET=… chooses.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-${CARGO_TARGET_DIR:-target}/archives}
mkdir -p "$out"
out=$(realpath "$out")

host=$(rustc -vV | sed -n 's/^host: //p')
musl=${host%-gnu}-musl
if [ -z "${TARGET:-}" ]; then
    TARGET=$host
    if rustc --print target-libdir --target "$musl" 2>/dev/null | xargs -r test -d && command -v musl-gcc >/dev/null; then
        TARGET=$musl
    fi
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
[ -z "$(git status --porcelain 2>/dev/null)" ] || commit=$commit+
name=finserve-$version-$TARGET
printf 'building %s, commit %s\n' "$name" "${commit:-unknown}"

FINSERVE_COMMIT=${FINSERVE_COMMIT:-$commit} cargo build --profile dist --locked --target "$TARGET" \
    --features cluster --bin finserve
built=${CARGO_TARGET_DIR:-target}/$TARGET/dist/finserve

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/completions" "$root/man"
strip -o "$root/finserve" "$built"
for shell in bash fish zsh; do "$root/finserve" completions "$shell" >"$root/completions/finserve.$shell"; done
"$root/finserve" man "$root/man" >/dev/null
cp -r deploy docs ./*.md LICENSE-MIT LICENSE-APACHE "$root/"
cp fincore/data/README.md "$root/DATA.md"
"$root/finserve" --version
case $TARGET in
*-musl) if ldd "$root/finserve" 2>&1 | grep -q '=>'; then echo 'it is not static' >&2 && exit 1; fi ;;
esac

# The same sources make the same archive: names in order, one time, no owner.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$work" -c "$name" | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
ls -l "$out/$name.tar.gz"
cat "$out/$name.tar.gz.sha256"
