//! Any bytes as an official file, under the name of each kind; what can be read can be stored.
#![no_main]
use std::io::Cursor;

use fincore::Import;

const NAMES: [&str; 14] = [
    "bcdata.sgs.433.json",
    "bcdata.sgs.433.csv",
    "20260904.csv",
    "CotacoesMoedasPeriodo.csv",
    "CotacaoDolarPeriodo.json",
    "CotacaoMoedaPeriodo.EUR.json",
    "cad_cia_aberta.csv",
    "ipe_cia_aberta_2026.csv",
    "dfp_cia_aberta_2025.csv",
    "fca_cia_aberta_valor_mobiliario_2026.csv",
    "tickers.csv",
    "ipe_cia_aberta_2026.zip",
    "fca_cia_aberta_2026.zip",
    "unknown",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, file)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    if Import::verify(name, Cursor::new(file)).is_ok() {
        let now = "2026-11-05T12:00:00Z".parse().expect("a time");
        // Dropped, it changes nothing.
        let mut import = Import::begin(fuzzed::catalogue(), now).expect("the only import").force();
        let _ = import.file(name, file);
    }
});
