//! Identifiers in the forms in which people paste them.
use super::*;

fn read(text: &str) -> Option<String> {
    Identifier::of_text(text).map(|found| match found {
        Identifier::Code(code) => format!("code {code}"),
        Identifier::Cnpj(cnpj) => format!("cnpj {cnpj}"),
        Identifier::Ticker(ticker) => format!("ticker {ticker}"),
        Identifier::Isin(isin) => format!("isin {}", &isin[2..6]),
    })
}

#[test]
fn codes_are_read_with_their_check_digit_and_the_words_before_them() {
    for text in [
        "9512",
        "009512",
        "00951-2",
        "00951–2",
        "CVM: 00951-2",
        "código CVM nº 00951-2",
        "Cód. CVM 9512",
        "código cvm 951-2",
        "CD_CVM 009512",
        "registro CVM n.º 9.512",
        "cvm=009512",
    ] {
        assert_eq!(read(text).as_deref(), Some("code 9512"), "{text}");
    }
    for text in ["00951-3", "2024-1", "instrução CVM 358", "CVM 358", "cvm", "0", "1-2-3"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_cnpj_is_read_in_every_form() {
    for text in [
        "33.000.167/0001-01",
        "33000167000101",
        "33000167/0001-01",
        "33.000.167.0001-01",
        "33.000.167/000101",
        "33.000.167/0001–01",
        "33 000 167 0001 01",
        "33.000.167 / 0001-01",
        "CNPJ/MF nº 33.000.167/0001-01",
        "CNPJ n.º 33.000.167/0001-01",
        "(CNPJ: 33.000.167/0001-01)",
        "C.N.P.J. 33.000.167/0001-01",
        "cnpj 33000167000101",
        "CNPJ/ME sob o nº 33.000.167/0001-01,",
    ] {
        assert_eq!(read(text).as_deref(), Some("cnpj 33000167000101"), "{text}");
    }
    assert_eq!(read("33.000.167").as_deref(), Some("cnpj 33000167"));
    assert_eq!(read("33.000.167/0001").as_deref(), Some("cnpj 330001670001"));
    assert_eq!(read("33000167/0001").as_deref(), Some("cnpj 330001670001"));
    // A spreadsheet dropped the zero of 02.558.157/0001-62.
    assert_eq!(read("2.558.157/0001-62").as_deref(), Some("cnpj 02558157000162"));
    assert_eq!(read("2558157000162").as_deref(), Some("cnpj 02558157000162"));
    assert_eq!(read("12.abc.345/01de-35").as_deref(), Some("cnpj 12abc34501de35"));
    for text in ["33.000", "33.000.1670", "33 000 167 0001 02", "cnpj", "cnpj petrobras"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_ticker_is_read_with_its_exchange() {
    for text in [
        "PETR4",
        "petr4",
        "$PETR4",
        "#petr4",
        "(PETR4)",
        "PETR4.SA",
        "petr4.sao",
        "PETR4:BZ",
        "PETR4 BZ",
        "PETR4 BZ Equity",
        "PETR4 BS Equity",
        "BVMF:PETR4",
        "B3: PETR4",
        "BMFBOVESPA:PETR4",
        "BOVESPA:PETR4",
        "SAO:PETR4",
        "PETR4-BR",
        "PETR4:SA",
    ] {
        assert_eq!(read(text).as_deref(), Some("ticker petr4"), "{text}");
    }
    assert_eq!(read("NYSE: PBR").as_deref(), Some("ticker pbr"));
    assert_eq!(read("PBR US Equity").as_deref(), Some("ticker pbr"));
    assert_eq!(read("B3SA3").as_deref(), Some("ticker b3sa3"));
    for text in ["petrobras", "petr", "petr4 vale3", "b3", "vale sa", "PETR4 dividendos"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn an_isin_has_the_root_of_tickers_inside() {
    for text in ["BRPETRACNPR6", "ISIN: BRPETRACNPR6", "isin brpetracnor9"] {
        assert_eq!(read(text).as_deref(), Some("isin petr"), "{text}");
    }
    for text in ["BRPETRACNPR7", "USPETRACNPR6", "brasileiras1"] {
        assert_eq!(read(text), None, "{text}");
    }
}
