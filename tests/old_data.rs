//! A data directory that an older program made is opened by this one, with everything in it.
use std::{fs, path::Path};

use crate::harness::{Server, finserve};

/// What version 0.3.0 stored: a few figures, two companies, two filings, a key on Gold and one that was revoked.
fn made_by_0_3_0() -> tempfile::TempDir {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data_of_0_3_0");
    let data = tempfile::tempdir().unwrap();
    for name in ["catalogue.db", "accounts.db"] {
        let packed = fs::File::open(made.join(format!("{name}.zst"))).unwrap();
        fs::write(data.path().join(name), zstd::stream::decode_all(packed).unwrap()).unwrap();
    }
    fs::copy(made.join("accounts.made"), data.path().join("accounts.made")).unwrap();
    data
}

const GOLD: &str = "X-API-Key: fin_u1DRYlTeiKtMqbQrDZPzzZyctJpCf4ja23AsCU\r\n";
const REVOKED: &str = "X-API-Key: fin_fBjMHmvvFdG9mrL0Fu1cAju8HBdhTK1i0fIEIM\r\n";

#[test]
#[ignore = "long"]
fn the_data_of_0_3_0_is_served() {
    let server = Server::start_over(made_by_0_3_0());
    let get = |target: &str| server.keyless("GET", target, GOLD);
    let found = get("/api/v1/filings/search?q=dividendos+do+terceiro+trimestre&company=9512");
    assert_eq!((found.status, found.header("x-plan")), (200, Some("gold")), "{}", found.text());
    assert_eq!(found.json()["data"][0]["description"], "Dividendos do terceiro trimestre");
    let quote = get("/api/v1/market/fx?pair=EUR/BRL&from=2026-11-04&to=2026-11-04");
    assert!(quote.text().contains("\"sell\":5.91000000"), "{}", quote.text());
    server
        .keyless("GET", "/api/v1/market/selic/current", REVOKED)
        .expect_error(401, "invalid_api_key");
    let check = finserve(&["check", "--data"]).arg(server.data.path()).output().unwrap();
    assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stdout));
}
