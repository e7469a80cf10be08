#!/usr/bin/env bash
# Builds a program that only reads a catalogue: with fincore without its features, and so without what they need.
# tests/reader.sh PROGRAM, which makes the catalogue. All it builds is below target/apart and target/reader.
set -euo pipefail
program=$(realpath "${1:?the program that makes the catalogue}")
cd "$(dirname "$0")/.."
crate=$PWD/target/reader
mkdir -p "$crate/src"
cat >"$crate/Cargo.toml" <<'END'
[package]
name = "reader"
version = "0.0.0"
edition = "2024"

[dependencies]
fincore = { path = "../../fincore", default-features = false }

# It is nobody's member.
[workspace]
END
cat >"$crate/src/main.rs" <<'END'
use fincore::{Catalogue, companies, filings, market};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of a catalogue is missing")?;
    let catalogue = Catalogue::open(path)?;
    let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
    let selic = market::selic_current(&snapshot)?;
    let company = companies::find(&snapshot, "9512".parse()?)?;
    let april = filings::List {
        category: Some("fato relevante".into()),
        from: Some("2024-04-01".parse()?),
        to: Some("2024-04-30".parse()?),
        ..Default::default()
    };
    let april = filings::list(&snapshot, april)?;
    println!("{} {} {} {}", selic.date, selic.value, company.id, april.total);
    Ok(())
}
END
# The versions that everything else is built with.
cp Cargo.lock "$crate"
cd "$crate"
cargo build --quiet --target-dir ../apart

tree=$(cargo tree --edges normal,build --prefix none)
if unwanted=$(grep -E '^(zip|zstd|zstd-safe|zstd-sys|encoding_rs) ' <<<"$tree"); then
    echo "a program that only reads is built with: $unwanted" >&2
    exit 1
fi
grep -q '^rusqlite ' <<<"$tree"

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
echo '[{"data":"01/09/2026","valor":"0.48"}]' >"$data/bcdata.sgs.433.json"
"$program" import --data "$data" "$data/bcdata.sgs.433.json" >"$data/out.txt"
found=$(../apart/debug/reader "$data/catalogue.db")
[ "$found" = '2026-10-05 13.75 9512 230' ] || {
    echo "the reader found: $found" >&2
    exit 1
}
echo "the reader found: $found, with $(sed 's, (\*)$,,' <<<"$tree" | sort -u | wc -l) crates"
